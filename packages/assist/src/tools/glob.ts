import { Glob } from "@segue/text";
import { ToolError } from "../tool.js";

// Longer than a path with some wildcards in it.
const GLOB_LENGTH_MAX = 1000;

/** Parses a glob for paths that start at a folder. Without a slash it is for the last name of a path. */
export function globOf(written: string): Glob {
	if (written.length > GLOB_LENGTH_MAX) {
		throw new ToolError(`The glob is longer than ${GLOB_LENGTH_MAX} characters.`);
	}
	return Glob.parse(written.includes("/") ? written.replace(/^\.?\//, "") : `**/${written}`);
}

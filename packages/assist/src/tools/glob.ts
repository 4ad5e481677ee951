import picomatch from "picomatch";
import { ToolError } from "../tool.js";

// Longer than any path that somebody would write with a few stars in it.
const GLOB_LENGTH_MAX = 1000;

/** What a glob matches: paths from a folder on, or last names where it has no slash. */
export function globOf(written: string): RegExp {
	if (written.length > GLOB_LENGTH_MAX) {
		throw new ToolError(`The glob is longer than ${GLOB_LENGTH_MAX} characters.`);
	}
	const glob = written.includes("/") ? written.replace(/^\.?\//, "") : `**/${written}`;
	return picomatch.makeRe(glob, { dot: true, strictBrackets: false });
}

import type { Document } from "@segue/text";
import { stretchOf } from "./reading.js";

/** Whether a document is one that was written by hand and can be read, or why it is not. */
export type Readability = "ok" | "binary" | "minified" | "too-large";

// Lines that are longer were not written by hand, and are read as a whole with every keystroke in them.
const LINE_LENGTH_MAX = 5000;

// Reading so much for the first time takes about as long as a keystroke may.
const TEXT_LENGTH_MAX = 5_000_000;

/** What is not understood is mirrored, but nothing is looked for in it. */
export function readabilityOf({ text }: Document): Readability {
	if (text.length > TEXT_LENGTH_MAX) return "too-large";
	const { hasNul, longest } = stretchOf(text);
	if (hasNul) return "binary";
	return longest > LINE_LENGTH_MAX ? "minified" : "ok";
}

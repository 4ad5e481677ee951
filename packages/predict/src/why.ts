import type { Document } from "@segue/text";
import type { Scene } from "./scene.js";

// From so many on, they may not all have been looked for; and nobody counts them.
const COUNTED_MAX = 30;

/** A place where something is left to do. */
interface Left {
	readonly document: Document;
}

/** What was done how often, and where it is left to do: "`cnt` became `count` at 2 places; 3 are left in this file". */
export function whyOf(scene: Scene, became: string, done: number, left: readonly Left[]): string {
	return `${became} at ${counted(done, "place")}; ${leftIn(scene, left)}`;
}

/** How many are left, and in which files: "3 are left in this file". */
export function leftIn({ document: here }: Scene, left: readonly Left[], what = ""): string {
	const count = left.length < COUNTED_MAX ? `${left.length}` : `${COUNTED_MAX} or more`;
	const noun = what && ` ${left.length === 1 ? what : `${what}s`}`;
	const files = new Set(left.map(({ document }) => document));
	const where = files.size > 1 ? `${files.size} files` : files.has(here) ? "this file" : "another file";
	return `${count}${noun} ${left.length === 1 ? "is" : "are"} left in ${where}`;
}

/** "1 place", "2 places" */
export function counted(count: number, noun: string): string {
	return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

import { type Position, positionAt, type Range, Text } from "@segue/text";
import type { Random } from "../random.js";

/** An edit as an editor sends it, and the offset in the text after it where its cursor then stands. */
export interface Keystroke {
	readonly range: Range;
	readonly insert: string;
	readonly cursor: number;
}

const INSERTS = ["", "x", ";", "\n", "count", "\t\treturn undefined;\n", "const next = items[index + 1];"];
const DELETE_MAX = 20;

/** Edits at random places, one after the other, and the text that they end with. */
export function keystrokesFor(before: string, count: number, random: Random): { edits: Keystroke[]; after: string } {
	const edits: Keystroke[] = [];
	let text = Text.of(before);
	for (let i = 0; i < count; i++) {
		const from = random.below(text.length);
		const to = Math.min(from + Math.max(0, random.below(2 * DELETE_MAX) - DELETE_MAX), text.length);
		const insert = random.pick(INSERTS);
		edits.push({ range: { start: at(text, from), end: at(text, to) }, insert, cursor: from + insert.length });
		text = text.replace(from, to, insert);
	}
	return { edits, after: text.toString() };
}

function at(text: Text, offset: number): Position {
	return positionAt(text, offset, "utf-16");
}

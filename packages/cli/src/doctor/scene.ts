import { History, type Scene, sceneOf } from "@segue/predict";
import { Change, type Document, Text } from "@segue/text";

const URI = "file:///point.ts";

/** A made-up file, as it was before somebody added the line with `z` to it. */
const BEFORE = `interface Point {
	x: number;
	y: number;
}

function distance(a: Point, b: Point): number {
	const dx = a.x - b.x;
	const dy = a.y - b.y;

	return Math.sqrt(dx * dx + dy * dy);
}
`;
const ADDED = "\tz: number;\n";
const ADDED_AT = BEFORE.indexOf("}");

/**
 * What a model is tried with: nobody's code. A line was added, and the cursor is where another has to follow, which models of
 * all formats can write and the embedded engine cannot.
 */
export function sampleScene(): Scene {
	const before: Document = { uri: URI, languageId: "typescript", version: 1, text: Text.of(BEFORE) };
	const change = Change.of([{ from: ADDED_AT, to: ADDED_AT, insert: ADDED }], BEFORE.length);
	const text = change.apply(before.text);
	const history = History.empty.opened(before).changed(before, change, { atMs: 0, isAccepted: false, after: text });
	const cursor = text.toString().indexOf("\n\n\treturn") + 1;
	return { ...sceneOf({ ...before, version: 2, text }, history, cursor), eagerness: "high" };
}

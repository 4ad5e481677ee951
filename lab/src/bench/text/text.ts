// Benchmark: edits, position look-ups and the memory of snapshots, against two other text implementations

import { Text as CodeMirrorText } from "@codemirror/state";
import { diffLines, type Encoding, offsetOf, positionAt, Text } from "@segue/text";
import { TextDocument } from "vscode-languageserver-textdocument";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { Random, type RandomEdit, randomCode, randomCodeInManyScripts, randomEdits } from "../random-code.js";
import { interleave, median } from "../rounds.js";

const KB = 1000;
const MB = 1000 * KB;
// Operations that are timed at once.
const LONG = 20_000;
const SHORT = 2000;

const measurements = [
	...(await editing()),
	...(await growing()),
	remembering(),
	...(await loading()),
	await lookingUp(),
	await diffing(),
];
clearProgress();
report(measurements, process.argv);

/**
 * A session of editing. Each edit comes as an editor sends it, so its two positions are turned into offsets; then the
 * text is replaced; then the cursor's offset is turned into a position, and that position into an offset again.
 */
async function editing(): Promise<Measurement[]> {
	const before = randomCode(250 * KB, new Random(1));
	const { edits, after } = randomEdits(before, 2000, new Random(2));
	const ours = Text.of(before);
	const codeMirror = CodeMirrorText.of(before.split("\n"));
	const rounds = 15;
	const times = await interleave(
		{
			ours: () => timeOf(() => editOurs(ours, edits), after),
			codeMirror: () => timeOf(() => editCodeMirror(codeMirror, edits), after),
			vscode: () => {
				// This one changes in place, so each round needs its own; its table of lines is made before the clock starts.
				const document = TextDocument.create("file:///a.ts", "typescript", 0, before);
				document.positionAt(0);
				return timeOf(() => editVscode(document, edits), after);
			},
		},
		rounds,
		(round) => showProgress(`editing 250 KB: round ${round + 1} of ${rounds}`),
	);
	const figure = "2,000 edits with look-ups, 250 KB";
	const value = median(times.ours);
	const vscode = { name: "vscode TextDocument", value: median(times.vscode) };
	const codeMirrorText = { name: "CodeMirror Text", value: median(times.codeMirror) };
	return [
		{ figure, value, unit: "ms", against: vscode, target: { fasterAtLeast: 10 } },
		{ figure, value, unit: "ms", against: codeMirrorText, target: { timesAtMost: 1.5 } },
	];
}

/** The milliseconds that some edits take. What they end with is checked when the clock has stopped. */
function timeOf(edit: () => () => string, after: string): number {
	collectGarbage();
	const start = performance.now();
	const result = edit();
	const time = performance.now() - start;
	if (result() !== after) throw new Error("the edits did not end with the right text");
	return time;
}

function editOurs(before: Text, edits: readonly RandomEdit[]): () => string {
	let text = before;
	for (const { range, insert, cursor } of edits) {
		text = text.replace(offsetOf(text, range.start, "utf-16"), offsetOf(text, range.end, "utf-16"), insert);
		expectSame(offsetOf(text, positionAt(text, cursor, "utf-16"), "utf-16"), cursor);
	}
	return () => text.toString();
}

function editCodeMirror(before: CodeMirrorText, edits: readonly RandomEdit[]): () => string {
	let text = before;
	for (const { range, insert, cursor } of edits) {
		const from = text.line(range.start.line + 1).from + range.start.character;
		const to = text.line(range.end.line + 1).from + range.end.character;
		text = text.replace(from, to, CodeMirrorText.of(insert.split("\n")));
		const line = text.lineAt(cursor);
		const character = cursor - line.from;
		expectSame(text.line(line.number).from + character, cursor);
	}
	return () => text.toString();
}

function editVscode(document: TextDocument, edits: readonly RandomEdit[]): () => string {
	for (const [version, { range, insert, cursor }] of edits.entries()) {
		TextDocument.update(document, [{ range, text: insert }], version);
		expectSame(document.offsetAt(document.positionAt(cursor)), cursor);
	}
	return () => document.getText();
}

/** Also what keeps the engine from leaving out look-ups that nobody reads. */
function expectSame(offset: number, cursor: number): void {
	if (offset !== cursor) throw new Error(`${cursor} came back as ${offset}`);
}

/**
 * One operation is a character typed at a random place of the same snapshot, and the look-ups of the cursor after it.
 * Its result is dropped at once, so neither variant leaves anything for the other to carry or to collect.
 *
 * At random places a large text also pays for main memory: nothing of it is in the processor's caches. People type in
 * one place for a while, and so one figure stays within 10 KB of the large text.
 *
 * How many operations are timed at once decides how much of the time goes into collecting garbage, which both variants
 * do alike. A short batch has hardly any, and at times shows a larger ratio. Both have the target.
 */
async function growing(): Promise<Measurement[]> {
	const small = Text.of(randomCode(10 * KB, new Random(3)));
	const large = Text.of(randomCode(10 * MB, new Random(4)));
	const random = new Random(5);
	const middle = large.length / 2;
	const rounds = 15;
	const times = await interleave(
		{
			small: () => typingTime(LONG, small, random, 0, small.length),
			anywhere: () => typingTime(LONG, large, random, 0, large.length),
			nearby: () => typingTime(LONG, large, random, middle, middle + small.length),
			smallShort: () => typingTime(SHORT, small, random, 0, small.length),
			anywhereShort: () => typingTime(SHORT, large, random, 0, large.length),
		},
		rounds,
		(round) => showProgress(`typing into 10 MB and 10 KB: round ${round + 1} of ${rounds}`),
	);
	const against = { name: "the same in 10 KB", value: median(times.small) };
	const short = { name: "the same in 10 KB", value: median(times.smallShort) };
	const target = { timesAtMost: 3 };
	const anywhere = "edit and look-ups anywhere in 10 MB";
	return [
		{ figure: `${anywhere}, 20,000 at once`, value: median(times.anywhere), unit: "µs", against, target },
		{ figure: `${anywhere}, 2,000 at once`, value: median(times.anywhereShort), unit: "µs", against: short, target },
		{ figure: "edit and look-ups within 10 KB of 10 MB", value: median(times.nearby), unit: "µs", against },
	];
}

/** Microseconds for each of some operations, at places between two offsets. */
function typingTime(count: number, base: Text, random: Random, from: number, to: number): number {
	const places = Array.from({ length: count }, () => from + random.below(to - from));
	collectGarbage();
	const start = performance.now();
	for (const place of places) {
		const text = base.replace(place, place, "x");
		expectSame(offsetOf(text, positionAt(text, place + 1, "utf-16"), "utf-16"), place + 1);
	}
	return (1000 * (performance.now() - start)) / places.length;
}

/** The memory of a document and of every version that 1,000 characters typed at random places make of it. */
function remembering(): Measurement {
	showProgress("keeping 1,000 snapshots");
	const random = new Random(6);
	collectGarbage();
	const before = process.memoryUsage().heapUsed;
	const snapshots = [Text.of(randomCode(MB, random))];
	for (let text = snapshots[0] as Text; snapshots.length <= 1000; snapshots.push(text)) {
		const place = random.below(text.length);
		text = text.replace(place, place, "x");
	}
	collectGarbage();
	const value = (process.memoryUsage().heapUsed - before) / MB;
	for (const [typed, text] of snapshots.entries()) expectSame(text.length, MB + typed);
	return { figure: "1,000 snapshots of 1 MB, with the base", value, unit: "MB", target: { valueBelow: 20 } };
}

/** From a string to a text whose lines are known. */
async function loading(): Promise<Measurement[]> {
	const source = randomCode(10 * MB, new Random(7));
	const rounds = 9;
	const times = await interleave(
		{
			ours: () => timeOfOne(() => Text.of(source).lineCount),
			codeMirror: () => timeOfOne(() => CodeMirrorText.of(source.split("\n")).lines),
			vscode: () => timeOfOne(() => TextDocument.create("file:///a.ts", "typescript", 0, source).lineCount),
		},
		rounds,
		(round) => showProgress(`loading 10 MB: round ${round + 1} of ${rounds}`),
	);
	const figure = "loading 10 MB";
	const value = median(times.ours);
	return [
		{ figure, value, unit: "ms", against: { name: "vscode TextDocument", value: median(times.vscode) } },
		{ figure, value, unit: "ms", against: { name: "CodeMirror Text", value: median(times.codeMirror) } },
	];
}

/** Offset to position and back at random places, in a text where the two encodings never agree. */
async function lookingUp(): Promise<Measurement> {
	const text = Text.of(randomCodeInManyScripts(250 * KB, new Random(8)));
	const random = new Random(9);
	const rounds = 15;
	const times = await interleave(
		{ utf8: () => lookUpTime(text, random, "utf-8"), utf16: () => lookUpTime(text, random, "utf-16") },
		rounds,
		(round) => showProgress(`looking up positions: round ${round + 1} of ${rounds}`),
	);
	const against = { name: "the same in utf-16", value: median(times.utf16) };
	return { figure: "look-up there and back, utf-8, 250 KB", value: median(times.utf8), unit: "µs", against };
}

/** Microseconds for each place. */
function lookUpTime(text: Text, random: Random, encoding: Encoding): number {
	const places = Array.from({ length: 5000 }, () => random.below(text.length));
	const time = timeOfOne(() => {
		for (const place of places) {
			// Half of a surrogate pair is no place, and is rounded down to where its character starts.
			const offset = offsetOf(text, positionAt(text, place, encoding), encoding);
			if (offset !== place) expectSame(offset, place - 1);
		}
	});
	return (1000 * time) / places.length;
}

/** Two versions of a file that differ in every hundredth line. */
async function diffing(): Promise<Measurement> {
	const lines = randomCode(250 * KB, new Random(10))
		.split("\n")
		.slice(0, 5000);
	const before = lines.join("\n");
	const after = lines.map((line, index) => (index % 100 === 50 ? `${line} // changed` : line)).join("\n");
	const rounds = 15;
	const times = await interleave({ ours: () => timeOfOne(() => diffLines(before, after)) }, rounds, (round) =>
		showProgress(`diffing 5,000 lines: round ${round + 1} of ${rounds}`),
	);
	return { figure: "diffLines, 50 of 5,000 lines changed", value: median(times.ours), unit: "ms" };
}

function timeOfOne(work: () => unknown): number {
	collectGarbage();
	const start = performance.now();
	work();
	return performance.now() - start;
}

/** Lets a measurement begin without what the one before it left behind. */
function collectGarbage(): void {
	if (gc === undefined) throw new Error("run this with --expose-gc, as bench.mjs does");
	gc();
}

// Benchmark: edits, position lookups and the memory of snapshots, compared with two other text implementations

import { Text as CodeMirrorText } from "@codemirror/state";
import { diffLines, type Encoding, offsetOf, positionAt, Text } from "@segue/text";
import { TextDocument } from "vscode-languageserver-textdocument";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { Random, type RandomEdit, randomCode, randomCodeInManyScripts, randomEdits } from "../random-code.js";
import { interleave, median } from "../rounds.js";

const KB = 1000;
const MB = 1000 * KB;
// Operations per measurement.
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
 * Measures an editing session. Each edit arrives in wire form, so its two positions are converted to offsets. The edit
 * is then applied, and the cursor's offset is converted to a position and back.
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
				// TextDocument is mutable, so each round needs a new one. Build its line table before the measurement.
				const document = TextDocument.create("file:///a.ts", "typescript", 0, before);
				document.positionAt(0);
				return timeOf(() => editVscode(document, edits), after);
			},
		},
		rounds,
		(round) => showProgress(`editing 250 KB: round ${round + 1} of ${rounds}`),
	);
	const figure = "2,000 edits with lookups, 250 KB";
	const value = median(times.ours);
	const vscode = { name: "vscode TextDocument", value: median(times.vscode) };
	const codeMirrorText = { name: "CodeMirror Text", value: median(times.codeMirror) };
	return [
		{ figure, value, unit: "ms", against: vscode, target: { fasterAtLeast: 10 } },
		{ figure, value, unit: "ms", against: codeMirrorText, target: { timesAtMost: 1.5 } },
	];
}

/** Returns the milliseconds taken by edits. The resulting text is checked after the measurement. */
function timeOf(edit: () => () => string, after: string): number {
	collectGarbage();
	const start = performance.now();
	const result = edit();
	const time = performance.now() - start;
	if (result() !== after) throw new Error("the edits produced the wrong text");
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

/** Checks the cursor, which also keeps the JIT compiler from removing unused lookups. */
function expectSame(offset: number, cursor: number): void {
	if (offset !== cursor) throw new Error(`expected offset ${cursor}, got ${offset}`);
}

/**
 * Measures typing in a large text, compared with typing in a small one. One operation types a character at a random
 * position in the same snapshot and looks up the cursor. The result is dropped immediately, so the variants do not
 * affect each other.
 *
 * At random positions a large text also suffers CPU cache misses. Users keep typing in the same area for a while, so
 * one figure uses only positions within the same 10 KB of the large text.
 *
 * The batch size determines how much of the time is spent on garbage collection, and is the same for both variants.
 * Short batches cause almost no garbage collection and sometimes show a larger ratio. The target applies to both batch
 * sizes.
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
	const anywhere = "edit and lookups anywhere in 10 MB";
	return [
		{ figure: `${anywhere}, batches of 20,000`, value: median(times.anywhere), unit: "µs", against, target },
		{ figure: `${anywhere}, batches of 2,000`, value: median(times.anywhereShort), unit: "µs", against: short, target },
		{ figure: "edit and lookups within 10 KB of 10 MB", value: median(times.nearby), unit: "µs", against },
	];
}

/** Microseconds per operation, at positions between two offsets. */
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

/**
 * Measures the memory used by a document and 1,000 later versions of it, each with one more character at a random
 * position.
 */
function remembering(): Measurement {
	showProgress("memory of 1,000 snapshots");
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

/** Measures creating a text from a string, including its line index. */
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

/** Measures converting offsets to positions and back, in a text where UTF-8 and UTF-16 offsets always differ. */
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
	return { figure: "offset to position and back, utf-8, 250 KB", value: median(times.utf8), unit: "µs", against };
}

/** Microseconds per offset. */
function lookUpTime(text: Text, random: Random, encoding: Encoding): number {
	const places = Array.from({ length: 5000 }, () => random.below(text.length));
	const time = timeOfOne(() => {
		for (const place of places) {
			// An offset inside a surrogate pair is rounded down to the start of the character.
			const offset = offsetOf(text, positionAt(text, place, encoding), encoding);
			if (offset !== place) expectSame(offset, place - 1);
		}
	});
	return (1000 * time) / places.length;
}

/** Measures diffing two versions of a file that differ in every hundredth line. */
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

/** Collects garbage left by earlier measurements. */
function collectGarbage(): void {
	if (gc === undefined) throw new Error("run with --expose-gc, as bench.mjs does");
	gc();
}

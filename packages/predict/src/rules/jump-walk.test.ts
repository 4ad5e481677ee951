import { runs } from "@segue/testing/setup/tier";
import { Change, type Document, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History } from "../history.js";
import { Memory, predict, type Scene, type Suggestion } from "../index.js";
import { sceneOf } from "../scene.js";

// Simulates a user who changes a declaration and follows one jump after another.

/** A change to a line in the first file. */
interface Task {
	readonly before: string;
	readonly after: string;
	/** The text that the user inserts at the targets of jumps. */
	readonly fill: string;
}

const ADDED: Task = {
	before: "export function add(a: number) {}",
	after: "export function add(a: number, mode: Mode) {}",
	fill: ", ",
};
const RETYPED: Task = {
	before: "export const add: Adder = make()",
	after: "export const add: Other = make()",
	fill: "",
};

/**
 * Follows jumps until there are none. `edits` specifies for each target whether the user edits there. If not, the user
 * goes to the start of the line.
 */
function walk(task: Task, files: readonly string[], edits: readonly boolean[] = []): Suggestion[] {
	let documents = files.map((source, i): Document => {
		return { uri: `${i}.ts`, languageId: "typescript", version: 0, text: Text.of(source) };
	});
	let history = History.empty;
	let memory = Memory.empty;
	let cursor = 0;
	const change = (document: Document, from: number, to: number, insert: string) => {
		history = history.changed(document, Change.of([{ from, to, insert }], document.text.length), {
			atMs: 0,
			isAccepted: false,
		});
		const text = history.fileOf(document.uri)?.now ?? document.text;
		cursor = from + insert.length;
		documents = [{ ...document, version: document.version + 1, text }, ...documents.filter((one) => one !== document)];
	};
	const [home] = documents as [Document];
	change(
		home,
		home.text.toString().indexOf(task.before),
		home.text.toString().indexOf(task.before) + task.before.length,
		task.after,
	);
	const shown: Suggestion[] = [];
	// More steps than there are jump targets, to detect a loop.
	for (let i = 0; i < 40; i++) {
		const [document, ...neighbours] = documents as [Document, ...Document[]];
		const scene: Scene = { ...sceneOf(document, history, cursor), neighbours, kinds: new Set(["jump"]) };
		const prediction = predict(scene, memory);
		const [suggestion] = "suggestions" in prediction ? prediction.suggestions : [];
		if (suggestion?.kind !== "jump") break;
		shown.push(suggestion);
		memory = memory.accepted(suggestion);
		const target = documents.find(({ uri }) => uri === suggestion.uri) as Document;
		documents = [target, ...documents.filter((one) => one !== target)];
		cursor = suggestion.cursor;
		if (edits[i % edits.length]) change(target, cursor, cursor, `${task.fill}${i}`);
		else cursor = target.text.lineStart(target.text.lineAt(cursor));
	}
	return shown;
}

/** The number of jumps left, according to the reason of each jump. */
function countsOf(shown: readonly Suggestion[]): number[] {
	return shown.map(({ why }) => Number(/: (\d+) .*left in/.exec(why)?.[1]));
}

const CALLS = [1, 2, 3, 4, 5, 6, 7].map((i) => `add(${i})`);

describe("jumps followed one after another", () => {
	test("lead to each of several equal lines", () => {
		const body = ["one", "two", "three"].map((name) => `function ${name}(x: number) {\n\tadd(x)\n}`);
		expect(walk(ADDED, [[ADDED.before, ...body].join("\n")]).length).toBe(3);
		const nested = ["a", "b", "c"].map((name) => `test("${name}", () => {\n\tsetUp()\n\tadd(x)\n\tsetUp()\n})`);
		expect(walk(ADDED, [[ADDED.before, ...nested].join("\n")]).length).toBe(3);
		expect(walk(ADDED, [[ADDED.before, "add(x)", "add(x)", "add(x)", "add(x)"].join("\n")]).length).toBe(4);
	});

	test("count down the calls that are left", () => {
		expect(countsOf(walk(ADDED, [[ADDED.before, ...CALLS].join("\n")]))).toEqual([7, 6, 5, 4, 3, 2, 1]);
	});

	test("count down the uses that are left", () => {
		expect(countsOf(walk(RETYPED, [[RETYPED.before, ...CALLS].join("\n")]))).toEqual([7, 6, 5, 4, 3, 2, 1]);
	});

	test("count the remaining jumps, with equal lines", () => {
		const line = fc.constantFrom("add(x)", "log(add(2))", "if (ready) add(3)", "wait(10)", "");
		const lines = fc.array(line, { maxLength: 6 });
		fc.assert(
			fc.property(lines, lines, lines, (above, below, other) => {
				const shown = walk(ADDED, [[...above, ADDED.before, ...below].join("\n"), other.join("\n")]);
				expect(countsOf(shown)).toEqual(shown.map((_, i) => shown.length - i));
				expect(shown.length).toBe([...above, ...below, ...other].join("").split("add(").length - 1);
			}),
			{ numRuns: runs(300) },
		);
	});

	test("count the remaining jumps, with edits at some targets", () => {
		const lines = fc.array(fc.boolean(), { maxLength: 6 });
		fc.assert(
			fc.property(lines, lines, lines, fc.array(fc.boolean(), { minLength: 1 }), (above, below, other, edits) => {
				let count = 0;
				const write = (calls: readonly boolean[]) =>
					calls.map((isCall) => `start(${++count})\n${isCall ? `add(${count})` : ""}\nend(${count})`);
				const home = [...write(above), ADDED.before, ...write(below)].join("\n");
				const shown = walk(ADDED, [home, write(other).join("\n")], edits);
				expect(countsOf(shown)).toEqual(shown.map((_, i) => shown.length - i));
				expect(shown.length).toBe([...above, ...below, ...other].filter(Boolean).length);
			}),
			{ numRuns: runs(300) },
		);
	});
});

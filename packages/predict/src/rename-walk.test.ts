import { outlineHere } from "@segue/testing/outlines";
import { Change, type Document, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History } from "./history.js";
import { Memory, predict, type Scene, type Suggestion } from "./index.js";
import { sceneOf } from "./scene.js";

// A user who renames a function at its declaration and accepts one suggestion after the other.

const OLD = "fetchRows";
const NEW = "readRows";

/** Lines of a program. `@` stands for the function's name where it is meant. */
const lineArb = fc.constantFrom(
	"log(@(1))",
	"const rows = @(2)",
	"both(@(3), @(4))",
	"if (ready) @(5)",
	"wait(10)",
	"const size = 3",
	`log("${OLD}")`,
	`// ${OLD} reads everything.`,
	"",
);
const linesArb = fc.array(lineArb, { maxLength: 4 });

interface Project {
	/** The lines above and below the declaration. */
	readonly above: readonly string[];
	readonly below: readonly string[];
	/** Files that import the function. */
	readonly others: readonly (readonly string[])[];
	/** The user has changed something else before. */
	readonly isBusy: boolean;
	readonly isParsed: boolean;
}

const projectArb: fc.Arbitrary<Project> = fc.record({
	above: linesArb,
	below: linesArb,
	others: fc.array(linesArb, { maxLength: 2 }),
	isBusy: fc.boolean(),
	isParsed: fc.boolean(),
});

/** One request: what was suggested first, and the document that the user was in. */
interface Shown {
	readonly suggestion: Suggestion;
	readonly here: string;
}

const outliner = await outlineHere();

/** Renames the function where it is declared, and follows the suggestions until there are none. */
function walk({ above, below, others, isBusy, isParsed }: Project): Shown[] {
	const outlines = isParsed ? outliner.outlines() : undefined;
	const textOf = (lines: readonly string[]) => `${lines.join("\n").replaceAll("@", OLD)}\n`;
	const documentOf = (uri: string, text: string): Document => {
		return { uri, languageId: "typescript", version: 0, text: Text.of(text) };
	};
	const home = textOf(["const limit = 10", ...above, "export function @(page: number) {}", ...below]);
	let documents = [
		documentOf("home.ts", home),
		...others.map((lines, i) => documentOf(`${i}.ts`, textOf([`import { @ } from "./home"`, ...lines]))),
	];
	let history = History.empty;
	let memory = Memory.empty;
	let cursor = 0;
	for (const document of documents) outlines?.update(document);
	const turnTo = (document: Document, at: number) => {
		documents = [document, ...documents.filter(({ uri }) => uri !== document.uri)];
		cursor = at;
	};
	const edit = (uri: string, edits: readonly { from: number; to: number; insert: string }[], isAccepted: boolean) => {
		const document = documents.find((one) => one.uri === uri) as Document;
		const change = Change.of(edits, document.text.length);
		history = history.changed(document, change, { atMs: 0, isAccepted });
		const text = history.fileOf(uri)?.now ?? document.text;
		const next = { ...document, version: document.version + 1, text };
		outlines?.update(next);
		turnTo(next, change.map(edits.at(-1)?.to ?? 0, "after"));
	};
	if (isBusy) edit("home.ts", [{ from: 14, to: 16, insert: "20" }], false);
	const at = (documents[0] as Document).text.toString().indexOf(`function ${OLD}`) + "function ".length;
	edit("home.ts", [{ from: at, to: at + OLD.length, insert: NEW }], false);

	const shown: Shown[] = [];
	// More than there are places, so a loop is seen.
	for (let i = 0; i < 60; i++) {
		const [document, ...neighbours] = documents as [Document, ...Document[]];
		const scene: Scene = {
			...sceneOf(document, history, cursor),
			neighbours,
			kinds: new Set(["jump"]),
			...(outlines && { outlines: outlines.now() }),
		};
		const prediction = predict(scene, memory);
		const [suggestion] = "suggestions" in prediction ? prediction.suggestions : [];
		if (suggestion === undefined) break;
		shown.push({ suggestion, here: document.uri });
		memory = memory.accepted(suggestion);
		if (suggestion.kind === "edit") edit(suggestion.uri, suggestion.edits, true);
		else turnTo(documents.find(({ uri }) => uri === suggestion.uri) as Document, suggestion.cursor);
	}
	outlines?.forgetAll();
	return shown;
}

/** The number of places, and where they are, as a reason for a user says it. */
function counted(why: string): { readonly count: number; readonly where: string } {
	const [, count, where = ""] = /; (\d+) (?:is|are) left in (.*)$/.exec(why) ?? [];
	return { count: Number(count), where };
}

describe("a rename that is accepted place by place", () => {
	test("is offered at every place once, one file after the other, and each reason says how many edits follow", () => {
		fc.assert(
			fc.property(projectArb, (project) => {
				const shown = walk(project);
				for (const [i, { suggestion, here }] of shown.entries()) {
					const rest = shown.slice(i).flatMap((one) => (one.suggestion.kind === "edit" ? [one.suggestion] : []));
					const files = new Set(rest.map(({ uri }) => uri));
					const where = files.size > 1 ? `${files.size} files` : files.has(here) ? "this file" : "another file";
					const count = rest.reduce((sum, { edits }) => sum + edits.length, 0);
					expect(counted(suggestion.why)).toEqual({ count, where });
				}
				const { above, below, others } = project;
				const places = [...above, ...below, ...others.flat()].join("").split("@").length - 1 + others.length;
				const edits = shown.flatMap(({ suggestion }) => (suggestion.kind === "edit" ? suggestion.edits : []));
				expect(edits.length).toBe(places);
				const visits = shown.map(({ suggestion }) => suggestion.uri).filter((uri, i, all) => uri !== all[i - 1]);
				expect(visits).toEqual([...new Set(visits)]);
				// A jump comes only before the first edit.
				expect(shown.slice(1).every(({ suggestion }) => suggestion.kind === "edit")).toBe(true);
			}),
			{ numRuns: 100 },
		);
	});

	test("takes seven accepts and two changes of file for seven places in three files", () => {
		const shown = walk({
			above: ["log(@(1))"],
			below: ["wait(10)", "const rows = @(2)"],
			others: [["log(@(1))"], ["if (ready) @(5)", "", "log(@(1))"]],
			isBusy: false,
			isParsed: true,
		});
		expect(shown.map(({ suggestion: { kind, uri } }) => `${kind} ${uri}`)).toEqual([
			"edit home.ts",
			"edit home.ts",
			"edit 1.ts",
			"edit 1.ts",
			"edit 1.ts",
			"edit 0.ts",
			"edit 0.ts",
		]);
	});
});

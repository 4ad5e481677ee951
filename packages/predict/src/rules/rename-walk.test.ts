import { inProcessOutliner } from "@segue/testing/players/outlines";
import { runs } from "@segue/testing/setup/tier";
import { Change, type Document, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History } from "../history.js";
import { Memory, predict, type Scene, type Suggestion, wholeRename } from "../index.js";
import { sceneOf } from "../scene.js";

// Simulates a user who renames a function at its declaration and accepts one suggestion after another.

/** Lines of code. `@` is replaced by the function's name, and `$` by the same word outside code. */
const lineArb = fc.constantFrom(
	"log(@(1))",
	"const rows = @(2)",
	"both(@(3), @(4))",
	"if (ready) @(5)",
	"wait(10)",
	"const size = 3",
	'log("$")',
	"// $ reads everything.",
	"",
);
const linesArb = fc.array(lineArb, { maxLength: 4 });

interface Project {
	/** The lines above and below the declaration. */
	readonly above: readonly string[];
	readonly below: readonly string[];
	/** Files that import the function. */
	readonly others: readonly (readonly string[])[];
	/** Whether the user has changed something else first. */
	readonly isBusy: boolean;
	readonly isParsed: boolean;
	/** The old and the new name. */
	readonly names: readonly [string, string];
	/** For each edit shown, whether the user rejects it. */
	readonly rejected: readonly number[];
}

const projectArb: fc.Arbitrary<Project> = fc.record({
	above: linesArb,
	below: linesArb,
	others: fc.array(linesArb, { maxLength: 2 }),
	isBusy: fc.boolean(),
	isParsed: fc.boolean(),
	names: fc.constantFrom(["fetchRows", "readRows"], ["cnt", "counter"], ["open", "begin"], ["user_nmae", "user_name"]),
	rejected: fc.constant([]),
});

/** One request: the first two suggestions, the document that the user was in, and whether the first was rejected. */
interface Shown {
	readonly suggestion: Suggestion;
	readonly next: Suggestion | undefined;
	readonly here: string;
	readonly isRejected: boolean;
	/** The edits of the whole rename, with their files. */
	readonly whole: readonly string[] | undefined;
}

const outliner = await inProcessOutliner();

/** Renames the function at its declaration, and follows the suggestions until there are none. */
function walk({ above, below, others, isBusy, isParsed, names: [old, now], rejected }: Project): Shown[] {
	const outlines = isParsed ? outliner.outlines() : undefined;
	const textOf = (lines: readonly string[]) => `${lines.join("\n").replaceAll(/[@$]/g, old)}\n`;
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
	const at = (documents[0] as Document).text.toString().indexOf(`function ${old}`) + "function ".length;
	edit("home.ts", [{ from: at, to: at + old.length, insert: now }], false);

	const shown: Shown[] = [];
	// More steps than there are sites, to detect a loop.
	for (let i = 0; i < 60; i++) {
		const [document, ...neighbours] = documents as [Document, ...Document[]];
		const scene: Scene = {
			...sceneOf(document, history, cursor),
			neighbours,
			kinds: new Set(["jump"]),
			...(outlines && { outlines: outlines.now() }),
		};
		const prediction = predict(scene, memory);
		const [suggestion, next] = "suggestions" in prediction ? prediction.suggestions : [];
		if (suggestion === undefined) break;
		const isRejected = suggestion.kind === "edit" && rejected.includes(i);
		const whole = wholeRename(scene, memory, suggestion)?.flatMap(({ document: { uri }, edits }) => {
			return edits.map(({ insert }) => `${uri} ${insert}`);
		});
		shown.push({ suggestion, next, here: document.uri, isRejected, whole });
		if (isRejected) {
			memory = memory.rejected(suggestion, "rejected");
			continue;
		}
		memory = memory.accepted(suggestion);
		if (suggestion.kind === "edit") edit(suggestion.uri, suggestion.edits, true);
		else turnTo(documents.find(({ uri }) => uri === suggestion.uri) as Document, suggestion.cursor);
	}
	outlines?.forgetAll();
	return shown;
}

/** The number of sites given in a reason, and their files. */
function counted(why: string): { readonly count: number; readonly where: string } {
	const [, count, where = ""] = /: (\d+) more in (.*)$/.exec(why) ?? [];
	return { count: Number(count), where };
}

describe("a rename accepted one site at a time", () => {
	test("is suggested once for every site, file by file, with the number of edits left", () => {
		fc.assert(
			fc.property(projectArb, (project) => {
				const shown = walk(project);
				for (const [i, { suggestion, here }] of shown.entries()) {
					const rest = shown.slice(i).flatMap((one) => (one.suggestion.kind === "edit" ? [one.suggestion] : []));
					const files = new Set(rest.map(({ uri }) => uri));
					const [only = here] = files;
					const name = only === here ? "this file" : `\`${only.slice(only.lastIndexOf("/") + 1)}\``;
					const where = files.size > 1 ? `${files.size} files` : name;
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
			{ numRuns: runs(100) },
		);
	});

	test("makes the same edits as the whole rename, which is not offered after a rejection", () => {
		fc.assert(
			fc.property(projectArb, fc.nat({ max: 3 }), (project, refused) => {
				const shown = walk(project);
				for (const [i, { whole, suggestion }] of shown.entries()) {
					const rest = shown.slice(i).flatMap(({ suggestion: one }) => {
						return one.kind === "edit" ? one.edits.map(({ insert }) => `${one.uri} ${insert}`) : [];
					});
					if (suggestion.kind === "edit") expect(whole?.toSorted()).toEqual(rest.toSorted());
					else expect(whole).toBeUndefined();
				}
				const walked = walk({ ...project, rejected: [refused] });
				const at = walked.findIndex(({ isRejected }) => isRejected);
				const later = at < 0 ? [] : walked.slice(at + 1);
				expect(later.flatMap(({ whole }) => whole ?? [])).toEqual([]);
			}),
			{ numRuns: runs(100) },
		);
	});

	test("does not count rejected sites", () => {
		const rejectedArb = fc.uniqueArray(fc.nat({ max: 8 }), { maxLength: 2 });
		fc.assert(
			fc.property(projectArb, rejectedArb, (project, rejected) => {
				// Equal lines are rejected together, so each line gets a number.
				let count = 0;
				const numbered = (lines: readonly string[]) => lines.map((line) => `${line}; wait(${++count})`);
				const [above, below] = [numbered(project.above), numbered(project.below)];
				const others = project.others.map(numbered);
				const shown = walk({ ...project, above, below, others, rejected });
				let left = [...above, ...below, ...others.flat()].join("").split("@").length - 1 + others.length;
				for (const { suggestion } of shown) {
					expect(counted(suggestion.why).count).toBe(left);
					if (suggestion.kind === "edit") left -= suggestion.edits.length;
				}
			}),
			{ numRuns: runs(100) },
		);
	});

	test("has the same reasons in the next response", () => {
		fc.assert(
			fc.property(projectArb, (project) => {
				const shown = walk(project);
				for (const [i, { suggestion, next }] of shown.entries()) {
					const following = shown[i + 1]?.suggestion;
					if (suggestion.kind === "edit" && next !== undefined) expect(following?.why).toBe(next.why);
				}
			}),
			{ numRuns: runs(100) },
		);
	});

	test("takes seven accepts and two file switches for seven sites in three files", () => {
		const shown = walk({
			above: ["log(@(1))"],
			below: ["wait(10)", "const rows = @(2)"],
			others: [["log(@(1))"], ["if (ready) @(5)", "", "log(@(1))"]],
			isBusy: false,
			isParsed: true,
			names: ["fetchRows", "readRows"],
			rejected: [],
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

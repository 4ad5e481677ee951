import { controlTokensIn, endTokensIn } from "@segue/predict";
import { someText } from "@segue/testing/arbitrary";
import { readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { Change, splitsCharacter, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditModelRequest, Format, ModelPrompt, ParsedOutput, PromptInput } from "./format.js";
import { editModelRequestOf, FORMATS } from "./formats.js";
import { estimateTokens } from "./token-budget.js";

const recipient = (windowTokens?: number) => ({ model: "any", windowTokens });

const LINES = ["", "", "}", "one();", "\ttwo(a);", "six😀();", "漢", "return;", "// ====="];
const someLine = fc.oneof(fc.constantFrom(...LINES), fc.constantFrom("a".repeat(40), "ünï".repeat(9)));

/** A document of code, now and then of trouble, with a cursor. */
const someDocument = fc
	.oneof(
		{ weight: 4, arbitrary: fc.tuple(fc.array(someLine, { maxLength: 40 }), fc.constantFrom("\n", "\r\n")) },
		someText().map((text) => [[text], "\n"] as const),
	)
	.map(([lines, eol]) => Text.of(lines.join(eol)))
	.chain((text) => fc.record({ text: fc.constant(text), cursor: fc.nat(text.length) }))
	.filter(({ text, cursor }) => !splitsCharacter(text, cursor));

const CONTROL_TOKENS = controlTokensIn("typescript");

type SomeDocument = Pick<PromptInput, "text" | "cursor">;

const EMPTY = readPromptInput("▮");

function briefOf(document: SomeDocument, beside: Partial<PromptInput> = {}): PromptInput {
	return { ...EMPTY, ...document, ...beside };
}

describe.each([...FORMATS])("%s", (_, format) => {
	test("reads whatever it is told, and changes nothing outside of the window and no half of a character", () => {
		const some = someDocument.chain((document) => fc.tuple(fc.constant(document), someAnswer(format, document.text)));
		fc.assert(
			fc.property(some, fc.constantFrom("stop", "length"), someCuts, ([document, text], end, cuts) => {
				const question = editModelRequestOf(format, briefOf(document), recipient());
				if (question === "too-long") throw new Error("there is a question about every short text");
				if (typeof question === "string") return;
				const reading = question.read({ text, end });
				expectInside(reading, question, document.text);
				for (const cut of cuts) expectSettled(question, text.slice(0, Math.floor(cut * text.length)), reading);
			}),
		);
	});

	test("reads an answer with the end token of any model behind it as if that were not there", () => {
		const brief = readPromptInput("one();\ntwo(▮);\nsix();\nten();\n");
		const question = editModelRequestOf(format, brief, recipient()) as EditModelRequest;
		for (const said of [
			"one();\ntwo(2);\nsix();\nten();",
			"<|marker_1|>one();\ntwo(2);\nsix();\nten();\n<|marker_2|>",
		]) {
			const reading = question.read({ text: said, end: "stop" });
			for (const token of endTokensIn("typescript").ends) {
				for (const behind of [token, `\n${token}`, `\n${token}\n`, `${token}<|im_start|>user\nlog()\n`]) {
					expect(question.read({ text: said + behind, end: "stop" })).toEqual(reading);
				}
			}
		}
	});

	test("is not asked about a text with one of its tokens", () => {
		for (const token of format.specialTokens) {
			const ask = (brief: PromptInput) => editModelRequestOf(format, brief, recipient());
			expect(ask(readPromptInput(`one(${token}\n${token}▮)`.replace(/\n▮\)$/, "\n▮")))).toBe("special-token-in-text");
			if (token.endsWith("\n")) expect(ask(readPromptInput(`one() // ${token}two();▮`))).not.toBeTypeOf("string");
			else expect(ask(readPromptInput("one();▮", { path: `src/${token}.ts` }))).toBe("special-token-in-text");
		}
	});

	test("does not show what else is known where that holds one of its tokens", () => {
		for (const token of format.specialTokens) {
			const snippet = { path: "src/a.ts", first: 0, last: 0, text: `zebra\n${token}` };
			const edits = token.endsWith("\n") ? [] : [readPastEdit("src/b.ts", `‹→zebra ${token}›`)];
			const question = editModelRequestOf(
				format,
				readPromptInput("one();▮", { related: [snippet], recent: [snippet], edits }),
				recipient(),
			);
			expect(typeof question === "string" ? question : textOf(question.ask)).not.toContain("zebra");
		}
	});
});

test("every format stays within what a model can look at, and shows the line of the cursor", () => {
	fc.assert(
		fc.property(someDocument, someBeside, fc.integer({ min: 16, max: 20_000 }), (document, beside, windowTokens) => {
			for (const format of FORMATS.values()) {
				const question = format.write(briefOf(document, beside), recipient(windowTokens));
				if (question === undefined) continue;
				expectShown(question, document);
				const { ask } = question;
				const tokens = estimateTokens(textOf(ask));
				if (ask.kind === "sweep") expect(tokens).toBeLessThan(40_000);
				else expect(tokens + ask.tokensMax).toBeLessThanOrEqual(windowTokens);
			}
		}),
	);
});

test("every format has a question about a short text, and shows the line of the cursor", () => {
	fc.assert(
		fc.property(someDocument, someBeside, (document, beside) => {
			for (const format of FORMATS.values()) {
				const question = format.write(briefOf(document, beside), recipient());
				if (question === undefined) throw new Error(`${format.name} has none`);
				expectShown(question, document);
			}
		}),
	);
});

describe("A prompt stays as it was for a long way", () => {
	const scene = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥return s;
}
`;
	const lines = Array.from({ length: 400 }, (_, i) => `line${i}();`);
	test.each<[what: string, name: string, before: string, after: string, alike: RegExp]>([
		["one more letter", "zeta-2", scene, scene.replace("sum▮", "sums▮"), /interface Item[\s\S]*\n\+\tlet sum$/],
		["one more letter", "sweep", scene, scene.replace("sum▮", "sums▮"), /interface Item[\s\S]*\n\tlet sum$/],
		[
			"one more letter",
			"sweep-v2",
			lines.with(204, "‹→a▮›").join("\n"),
			lines.with(204, "‹→ab▮›").join("\n"),
			/total\.ts\nline50\(\);\n[^<]*\nline350\(\);\n<[\s\S]*interface Item[^<]*<\|file_sep\|>src\/total\.ts:202:208\n[^<]*\na$/,
		],
		[
			"five lines further down",
			"sweep-v2",
			lines.with(204, "line204();▮").join("\n"),
			lines.with(209, "line209();▮").join("\n"),
			/total\.ts\nline50\(\);\n[^<]*\nline350\(\);\n<[\s\S]*interface Item[^<]*<\|file_sep\|>original\/src\/total\.ts:$/,
		],
	])("after %s: %s", (_, name, before, after, alike) => {
		const related = [{ path: "src/item.ts", first: 0, last: 0, text: "export interface Item {}" }];
		const promptOf = (drawn: string) => {
			const ask = FORMATS.get(name)?.write(readPromptInput(drawn, { related }), recipient())?.ask;
			return ask === undefined ? "" : textOf(ask);
		};
		const [one, two] = [promptOf(before), promptOf(after)];
		const at = [...one].findIndex((char, i) => char !== two[i]);
		expect(one.slice(0, at)).toMatch(alike);
	});
});

/** Where a model has got to when somebody looks. */
const someCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 8 });

/** What somebody might say who has seen some of the format: its tokens, the lines of the text changed here and there, and anything. */
function someAnswer(format: Format, text: Text): fc.Arbitrary<string> {
	const own = Array.from({ length: text.lineCount }, (_, i) => text.line(i));
	const someMark = fc.oneof(
		fc.constantFrom("", "\n", "<|marker_1|>", "<|marker_2|>", "<|marker_3|>", ...format.specialTokens),
		fc.constantFrom(...CONTROL_TOKENS),
	);
	const someChange = fc.oneof(
		{ weight: 9, arbitrary: fc.constant((line: string) => `${line}\n`) },
		fc.constantFrom("new();\n", "", "NO_EDITS\n", "\r\n", "\r").map((instead) => () => instead),
		fc.tuple(someMark, someText()).map(
			([mark, words]) =>
				(line: string) =>
					`${mark}${line}\n${words}`,
		),
	);
	const someRewriting = fc
		.array(someChange, { minLength: own.length, maxLength: own.length })
		.map((changes) => changes.map((change, i) => change(own[i] ?? "")).join(""));
	const someWords = fc.array(fc.oneof(someMark, someText(), fc.constantFrom(...own)), { maxLength: 9 });
	const someBody = fc.oneof(
		{ weight: 3, arbitrary: someRewriting },
		someWords.map((words) => words.join("\n")),
	);
	return fc.oneof(
		{ weight: 4, arbitrary: fc.tuple(someText(), someMark, someBody, someMark, someText()).map((all) => all.join("")) },
		{ weight: 2, arbitrary: fc.tuple(someMark, someRewriting, someMark).map((all) => all.join("")) },
		someCompletions(text),
	);
}

/** What Sweep's API might say, in both of its forms. */
function someCompletions(text: Text): fc.Arbitrary<string> {
	const someIndex = fc.nat(Buffer.byteLength(text.toString()) + 1);
	const some = fc.tuple(someIndex, someIndex, someText()).map(([from, to, completion]) => {
		return { start_index: Math.min(from, to), end_index: Math.max(from, to), completion };
	});
	return fc.tuple(fc.array(some, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([all, isList]) => {
		if (isList) return JSON.stringify({ ...all[0], completions: all });
		return all.map((one) => JSON.stringify(one)).join("\n");
	});
}

function expectInside(reading: ParsedOutput, { window }: EditModelRequest, text: Text): void {
	if ("nothing" in reading) return;
	const edits = reading.hunks.flatMap((hunk) => hunk.edits);
	// Those that overlap, or are not in the text, are no change.
	expect(Change.of(edits, text.length).lengthBefore).toBe(text.length);
	for (const { from, to } of edits) {
		expect(from).toBeGreaterThanOrEqual(window.from);
		expect(to).toBeLessThanOrEqual(window.to);
		expect([from, to].some((offset) => splitsCharacter(text, offset))).toBe(false);
	}
	for (const hunk of reading.hunks) expect(hunk.edits).not.toEqual([]);
}

function expectShown({ ask, shown, window }: EditModelRequest, { text, cursor }: SomeDocument): void {
	const line = text.lineAt(cursor);
	expect(shown.from).toBeLessThanOrEqual(Math.min(text.lineStart(line), window.from));
	expect(shown.to).toBeGreaterThanOrEqual(Math.max(text.lineEnd(line), window.to));
	expect(textOf(ask)).toContain(text.slice(text.lineStart(line), Math.min(cursor, text.lineEnd(line))));
}

function expectSettled(question: EditModelRequest, text: string, whole: ParsedOutput): void {
	const reading = question.read({ text, end: undefined });
	if ("nothing" in reading) expect(whole).toEqual(reading);
	else expect("nothing" in whole ? [] : whole.hunks.slice(0, reading.hunks.length)).toEqual(reading.hunks);
}

const EDITS = [1, 20, 300, 2000].flatMap((length) => {
	return ["src/a.ts", "src/total.ts"].map((path) => readPastEdit(path, `one();\n‹→${"x".repeat(length)}\n›`));
});

/** What else may be known, much of it or little. */
const someBeside: fc.Arbitrary<Partial<PromptInput>> = fc
	.record({
		edits: fc.array(fc.constantFrom(...EDITS), { maxLength: 8 }),
		snippets: fc.array(fc.tuple(fc.nat(3), fc.nat(9000)), { maxLength: 8 }),
		diagnostics: fc.nat(9),
	})
	.map(({ edits, snippets, diagnostics }) => ({
		edits,
		related: snippets.map(([file, length], i) => snippetOf(file, i, length)),
		recent: snippets.map(([file, length], i) => snippetOf(file + 2, i + 1, length)),
		diagnostics: Array.from({ length: diagnostics }, (_, i) => {
			return { severity: "error" as const, message: `no ${"x".repeat(i * 40)}`, from: 0, to: 0, line: 0 };
		}),
	}));

function snippetOf(file: number, first: number, length: number): PromptInput["related"][number] {
	return { path: `src/${file}.ts`, first, last: first, text: "y".repeat(length) };
}

/** Everything that a model or its server is told. */
function textOf(ask: ModelPrompt): string {
	switch (ask.kind) {
		case "completion":
			return ask.prompt;
		case "fill":
			return [ask.prefix, ask.suffix, ...ask.extra.flatMap(({ path, text }) => [path, text])].join("");
		case "chat":
			return ask.system + ask.user;
		case "edit":
			return ask.user;
		case "sweep":
			return Object.values(ask.body)
				.map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
				.join("\n");
	}
}

import { controlTokensIn, endTokensIn } from "@segue/predict";
import { someText } from "@segue/testing/arbitrary";
import { readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { Change, splitsCharacter, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditModelRequest, Format, ModelPrompt, ParsedOutput, PromptInput } from "./format.js";
import { editModelRequestOf, FORMATS } from "./formats.js";
import { estimateTokens } from "./token-budget.js";

const targetWith = (windowTokens?: number) => ({ model: "any", windowTokens });

const LINES = ["", "", "}", "one();", "\ttwo(a);", "six😀();", "漢", "return;", "// ====="];
const someLine = fc.oneof(fc.constantFrom(...LINES), fc.constantFrom("a".repeat(40), "ünï".repeat(9)));

/** A document with a cursor. Contains code or, sometimes, unusual text. */
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

function inputOf(document: SomeDocument, context: Partial<PromptInput> = {}): PromptInput {
	return { ...EMPTY, ...document, ...context };
}

describe.each([...FORMATS])("%s", (_, format) => {
	test("never reads a reply as edits outside the window or inside a character", () => {
		const some = someDocument.chain((document) => fc.tuple(fc.constant(document), someAnswer(format, document.text)));
		fc.assert(
			fc.property(some, fc.constantFrom("stop", "length"), someCuts, ([document, text], end, cuts) => {
				const request = editModelRequestOf(format, inputOf(document), targetWith());
				if (request === "too-long") throw new Error("a short document must fit");
				if (typeof request === "string") return;
				const parsed = request.read({ text, end });
				expectInside(parsed, request, document.text);
				for (const cut of cuts) expectSettled(request, text.slice(0, Math.floor(cut * text.length)), parsed);
			}),
		);
	});

	test("ignores an end token from any model after a reply", () => {
		const input = readPromptInput("one();\ntwo(▮);\nsix();\nten();\n");
		const request = editModelRequestOf(format, input, targetWith()) as EditModelRequest;
		for (const output of [
			"one();\ntwo(2);\nsix();\nten();",
			"<|marker_1|>one();\ntwo(2);\nsix();\nten();\n<|marker_2|>",
		]) {
			const parsed = request.read({ text: output, end: "stop" });
			for (const token of endTokensIn("typescript").ends) {
				for (const suffix of [token, `\n${token}`, `\n${token}\n`, `${token}<|im_start|>user\nlog()\n`]) {
					expect(request.read({ text: output + suffix, end: "stop" })).toEqual(parsed);
				}
			}
		}
	});

	test("does not send a document that contains one of its tokens", () => {
		for (const token of format.specialTokens) {
			const ask = (input: PromptInput) => editModelRequestOf(format, input, targetWith());
			expect(ask(readPromptInput(`one(${token}\n${token}▮)`.replace(/\n▮\)$/, "\n▮")))).toBe("special-token-in-text");
			if (token.endsWith("\n")) expect(ask(readPromptInput(`one() // ${token}two();▮`))).not.toBeTypeOf("string");
			else expect(ask(readPromptInput("one();▮", { path: `src/${token}.ts` }))).toBe("special-token-in-text");
		}
	});

	test("omits context that contains one of its tokens", () => {
		for (const token of format.specialTokens) {
			const snippet = { path: "src/a.ts", first: 0, last: 0, text: `zebra\n${token}` };
			const edits = token.endsWith("\n") ? [] : [readPastEdit("src/b.ts", `‹→zebra ${token}›`)];
			const request = editModelRequestOf(
				format,
				readPromptInput("one();▮", { related: [snippet], recent: [snippet], edits }),
				targetWith(),
			);
			expect(typeof request === "string" ? request : textOf(request.ask)).not.toContain("zebra");
		}
	});
});

test("every format stays within the context window and shows the cursor's line", () => {
	fc.assert(
		fc.property(someDocument, someContext, fc.integer({ min: 16, max: 20_000 }), (document, context, windowTokens) => {
			for (const format of FORMATS.values()) {
				const request = format.write(inputOf(document, context), targetWith(windowTokens));
				if (request === undefined) continue;
				expectShown(request, document);
				const { ask } = request;
				const tokens = estimateTokens(textOf(ask));
				if (ask.kind === "sweep") expect(tokens).toBeLessThan(40_000);
				else expect(tokens + ask.tokensMax).toBeLessThanOrEqual(windowTokens);
			}
		}),
	);
});

test("every format can send a short document and shows the cursor's line", () => {
	fc.assert(
		fc.property(someDocument, someContext, (document, context) => {
			for (const format of FORMATS.values()) {
				const request = format.write(inputOf(document, context), targetWith());
				if (request === undefined) throw new Error(`${format.name} sends nothing`);
				expectShown(request, document);
			}
		}),
	);
});

describe("A prompt keeps a long prefix", () => {
	const scene = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥return s;
}
`;
	const lines = Array.from({ length: 400 }, (_, i) => `line${i}();`);
	test.each<[what: string, name: string, before: string, after: string, alike: RegExp]>([
		["typing one more letter", "zeta-2", scene, scene.replace("sum▮", "sums▮"), /interface Item[\s\S]*\n\+\tlet sum$/],
		["typing one more letter", "sweep", scene, scene.replace("sum▮", "sums▮"), /interface Item[\s\S]*\n\tlet sum$/],
		[
			"typing one more letter",
			"sweep-v2",
			lines.with(204, "‹→a▮›").join("\n"),
			lines.with(204, "‹→ab▮›").join("\n"),
			/total\.ts\nline50\(\);\n[^<]*\nline350\(\);\n<[\s\S]*interface Item[^<]*<\|file_sep\|>src\/total\.ts:202:208\n[^<]*\na$/,
		],
		[
			"moving five lines down",
			"sweep-v2",
			lines.with(204, "line204();▮").join("\n"),
			lines.with(209, "line209();▮").join("\n"),
			/total\.ts\nline50\(\);\n[^<]*\nline350\(\);\n<[\s\S]*interface Item[^<]*<\|file_sep\|>original\/src\/total\.ts:$/,
		],
	])("after %s: %s", (_, name, before, after, alike) => {
		const related = [{ path: "src/item.ts", first: 0, last: 0, text: "export interface Item {}" }];
		const promptOf = (drawn: string) => {
			const ask = FORMATS.get(name)?.write(readPromptInput(drawn, { related }), targetWith())?.ask;
			return ask === undefined ? "" : textOf(ask);
		};
		const [one, two] = [promptOf(before), promptOf(after)];
		const at = [...one].findIndex((char, i) => char !== two[i]);
		expect(one.slice(0, at)).toMatch(alike);
	});
});

/** Lengths of partial replies, relative to the whole reply. */
const someCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 8 });

/**
 * A reply from a model that only partly knows the format: tokens of the format, changed lines of the text, and
 * arbitrary text.
 */
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

/** A reply from Sweep's API, in either form. */
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

function expectInside(parsed: ParsedOutput, { window }: EditModelRequest, text: Text): void {
	if ("nothing" in parsed) return;
	const edits = parsed.hunks.flatMap((hunk) => hunk.edits);
	// Throws if edits overlap or are out of range.
	expect(Change.of(edits, text.length).lengthBefore).toBe(text.length);
	for (const { from, to } of edits) {
		expect(from).toBeGreaterThanOrEqual(window.from);
		expect(to).toBeLessThanOrEqual(window.to);
		expect([from, to].some((offset) => splitsCharacter(text, offset))).toBe(false);
	}
	for (const hunk of parsed.hunks) expect(hunk.edits).not.toEqual([]);
}

function expectShown({ ask, shown, window }: EditModelRequest, { text, cursor }: SomeDocument): void {
	const line = text.lineAt(cursor);
	expect(shown.from).toBeLessThanOrEqual(Math.min(text.lineStart(line), window.from));
	expect(shown.to).toBeGreaterThanOrEqual(Math.max(text.lineEnd(line), window.to));
	expect(textOf(ask)).toContain(text.slice(text.lineStart(line), Math.min(cursor, text.lineEnd(line))));
}

function expectSettled(request: EditModelRequest, text: string, whole: ParsedOutput): void {
	const parsed = request.read({ text, end: undefined });
	if ("nothing" in parsed) expect(whole).toEqual(parsed);
	else expect("nothing" in whole ? [] : whole.hunks.slice(0, parsed.hunks.length)).toEqual(parsed.hunks);
}

const EDITS = [1, 20, 300, 2000].flatMap((length) => {
	return ["src/a.ts", "src/total.ts"].map((path) => readPastEdit(path, `one();\n‹→${"x".repeat(length)}\n›`));
});

/** Context of various sizes. */
const someContext: fc.Arbitrary<Partial<PromptInput>> = fc
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

/** Returns everything that is sent to a model or its server. */
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

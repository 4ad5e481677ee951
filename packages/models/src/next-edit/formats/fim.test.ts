import { FormatRequest, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import type { Format } from "../format.js";
import { editModelRequestOf, FORMATS } from "../formats.js";

const TARGET = { model: "m", windowTokens: undefined };

function formatOf(name: string): Format {
	const format = FORMATS.get(name);
	if (format === undefined) throw new Error(`Unknown format ${name}.`);
	return format;
}

/** Draws the edit that results from a reply at the drawn cursor. */
function filled(drawn: string, text: string, end: "stop" | "length" = "stop"): string {
	return new FormatRequest(formatOf("fim-qwen"), readPromptInput(drawn)).readAnswer(text, end);
}

const scene = "let a = 1\nlet b = ▮\nlog(b)";

describe("a document without other files", () => {
	test.each([
		["fim-qwen", "<|fim_prefix|>let a = 1\nlet b = <|fim_suffix|>\nlog(b)<|fim_middle|>"],
		["fim-seed", "<[fim-suffix]>\nlog(b)<[fim-prefix]>let a = 1\nlet b = <[fim-middle]>"],
		["fim-starcoder", "<fim_prefix>let a = 1\nlet b = <fim_suffix>\nlog(b)<fim_middle>"],
		["fim-deepseek", "<｜fim▁begin｜>let a = 1\nlet b = <｜fim▁hole｜>\nlog(b)<｜fim▁end｜>"],
		["fim-codellama", "<PRE> let a = 1\nlet b =  <SUF>\nlog(b) <MID>"],
		["fim-codestral", "[SUFFIX]\nlog(b)[PREFIX]let a = 1\nlet b = "],
		["fim-granite", "<fim_prefix>let a = 1\nlet b = <fim_suffix>\nlog(b)<fim_middle>"],
		["fim-granite-4", "<|fim_prefix|>let a = 1\nlet b = <|fim_suffix|>\nlog(b)<|fim_middle|>"],
		["fim-mellum", "<filename>src/total.ts\n<fim_suffix>\nlog(b)<fim_prefix>let a = 1\nlet b = <fim_middle>"],
		["fim-codegemma", "<|fim_prefix|>let a = 1\nlet b = <|fim_suffix|>\nlog(b)<|fim_middle|>"],
		["fim-glm", "<|code_prefix|>let a = 1\nlet b = <|code_suffix|>\nlog(b)<|code_middle|>"],
	])("is written with the family's tokens: %s", (name, prompt) => {
		expect(new FormatRequest(formatOf(name), readPromptInput(scene)).prompt).toBe(prompt);
	});
});

describe("a document with parts of other files", () => {
	const beside = {
		repository: "sums",
		related: [{ path: "src/a.ts", first: 0, last: 1, text: "one()\ntwo()" }],
		recent: [{ path: "src/b.ts", first: 4, last: 4, text: "six()" }],
	};
	const own = "let a = 1\nlet b = ";
	test.each([
		[
			"fim-qwen",
			"<|repo_name|>sums\n<|file_sep|>src/a.ts\none()\ntwo()\n<|file_sep|>src/b.ts\nsix()\n<|file_sep|>src/total.ts\n" +
				`<|fim_prefix|>${own}<|fim_suffix|>\nlog(b)<|fim_middle|>`,
		],
		[
			"fim-starcoder",
			"<repo_name>sums<file_sep>src/a.ts\none()\ntwo()<file_sep>src/b.ts\nsix()<file_sep>" +
				`<fim_prefix>src/total.ts\n${own}<fim_suffix>\nlog(b)<fim_middle>`,
		],
		[
			"fim-deepseek",
			"<｜fim▁begin｜>#src/a.ts\none()\ntwo()\n\n#src/b.ts\nsix()\n\n#src/total.ts\n" +
				`${own}<｜fim▁hole｜>\nlog(b)<｜fim▁end｜>`,
		],
		[
			"fim-codestral",
			`[SUFFIX]\nlog(b)[PREFIX]+++++ src/a.ts\none()\ntwo()\n\n+++++ src/b.ts\nsix()\n\n+++++ src/total.ts\n${own}`,
		],
		[
			"fim-mellum",
			"<filename>src/a.ts\none()\ntwo()\n\n<filename>src/b.ts\nsix()\n\n<filename>src/total.ts\n" +
				`<fim_suffix>\nlog(b)<fim_prefix>${own}<fim_middle>`,
		],
		["fim-seed", `<[fim-suffix]>\nlog(b)<[fim-prefix]>${own}<[fim-middle]>`],
	])("is written with those parts if the model family supports other files: %s", (name, prompt) => {
		expect(new FormatRequest(formatOf(name), readPromptInput(scene, beside)).prompt).toBe(prompt);
	});
});

test("a reply stops at the model's tokens, and at the end of the line if text follows the cursor", () => {
	const stops = (drawn: string) => new FormatRequest(formatOf("fim-starcoder"), readPromptInput(drawn)).question.ask;
	expect(stops("f(▮")).toMatchObject({ stop: ["<|endoftext|>", "<file_sep>"], tokensMax: 256, temperature: 0 });
	expect(stops("f(▮)")).toMatchObject({ stop: ["\n", "<|endoftext|>", "<file_sep>"], tokensMax: 96 });
});

test("a long document is reduced to whole lines around the cursor", () => {
	const lines = Array.from({ length: 2000 }, (_, i) => `line number ${i}`);
	const text = [...lines.slice(0, 1000), "▮", ...lines.slice(1000)].join("\n");
	const { prompt } = new FormatRequest(formatOf("fim-qwen"), readPromptInput(text));
	expect(Buffer.byteLength(prompt)).toBeLessThan(3 * 4096);
	expect(prompt).toContain("line number 999\n<|fim_suffix|>\nline number 1000\n");
	expect(prompt).toMatch(/^<\|fim_prefix\|>line number \d+\n/);
});

test("a line that does not fit is not sent", () => {
	const input = readPromptInput(`▮${"x".repeat(20_000)}`);
	expect(editModelRequestOf(formatOf("fim-qwen"), input, TARGET)).toBe("too-long");
});

test("text that contains one of the family's tokens is not sent", () => {
	const input = readPromptInput('const end = "<|endoftext|>"▮');
	expect(editModelRequestOf(formatOf("fim-qwen"), input, TARGET)).toBe("special-token-in-text");
});

describe("a reply is inserted at the cursor", () => {
	test.each([
		["the rest of a line", scene, "a + 1", "let a = 1\nlet b = ‹→a + 1›\nlog(b)"],
		["several lines", "function f() {\n⇥▮\n}", "one()\n\ttwo()", "function f() {\n⇥‹→one()\n⇥two()›\n}"],
		["several lines in a file with \\r\\n", "a {␍\n▮␍\n}", "one()\ntwo()", "a {␍\n‹→one()␍\ntwo()›␍\n}"],
		["before other text, only up to the end of the line", "f(▮)", "a, b\nand more", "f(‹→a, b›)"],
		["before other text, without repeating it", "log(▮total)", "sum, total)", "log(‹→sum, ›total)"],
		["before a bracket, without repeating it", "f(▮)", "a, b)", "f(‹→a, b›)"],
		["before a bracket, with its own bracket", "f(▮)", "g()", "f(‹→g()›)"],
		[
			"without repeating the lines below",
			"one()\n▮\nlog(b)\nend()",
			"two()\nlog(b)\nend()",
			"one()\n‹→two()›\nlog(b)\nend()",
		],
		[
			"with a bracket that also follows below",
			"if (a) {\n⇥if (b) {▮\n}",
			"\n\t\tc()\n\t}",
			"if (a) {\n⇥if (b) {‹→\n⇥⇥c()\n⇥}›\n}",
		],
		["up to an end token", scene, "a<|endoftext|>junk", "let a = 1\nlet b = ‹→a›\nlog(b)"],
	])("%s", (_, drawn, text, expected) => {
		expect(filled(drawn, text)).toBe(expected);
	});

	test.each([
		["an empty reply", "", "no-edit"],
		["only whitespace", " \n\n", "no-edit"],
		["only repeated lines from below", "\nlog(b)", "no-edit"],
	])("unless it adds nothing: %s", (_, text, expected) => {
		expect(filled(scene, text)).toBe(expected);
	});

	test("without its truncated last line if it has other lines", () => {
		expect(filled(scene, "a +", "length")).toBe("let a = 1\nlet b = ‹→a +›\nlog(b) (cut)");
		expect(filled(scene, "[\n\ta,\n\tb", "length")).toBe("let a = 1\nlet b = ‹→[\n⇥a,›\nlog(b)");
	});

	test("with special tokens, which the gate rejects", () => {
		expect(filled(scene, "a <|fim_prefix|>")).toContain("<|fim_prefix|>");
	});
});

test("a reply within a line is final at the end of that line, and any other reply only when complete", () => {
	const partial = (drawn: string, text: string) =>
		new FormatRequest(formatOf("fim-qwen"), readPromptInput(drawn)).readPartial(text);
	expect(partial("f(▮)", "a, b")).toBe("f()");
	expect(partial("f(▮)", "a, b\n")).toBe("f(‹→a, b›)");
	expect(partial("f(▮", "a, b)\n")).toBe("f(");
});

import { completionPromptOf, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { regionAfter } from "@segue/testing/models/zed-parsers";
import { splitsCharacter, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptInput } from "./format.js";
import { decodePrompt, PROMPT_FORMATS, type RegionEdit } from "./prompt-formats.js";
import { withEdits } from "./prompt-parts.js";

const LINES = [
	"",
	"",
	"}",
	"one();",
	"\ttwo(a);",
	"six😀();",
	"漢",
	"return;",
	"// =====",
	"...",
	"updated:",
	"--- a/x",
	"#a",
];
const someLines = fc.array(fc.oneof(fc.constantFrom(...LINES), fc.constantFrom("a".repeat(40))), { maxLength: 60 });
const somePath = fc.constantFrom("src/total.ts", "a b/ü.py", "x.diff", "edit_history", "v:1:2");
const someSnippet = fc
	.record({ path: somePath, first: fc.nat(30), lines: someLines })
	.map(({ path, first, lines }) => ({
		path,
		first,
		last: first + Math.max(lines.length - 1, 0),
		text: lines.join("\n"),
	}));
const PAST = [
	readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n"),
	readPastEdit("src/total.ts", "one()\n‹two()\n→›six()"),
	readPastEdit("x.md", "‹→--- a/y\n+++ b/y\n@@ -1 +1 @@\n›"),
	readPastEdit("x.md", "-- a/y‹→!›\n@@ -1,2 +1,3 @@\n"),
];
const someEdits = fc.array(
	fc.constantFrom(...PAST).chain((edit) => {
		return fc.boolean().map((isAccepted) => ({ ...edit, event: { ...edit.event, isAccepted } }));
	}),
	{ maxLength: 8 },
);

const someInput = fc
	.record({
		lines: someLines,
		eol: fc.constantFrom("\n", "\r\n"),
		at: fc.nat(2000),
		path: somePath,
		edits: someEdits,
		related: fc.array(someSnippet, { maxLength: 3 }),
		recent: fc.array(someSnippet, { maxLength: 3 }),
		repository: fc.constantFrom("sums", "untitled"),
	})
	.map(({ lines, eol, at, ...context }): PromptInput => {
		const text = Text.of(lines.join(eol));
		return { ...readPromptInput("▮", context), text, cursor: text.length === 0 ? 0 : at % (text.length + 1) };
	})
	.filter(({ text, cursor }) => !splitsCharacter(text, cursor));

// These families write the same bytes as another family and are decoded under that family's name.
const SAME_TOKENS: Readonly<Record<string, string>> = {
	"fim-granite": "fim-starcoder",
	"fim-granite-4": "fim-qwen",
	"fim-codegemma": "fim-qwen",
};

describe.each([...PROMPT_FORMATS.keys(), ...Object.keys(SAME_TOKENS)])("%s", (name) => {
	test("encodes a decoded prompt to the same bytes", () => {
		fc.assert(
			fc.property(someInput, (input) => {
				const prompt = completionPromptOf(name, input);
				if (prompt === undefined) return;
				const decoded = decodePrompt(prompt);
				expect(decoded?.format).toBe(SAME_TOKENS[name] ?? name);
				const format = PROMPT_FORMATS.get(decoded?.format ?? "");
				expect(decoded && format?.encode(decoded.parts)).toBe(prompt);
			}),
		);
	});

	test("writes replies that editors read back as exactly the same edits", () => {
		fc.assert(
			fc.property(someInput, fc.array(fc.nat(1000), { maxLength: 8 }), (input, numbers) => {
				const prompt = completionPromptOf(name, input);
				const decoded = prompt === undefined ? undefined : decodePrompt(prompt);
				if (decoded === undefined) return;
				const { region } = decoded.parts;
				const edits = editsFrom(numbers, region);
				const { text, end } = decoded.answer(edits);
				// A Sweep v2 reply is empty if its edits would change the start given in the prompt.
				const expected = text === "" && decoded.format === "sweep-v2" ? region : withEdits(region, edits);
				const read = regionAfter(decoded.format, decoded.parts, text + end);
				expect(read ?? region).toBe(expected);
			}),
		);
	});

	test("decodes a truncated prompt to a region it contains, or rejects it", () => {
		fc.assert(
			fc.property(someInput, fc.double({ min: 0, max: 1, noNaN: true }), (input, share) => {
				const prompt = completionPromptOf(name, input) ?? "";
				const cut = prompt.slice(0, Math.floor(share * prompt.length));
				const decoded = decodePrompt(cut);
				const unmarked = cut.replaceAll(/<\|(user_cursor|user_cursor_is_here|cursor|marker_\d+)\|>/g, "");
				if (decoded !== undefined) expect(unmarked).toContain(decoded.parts.region);
			}),
		);
	});
});

/** Creates sorted, disjoint edits. */
function editsFrom(numbers: readonly number[], text: string): RegionEdit[] {
	const places = numbers.map((one) => one % (text.length + 1)).toSorted((a, b) => a - b);
	const edits: RegionEdit[] = [];
	for (let i = 0; i + 1 < places.length; i += 2) {
		const [from = 0, to = 0] = places.slice(i, i + 2);
		if ((edits.at(-1)?.to ?? -1) < from) edits.push({ from, to, insert: ["new", "", "a\nb\n"][i % 3] ?? "" });
	}
	return edits.filter(({ from, to, insert }) => text.slice(from, to) !== insert);
}

describe("the parts of a prompt", () => {
	const input = readPromptInput("import a\n\nlet ‹cnt→count▮› = 0\nlog(cnt)\n", {
		path: "src/sum.py",
		related: [{ path: "src/a.py", first: 3, last: 4, text: "one()\ntwo()" }],
	});

	test.each(["zeta-1", "zeta-2", "zeta-2.1", "sweep", "sweep-v2"])("are decoded from %s", (name) => {
		const { parts } = decodePrompt(completionPromptOf(name, input) ?? "") ?? {};
		expect(parts?.path).toBe("src/sum.py");
		expect(`${parts?.before}${parts?.region}${parts?.after}`.trimEnd()).toBe("import a\n\nlet count = 0\nlog(cnt)");
		expect(parts?.edits.map((edit) => ("diff" in edit ? edit.diff : `${edit.old}→${edit.now}`)).join()).toContain(
			"cnt",
		);
		if (name !== "sweep") expect(parts?.region.slice(0, parts.cursor)).toMatch(/let count$/);
		if (name !== "zeta-1") expect(parts?.files.map(({ text }) => text.trim()).join()).toContain("one()\ntwo()");
	});

	test("a renamed file has both of its paths", () => {
		const diff = "@@ -1,1 +1,1 @@\n-a\n+b\n";
		const seed = `<[fim-suffix]>\n<[fim-prefix]><filename>edit_history\n--- a/old.ts\n+++ b/new.ts\n${diff}\n<filename>new.ts\n<|marker_1|>b<|marker_2|>\n<[fim-middle]>`;
		const edit = { path: "new.ts", oldPath: "old.ts", isAccepted: false, diff };
		expect(decodePrompt(seed)?.parts.edits).toEqual([edit]);
		const zeta1 = completionPromptOf("zeta-1", readPromptInput("b▮")) ?? "";
		const renamed = "User renamed old.ts to new.ts\n\nUser edited new.ts:\n```diff\n";
		const prompt = zeta1.replace("Edits:\n\n", `Edits:\n\n${renamed}${diff}\n\`\`\``);
		const decoded = decodePrompt(prompt);
		expect(decoded?.parts.edits).toEqual([edit]);
		expect(decoded && PROMPT_FORMATS.get("zeta-1")?.encode(decoded.parts)).toBe(prompt);
	});
});

describe("a reply without edits", () => {
	test.each([
		["zeta-1", "<|editable_region_start|>\none\n<|editable_region_end|>"],
		["zeta-2", "one\n>>>>>>> UPDATED\n"],
		["zeta-2.1", "<|marker_1|><|marker_1|><[end▁of▁sentence]>"],
		["sweep", "one\n"],
		["sweep-v2", ""],
		["fim-qwen", ""],
	])("has the form defined by %s", (name, expected) => {
		const answer = decodePrompt(completionPromptOf(name, readPromptInput("one▮")) ?? "")?.answer([]);
		expect(`${answer?.text}${answer?.end}`).toBe(expected);
	});
});

test("a Zeta 2.1 reply contains the changed blocks and the marks between them", () => {
	const text = Array.from({ length: 40 }, (_, i) => `line${i};`).join("\n");
	const decoded = decodePrompt(completionPromptOf("zeta-2.1", readPromptInput(`▮${text}`)) ?? "");
	const { region = "" } = decoded?.parts ?? {};
	const at = (line: string) => region.indexOf(line);
	const change = (line: string) => ({ from: at(line), to: at(line) + line.length, insert: line.toUpperCase() });
	const [one, other] = [change("line20;"), change("line35;")];
	expect(decoded?.answer([one]).text).toMatch(/^<\|marker_2\|>line16;[^|]*LINE20;[^|]*\n<\|marker_3\|>$/);
	expect(decoded?.answer([one, other]).text).toMatch(
		/^<\|marker_2\|>[^|]*LINE20;[^|]*\n<\|marker_3\|>line32;[^|]*LINE35;[^|]*<\|marker_4\|>$/,
	);
});

test("a Sweep v2 reply continues the start given in the prompt", () => {
	const decoded = decodePrompt(completionPromptOf("sweep-v2", readPromptInput("one();\ntwo(▮);\nsix();")) ?? "");
	const at = decoded?.parts.region.indexOf("two(") ?? 0;
	expect(decoded?.answer([{ from: at + 4, to: at + 4, insert: "2" }]).text).toBe("two(2);\nsix();\n");
	expect(decoded?.answer([{ from: 0, to: 3, insert: "ONE" }]).text).toBe("");
});

test("a document that contains the format's marks is unclear", () => {
	const prompt = completionPromptOf("zeta-2", readPromptInput("one▮")) ?? "";
	expect(decodePrompt(prompt)?.isUnclear).toBe(false);
	expect(decodePrompt(prompt.replace("one", "one <|user_cursor|> two"))?.isUnclear).toBe(true);
	const frame = "<[fim-suffix]>\n<[fim-prefix]><filename>edit_history\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n\n";
	const cut = `${frame}<filename>.env\nKEY\n<filename>evil.ts\n<<<<<<< CURRENT\n<|user_cursor|>x\n=======\n<[fim-middle]>`;
	expect(decodePrompt(cut)).toMatchObject({ format: "zeta-2", isUnclear: true });
});

test.each([
	["an empty prompt", ""],
	["prose", "Write a poem about the sea."],
	["a chat prompt", "<|im_start|>user\nHello<|im_end|>"],
	[
		"a Zeta 2.1 region without its last tag",
		"<[fim-suffix]>\n<[fim-prefix]><filename>a\n<|marker_1|>b\n<[fim-middle]>",
	],
	["tags in the wrong order", "<[fim-suffix]>\n<[fim-prefix]><filename>a\n<|marker_1|>b<|marker_3|>\n<[fim-middle]>"],
	["a Sweep prompt without the updated file", "<|file_sep|>original/a\nb\n<|file_sep|>current/a\nb\n"],
])("%s is not decoded", (_, prompt) => {
	expect(decodePrompt(prompt)).toBeUndefined();
});

test("long hostile prompts are decoded in linear time", () => {
	const some = [
		"User renamed a to a",
		"<filename>",
		"<|file_sep|>",
		"<|marker_1|>",
		"--- a/x\n+++ b/x\n",
		"\nupdated:\n",
		"+++++ a\n",
	];
	for (const one of some) {
		const many = one.repeat(Math.ceil(1_000_000 / one.length));
		for (const prompt of [
			many,
			`### User Edits:\n\n${many}\n\n### User Excerpt:\n\n\`\`\`a\n<|editable_region_start|>\n\n<|editable_region_end|>`,
			`<[fim-suffix]>\n<[fim-prefix]><filename>edit_history\n${many}\n<filename>a\n<|marker_1|>${many}<|marker_2|>\n<[fim-middle]>`,
			`<|file_sep|>a.diff\noriginal:\n${many}<|file_sep|>original/a\n<|file_sep|>current/a\n<|file_sep|>updated/a\n`,
			`[SUFFIX][PREFIX]+++++ ${many}`,
		]) {
			const decoded = decodePrompt(prompt);
			decoded?.answer([{ from: 0, to: 0, insert: "a" }]);
		}
	}
}, 20_000);

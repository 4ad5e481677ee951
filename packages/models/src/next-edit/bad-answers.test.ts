import { History, Memory, predictWith, sceneOf } from "@segue/predict";
import { drawHunks, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import { editModelRequestOf, FORMATS } from "./formats.js";

/** Draws the suggestions from a model's reply to the drawn document, or returns the reason why there are none. */
function shown(name: string, drawn: string, answer: string, path = "src/total.ts"): readonly string[] | string {
	const format = FORMATS.get(name);
	if (format === undefined) throw new Error(`Unknown format ${name}.`);
	const input = readPromptInput(drawn, { path });
	const request = editModelRequestOf(format, input, { model: "any", windowTokens: undefined });
	if (typeof request === "string") return request;
	const parsed = request.read({ text: answer, end: "stop" });
	if ("nothing" in parsed) return parsed.nothing;
	const { uri, languageId, text, cursor } = input;
	const scene = sceneOf({ uri, languageId, version: 1, text }, History.empty, cursor);
	const { window } = request;
	const { specialTokens } = format;
	const prediction = predictWith(scene, Memory.empty, { source: { model: "m" }, window, ...parsed, specialTokens });
	if ("silence" in prediction) return prediction.silence;
	return prediction.suggestions.map((one) => (one.kind === "edit" ? drawHunks(text, [one]) : one.kind));
}

const region = (lines: string) => `<editable_region>\n${lines}\n</editable_region>`;

describe("code that a model omits", () => {
	const scene =
		"const cnt = ▮\n\nfunction one() {\n⇥return 1\n}\n\nfunction two() {\n⇥return 2\n}\n\nlog(cnt)\nend()\n";

	test.each([
		["two functions", "const cnt = \n\n// ... existing code ...\n\nlog(cnt)\nend()"],
		["a body", "const cnt = \n\nfunction one() {\n\t// ...\n}\n\nfunction two() {\n\treturn 2\n}\n\nlog(cnt)\nend()"],
	])("is not deleted: %s", (_, lines) => {
		expect(shown("chat", scene, region(lines))).toBe("leaves-out-code");
	});

	test("is not deleted after an accepted edit", () => {
		const lines = "const cnt = 0\n\nfunction one() {\n\treturn 1\n}\n\n// ... rest ...\n\nlog(cnt)\nend()";
		expect(shown("chat", scene, region(lines))).toEqual([scene.replace("▮", "‹→0›")]);
	});
});

describe("an end token from any model", () => {
	const scene = "one()\ntwo(▮)\nsix()\n";
	const lines = "one()\ntwo(2)\nsix()\n";
	const tokens = [
		"<|im_end|>",
		"<|endoftext|>",
		"</s>",
		"<|eot_id|>",
		"<end_of_turn>",
		"<｜end▁of▁sentence｜>",
		"[/INST]",
	];

	test.each(["chat", "zeta-1", "zeta-2", "sweep", "nep", "instinct"])("is removed from a reply in %s", (name) => {
		for (const token of [...tokens, "<|fim_pad|>"]) {
			expect(shown(name, scene, `${lines}${token}`)).toEqual(["one()\ntwo(‹→2›)\nsix()\n"]);
		}
	});

	test.each(["fill", "fim-qwen", "fim-starcoder", "fim-codellama"])("is removed from an insertion by %s", (name) => {
		for (const token of tokens) expect(shown(name, scene, `2${token}\n`)).toEqual(["one()\ntwo(‹→2›)\nsix()\n"]);
	});

	test.each(["<|fim_middle|>", "<fim_suffix>", "<[fim-middle]>", "<｜fim▁hole｜>"])(
		"is removed, but a control token inside a reply is rejected: %s",
		(token) => {
			expect(shown("fill", scene, `2${token}`)).toBe("special-token");
			expect(shown("chat", scene, region(lines.replace("2", token)))).toBe("special-token");
			expect(shown("zeta-2", scene, lines.replace("2", `2${token}`))).toBe("special-token");
		},
	);

	test.each([
		["", "src/total.ts"],
		["\n", "page.html"],
	])("ends a reply that repeats it endlessly, each time after %j, in %s", (between, path) => {
		const endless = `${between}</s>`.repeat(200_000);
		expect(shown("zeta-2", scene, `${lines}${endless}`, path)).toEqual(["one()\ntwo(‹→2›)\nsix()\n"]);
		expect(shown("zeta-2", scene, endless, path)).toBe("no-edit");
	});

	test("is kept if the document contains it", () => {
		const about = 'const end = "<|im_end|>"\nlog(▮)\n';
		expect(shown("chat", about, region('const end = "<|im_end|>"\nlog("<|im_end|>")'))).toEqual([
			about.replace("▮", '‹→"<|im_end|>"›'),
		]);
	});

	test("is kept as a tag in markup unless it is alone on the last line", () => {
		const page = "<p>\n▮\n</p>\n";
		const struck = ["<p>\n‹→<s>one</s>›\n</p>\n"];
		expect(shown("zeta-2", page, "<p>\n<s>one</s>\n</p>\n", "page.html")).toEqual(struck);
		expect(shown("zeta-2", page, "<p>\n<s>one</s>\n</p>\n</s>", "page.html")).toEqual(struck);
		expect(shown("fill", "<p><s>one▮\n", "</s>", "page.html")).toEqual(["<p><s>one‹→</s>›\n"]);
	});
});

describe("an empty reply", () => {
	const scene = "one()\ntwo(▮)\nsix()\n";
	test.each([
		["chat", region("")],
		["zeta-1", "<|editable_region_start|>\n<|editable_region_end|>"],
		["xtab", "```\n```"],
	])("between its marks deletes everything: %s", (name, answer) => {
		expect(shown(name, scene, answer)).toBe("deletes-most");
	});

	test.each(["zeta-1", "zeta-2", "sweep", "nep"])("without marks means no change: %s", (name) => {
		expect(shown(name, scene, "\n")).toBe("no-edit");
	});
});

test.each(["chat", "zeta-2"])("%s adds one line break at the end of a file", (name) => {
	const scene = "function f() {\n⇥return 1\n}\n\n▮";
	const output = "function f() {\n\treturn 1\n}\n\nfunction g() {\n\treturn 2\n}";
	expect(shown(name, scene, name === "chat" ? region(output) : `${output}\n`)).toEqual([
		"function f() {\n⇥return 1\n}\n\n‹→function g() {\n⇥return 2\n}\n›",
	]);
});

describe("whitespace is adapted", () => {
	const tabbed = "function f() {\n⇥one()\n⇥if (a) {\n⇥⇥two()\n⇥}\n▮\n}\n";
	const spaced = tabbed.replaceAll("⇥", "  ");
	const block = "⇥if (b) {\n⇥⇥six()\n⇥}";
	const output = (unit: string) => tabbed.replace("▮", block).replaceAll("⇥", unit);

	test.each(["  ", "    ", "\t"])("to tabs from %j", (unit) => {
		expect(shown("zeta-2", tabbed, output(unit))).toEqual([tabbed.replace("▮", `‹→${block}›`)]);
	});

	test.each(["  ", "\t"])("to spaces from %j", (unit) => {
		expect(shown("zeta-2", spaced, output(unit))).toEqual([spaced.replace("▮", `‹→${block.replaceAll("⇥", "  ")}›`)]);
	});

	test("to tabs if the same line is indented more deeply elsewhere", () => {
		const scene = "func b() error {▮\n}\n\nfunc a() error {\n⇥if ok() {\n⇥⇥return nil\n⇥}\n⇥return fail()\n}\n";
		const answer = scene.replace("▮", "\n⇥return nil").replaceAll("⇥", "    ");
		expect(shown("zeta-2", scene, answer, "a.go")).toEqual([scene.replace("▮\n", "\n‹→⇥return nil\n›")]);
	});

	test.each([
		["YAML in Go", "a.go", "func f() {\n⇥one()\n⇥▮\n}\n", "two(`\nall:\n  one: 1\n`)"],
		["tabs in Python", "a.py", "def f():\n    one()\n    ▮\n", "two('''\n⇥tabbed\n''')"],
	])("except in a multi-line string if the model indents like the file: %s", (_, path, scene, string) => {
		const answer = scene.replace("▮", string).replaceAll("⇥", "\t");
		expect(shown("zeta-2", scene, answer, path)).toEqual([scene.replace("▮", `‹→${string}›`)]);
	});

	test.each([
		["sweep-v2", "⇥if (a) {\n⇥⇥two()\n⇥}\n⇥six()\n}\n"],
		["zeta-2.1", "<|marker_2|>function f() {\n⇥one()\n⇥if (a) {\n⇥⇥two()\n⇥}\n⇥six()\n}\n<|marker_3|>"],
		["xtab", "<INSERT>\n\n⇥⇥two()\n</INSERT>"],
	])("to tabs if the model indents the file's own lines with spaces: %s", (name, answer) => {
		const above = "function g() {\n⇥a1()\n⇥a2()\n⇥a3()\n⇥a4()\n⇥a5()\n}\n\n";
		const scene = `${above}function f() {\n⇥one()\n⇥if (a) {▮\n⇥}\n⇥six()\n}\n`;
		expect(shown(name, scene, answer.replaceAll("⇥", "    "))).toEqual([scene.replace("▮\n", "\n‹→⇥⇥two()\n›")]);
	});

	test("only if the file's indentation is consistent", () => {
		const both = "function f() {\n⇥one()\n  two()\n▮\n}\n";
		expect(shown("zeta-2", both, both.replace("▮", "    six()").replaceAll("⇥", "\t"))).toEqual([
			both.replace("▮", "‹→    six()›"),
		]);
	});

	test("in insertions", () => {
		const scene = "function f() {\n⇥if (a) {▮\n⇥}\n}\n";
		expect(shown("fill", scene, "\n        two()")).toEqual([scene.replace("▮", "‹→\n⇥⇥two()›")]);
	});

	test.each([
		["nothing", "n", "no-edit"],
		["another line", "twice", ["function f(n: number) {\n⇥const twice = 2 * n;\n⇥\n⇥return ‹n→twice›;\n}"]],
	])("but the cursor's line keeps its indent if the model removes that and changes %s", (_, result, expected) => {
		const scene = "function f(n: number) {\n⇥const twice = 2 * n;\n⇥▮\n⇥return n;\n}";
		const answer = `function f(n: number) {\n\tconst twice = 2 * n;\n\n\treturn ${result};\n}\n`;
		expect(shown("zeta-2", scene, answer)).toEqual(expected);
	});

	test("by ignoring added trailing whitespace", () => {
		const lines = Array.from({ length: 15 }, (_, i) => `line${i}()`);
		const answer = lines.with(7, "line7(7)").map((line) => `${line}  \n`);
		expect(shown("sweep", lines.with(7, "line7(▮)").join("\n"), answer.join(""))).toEqual([
			lines.with(7, "line7(‹→7›)").join("\n"),
		]);
	});
});

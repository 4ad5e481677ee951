import { History, Memory, predictWith, sceneOf } from "@segue/predict";
import { drawHunks, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import { editModelRequestOf, FORMATS } from "./formats.js";

/** What is shown of a model's answer about a picture, each suggestion drawn; or the reason why nothing is. */
function shown(name: string, drawn: string, answer: string, path = "src/total.ts"): readonly string[] | string {
	const format = FORMATS.get(name);
	if (format === undefined) throw new Error(`There is no format ${name}.`);
	const brief = readPromptInput(drawn, { path });
	const question = editModelRequestOf(format, brief, { model: "any", windowTokens: undefined });
	if (typeof question === "string") return question;
	const reading = question.read({ text: answer, end: "stop" });
	if ("nothing" in reading) return reading.nothing;
	const { uri, languageId, text, cursor } = brief;
	const scene = sceneOf({ uri, languageId, version: 1, text }, History.empty, cursor);
	const { window } = question;
	const { specialTokens } = format;
	const prediction = predictWith(scene, Memory.empty, { source: { model: "m" }, window, ...reading, specialTokens });
	if ("silence" in prediction) return prediction.silence;
	return prediction.suggestions.map((one) => (one.kind === "edit" ? drawHunks(text, [one]) : one.kind));
}

const region = (lines: string) => `<editable_region>\n${lines}\n</editable_region>`;

describe("code that a model does not write again", () => {
	const scene =
		"const cnt = ▮\n\nfunction one() {\n⇥return 1\n}\n\nfunction two() {\n⇥return 2\n}\n\nlog(cnt)\nend()\n";

	test.each([
		["two functions", "const cnt = \n\n// ... existing code ...\n\nlog(cnt)\nend()"],
		["a body", "const cnt = \n\nfunction one() {\n\t// ...\n}\n\nfunction two() {\n\treturn 2\n}\n\nlog(cnt)\nend()"],
	])("is not taken away: %s", (_, lines) => {
		expect(shown("chat", scene, region(lines))).toBe("leaves-out-code");
	});

	test("is not taken away behind an edit that is shown", () => {
		const lines = "const cnt = 0\n\nfunction one() {\n\treturn 1\n}\n\n// ... rest ...\n\nlog(cnt)\nend()";
		expect(shown("chat", scene, region(lines))).toEqual([scene.replace("▮", "‹→0›")]);
	});
});

describe("the end token of any model", () => {
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

	test.each(["chat", "zeta-1", "zeta-2", "sweep", "nep", "instinct"])("is no part of an answer in %s", (name) => {
		for (const token of [...tokens, "<|fim_pad|>"]) {
			expect(shown(name, scene, `${lines}${token}`)).toEqual(["one()\ntwo(‹→2›)\nsix()\n"]);
		}
	});

	test.each(["fill", "fim-qwen", "fim-starcoder", "fim-codellama"])("is no part of what is filled in by %s", (name) => {
		for (const token of tokens) expect(shown(name, scene, `2${token}\n`)).toEqual(["one()\ntwo(‹→2›)\nsix()\n"]);
	});

	test.each(["<|fim_middle|>", "<fim_suffix>", "<[fim-middle]>", "<｜fim▁hole｜>"])(
		"or another, %s, is not shown inside",
		(token) => {
			expect(shown("fill", scene, `2${token}`)).toBe("special-token");
			expect(shown("chat", scene, region(lines.replace("2", token)))).toBe("special-token");
			expect(shown("zeta-2", scene, lines.replace("2", `2${token}`))).toBe("special-token");
		},
	);

	test.each([
		["", "src/total.ts"],
		["\n", "page.html"],
	])("ends an answer also where it comes for ever, with %j before each, in %s", (between, path) => {
		const endless = `${between}</s>`.repeat(200_000);
		expect(shown("zeta-2", scene, `${lines}${endless}`, path)).toEqual(["one()\ntwo(‹→2›)\nsix()\n"]);
		expect(shown("zeta-2", scene, endless, path)).toBe("no-edit");
	});

	test("is shown in a text that is about it", () => {
		const about = 'const end = "<|im_end|>"\nlog(▮)\n';
		expect(shown("chat", about, region('const end = "<|im_end|>"\nlog("<|im_end|>")'))).toEqual([
			about.replace("▮", '‹→"<|im_end|>"›'),
		]);
	});

	test("is a tag where there are tags, but alone on the last line", () => {
		const page = "<p>\n▮\n</p>\n";
		const struck = ["<p>\n‹→<s>one</s>›\n</p>\n"];
		expect(shown("zeta-2", page, "<p>\n<s>one</s>\n</p>\n", "page.html")).toEqual(struck);
		expect(shown("zeta-2", page, "<p>\n<s>one</s>\n</p>\n</s>", "page.html")).toEqual(struck);
		expect(shown("fill", "<p><s>one▮\n", "</s>", "page.html")).toEqual(["<p><s>one‹→</s>›\n"]);
	});
});

describe("an answer that is empty", () => {
	const scene = "one()\ntwo(▮)\nsix()\n";
	test.each([
		["chat", region("")],
		["zeta-1", "<|editable_region_start|>\n<|editable_region_end|>"],
		["xtab", "```\n```"],
	])("between its marks takes everything away: %s", (name, answer) => {
		expect(shown(name, scene, answer)).toBe("deletes-most");
	});

	test.each(["zeta-1", "zeta-2", "sweep", "nep"])("by itself says that nothing is to change: %s", (name) => {
		expect(shown(name, scene, "\n")).toBe("no-edit");
	});
});

test.each(["chat", "zeta-2"])("what %s writes at the end of a file brings one line end", (name) => {
	const scene = "function f() {\n⇥return 1\n}\n\n▮";
	const said = "function f() {\n\treturn 1\n}\n\nfunction g() {\n\treturn 2\n}";
	expect(shown(name, scene, name === "chat" ? region(said) : `${said}\n`)).toEqual([
		"function f() {\n⇥return 1\n}\n\n‹→function g() {\n⇥return 2\n}\n›",
	]);
});

describe("lines come with the blanks of the file", () => {
	const tabbed = "function f() {\n⇥one()\n⇥if (a) {\n⇥⇥two()\n⇥}\n▮\n}\n";
	const spaced = tabbed.replaceAll("⇥", "  ");
	const block = "⇥if (b) {\n⇥⇥six()\n⇥}";
	const said = (unit: string) => tabbed.replace("▮", block).replaceAll("⇥", unit);

	test.each(["  ", "    ", "\t"])("of tabs, whatever the model indents with: %j", (unit) => {
		expect(shown("zeta-2", tabbed, said(unit))).toEqual([tabbed.replace("▮", `‹→${block}›`)]);
	});

	test.each(["  ", "\t"])("of spaces, whatever the model indents with: %j", (unit) => {
		expect(shown("zeta-2", spaced, said(unit))).toEqual([spaced.replace("▮", `‹→${block.replaceAll("⇥", "  ")}›`)]);
	});

	test("of tabs, where the line that a model writes stands deeper elsewhere", () => {
		const scene = "func b() error {▮\n}\n\nfunc a() error {\n⇥if ok() {\n⇥⇥return nil\n⇥}\n⇥return fail()\n}\n";
		const answer = scene.replace("▮", "\n⇥return nil").replaceAll("⇥", "    ");
		expect(shown("zeta-2", scene, answer, "a.go")).toEqual([scene.replace("▮\n", "\n‹→⇥return nil\n›")]);
	});

	test.each([
		["YAML in Go", "a.go", "func f() {\n⇥one()\n⇥▮\n}\n", "two(`\nall:\n  one: 1\n`)"],
		["tabs in Python", "a.py", "def f():\n    one()\n    ▮\n", "two('''\n⇥tabbed\n''')"],
	])("but not in a long string of a model that indents as the file does: %s", (_, path, scene, string) => {
		const answer = scene.replace("▮", string).replaceAll("⇥", "\t");
		expect(shown("zeta-2", scene, answer, path)).toEqual([scene.replace("▮", `‹→${string}›`)]);
	});

	test.each([
		["sweep-v2", "⇥if (a) {\n⇥⇥two()\n⇥}\n⇥six()\n}\n"],
		["zeta-2.1", "<|marker_2|>function f() {\n⇥one()\n⇥if (a) {\n⇥⇥two()\n⇥}\n⇥six()\n}\n<|marker_3|>"],
		["xtab", "<INSERT>\n\n⇥⇥two()\n</INSERT>"],
	])("of tabs, where a model that writes spaces goes on with lines of the file: %s", (name, answer) => {
		const above = "function g() {\n⇥a1()\n⇥a2()\n⇥a3()\n⇥a4()\n⇥a5()\n}\n\n";
		const scene = `${above}function f() {\n⇥one()\n⇥if (a) {▮\n⇥}\n⇥six()\n}\n`;
		expect(shown(name, scene, answer.replaceAll("⇥", "    "))).toEqual([scene.replace("▮\n", "\n‹→⇥⇥two()\n›")]);
	});

	test("which are the model's own where the file has both", () => {
		const both = "function f() {\n⇥one()\n  two()\n▮\n}\n";
		expect(shown("zeta-2", both, both.replace("▮", "    six()").replaceAll("⇥", "\t"))).toEqual([
			both.replace("▮", "‹→    six()›"),
		]);
	});

	test("where a model fills in", () => {
		const scene = "function f() {\n⇥if (a) {▮\n⇥}\n}\n";
		expect(shown("fill", scene, "\n        two()")).toEqual([scene.replace("▮", "‹→\n⇥⇥two()›")]);
	});

	test.each([
		["nothing", "n", "no-edit"],
		["another line", "twice", ["function f(n: number) {\n⇥const twice = 2 * n;\n⇥\n⇥return ‹n→twice›;\n}"]],
	])("which stay on the line of the cursor where a model empties it and changes %s", (_, result, expected) => {
		const scene = "function f(n: number) {\n⇥const twice = 2 * n;\n⇥▮\n⇥return n;\n}";
		const answer = `function f(n: number) {\n\tconst twice = 2 * n;\n\n\treturn ${result};\n}\n`;
		expect(shown("zeta-2", scene, answer)).toEqual(expected);
	});

	test("and what a model only adds blanks to is as it was", () => {
		const lines = Array.from({ length: 15 }, (_, i) => `line${i}()`);
		const answer = lines.with(7, "line7(7)").map((line) => `${line}  \n`);
		expect(shown("sweep", lines.with(7, "line7(▮)").join("\n"), answer.join(""))).toEqual([
			lines.with(7, "line7(‹→7›)").join("\n"),
		]);
	});
});

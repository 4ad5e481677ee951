import { drawPicture, readPicture } from "@segue/story";
import { someText } from "@segue/testing/arbitrary";
import { Change, type Document, languageOf, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History } from "../history.js";
import { Memory } from "../memory.js";
import { type Scene, sceneOf } from "../scene.js";
import { complete, type NoCompletionReason } from "./complete.js";

function documentOf(uri: string, text: string): Document {
	return { uri, languageId: languageOf(uri), version: 0, text: Text.of(text) };
}

/** Returns the scene after the user has made the drawn edits. */
function sceneAfter(uri: string, drawn: string, settings: Partial<Scene> = {}): Scene {
	const { before, edits, selection } = readPicture(drawn);
	const document = documentOf(uri, before);
	const change = Change.of(edits, before.length);
	const history = History.empty.changed(document, change, { atMs: 0, isAccepted: false });
	const { anchor, head } = selection ?? { anchor: 0, head: 0 };
	return {
		...sceneOf({ ...document, text: change.apply(document.text) }, history, head),
		selection: { anchor, head },
		...settings,
	};
}

/** Draws the line completed after the drawn edits, or returns the reason why there is no completion. */
function completionAfter(uri: string, drawn: string, settings?: Partial<Scene>, memory = Memory.empty): string {
	const scene = sceneAfter(uri, drawn, settings);
	const completion = complete(scene, memory);
	if ("silence" in completion) return completion.silence;
	const { text } = scene.document;
	const { line, start } = text.locate(completion.at);
	const edits = [{ from: completion.at - start, to: completion.at - start, insert: completion.insert }];
	return drawPicture({ before: text.line(line), edits, selection: undefined, diagnostics: [] }).replace(/^[⇥ ]+/, "");
}

describe("completes the line", () => {
	test.each([
		[
			"like the lines around it, with adapted names",
			"user.ts",
			"class User {\n⇥constructor(name, age, mail) {\n⇥⇥this.name = name;\n⇥⇥this.age = age;\n‹→⇥⇥this.mail =▮\n›⇥}\n}",
			"this.mail =‹→ mail;›",
		],
		[
			"in Python",
			"client.py",
			"class Client:\n    def __init__(self, host, port, path):\n        self.host = host\n        self.port = port\n        ‹→self.path =▮›\n",
			"self.path =‹→ path›",
		],
		[
			"in Rust, with a name in a string",
			"color.rs",
			'match color {\n    Color::Red => "red",\n    Color::Pink => "pink",\n    Color::Green => "green",\n    ‹→Color::Blue =>▮›\n}',
			'Color::Blue =>‹→ "blue",›',
		],
		[
			"in Java",
			"User.java",
			"class User {\n⇥User(String name, String mail, String city) {\n⇥⇥this.name = name;\n⇥⇥this.mail = mail;\n‹→⇥⇥this.city =▮\n›⇥}\n}",
			"this.city =‹→ city;›",
		],
		[
			"in C",
			"list.c",
			"void done(struct list *it) {\n⇥free(it->first);\n⇥free(it->last);\n⇥free(it->names);\n‹→⇥free(it->rest▮\n›}",
			"free(it->rest‹→);›",
		],
		[
			"in C++",
			"print.cpp",
			"void print() {\n⇥std::cout << first << std::endl;\n⇥std::cout << second << std::endl;\n‹→⇥std::cout << third <<▮\n›}",
			"std::cout << third <<‹→ std::endl;›",
		],
		[
			"in C#",
			"User.cs",
			"class User\n{\n    public string Name { get; set; }\n    public string Mail { get; set; }\n    ‹→public string City {▮›\n}",
			"public string City {‹→ get; set; }›",
		],
		[
			"in Ruby",
			"user.rb",
			"class User\n  validates :name, presence: true\n  validates :mail, presence: true\n  ‹→validates :city,▮›\nend",
			"validates :city,‹→ presence: true›",
		],
		[
			"in PHP",
			"User.php",
			"<?php\nclass User {\n⇥function __construct($name, $age, $mail) {\n⇥⇥$this->name = $name;\n⇥⇥$this->age = $age;\n‹→⇥⇥$this->mail =▮\n›⇥}\n}",
			"$this->mail =‹→ $mail;›",
		],
		[
			"in JavaScript, with a required module",
			"main.js",
			'const fs = require("fs");\nconst path = require("path");\n‹→const http = require(▮\n›\nrun();',
			'const http = require(‹→"http");›',
		],
		[
			"in Go",
			"save.go",
			"func save() error {\n⇥if err := a.save(); err != nil {\n⇥⇥return err\n⇥}\n⇥if err := b.save(); err != nil {\n⇥⇥return err\n⇥}\n‹→⇥if err := c.save(); err▮\n›}",
			"if err := c.save(); err‹→ != nil {›",
		],
		[
			"up to the text after the cursor",
			"print.ts",
			"print(one.name, one.size);\nprint(two.name, two.size);\nprint(six.name,‹→ ▮›);\n",
			"print(six.name, ‹→six.size›);",
		],
		[
			"from the middle of a word",
			"store.ts",
			"export function open() {\n⇥return createStore(settings);\n}\n\nexport function reopen() {\n⇥return createStore(settings);\n}\n\nexport function again() {\n⇥‹→return createSt▮›\n}",
			"return createSt‹→ore(settings);›",
		],
		[
			"in a comment that is repeated elsewhere",
			"a.ts",
			"// Copyright by the authors, all rights reserved.\nconst a = 1;\n// Copyright by the authors, all rights reserved.\nconst b = 2;\n// Copyright by the authors, all rights reserved.\nconst c = 3;\n‹→// Copyright by the authors▮›\n",
			"// Copyright by the authors‹→, all rights reserved.›",
		],
	])("%s", (_, uri, drawn, completed) => expect(completionAfter(uri, drawn)).toBe(completed));

	test("like a line in another file", () => {
		const other =
			"export function show(user) {\n\treturn render(user, layout, theme);\n}\nexport function edit(user) {\n\treturn render(user, layout, theme);\n}";
		const drawn = "export function list(user) {\n⇥‹→return render(user,▮›\n}";
		const neighbours = [documentOf("other.ts", other)];
		expect(completionAfter("main.ts", drawn, { neighbours })).toBe("return render(user,‹→ layout, theme);›");
		expect(completionAfter("main.ts", drawn, { neighbours: [documentOf("other.py", other)] })).toBe("nothing-found");
		expect(completionAfter("main.ts", drawn, { neighbours: [documentOf(".env", other)] })).toBe("nothing-found");
	});
});

describe("completes nothing", () => {
	const two = "this.name = name;\nthis.age = age;\n";

	test.each<[string, string, string, NoCompletionReason]>([
		["if nothing has been typed", "a.ts", `${two}‹→  ▮›`, "nothing-typed"],
		["if there is a selection", "a.ts", `${two}‹→this.mail =›«▮ »`, "selection"],
		["if no line is similar", "a.py", "import os\n\n‹→total = compute▮›", "nothing-found"],
		[
			"if every line continues differently",
			"a.go",
			"log(one, 1)\nlog(two, 7)\nlog(six, 9)\n‹→log(ten,▮›",
			"below-threshold",
		],
		["if two continuations are equally likely", "a.rs", "x.push(one);\nx.push(two);\n‹→x.push(▮›", "below-threshold"],
		["in a new comment", "a.java", "// the first of all\n// the second of all\n‹→// the third▮›", "nothing-found"],
		["in a new string", "a.js", 'log("saved the file");\nlog("saved the rest");\n‹→log("saved▮›', "below-threshold"],
		["in a secret file", ".env", "KEY_A=1\nKEY_B=1\n‹→KEY_C▮›", "secret-file"],
		["in a binary file", "a.cs", `${two}\0‹→this.mail =▮›`, "binary-file"],
		["in a minified file", "a.js", `${two}${"x".repeat(5001)}\n‹→this.mail =▮›`, "minified-file"],
		["on a very long line", "a.rb", `${two}‹→${"this.mail + ".repeat(90)}▮›`, "long-line"],
		["if the text after the cursor does not match", "a.php", `${two}this.mail =‹→ ▮›mailOf(user)`, "nothing-found"],
		["if there are no other lines", "a.cpp", "‹→this.mail =▮›", "nothing-found"],
	])("%s", (_, uri, drawn, silence) => expect(completionAfter(uri, drawn)).toBe(silence));

	test("if the result would equal the next line, even on a manual request", () => {
		const drawn = "free(it->all);\nreset(it);\n‹→free(it->▮\n›free(it->all);\n";
		expect(completionAfter("a.c", drawn, { trigger: "manual" })).toBe("repeats-next-lines");
	});

	test("if the user just deleted the text", () => {
		const before = documentOf("a.ts", "log(one, two);\nlog(one, two);\nlog(one, two);\n");
		const cut = Change.of([{ from: 37, to: 44, insert: "" }], before.text.length);
		const history = History.empty.changed(before, cut, { atMs: 0, isAccepted: false });
		const scene = sceneOf({ ...before, text: cut.apply(before.text) }, history, 37);
		expect(scene.document.text.line(2)).toBe("log(one");
		expect(complete(scene, Memory.empty)).toEqual({ silence: "reverts-user" });
	});

	test("if this completion was rejected before, or three similar ones were", () => {
		const scene = (name: string) => sceneAfter("a.ts", `this.one = one;\nthis.two = two;\n‹→this.${name} =▮›`);
		const offered = complete(scene("six"), Memory.empty);
		if ("silence" in offered) throw new Error(offered.silence);
		const memory = Memory.empty.rejected(offered, "rejected");
		expect(complete(scene("six"), memory)).toEqual({ silence: "rejected-before" });
		expect(complete(scene("ten"), memory)).toMatchObject({ insert: " ten;" });
		let retired = Memory.empty;
		for (const key of ["one", "two", "six"]) retired = retired.rejected({ ...offered, key }, "rejected");
		expect(complete(scene("six"), retired)).toEqual({ silence: "rule-retired" });
	});

	test("if two continuations are about equally likely, even on a manual request", () => {
		const drawn = "x.push(one);\nx.push(two);\nrun();\n‹→x.push(▮›";
		expect(completionAfter("a.rs", drawn, { trigger: "manual" })).toBe("unclear");
	});

	test("if the history does not match the text", () => {
		const scene = sceneAfter("a.ts", `${two}‹→this.mail =▮›`);
		const document = { ...scene.document, text: Text.of(`${two}this.mail =  `) };
		expect(complete({ ...scene, document }, Memory.empty)).toEqual({ silence: "other-history" });
	});

	test("if its confidence is too low, except on a manual request", () => {
		const drawn = "log(one, 1)\nlog(two, 7)\nlog(six, 9)\n‹→log(ten,▮›";
		expect(completionAfter("a.go", drawn)).toBe("below-threshold");
		expect(completionAfter("a.go", drawn, { trigger: "manual" })).not.toBe("below-threshold");
	});
});

test("names the lines that a completion is based on", () => {
	const completion = complete(sceneAfter("a.ts", "this.one = one;\nthis.two = two;\n‹→this.six =▮›"), Memory.empty);
	expect(completion).toMatchObject({ why: "line 2 and 1 more continue like this", rules: ["complete this . six ="] });
});

test("handles any document, never inserts only whitespace, and is deterministic", () => {
	fc.assert(
		fc.property(someText(), fc.nat(), fc.constantFrom("a.ts", "a.py", "a.txt"), (source, at, uri) => {
			const document = documentOf(uri, source);
			const cursor = at % (document.text.length + 1);
			const scene: Scene = { ...sceneOf(document, History.empty, cursor), trigger: "manual" };
			const completion = complete(scene, Memory.empty);
			expect(complete(scene, Memory.empty)).toEqual(completion);
			if ("insert" in completion) expect(completion.insert.trim()).not.toBe("");
			else expect(completion.silence).toMatch(/\w/);
		}),
	);
});

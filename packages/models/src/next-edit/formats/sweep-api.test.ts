import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import { sweepApi, sweepLocal } from "./sweep-api.js";

const SCENE = `// Größe 😀
let ‹s→sum▮› = 0;
for (const item of items) s += item.price;
                          ^ error: s is not defined
`;

test("Sweep's API is sent the file, the cursor in bytes, what the user did, and what else is known", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	const related = [{ path: "src/item.ts", first: 0, last: 1, text: "export interface Item {\n\tprice: number;" }];
	const recent = [{ path: "src/basket.ts", first: 3, last: 3, text: "const items = [];" }];
	const { ask } = new FormatRequest(sweepApi, readPromptInput(SCENE, { edits, related, recent, repository: "shop" }))
		.question;
	expect(ask).toMatchInlineSnapshot(`
		{
		  "body": {
		    "changes_above_cursor": true,
		    "cursor_position": 23,
		    "file_chunks": [
		      {
		        "content": "const items = [];",
		        "end_line": 4,
		        "file_path": "src/basket.ts",
		        "start_line": 3,
		      },
		    ],
		    "file_contents": "// Größe 😀
		let sum = 0;
		for (const item of items) s += item.price;
		",
		    "file_path": "src/total.ts",
		    "multiple_suggestions": true,
		    "original_file_contents": "// Größe 😀
		let s = 0;
		for (const item of items) s += item.price;
		",
		    "privacy_mode_enabled": true,
		    "recent_changes": "File: src/item.ts:
		@@ -1,3 +1,3 @@
		 export interface Item {
		-	price: string;
		+	price: number;
		 }
		File: src/total.ts:
		@@ -1,3 +1,3 @@
		 // Größe 😀
		-let s = 0;
		+let sum = 0;
		 for (const item of items) s += item.price;
		",
		    "recent_user_actions": [],
		    "repo_name": "shop",
		    "retrieval_chunks": [
		      {
		        "content": "export interface Item {
			price: number;",
		        "end_line": 2,
		        "file_path": "src/item.ts",
		        "start_line": 0,
		      },
		      {
		        "content": "src/total.ts:3:27: error: s is not defined
		",
		        "end_line": 1,
		        "file_path": "diagnostics",
		        "start_line": 1,
		      },
		    ],
		    "use_bytes": true,
		  },
		  "kind": "sweep",
		}
	`);
});

const TEXT = "// Größe 😀\nlet sum = 0;\nfor (const item of items) s += item.price;\n";
const at = (part: string) => Buffer.byteLength(TEXT.slice(0, TEXT.indexOf(part)));
const completion = (from: number, to: number, insert: string) => ({
	autocomplete_id: "a-1",
	start_index: from,
	end_index: to,
	completion: insert,
	confidence: 1,
});
const NOTHING = { ...completion(0, 0, ""), completions: [] };
const RENAMED = completion(at("s +="), at(" +="), "sum");
const CHANGED = "// Größe 😀\nlet sum = 0;\nfor (const item of items) s‹→um› += item.price;\n";

test.each([
	["one completion", [RENAMED], CHANGED],
	["completions in a list", [{ ...RENAMED, completions: [RENAMED] }], CHANGED],
	["null for a list", [{ ...RENAMED, completions: null }], CHANGED],
	[
		"an insertion",
		[completion(at("um"), at("um"), "ome_s")],
		"// Größe 😀\nlet s‹→ome_s›um = 0;\nfor (const item of items) s += item.price;\n",
	],
	[
		"a deletion",
		[completion(at("let"), at("for"), "")],
		"// Größe 😀\n‹let sum = 0;\n→›for (const item of items) s += item.price;\n",
	],
	[
		"a whole block",
		[completion(0, at("for"), "// Größe 😀\nlet sum = 1;\n")],
		"// Größe 😀\nlet sum = ‹0→1›;\nfor (const item of items) s += item.price;\n",
	],
	[
		"several on lines of their own, in any order",
		[RENAMED, completion(at("0"), at(";\nfor"), "1")],
		CHANGED.replace("= 0", "= ‹0→1›"),
	],
	[
		"several at one place",
		[
			{
				...NOTHING,
				completions: [completion(at(";\nfor"), at(";\nfor"), " +"), completion(at(";\nfor"), at(";\nfor"), " 1")],
			},
		],
		"// Größe 😀\nlet sum = 0‹→ + 1›;\nfor (const item of items) s += item.price;\n",
	],
	["the same twice", [{ ...RENAMED, completions: [RENAMED, RENAMED] }], CHANGED],
	["nothing to do", [NOTHING], "no-edit"],
	["what is there already", [completion(0, at("for"), "// Größe 😀\nlet sum = 0;\n")], "no-edit"],
	["a place behind the file", [completion(0, 1000, "gone")], "unreadable-answer"],
	["a place before the file", [completion(-1, 0, "gone")], "unreadable-answer"],
	["an end before its beginning", [completion(5, 3, "gone")], "unreadable-answer"],
	["a place inside a character", [completion(at("öße") + 1, at("e 😀"), "oss")], "unreadable-answer"],
	["a place inside a wide character", [completion(at("😀") + 2, at("\nlet"), "")], "unreadable-answer"],
	["half a number", [completion(0.5, 1, "x")], "unreadable-answer"],
	["an error", [{ status: "error", error: "model still loading" }], "unreadable-answer"],
	["a list of something else", [{ ...RENAMED, completions: ["sum"] }], "unreadable-answer"],
])("an answer of Sweep's API with %s", (_, lines: readonly object[], expected) => {
	const said = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
	expect(new FormatRequest(sweepApi, readPromptInput(SCENE)).readAnswer(said)).toBe(expected);
});

test.each([
	["nothing", ""],
	["an error page", "<html>502</html>"],
	["half of an answer", JSON.stringify(RENAMED).slice(0, 40)],
	["a line that is none", `${JSON.stringify(RENAMED)}\n[`],
	["no object", "null"],
])("an answer of Sweep's API that is %s is not read", (_, said) => {
	expect(new FormatRequest(sweepApi, readPromptInput(SCENE)).readAnswer(said)).toBe("unreadable-answer");
});

test("nothing of an answer of Sweep's API is settled before it is whole", () => {
	const asked = new FormatRequest(sweepApi, readPromptInput("one▮"));
	expect(asked.readPartial(JSON.stringify(completion(0, 3, "two")))).toBe("one");
});

test("Sweep's API keeps the line ends of a file, and never comes between the two characters of one", () => {
	const asked = new FormatRequest(sweepApi, readPromptInput("one();␍\ntwo();▮"));
	const answered = (...completions: object[]) => asked.readAnswer(JSON.stringify({ ...NOTHING, completions }));
	expect(answered(completion(4, 4, "1"), completion(14, 14, "\nsix();"))).toBe("one(‹→1›);␍\ntwo();‹→␍\nsix();›");
	expect(answered(completion(7, 8, "\n"))).toBe("unreadable-answer");
});

test("of a long file, Sweep's API is sent the part around the cursor, and answers about that", () => {
	const lines = Array.from({ length: 9000 }, (_, i) => `const line${i} = ${i};`);
	const asked = new FormatRequest(sweepApi, readPromptInput(lines.with(4500, "here(▮)").join("\n")));
	const { ask, window } = asked.question;
	const body = ask.kind === "sweep" ? ask.body : {};
	const sent = String(body["file_contents"]);
	expect(sent.length).toBeLessThan(100_000);
	expect(body["original_file_contents"]).toBe(sent);
	expect(sent.slice(0, Number(body["cursor_position"]))).toMatch(/\nhere\($/);
	const reading = asked.question.read({ text: JSON.stringify(completion(0, 0, "x")), end: "stop" });
	expect(reading).toEqual({ hunks: [{ edits: [{ from: window.from, to: window.from, insert: "x" }], isCut: false }] });
});

test("Sweep's API is sent what was there before the user began", () => {
	const edits = [readPastEdit("src/total.ts", "‹a→b›"), readPastEdit("src/total.ts", "b‹→c›")];
	const { ask } = new FormatRequest(sweepApi, readPromptInput("bc‹→d▮›", { edits })).question;
	expect(ask).toHaveProperty("body.original_file_contents", "a");
});

test.each([
	["of another file with the same path", "‹a→b›", { uri: "file:///elsewhere/src/total.ts" }],
	["too long", `‹${"long ".repeat(20_000)}→b›`, {}],
	["with one of its tokens", "‹<|file_sep|>→b›", {}],
])("Sweep's API is not sent what was there before where that is %s", (_, drawn, elsewhere) => {
	const { event, ...edit } = readPastEdit("src/total.ts", drawn);
	const edits = [{ ...edit, event: { ...event, ...elsewhere } }];
	const { ask } = new FormatRequest(sweepApi, readPromptInput("b▮", { edits })).question;
	expect(ask).toHaveProperty("body.original_file_contents", "b");
});

describe("Sweep's local server", () => {
	const asked = () => new FormatRequest(sweepLocal, readPromptInput(SCENE));

	test("is sent the cursor in UTF-16, and not asked to count bytes", () => {
		const { ask } = asked().question;
		const body = ask.kind === "sweep" ? ask.body : {};
		expect(body["cursor_position"]).toBe(TEXT.indexOf(" = 0"));
		expect(body).not.toHaveProperty("use_bytes");
	});

	/** Counts code points, of which a wide character is one. */
	const codePointAt = (part: string) => Array.from(TEXT.slice(0, TEXT.indexOf(part))).length;

	test.each([
		["a change behind a wide character", codePointAt("s +="), codePointAt(" +="), "sum", CHANGED],
		["a wide character", codePointAt("😀"), codePointAt("😀") + 1, "m", TEXT.replace("😀", "‹😀→m›")],
		[
			"the end of the file",
			codePointAt("s +="),
			Array.from(TEXT).length,
			"n;\n",
			TEXT.replace("s += item.price;", "‹s += item.price→n›;"),
		],
		["a place behind the file", 0, Array.from(TEXT).length + 1, "gone", "unreadable-answer"],
	])("counts code points in its answer: %s", (_, from, to, insert, expected) => {
		expect(asked().readAnswer(JSON.stringify(completion(from, to, insert)))).toBe(expected);
	});

	test("never comes between the two characters of a line end", () => {
		const windows = new FormatRequest(sweepLocal, readPromptInput("one();␍\ntwo();▮"));
		expect(windows.readAnswer(JSON.stringify(completion(7, 8, "\n")))).toBe("unreadable-answer");
	});
});

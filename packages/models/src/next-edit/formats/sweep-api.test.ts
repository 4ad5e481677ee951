import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import { sweepApi, sweepLocal } from "./sweep-api.js";

const SCENE = `// Größe 😀
let ‹s→sum▮› = 0;
for (const item of items) s += item.price;
                          ^ error: s is not defined
`;

test("the request contains the file, the cursor in bytes, edits and context", () => {
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
	["null instead of a list", [{ ...RENAMED, completions: null }], CHANGED],
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
		"several completions on different lines, in any order",
		[RENAMED, completion(at("0"), at(";\nfor"), "1")],
		CHANGED.replace("= 0", "= ‹0→1›"),
	],
	[
		"several completions on one line",
		[
			{
				...NOTHING,
				completions: [completion(at(";\nfor"), at(";\nfor"), " +"), completion(at(";\nfor"), at(";\nfor"), " 1")],
			},
		],
		"// Größe 😀\nlet sum = 0‹→ + 1›;\nfor (const item of items) s += item.price;\n",
	],
	["a duplicate", [{ ...RENAMED, completions: [RENAMED, RENAMED] }], CHANGED],
	["no change", [NOTHING], "no-edit"],
	["the existing text", [completion(0, at("for"), "// Größe 😀\nlet sum = 0;\n")], "no-edit"],
	["a position past the end of the file", [completion(0, 1000, "gone")], "unreadable-answer"],
	["a position before the start of the file", [completion(-1, 0, "gone")], "unreadable-answer"],
	["an end before its start", [completion(5, 3, "gone")], "unreadable-answer"],
	["a position inside a character", [completion(at("öße") + 1, at("e 😀"), "oss")], "unreadable-answer"],
	["a position inside a surrogate pair", [completion(at("😀") + 2, at("\nlet"), "")], "unreadable-answer"],
	["a fractional position", [completion(0.5, 1, "x")], "unreadable-answer"],
	["an error", [{ status: "error", error: "model still loading" }], "unreadable-answer"],
	["a list of other values", [{ ...RENAMED, completions: ["sum"] }], "unreadable-answer"],
])("reads a reply with %s", (_, lines: readonly object[], expected) => {
	const reply = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
	expect(new FormatRequest(sweepApi, readPromptInput(SCENE)).readAnswer(reply)).toBe(expected);
});

test.each([
	["empty", ""],
	["an error page", "<html>502</html>"],
	["incomplete", JSON.stringify(RENAMED).slice(0, 40)],
	["only partly JSON", `${JSON.stringify(RENAMED)}\n[`],
	["not an object", "null"],
])("a reply that is %s is unreadable", (_, reply) => {
	expect(new FormatRequest(sweepApi, readPromptInput(SCENE)).readAnswer(reply)).toBe("unreadable-answer");
});

test("a partial reply has no final hunks", () => {
	const request = new FormatRequest(sweepApi, readPromptInput("one▮"));
	expect(request.readPartial(JSON.stringify(completion(0, 3, "two")))).toBe("one");
});

test("edits keep the file's line breaks and never split CR LF", () => {
	const request = new FormatRequest(sweepApi, readPromptInput("one();␍\ntwo();▮"));
	const readCompletions = (...completions: object[]) => request.readAnswer(JSON.stringify({ ...NOTHING, completions }));
	expect(readCompletions(completion(4, 4, "1"), completion(14, 14, "\nsix();"))).toBe(
		"one(‹→1›);␍\ntwo();‹→␍\nsix();›",
	);
	expect(readCompletions(completion(7, 8, "\n"))).toBe("unreadable-answer");
});

test("only the part of a long file around the cursor is sent and edited", () => {
	const lines = Array.from({ length: 9000 }, (_, i) => `const line${i} = ${i};`);
	const request = new FormatRequest(sweepApi, readPromptInput(lines.with(4500, "here(▮)").join("\n")));
	const { ask, window } = request.question;
	const body = ask.kind === "sweep" ? ask.body : {};
	const sent = String(body["file_contents"]);
	expect(sent.length).toBeLessThan(100_000);
	expect(body["original_file_contents"]).toBe(sent);
	expect(sent.slice(0, Number(body["cursor_position"]))).toMatch(/\nhere\($/);
	const parsed = request.question.read({ text: JSON.stringify(completion(0, 0, "x")), end: "stop" });
	expect(parsed).toEqual({ hunks: [{ edits: [{ from: window.from, to: window.from, insert: "x" }], isCut: false }] });
});

test("the request contains the text before the user's edits", () => {
	const edits = [readPastEdit("src/total.ts", "‹a→b›"), readPastEdit("src/total.ts", "b‹→c›")];
	const { ask } = new FormatRequest(sweepApi, readPromptInput("bc‹→d▮›", { edits })).question;
	expect(ask).toHaveProperty("body.original_file_contents", "a");
});

test.each([
	["belongs to another file with the same path", "‹a→b›", { uri: "file:///elsewhere/src/total.ts" }],
	["is too long", `‹${"long ".repeat(20_000)}→b›`, {}],
	["contains one of its tokens", "‹<|file_sep|>→b›", {}],
])("the earlier text is not sent if it %s", (_, drawn, elsewhere) => {
	const { event, ...edit } = readPastEdit("src/total.ts", drawn);
	const edits = [{ ...edit, event: { ...event, ...elsewhere } }];
	const { ask } = new FormatRequest(sweepApi, readPromptInput("b▮", { edits })).question;
	expect(ask).toHaveProperty("body.original_file_contents", "b");
});

describe("Sweep's local server", () => {
	const request = () => new FormatRequest(sweepLocal, readPromptInput(SCENE));

	test("gets the cursor in UTF-16 and no byte flag", () => {
		const { ask } = request().question;
		const body = ask.kind === "sweep" ? ask.body : {};
		expect(body["cursor_position"]).toBe(TEXT.indexOf(" = 0"));
		expect(body).not.toHaveProperty("use_bytes");
	});

	/** Counts code points; a surrogate pair counts as one. */
	const codePointAt = (part: string) => Array.from(TEXT.slice(0, TEXT.indexOf(part))).length;

	test.each([
		["a change after a surrogate pair", codePointAt("s +="), codePointAt(" +="), "sum", CHANGED],
		["a surrogate pair", codePointAt("😀"), codePointAt("😀") + 1, "m", TEXT.replace("😀", "‹😀→m›")],
		[
			"the end of the file",
			codePointAt("s +="),
			Array.from(TEXT).length,
			"n;\n",
			TEXT.replace("s += item.price;", "‹s += item.price→n›;"),
		],
		["a position past the end of the file", 0, Array.from(TEXT).length + 1, "gone", "unreadable-answer"],
	])("counts code points in its reply: %s", (_, from, to, insert, expected) => {
		expect(request().readAnswer(JSON.stringify(completion(from, to, insert)))).toBe(expected);
	});

	test("never splits CR LF", () => {
		const windows = new FormatRequest(sweepLocal, readPromptInput("one();␍\ntwo();▮"));
		expect(windows.readAnswer(JSON.stringify(completion(7, 8, "\n")))).toBe("unreadable-answer");
	});
});

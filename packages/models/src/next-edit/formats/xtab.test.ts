import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { xtab } from "./xtab.js";

const TARGET = { model: "gpt-4.1-mini", windowTokens: undefined };

const scene = `one()
two()
const ‹cnt→count▮› = 0
log(cnt)
    ^^^ error: Cannot find name 'cnt'.
six()
`;

test("the prompt has Copilot's layout in a fence and asks for a fence", () => {
	const input = readPromptInput(scene, { recent: [{ path: "src/a.ts", first: 0, last: 0, text: "ten()" }] });
	const { ask } = new FormatRequest(xtab, input).question;
	expect(ask.kind === "chat" && ask.user.slice(0, ask.user.indexOf("\n\nThe developer"))).toBe(`\`\`\`
<|recently_viewed_code_snippets|>
<|recently_viewed_code_snippet|>
code_snippet_file_path: src/a.ts
ten()
<|/recently_viewed_code_snippet|>
<|/recently_viewed_code_snippets|>

<|current_file_content|>
current_file_path: src/total.ts
one()
two()
const count = 0
log(cnt)
six()

<|/current_file_content|>

<|linter|>
error in line 4: Cannot find name 'cnt'.
<|/linter|>

<|edit_diff_history|>
--- src/total.ts
+++ src/total.ts
@@ -2,1 +2,1 @@
-const cnt = 0
+const count = 0

<|/edit_diff_history|>

<|area_around_code_to_edit|>
<|code_to_edit|>
one()
two()
const count<|cursor|> = 0
log(cnt)
six()

<|/code_to_edit|>
<|/area_around_code_to_edit|>
\`\`\``);
});

test("edits are shown without context, one hunk per change", () => {
	const edits = [
		readPastEdit("src/a.ts", "one()\n‹→two()\n›six()\nten(‹→10›)\nend()\n‹rest()\n→›"),
		readPastEdit("src/b.ts", "‹→one()\ntwo()›"),
		readPastEdit("src/c.ts", "‹one()→›"),
	];
	const { ask } = new FormatRequest(xtab, readPromptInput("one()▮", { edits })).question;
	const history =
		ask.kind === "chat" ? /<\|edit_diff_history\|>\n([\s\S]*)<\|\/edit_diff_history/.exec(ask.user)?.[1] : "";
	expect(history).toBe(`--- src/a.ts
+++ src/a.ts
@@ -1,0 +1,1 @@
+two()
@@ -2,1 +3,1 @@
-ten()
+ten(10)
@@ -4,1 +5,0 @@
-rest()

--- src/b.ts
+++ src/b.ts
@@ -0,0 +0,2 @@
+one()
+two()

--- src/c.ts
+++ src/c.ts
@@ -0,1 +0,0 @@
-one()

`);
});

const region = "one()\ntwo()\nconst count = 0\nlog(count)\nsix()\n";
const renamed = "one()\ntwo()\nconst count = 0\nlog(c‹→ou›nt)\nsix()\n";

test.each([
	["a fenced block", `\`\`\`ts\n${region}\n\`\`\``, renamed],
	["a fenced block with prose around it", `Sure:\n\`\`\`\n${region}\n\`\`\`\nDone.`, renamed],
	["only the window", region, renamed],
	["the window in its tags", `<|code_to_edit|>\n${region}\n<|/code_to_edit|>`, renamed],
	["an edit", `<EDIT>\n${region}\n</EDIT>`, renamed],
	[
		"an insertion",
		"<INSERT>\n + 1\nlog(count)\n</INSERT>",
		"one()\ntwo()\nconst count ‹= 0→+ 1 = 0\nlog(count)›\nlog(cnt)\nsix()\n",
	],
	["no change", "<NO_CHANGE>", "no-edit"],
	["no edit", "<NO_EDIT>", "no-edit"],
	["an intent and a block", `<|edit_intent|>high<|/edit_intent|>\n\`\`\`\n${region}\n\`\`\``, renamed],
	["a no-edit intent", `<|edit_intent|>no_edit<|/edit_intent|>\n\`\`\`\n${region}\n\`\`\``, "no-edit"],
	["a letter and a block", `M\n\`\`\`\n${region}\n\`\`\``, renamed],
	["the no-edit letter", "N", "no-edit"],
	["a patch", "src/total.ts:3\n-log(cnt)\n+log(count)\n", renamed],
	[
		"a patch that inserts a line",
		"src/total.ts:4\n+ten()\n",
		"one()\ntwo()\nconst count = 0\nlog(cnt)\n‹→ten()\n›six()\n",
	],
	[
		"a patch in two parts",
		"src/total.ts:3\n-log(cnt)\n+log(count)\nsrc/total.ts:0\n-one()\n+one(1)\n",
		renamed.replace("one()", "one(‹→1›)"),
	],
	["a patch for another file", "src/a.ts:3\n-log(cnt)\n+log(count)\n", "unreadable-answer"],
	["a patch outside the window", "src/total.ts:90\n-log(cnt)\n+log(count)\n", "unreadable-answer"],
	["a patch that does not match the text", "src/total.ts:2\n-log(cnt)\n+log(count)\n", "unreadable-answer"],
	["the unchanged window", `\`\`\`\n${region.replace("log(count)", "log(cnt)")}\n\`\`\``, "no-edit"],
	["an empty reply", "", "unreadable-answer"],
	["prose", "Sorry, I can't assist with that.", "unreadable-answer"],
])("a reply is read: %s", (_, text, expected) => {
	expect(new FormatRequest(xtab, readPromptInput(scene)).readAnswer(text)).toBe(expected);
});

test("a truncated patch is read without its last part", () => {
	const text = "src/total.ts:3\n-log(cnt)\n+log(count)\nsrc/total.ts:4\n-six()\n+si";
	expect(new FormatRequest(xtab, readPromptInput(scene)).readAnswer(text, "length")).toBe(renamed);
});

test("a partial reply of an unknown kind has no final hunks", () => {
	for (const text of ["", "M", "<|edit_in", "<INSERT>\n + 1", "src/total.ts:3\n-log(cnt)\n+log"]) {
		expect(new FormatRequest(xtab, readPromptInput(scene)).question.read({ text, end: undefined })).toEqual({
			hunks: [],
		});
	}
});

test("text that contains one of the layout's tags is not sent", () => {
	expect(editModelRequestOf(xtab, readPromptInput("<|code_to_edit|>▮"), TARGET)).toBe("special-token-in-text");
});

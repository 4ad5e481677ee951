import { FormatRequest, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import type { PromptInput } from "../format.js";
import { editModelRequestOf } from "../formats.js";
import { mercury } from "./mercury.js";

const TARGET = { model: "mercury-edit-2", windowTokens: undefined };
const lines = Array.from({ length: 20 }, (_, i) => `line(${i})`);
const scene = [...lines.slice(0, 8), "let ‹a→b▮›", ...lines.slice(8), ""].join("\n");

test("the prompt contains snippets, the file with its region, and the history", () => {
	const input = readPromptInput(scene, { recent: [{ path: "src/a.ts", first: 0, last: 1, text: "one()\ntwo()" }] });
	expect(new FormatRequest(mercury, input).question.ask).toEqual({
		kind: "edit",
		tokensMax: 346,
		user: `<|recently_viewed_code_snippets|>
<|recently_viewed_code_snippet|>
code_snippet_file_path: src/a.ts
one()
two()
<|/recently_viewed_code_snippet|>
<|/recently_viewed_code_snippets|>

<|current_file_content|>
current_file_path: src/total.ts
line(0)
line(1)
line(2)
<|code_to_edit|>
line(3)
line(4)
line(5)
line(6)
line(7)
let b<|cursor|>
line(8)
line(9)
line(10)
line(11)
line(12)
line(13)
line(14)
line(15)
line(16)
line(17)
<|/code_to_edit|>
line(18)
line(19)

<|/current_file_content|>

<|edit_diff_history|>
--- src/total.ts
+++ src/total.ts
@@ -8,1 +8,1 @@
-let a
+let b

<|/edit_diff_history|>`,
	});
});

const region = ["line(3)", "line(4)", "line(5)", "line(6)", "line(7)", "let b", ...lines.slice(8, 18)].join("\n");

test.each([
	["the region in a fence", `\`\`\`\n${region.replace("let b", "let b = 1")}\n\`\`\``, "let b‹→ = 1›"],
	["None", "None", "no-edit"],
	["None in a fence", "```\nNone\n```", "no-edit"],
	["the unchanged region", `\`\`\`\n${region}\n\`\`\``, "no-edit"],
	["an empty reply", "", "unreadable-answer"],
	["prose", "I see nothing to do here.", "unreadable-answer"],
])("a reply is read: %s", (_, text, expected) => {
	const drawn = new FormatRequest(mercury, readPromptInput(scene)).readAnswer(text);
	expect(drawn.split("\n").find((line) => line.includes("‹")) ?? drawn).toBe(expected);
});

test("text that contains one of the layout's tags is not sent", () => {
	expect(editModelRequestOf(mercury, readPromptInput("<|cursor|>▮"), TARGET)).toBe("special-token-in-text");
});

test("an empty section has one empty line, and snippets are separated by one", () => {
	const userOf = (input: PromptInput) => {
		const { ask } = new FormatRequest(mercury, input).question;
		return ask.kind === "edit" ? ask.user : "";
	};
	const empty = userOf(readPromptInput("one▮"));
	expect(empty).toMatch(/^<\|recently_viewed_code_snippets\|>\n\n<\|\/recently_viewed_code_snippets\|>\n\n<\|current/);
	expect(empty).toMatch(/<\|edit_diff_history\|>\n\n<\|\/edit_diff_history\|>$/);
	const recent = ["a.ts", "b.ts"].map((path) => ({ path, first: 0, last: 0, text: path }));
	expect(userOf(readPromptInput("one▮", { recent }))).toContain(
		"<|/recently_viewed_code_snippet|>\n\n<|recently_viewed_code_snippet|>\n",
	);
});

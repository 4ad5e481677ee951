import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { chat } from "./chat.js";

const TARGET = { model: "claude-haiku-4-5", windowTokens: undefined };

const scene = `const ‹cnt→count▮› = 0
log(cnt)
    ^^^ error: Cannot find name 'cnt'.
end()`;

test("the prompt contains other files, edits, diagnostics, and the file with its region", () => {
	const input = readPromptInput(scene, {
		edits: [readPastEdit("src/a.ts", "one(‹→1›)")],
		related: [{ path: "src/b.ts", first: 9, last: 10, text: "export const b = 1\nexport const c = 2" }],
	});
	expect(new FormatRequest(chat, input).prompt).toBe(
		`<related path="src/b.ts" line="10">
export const b = 1
export const c = 2
</related>
<recent_edits>
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,1 +1,1 @@
-one()
+one(1)
--- a/src/total.ts
+++ b/src/total.ts
@@ -1,3 +1,3 @@
-const cnt = 0
+const count = 0
 log(cnt)
 end()
</recent_edits>
<diagnostics>
line 2: error: Cannot find name 'cnt'.
</diagnostics>
<file path="src/total.ts" line="1">
<editable_region>
const count<cursor_position/> = 0
log(cnt)
end()
</editable_region>
</file>`,
	);
});

test("the instructions contain all tags and never change", () => {
	const [one, other] = [scene, "▮"].map((drawn) => new FormatRequest(chat, readPromptInput(drawn)).question.ask);
	if (one?.kind !== "chat" || other?.kind !== "chat") throw new Error("Not a chat prompt.");
	expect(one.system).toBe(other.system);
	for (const token of chat.specialTokens) expect(one.system).toContain(token);
	expect(one).toMatchObject({ temperature: 0, tokensMax: 276 });
});

test("the region has 8 lines above the cursor and 15 below, within as much of the file as fits", () => {
	const lines = Array.from({ length: 6000 }, (_, i) => `line ${i}`);
	const input = readPromptInput([...lines.slice(0, 3000), "▮here", ...lines.slice(3000)].join("\n"));
	const { prompt, question } = new FormatRequest(chat, input);
	const { window, shown } = question;
	const at = (offset: number) => input.text.lineAt(offset);
	expect([at(window.from), at(window.to)]).toEqual([2992, 3015]);
	expect(shown.to - shown.from).toBeLessThan(40_000);
	expect(shown.to - shown.from).toBeGreaterThan(20_000);
	expect(prompt).toContain("\n<editable_region>\nline 2992\n");
	expect(prompt).toContain("\nline 3014\n</editable_region>\nline 3015\n");
});

test.each([
	["the region", "<editable_region>\nconst count = 0\nlog(count)\nend()\n</editable_region>"],
	["a fence and prose", "Here you go:\n\n```ts\nconst count = 0\nlog(count)\nend()\n```\n\nI renamed the other use."],
	["only code", "const count = 0\nlog(count)\nend()"],
	["prose before the code", "Here is the updated code:\n\nconst count = 0\nlog(count)\nend()"],
	["prose after the code", "const count = 0\nlog(count)\nend()\n\nI changed cnt to count because it was renamed."],
	[
		"thoughts before the code",
		"<think>rename it</think>\n<editable_region>\nconst count = 0\nlog(count)\nend()\n</editable_region>",
	],
])("a reply is read as edits: %s", (_, reply) => {
	expect(new FormatRequest(chat, readPromptInput(scene)).readAnswer(reply)).toBe(
		"const count = 0\nlog(c‹→ou›nt)\nend()",
	);
});

test.each([
	["the no-change tag", "<no_change/>", "no-edit"],
	["the unchanged region", "<editable_region>\nconst count = 0\nlog(cnt)\nend()\n</editable_region>", "no-edit"],
	["an empty reply", "", "unreadable-answer"],
	["prose", "I am sorry, but I cannot help with that.", "unreadable-answer"],
	["prose and part of the region", "Here is the updated code:\nlog(count)\nend()", "unreadable-answer"],
	["part of the region and prose", "const count = 0\n\nI changed cnt to count because…", "unreadable-answer"],
])("a reply without an edit has a reason: %s", (_, reply, nothing) => {
	expect(new FormatRequest(chat, readPromptInput(scene)).readAnswer(reply)).toBe(nothing);
});

test("a reply with the whole file changes only the region", () => {
	const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
	const input = readPromptInput([...lines.slice(0, 20), "let a▮", ...lines.slice(20)].join("\n"));
	const whole = [...lines.slice(0, 20), "let a = 1", ...lines.slice(20)].join("\n");
	expect(new FormatRequest(chat, input).readAnswer(`\`\`\`\n${whole}\n\`\`\``)).toBe(
		[...lines.slice(0, 20), "let a‹→ = 1›", ...lines.slice(20)].join("\n"),
	);
});

test("an empty region deletes everything, and a truncated reply is marked", () => {
	const request = new FormatRequest(chat, readPromptInput(scene));
	expect(request.readAnswer("<editable_region>\n</editable_region>")).toBe("‹const count = 0\nlog(cnt)\nend()→›");
	expect(request.readAnswer("<editable_region>\nconst count = 0\nlog(co", "length")).toBe(
		"const count = 0\nlog(c‹nt)→o›\nend() (cut)",
	);
});

test("documents with one of the layout's tags or an overlong line are not sent", () => {
	expect(editModelRequestOf(chat, readPromptInput("<editable_region>▮"), TARGET)).toBe("special-token-in-text");
	expect(editModelRequestOf(chat, readPromptInput(`▮${"x".repeat(10_000)}`), TARGET)).toBe("too-long");
	expect(editModelRequestOf(chat, readPromptInput(scene), { model: "m", windowTokens: 512 })).toBe("too-long");
});

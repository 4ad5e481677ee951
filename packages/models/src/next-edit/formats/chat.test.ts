import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { chat } from "./chat.js";

const RECIPIENT = { model: "claude-haiku-4-5", windowTokens: undefined };

const scene = `const ‹cnt→count▮› = 0
log(cnt)
    ^^^ error: Cannot find name 'cnt'.
end()`;

test("a chat model is shown other files, what was changed, what is wrong, and the file with its region", () => {
	const brief = readPromptInput(scene, {
		edits: [readPastEdit("src/a.ts", "one(‹→1›)")],
		related: [{ path: "src/b.ts", first: 9, last: 10, text: "export const b = 1\nexport const c = 2" }],
	});
	expect(new FormatRequest(chat, brief).prompt).toBe(
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

test("the instructions show how to answer, and are always the same", () => {
	const [one, other] = [scene, "▮"].map((drawn) => new FormatRequest(chat, readPromptInput(drawn)).question.ask);
	if (one?.kind !== "chat" || other?.kind !== "chat") throw new Error("The format asks for something else.");
	expect(one.system).toBe(other.system);
	for (const token of chat.specialTokens) expect(one.system).toContain(token);
	expect(one).toMatchObject({ temperature: 0, tokensMax: 276 });
});

test("the region has 8 lines above the cursor and 15 below, in as much of the file as there is room for", () => {
	const lines = Array.from({ length: 6000 }, (_, i) => `line ${i}`);
	const brief = readPromptInput([...lines.slice(0, 3000), "▮here", ...lines.slice(3000)].join("\n"));
	const { prompt, question } = new FormatRequest(chat, brief);
	const { window, shown } = question;
	const at = (offset: number) => brief.text.lineAt(offset);
	expect([at(window.from), at(window.to)]).toEqual([2992, 3015]);
	expect(shown.to - shown.from).toBeLessThan(40_000);
	expect(shown.to - shown.from).toBeGreaterThan(20_000);
	expect(prompt).toContain("\n<editable_region>\nline 2992\n");
	expect(prompt).toContain("\nline 3014\n</editable_region>\nline 3015\n");
});

test.each([
	["the region", "<editable_region>\nconst count = 0\nlog(count)\nend()\n</editable_region>"],
	["a fence and prose", "Here you go:\n\n```ts\nconst count = 0\nlog(count)\nend()\n```\n\nI renamed the other use."],
	["the code alone", "const count = 0\nlog(count)\nend()"],
	["the code and prose before it", "Here is the updated code:\n\nconst count = 0\nlog(count)\nend()"],
	[
		"the code and prose behind it",
		"const count = 0\nlog(count)\nend()\n\nI changed cnt to count because it was renamed.",
	],
	[
		"thoughts first",
		"<think>rename it</think>\n<editable_region>\nconst count = 0\nlog(count)\nend()\n</editable_region>",
	],
])("a reply becomes edits: %s", (_, reply) => {
	expect(new FormatRequest(chat, readPromptInput(scene)).readAnswer(reply)).toBe(
		"const count = 0\nlog(c‹→ou›nt)\nend()",
	);
});

test.each([
	["the tag for it", "<no_change/>", "no-edit"],
	["the region as it is", "<editable_region>\nconst count = 0\nlog(cnt)\nend()\n</editable_region>", "no-edit"],
	["nothing", "", "unreadable-answer"],
	["prose", "I am sorry, but I cannot help with that.", "unreadable-answer"],
	["prose and a part of the region", "Here is the updated code:\nlog(count)\nend()", "unreadable-answer"],
	["a part of the region and prose", "const count = 0\n\nI changed cnt to count because…", "unreadable-answer"],
])("a reply that changes nothing is told as that: %s", (_, reply, nothing) => {
	expect(new FormatRequest(chat, readPromptInput(scene)).readAnswer(reply)).toBe(nothing);
});

test("a reply with the whole file changes the region only", () => {
	const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
	const brief = readPromptInput([...lines.slice(0, 20), "let a▮", ...lines.slice(20)].join("\n"));
	const whole = [...lines.slice(0, 20), "let a = 1", ...lines.slice(20)].join("\n");
	expect(new FormatRequest(chat, brief).readAnswer(`\`\`\`\n${whole}\n\`\`\``)).toBe(
		[...lines.slice(0, 20), "let a‹→ = 1›", ...lines.slice(20)].join("\n"),
	);
});

test("a reply that takes everything away is read as that, and one that was cut off says so", () => {
	const asked = new FormatRequest(chat, readPromptInput(scene));
	expect(asked.readAnswer("<editable_region>\n</editable_region>")).toBe("‹const count = 0\nlog(cnt)\nend()→›");
	expect(asked.readAnswer("<editable_region>\nconst count = 0\nlog(co", "length")).toBe(
		"const count = 0\nlog(c‹nt)→o›\nend() (cut)",
	);
});

test("a text that holds a tag of the layout is not shown, and lines that are too long are not either", () => {
	expect(editModelRequestOf(chat, readPromptInput("<editable_region>▮"), RECIPIENT)).toBe("special-token-in-text");
	expect(editModelRequestOf(chat, readPromptInput(`▮${"x".repeat(10_000)}`), RECIPIENT)).toBe("too-long");
	expect(editModelRequestOf(chat, readPromptInput(scene), { model: "m", windowTokens: 512 })).toBe("too-long");
});

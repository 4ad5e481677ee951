import { createHash } from "node:crypto";
import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { instinct } from "./instinct.js";

const TARGET = { model: "instinct", windowTokens: undefined };
const scene = "top()\nconst ‹cnt→count▮› = 0\nlog(cnt)\ntwo()\nsix()\nten()\nend()\nlow()\n";

test("the prompt contains snippets, edits with the newest first, and the excerpt with its region", () => {
	const input = readPromptInput(`low()\n${scene}`, {
		edits: [readPastEdit("src/a.ts", "one(‹→1›)\n")],
		related: [{ path: "src/b.ts", first: 0, last: 0, text: "export const b = 1" }],
	});
	const { ask } = new FormatRequest(instinct, input).question;
	expect(ask.kind === "chat" && ask.user.slice(ask.user.indexOf("### Context"))).toBe(
		`### Context:
<|context_file|>: src/b.ts
<|snippet|>
export const b = 1

### User Edits:

User edited file "src/total.ts"

\`\`\`diff
@@ -1,6 +1,6 @@
 low()
 top()
-const cnt = 0
+const count = 0
 log(cnt)
 two()
 six()
\`\`\`
User edited file "src/a.ts"

\`\`\`diff
@@ -1,1 +1,1 @@
-one()
+one(1)
\`\`\`

### User Excerpt:
src/total.ts

low()
<|editable_region_start|>
top()
const count<|user_cursor_is_here|> = 0
log(cnt)
two()
six()
ten()
end()
<|editable_region_end|>
low()
\`\`\`
### Response:`,
	);
});

const region = "top()\nconst count = 0\nlog(cnt)\ntwo()\nsix()\nten()\nend()";
const renamed = region.replace("cnt", "count");

test.each([
	["the region", renamed, "log(c‹→ou›nt)"],
	["the region with its markers", `<|editable_region_start|>\n${renamed}\n<|editable_region_end|>`, "log(c‹→ou›nt)"],
	["the region and the end marker", `${renamed}\n<|editable_region_end|>\n\`\`\``, "log(c‹→ou›nt)"],
	["the region in a fence", `\`\`\`ts\n${renamed}\n\`\`\``, "log(c‹→ou›nt)"],
	["the region with the cursor", renamed.replace("= 0", "<|user_cursor_is_here|>= 0"), "log(c‹→ou›nt)"],
	["the unchanged region", region, "no-edit"],
	["an empty reply", "", "unreadable-answer"],
])("a reply is read: %s", (_, text, expected) => {
	const drawn = new FormatRequest(instinct, readPromptInput(scene)).readAnswer(text);
	expect(drawn.split("\n").find((line) => line.includes("‹")) ?? drawn).toBe(expected);
});

test("an edit is final before the reply ends", () => {
	const request = new FormatRequest(instinct, readPromptInput(scene));
	expect(request.readPartial(renamed.slice(0, renamed.indexOf("ten")))).toContain("log(c‹→ou›nt)");
});

test("text that contains a marker is not sent", () => {
	expect(editModelRequestOf(instinct, readPromptInput("<|snippet|>▮"), TARGET)).toBe("special-token-in-text");
});

test("the instructions are exactly those from training", () => {
	const { ask } = new FormatRequest(instinct, readPromptInput(scene)).question;
	const { system = "", user = "" } = ask.kind === "chat" ? ask : {};
	const digest = createHash("sha256").update(system).digest("hex");
	expect(digest).toBe("b78e7de7aa58c74389d3ed3a5e705fe0390e1670f8f543a12e29080a7f83b455");
	expect(user).toMatch(
		/^Reference the user excerpt, user edits, and the snippets to understand the developer's intent\. /,
	);
});

test("diffs have no blank context lines", () => {
	const edits = [readPastEdit("src/a.ts", "\n⇥\n‹a→b›\n\n‹→\n›c\n")];
	const { ask } = new FormatRequest(instinct, readPromptInput("one▮", { edits })).question;
	expect(ask.kind === "chat" && /```diff\n([\s\S]*?)```/.exec(ask.user)?.[1]).toBe("@@ -1,5 +1,6 @@\n-a\n+b\n+\n c\n");
});

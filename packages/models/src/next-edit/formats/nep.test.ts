import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { nep, nepChat } from "./nep.js";

const TARGET = { model: "nep", windowTokens: undefined };
const scene = "const ‹cnt→count▮› = 0\nlog(cnt)\nend()";

test("the prompt contains the original code, the edit, and the current code", () => {
	expect(new FormatRequest(nep, readPromptInput(`${scene}\n`)).question.ask).toEqual({
		kind: "completion",
		prompt: `<|original_code|>
const cnt = 0
log(cnt)
end()

<|edits_diff|>
--- src/total.ts
+++ src/total.ts
@@ -1,3 +1,3 @@
-const cnt = 0
+const count = 0
 log(cnt)
 end()
<|current_version|>
const count = 0
log(cnt)
end()

<|next_version|>
`,
		stop: ["<|endoftext|>", "<|im_end|>", "<|original_code|>", "<|next_version|>"],
		tokensMax: 278,
		temperature: 0,
	});
});

test("without an edit the original and current code are the same", () => {
	expect(new FormatRequest(nep, readPromptInput("one()▮")).prompt).toBe(
		"<|original_code|>\none()\n<|edits_diff|>\n<|current_version|>\none()\n<|next_version|>\n",
	);
});

test("an edit to another file with the same path is ignored", () => {
	const { event, ...edit } = readPastEdit("src/total.ts", "zebra‹→s›");
	const edits = [{ ...edit, event: { ...event, uri: "file:///elsewhere/src/total.ts" } }];
	expect(new FormatRequest(nep, readPromptInput("zebras▮", { edits })).prompt).toBe(
		"<|original_code|>\nzebras\n<|edits_diff|>\n<|current_version|>\nzebras\n<|next_version|>\n",
	);
});

test.each([
	["the next version", "const count = 0\nlog(count)\nend()\n", "const count = 0\nlog(c‹→ou›nt)\nend()"],
	[
		"the next version and its end",
		"const count = 0\nlog(count)\nend()\n<|endoftext|>",
		"const count = 0\nlog(c‹→ou›nt)\nend()",
	],
	["the unchanged version", "const count = 0\nlog(cnt)\nend()\n", "no-edit"],
	["an empty reply", "", "no-edit"],
])("a reply is read: %s", (_, text, expected) => {
	expect(new FormatRequest(nep, readPromptInput(scene)).readAnswer(text)).toBe(expected);
});

test("a truncated reply is marked", () => {
	const request = new FormatRequest(nep, readPromptInput(scene));
	expect(request.readAnswer("const count = 0\nlog(co", "length")).toBe("const count = 0\nlog(c‹nt)→o›\nend() (cut)");
});

test("the chat variant uses tags for the prompt and the reply", () => {
	const { ask } = new FormatRequest(nepChat, readPromptInput(`${scene}\n`)).question;
	expect(ask.kind === "chat" && ask.user).toBe(`<original_code>
const cnt = 0
log(cnt)
end()

</original_code>
<edits_diff>
--- src/total.ts
+++ src/total.ts
@@ -1,3 +1,3 @@
-const cnt = 0
+const count = 0
 log(cnt)
 end()
</edits_diff>
<current_version>
const count = 0
log(cnt)
end()

</current_version>`);
	const request = new FormatRequest(nepChat, readPromptInput(scene));
	const reply = "Sure.\n<next_version>\nconst count = 0\nlog(count)\nend()\n</next_version>";
	expect(request.readAnswer(reply)).toBe("const count = 0\nlog(c‹→ou›nt)\nend()");
	expect(request.readAnswer("No change is needed.")).toBe("unreadable-answer");
});

test("text that contains a token is not sent", () => {
	expect(editModelRequestOf(nep, readPromptInput("<|next_version|>▮"), TARGET)).toBe("special-token-in-text");
	expect(editModelRequestOf(nepChat, readPromptInput("<next_version>▮"), TARGET)).toBe("special-token-in-text");
});

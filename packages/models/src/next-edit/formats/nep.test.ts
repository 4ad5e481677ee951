import { drawHunks, readBrief, readPastEdit } from "@segue/testing";
import { expect, test } from "vitest";
import type { Brief } from "../brief.js";
import { type Format, type Question, questionOf } from "../format.js";
import { nep, nepChat } from "./nep.js";

const RECIPIENT = { model: "nep", windowTokens: undefined };
const scene = "const ‹cnt→count▮› = 0\nlog(cnt)\nend()";

function asked(format: Format, brief: Brief): Question {
	const question = questionOf(format, brief, RECIPIENT);
	if (typeof question === "string") throw new Error(question);
	return question;
}

function read(format: Format, text: string, end: "stop" | "length" = "stop"): string {
	const brief = readBrief(scene);
	const reading = asked(format, brief).read({ text, end });
	if ("nothing" in reading) return reading.nothing;
	return `${drawHunks(brief.text, reading.hunks)}${reading.hunks.some(({ isCut }) => isCut) ? " (cut)" : ""}`;
}

test("the model is shown the code as it was, what was changed in it, and the code as it is", () => {
	expect(asked(nep, readBrief(`${scene}\n`)).ask).toEqual({
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

test("a document of which no edit is known is shown as it is twice", () => {
	const { ask } = asked(nep, readBrief("one()▮"));
	expect(ask.kind === "completion" && ask.prompt).toBe(
		"<|original_code|>\none()\n<|edits_diff|>\n<|current_version|>\none()\n<|next_version|>\n",
	);
});

test("an edit of another file with the same path is not shown as one of the document", () => {
	const { event, ...edit } = readPastEdit("src/total.ts", "zebra‹→s›");
	const edits = [{ ...edit, event: { ...event, uri: "file:///elsewhere/src/total.ts" } }];
	const { ask } = asked(nep, readBrief("zebras▮", { edits }));
	expect(ask.kind === "completion" && ask.prompt).toBe(
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
	["the version as it is", "const count = 0\nlog(cnt)\nend()\n", "no-edit"],
	["nothing", "", "no-edit"],
])("an answer is read: %s", (_, text, expected) => {
	expect(read(nep, text)).toBe(expected);
});

test("an answer that was cut off says so", () => {
	expect(read(nep, "const count = 0\nlog(co", "length")).toBe("const count = 0\nlog(c‹nt)→o›\nend() (cut)");
});

test("a chat model is shown the same in tags, and answers in one", () => {
	const { ask } = asked(nepChat, readBrief(`${scene}\n`));
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
	const reply = "Sure.\n<next_version>\nconst count = 0\nlog(count)\nend()\n</next_version>";
	expect(read(nepChat, reply)).toBe("const count = 0\nlog(c‹→ou›nt)\nend()");
	expect(read(nepChat, "No change is needed.")).toBe("unreadable-answer");
});

test("a text that holds a token is not shown", () => {
	expect(questionOf(nep, readBrief("<|next_version|>▮"), RECIPIENT)).toBe("special-token-in-text");
	expect(questionOf(nepChat, readBrief("<next_version>▮"), RECIPIENT)).toBe("special-token-in-text");
});

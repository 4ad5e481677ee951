import { FormatRequest, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { fill } from "./fill.js";

test("sends the text before and after the cursor, and other files", () => {
	const related = [{ path: "src/a.ts", first: 3, last: 3, text: "one()" }];
	const request = new FormatRequest(fill, readPromptInput("let a = 1\nlet b = ▮\nlog(b)", { related }));
	expect(request.question.ask).toEqual({
		kind: "fill",
		prefix: "let a = 1\nlet b = ",
		suffix: "\nlog(b)",
		extra: [{ path: "src/a.ts", text: "one()" }],
		stop: [],
		tokensMax: 256,
		temperature: 0,
	});
	expect(request.readAnswer("a + 1\n")).toBe("let a = 1\nlet b = ‹→a + 1›\nlog(b)");
	expect(request.readAnswer("")).toBe("no-edit");
});

test("stays within the context window", () => {
	const input = readPromptInput(`${"one()\n".repeat(5000)}▮`, {
		related: [{ path: "src/a.ts", first: 0, last: 0, text: "x".repeat(9000) }],
	});
	const { ask } = new FormatRequest(fill, input, 2048).question;
	expect(ask.kind === "fill" && ask.prefix.length).toBeLessThan(2048 * 3);
	expect(ask).toMatchObject({ extra: [] });
});

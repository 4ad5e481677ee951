import { drawHunks, readBrief } from "@segue/testing";
import { expect, test } from "vitest";
import { fill } from "./fill.js";

const RECIPIENT = { model: "codestral-latest", windowTokens: undefined };

test("a server that knows the tokens is told what is before the cursor and behind it, and other files", () => {
	const brief = readBrief("let a = 1\nlet b = ▮\nlog(b)", {
		related: [{ path: "src/a.ts", first: 3, last: 3, text: "one()" }],
	});
	const question = fill.write(brief, RECIPIENT);
	expect(question?.ask).toEqual({
		kind: "fill",
		prefix: "let a = 1\nlet b = ",
		suffix: "\nlog(b)",
		extra: [{ path: "src/a.ts", text: "one()" }],
		stop: [],
		tokensMax: 256,
		temperature: 0,
	});
	const read = question?.read({ text: "a + 1\n", end: "stop" });
	expect(read && "hunks" in read && drawHunks(brief.text, read.hunks)).toBe("let a = 1\nlet b = ‹→a + 1›\nlog(b)");
	expect(question?.read({ text: "", end: "stop" })).toEqual({ nothing: "no-edit" });
});

test("no more is shown than the model can look at", () => {
	const brief = readBrief(`${"one()\n".repeat(5000)}▮`, {
		related: [{ path: "src/a.ts", first: 0, last: 0, text: "x".repeat(9000) }],
	});
	const ask = fill.write(brief, { model: "m", windowTokens: 2048 })?.ask;
	expect(ask?.kind === "fill" && ask.prefix.length).toBeLessThan(2048 * 3);
	expect(ask).toMatchObject({ extra: [] });
});

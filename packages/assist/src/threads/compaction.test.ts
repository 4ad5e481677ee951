import { type ChatRequest, ModelFailure } from "@segue/models";
import { ChatFixture, calls, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { expect, test } from "vitest";
import { TokenEstimator } from "./compaction.js";

const LONG = { "long.txt": "words and more words\n".repeat(900) };
const READ = ["read_file", { path: "long.txt" }] as const;
const TOO_LONG = new ModelFailure("too-long", "The conversation is too long for this model.");
const SUMMARY = "The user wants it read.";
const CONTINUES =
	"info: The conversation became too long for the model. It continues from a summary of the earlier messages.";

test("continues from the model's summary when the thread nearly fills the context window", async () => {
	const chat = await ChatFixture.begin({
		files: LONG,
		windowTokens: 20_000,
		answers: [calls(READ), calls(READ), calls(READ), says(SUMMARY), says("Done.")],
	});
	expect(await chat.prompt("Read it three times")).toBe("done");
	expect((await chat.lines()).slice(-4)).toEqual([`summary: ${SUMMARY}`, CONTINUES, "text: Done.", "end: done"]);
	const [, , , summary, after] = chat.model.requests;
	expect(summary?.tools).toEqual([]);
	expect(summary?.messages).toHaveLength(1);
	expect(after?.messages).toEqual([
		{
			role: "user",
			parts: [
				{ type: "text", text: `Summary of the conversation so far:\n\n${SUMMARY}` },
				{ type: "text", text: "Read it three times" },
			],
		},
	]);
});

test("does not summarize while there is room or if the context window is unknown", async () => {
	for (const windowTokens of [20_000, undefined]) {
		const conditions = windowTokens === undefined ? {} : { windowTokens };
		const chat = await ChatFixture.begin({ files: LONG, ...conditions, answers: [calls(READ), says("Done.")] });
		await chat.prompt("Read it");
		expect(chat.model.requests).toHaveLength(2);
	}
});

test("summarizes and retries when the provider reports an overflow", async () => {
	const chat = await ChatFixture.begin({
		files: LONG,
		answers: [calls(READ), TOO_LONG, says(SUMMARY), says("Done.")],
	});
	expect(await chat.prompt("Read it")).toBe("done");
	expect((await chat.lines()).slice(-4)).toEqual([`summary: ${SUMMARY}`, CONTINUES, "text: Done.", "end: done"]);
});

for (const { title, answers } of [
	{ title: "the summary is too long", answers: [TOO_LONG, says(SUMMARY), TOO_LONG] },
	{ title: "the summary fails", answers: [TOO_LONG, new ModelFailure("unreachable", "No answer.")] },
	{ title: "the summary is empty", answers: [TOO_LONG, []] },
	{ title: "the summary is refused", answers: [TOO_LONG, [...says("I can"), { type: "end", reason: "refused" }]] },
	{ title: "the summary is cut off", answers: [TOO_LONG, [...says("The us"), { type: "end", reason: "length" }]] },
] as const) {
	test(`fails with a clear notice when ${title}`, async () => {
		const chat = await ChatFixture.begin({ answers: [says("Hi."), ...answers] });
		await chat.prompt("Hi");
		expect(await chat.prompt("Go")).toBe("failed");
		expect((await chat.lines()).slice(-2)).toEqual([`error: ${TOO_LONG.message}`, "end: failed"]);
		expect(chat.model.requests).toHaveLength(1 + answers.length);
	});
}

test("stops summarizing if it does not help, and tells the user once", async () => {
	const chat = await ChatFixture.begin({
		files: LONG,
		windowTokens: 1_000,
		answers: [calls(READ), says(SUMMARY), calls(READ), calls(READ), says("Done.")],
	});
	expect(await chat.prompt("Read it three times")).toBe("done");
	const lines = await chat.lines();
	expect(lines.filter((line) => line.startsWith("summary: "))).toHaveLength(1);
	expect(lines.filter((line) => line.startsWith("warning: "))).toEqual([expect.stringMatching(/even as a summary\./)]);
	expect(lines.slice(-2)).toEqual(["text: Done.", "end: done"]);
});

test("does not summarize a single prompt", async () => {
	const chat = await ChatFixture.begin({ answers: [TOO_LONG, says("never said")] });
	expect(await chat.prompt("Go")).toBe("failed");
	expect(chat.model.requests).toHaveLength(1);
});

test("can be cancelled during the summary", async () => {
	const chat = await ChatFixture.begin({ answers: [says("Hi."), TOO_LONG, [...says("The user"), HOLD]] });
	await chat.prompt("Hi");
	const ended = chat.prompt("Go");
	await chat.model.holding();
	chat.turn.abort();
	expect(await ended).toBe("cancelled");
	expect((await chat.lines()).slice(-2)).toEqual(["prompt: Go", "end: cancelled"]);
});

test("summarizes only the start and end of a long transcript", async () => {
	const answers = [...Array.from({ length: 12 }, () => calls(READ)), TOO_LONG, says(SUMMARY), says("Done.")];
	const chat = await ChatFixture.begin({ files: LONG, answers });
	await chat.prompt("Read it often");
	const request = chat.model.requests[13] as ChatRequest;
	const text = JSON.stringify(request.messages);
	expect(text.length).toBeLessThan(70_000);
	expect(text).toContain("User: Read it often");
});

test("calibrates the token estimate with reported usage", () => {
	const request: ChatRequest = {
		system: "",
		messages: [{ role: "user", parts: [{ type: "text", text: "x".repeat(4_000) }] }],
		tools: [],
		effort: undefined,
	};
	const estimator = new TokenEstimator();
	expect(estimator.isNear(request, 2_000)).toBe(false);
	estimator.learn(request, { inputTokens: 2_000, outputTokens: 0, cachedTokens: undefined, costUsd: undefined });
	expect(estimator.isNear(request, 2_000)).toBe(true);
});

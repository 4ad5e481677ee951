import { ChatFixture, calls, never, says } from "@segue/testing/chat/chat-fixture";
import { describe, expect, test } from "vitest";
import type { UserQuestion } from "../client.js";

const QUESTION = {
	question: "Which\ncolour?",
	options: [{ label: "Red" }, { label: "Blue", description: "As the sky." }],
};

/** Runs a turn in which the model asks a question and the user responds with `answer`. */
async function asked(input: unknown, answer: string | undefined) {
	const inquiries: UserQuestion[] = [];
	const ask = async (inquiry: UserQuestion) => {
		inquiries.push(inquiry);
		return answer;
	};
	const chat = await ChatFixture.begin({ ask, answers: [calls(["ask_user", input]), says("Good.")] });
	await chat.prompt("Paint it", { mode: "ask" });
	const [call] = (await chat.entries()).flatMap(({ body }) => (body.type === "call" ? [body.call] : []));
	return { inquiries, call, chat };
}

describe("ask_user", () => {
	test("shows the question and its options without approval, in any mode", async () => {
		const { inquiries, call, chat } = await asked(QUESTION, "Green");
		expect(inquiries).toEqual([
			{
				text: "Which\ncolour?",
				options: [
					{ label: "Red", description: undefined },
					{ label: "Blue", description: "As the sky." },
				],
				isOpen: true,
				callId: call?.id,
			},
		]);
		expect(call).toMatchObject({ title: "Ask: Which colour?", status: "done", output: "Green" });
		expect(chat.questions).toEqual([]);
	});

	test.each([
		[{ ...QUESTION, only_options: true }, false],
		[{ ...QUESTION, only_options: false }, true],
		[{ question: "Why?", only_options: true }, true],
	])("tells the client whether answers other than the options are allowed: %j", async (input, isOpen) => {
		expect((await asked(input, "Red")).inquiries).toMatchObject([{ isOpen }]);
	});

	test("tells the model that the user did not answer", async () => {
		const { call } = await asked(QUESTION, undefined);
		expect(call).toMatchObject({ status: "done", output: expect.stringMatching(/^The user did not answer\./) });
	});

	test("truncates a long answer", async () => {
		const { call } = await asked(QUESTION, "x".repeat(30_000));
		expect(call?.output).toMatch(/^x{20000}\n\(truncated/);
	});

	test.each([{ question: "  " }, { question: "Why?", options: Array.from({ length: 11 }, () => ({ label: "So" })) }])(
		"refuses invalid input: %j",
		async (input) => {
			const { inquiries, call } = await asked(input, "Red");
			expect([inquiries, call?.status]).toEqual([[], "failed"]);
		},
	);

	test("stops waiting when the turn is cancelled", async () => {
		const chat: ChatFixture = await ChatFixture.begin({
			answers: [calls(["ask_user", QUESTION])],
			ask: () => {
				chat.turn.abort();
				return never();
			},
		});
		expect(await chat.prompt("Paint it")).toBe("cancelled");
	});

	test("is not offered if the client cannot ask the user", async () => {
		const chat = await ChatFixture.begin({});
		await chat.prompt("Paint it");
		const offered = chat.model.requests[0]?.tools.map(({ name }) => name);
		expect(offered).toContain("read_file");
		expect(offered).not.toContain("ask_user");
	});
});

import { ModelFailure } from "@segue/models";
import { ChatFixture, type ChatFixtureOptions, calls, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { describe, expect, test } from "vitest";
import { Steering } from "./steering.js";

const FILES = { "a.ts": "const a = 1;\n" };
const READ_A = ["read_file", { path: "a.ts" }] as const;

describe("a message to a running turn", () => {
	test("becomes a prompt in the same turn before the next step", async () => {
		const { chat, reason, isTaken } = await steered({
			answers: [[HOLD, ...calls(READ_A)], says("Then not.")],
			steer: ["Wait.", "Only look."],
		});
		expect([reason, isTaken]).toEqual(["done", [true, true]]);
		expect(await chat.lines()).toEqual([
			"prompt: Go",
			"done: Read a.ts: 1\tconst a = 1;",
			"file: a.ts",
			"prompt: Wait. Only look.",
			"text: Then not.",
			"end: done",
		]);
		const entries = await chat.entries();
		expect(new Set(entries.map(({ turn }) => turn)).size).toBe(1);
		expect(chat.receivedEntries()).toEqual(entries);
		expect(chat.model.requests[1]?.messages.slice(-2)).toEqual([
			{ role: "tool", results: [expect.objectContaining({ output: "1\tconst a = 1;" })] },
			{ role: "user", parts: ["Wait.", "Only look."].map((text) => ({ type: "text", text })) },
		]);
	});

	test("continues a turn that would have ended", async () => {
		const { chat, reason } = await steered({
			answers: [[HOLD, ...says("Done.")], says("So did I.")],
			steer: ["Thanks."],
		});
		expect(reason).toBe("done");
		expect(await chat.lines()).toEqual([
			"prompt: Go",
			"text: Done.",
			"prompt: Thanks.",
			"text: So did I.",
			"end: done",
		]);
		expect(chat.model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
	});

	test("continues a turn after a cut-off answer without running its calls", async () => {
		const cut = [HOLD, ...calls(READ_A), { type: "end", reason: "length" }] as const;
		const { chat, reason } = await steered({ answers: [cut, says("Yes.")], steer: ["Be brief."] });
		expect(reason).toBe("done");
		expect((await chat.lines()).slice(1)).toEqual([
			"failed: read_file: Not run: the turn ended first.",
			expect.stringMatching(/^warning: The answer was cut off/),
			"prompt: Be brief.",
			"text: Yes.",
			"end: done",
		]);
		expect(chat.model.requests[1]?.messages[2]).toMatchObject({
			results: [{ output: expect.stringMatching(/^Not run/) }],
		});
	});

	test("keeps the model's thoughts", async () => {
		const thought = { type: "thought", text: "Hm.", signature: "signed" } as const;
		const { chat } = await steered({
			answers: [
				[HOLD, thought, ...calls(READ_A)],
				[thought, ...calls(READ_A)],
			],
			steer: ["Go on."],
		});
		const parts = chat.model.requests[2]?.messages.flatMap((message) =>
			message.role === "assistant" ? message.parts : [],
		);
		expect(parts?.filter(({ type }) => type === "thought")).toHaveLength(2);
	});

	test("is not sent if it is withdrawn, and the turn ends", async () => {
		const { chat, reason } = await steered({
			answers: [[HOLD, ...says("Done.")]],
			steer: ["Oh."],
			afterwards: (it) => it.assist.unsteer(it.thread.id),
		});
		expect(reason).toBe("done");
		expect(await chat.lines()).toEqual(["prompt: Go", "text: Done.", "end: done"]);
		expect(chat.model.requests).toHaveLength(1);
	});

	test("is dropped if the turn is cancelled", async () => {
		const { chat, reason } = await steered({
			answers: [[HOLD, ...says("Done.")]],
			steer: ["Stop."],
			afterwards: (it) => it.turn.abort(),
		});
		expect(reason).toBe("cancelled");
		expect(await chat.lines()).toEqual(["prompt: Go", "end: cancelled"]);
	});

	test("remains for the next turn if this one fails", async () => {
		const failure = new ModelFailure("refused", "The key is wrong.");
		const { chat, reason } = await steered({ answers: [[HOLD, failure], says("Yes.")], steer: ["In French."] });
		expect(reason).toBe("failed");
		expect(await chat.lines()).toEqual(["prompt: Go", "error: The key is wrong.", "prompt: In French.", "end: failed"]);
		await chat.prompt("Again");
		expect(JSON.stringify(chat.model.requests[1]?.messages)).toContain("In French.");
	});

	test("is refused if no turn is running or too many are pending", async () => {
		const chat = await ChatFixture.begin({ files: FILES, answers: [[HOLD]] });
		const { id } = chat.thread;
		expect(chat.assist.steer(id, "Hello?")).toBe(false);
		const ended = chat.prompt("Go");
		await chat.model.holding();
		expect(chat.assist.steer("another", "Hello?")).toBe(false);
		for (let i = 0; i < 100; i++) expect(chat.assist.steer(id, "Hello?")).toBe(true);
		expect(chat.assist.steer(id, "Hello?")).toBe(false);
		await chat.model.release();
		await ended;
		expect(chat.assist.steer(id, "Hello?")).toBe(false);
		expect((await chat.lines()).filter((line) => line.startsWith("prompt"))).toHaveLength(2);
	});

	test("is refused once the turn ends without pending messages", () => {
		const steering = new Steering();
		expect(steering.add("One")).toBe(true);
		expect(steering.takeLast()).toEqual(["One"]);
		expect(steering.add("Two")).toBe(true);
		expect(steering.takeLast()).toEqual(["Two"]);
		expect(steering.takeLast()).toEqual([]);
		expect(steering.add("Three")).toBe(false);
		expect(steering.close()).toEqual([]);
	});

	test("is always sent to the model once it has been accepted", async () => {
		const answers = [calls(READ_A), says("Done.")];
		let isTaken: boolean | undefined;
		for (let moment = 1; isTaken !== undefined || moment === 1; moment++) {
			let updates = 0;
			isTaken = undefined;
			const chat: ChatFixture = await ChatFixture.begin({
				files: FILES,
				answers,
				update: () => {
					if (++updates === moment) isTaken = chat.assist.steer(chat.thread.id, "Listen!");
				},
			});
			expect(await chat.prompt("Go")).toBe("done");
			const isSent = chat.model.requests.some(({ messages }) => JSON.stringify(messages).includes("Listen!"));
			expect([moment, isSent]).toEqual([moment, isTaken ?? false]);
			expect((await chat.lines()).includes("prompt: Listen!")).toBe(isSent);
		}
	});
});

/** Runs a turn and sends it messages while the model is paused. */
async function steered({
	steer,
	afterwards,
	...conditions
}: ChatFixtureOptions & { steer: readonly string[]; afterwards?: (chat: ChatFixture) => void }) {
	const chat = await ChatFixture.begin({ files: FILES, ...conditions });
	const ended = chat.prompt("Go");
	await chat.model.holding();
	const isTaken = steer.map((text) => chat.assist.steer(chat.thread.id, text));
	afterwards?.(chat);
	if (!chat.turn.signal.aborted) await chat.model.release();
	return { chat, reason: await ended, isTaken };
}

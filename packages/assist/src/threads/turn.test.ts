import { ModelFailure } from "@segue/models";
import { ChatFixture, type ChatFixtureOptions, calls, never, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";

const FILES = { "a.ts": "const a = 1;\n", "b.ts": "const b = 2;\n" };
const USAGE = { inputTokens: 10, outputTokens: 2, cachedTokens: undefined, costUsd: undefined };
const READ_A = ["read_file", { path: "a.ts" }] as const;
const READ_B = ["read_file", { path: "b.ts" }] as const;
const EDIT_A = ["edit_file", { path: "a.ts", old_text: "1", new_text: "7" }] as const;

test("stores the answer, thoughts and usage", async () => {
	const chat = await ChatFixture.begin({
		answers: [
			[
				{ type: "thought", text: "Easy", signature: undefined },
				{ type: "thought", text: ".", signature: "signed" },
				...says("Hel", "lo"),
				{ type: "usage", usage: USAGE },
			],
		],
	});
	expect(await chat.prompt("Say hello")).toBe("done");
	expect(await chat.lines()).toEqual(["prompt: Say hello", "thought: Easy.", "text: Hello", "usage: 10", "end: done"]);
	expect((await chat.entries())[1]?.body).toMatchObject({ signature: "signed" });
	expect((await chat.entries())[0]?.body).toMatchObject({ model: "test/first" });
});

test("runs tools and returns their results until the model is done", async () => {
	const chat = await ChatFixture.begin({ files: FILES, answers: [calls(READ_A), calls(EDIT_A), says("Done.")] });
	expect(await chat.prompt("Make it 7")).toBe("done");
	expect(await chat.tools.text("a.ts")).toBe("const a = 7;\n");
	expect(await chat.lines()).toEqual([
		"prompt: Make it 7",
		"done: Read a.ts: 1\tconst a = 1;",
		"file: a.ts",
		expect.stringMatching(/^done: Edit a.ts: /),
		"approval: edit a.ts: once by person",
		"text: Done.",
		"end: done",
	]);
	expect(chat.model.requests[2]?.messages.map((message) => message.role)).toEqual([
		"user",
		"assistant",
		"tool",
		"assistant",
		"tool",
	]);
	expect(chat.model.requests[2]?.messages[2]).toMatchObject({ results: [{ tool: "read_file", failed: false }] });
});

test("runs reads concurrently and returns results in order", async () => {
	const both = deferred();
	const requested = new Set<string>();
	const read = async (file: string) => {
		if (file.endsWith("AGENTS.md")) return undefined;
		// Neither read resolves before both are requested.
		if (requested.add(file).size === 2) both.open();
		await both.opened;
		return file.slice(-4);
	};
	const buffers = { read, write: async () => false };
	const chat = await ChatFixture.begin({ files: FILES, buffers, answers: [calls(READ_A, READ_B)] });
	await chat.prompt("Read both");
	expect(chat.model.requests[1]?.messages[2]).toMatchObject({
		results: [{ output: "1\ta.ts" }, { output: "1\tb.ts" }],
	});
});

test("stores the unsaved content that was read from the editor", async () => {
	const read = async (file: string) => (file.endsWith("a.ts") ? "unsaved\n" : undefined);
	const buffers = { read, write: async () => false };
	const chat = await ChatFixture.begin({ files: FILES, buffers, answers: [calls(READ_A, READ_B)] });
	await chat.prompt("Read both");
	const kept = (await chat.entries()).flatMap(({ body }) => (body.type === "file" ? [body.content] : []));
	expect(kept.toSorted()).toEqual(["const b = 2;", "unsaved"]);
});

test("runs calls that change files sequentially, in order", async () => {
	const again = ["edit_file", { path: "a.ts", old_text: "7", new_text: "8" }] as const;
	const chat = await ChatFixture.begin({ files: FILES, answers: [calls(READ_A), calls(EDIT_A, again, READ_A)] });
	await chat.prompt("Make it 8, in two steps");
	expect(await chat.tools.text("a.ts")).toBe("const a = 8;\n");
	expect(chat.model.requests[2]?.messages.at(-1)).toMatchObject({ results: [{}, {}, { output: "1\tconst a = 8;" }] });
});

for (const { title, call, sent } of [
	{ title: "an unknown tool", call: ["open_door", {}], sent: /Unknown tool open_door. Available: read_file, / },
	{ title: "input that is not JSON", call: ["read_file", '{"path": '], sent: /not valid JSON/ },
	{ title: "invalid input", call: ["read_file", { path: 1 }], sent: /is invalid:\n.*path/s },
	{ title: "a refused call", call: ["read_file", { path: "../x" }], sent: /outside/ },
] as const) {
	test(`reports ${title} to the model and continues`, async () => {
		const chat = await ChatFixture.begin({ files: FILES, answers: [calls(call), says("I see.")] });
		expect(await chat.prompt("Go")).toBe("done");
		const result = chat.model.requests[1]?.messages.at(-1);
		expect(result).toMatchObject({ results: [{ failed: true, output: expect.stringMatching(sent) }] });
	});
}

test("does not run an incomplete call", async () => {
	const opened = { type: "call-begun", id: "1", tool: "update_plan" } as const;
	const chat = await ChatFixture.begin({ answers: [[opened, { type: "end", reason: "calls" }], says("I see.")] });
	expect(await chat.prompt("Go")).toBe("done");
	expect((await chat.lines())[1]).toBe("failed: update_plan: This call is incomplete. Nothing was done.");
});

test("treats a call's empty input as an empty object", async () => {
	const chat = await ChatFixture.begin({ answers: [calls(["update_plan", ""])] });
	await chat.prompt("Go");
	expect((await chat.lines())[1]).toMatch(/is invalid:.*steps/s);
});

test("ends when the model repeats a failing call", async () => {
	const wrong = calls(["read_file", { path: "none.ts" }]);
	const chat = await ChatFixture.begin({ answers: [wrong, wrong, wrong, says("never said")] });
	expect(await chat.prompt("Go")).toBe("failed");
	expect(chat.model.requests).toHaveLength(3);
	expect((await chat.lines()).at(-2)).toMatch(/^error: Stopped: the model repeated a failing call to read_file/);
});

test("ends after a hundred steps", async () => {
	const files = { "a.ts": "" };
	const chat = await ChatFixture.begin({ files, answers: Array.from({ length: 200 }, () => calls(READ_A)) });
	expect(await chat.prompt("Go")).toBe("steps");
	expect(chat.model.requests).toHaveLength(100);
});

test("assigns new ids to calls if a server repeats them", async () => {
	const chat = await ChatFixture.begin({
		files: FILES,
		answers: [calls(READ_A), calls(READ_B), calls(["read_file", READ_A[1]])],
	});
	await chat.prompt("Read");
	await chat.prompt("Read again");
	const ids = (await chat.entries()).flatMap(({ body }) => (body.type === "call" ? [body.call.id] : []));
	expect(new Set(ids).size).toBe(3);
});

test("shows a call while the model is still writing it", async () => {
	const chat = await ChatFixture.begin({
		files: FILES,
		update: async (update) => {
			if (update.type !== "entry" || update.entry.body.type !== "call") return;
			await chat.model.release();
		},
		answers: [[{ type: "call-begun", id: "call0", tool: "read_file" }, HOLD, ...calls(READ_A)]],
	});
	expect(await chat.prompt("Read")).toBe("done");
	expect((await chat.entries()).filter(({ body }) => body.type === "call")).toHaveLength(1);
});

for (const { end, reason, level } of [
	{ end: "length", reason: "length", level: "warning" },
	{ end: "refused", reason: "refused", level: "warning" },
] as const) {
	test(`ends with ${reason} when the model does, and does not run its calls`, async () => {
		const cut = [...calls(EDIT_A), { type: "end", reason: end } as const];
		const chat = await ChatFixture.begin({ files: FILES, answers: [cut] });
		expect(await chat.prompt("Go")).toBe(reason);
		expect(chat.questions).toEqual([]);
		expect((await chat.lines()).slice(1)).toEqual([
			"failed: edit_file: Not run: the turn ended first.",
			expect.stringMatching(`^${level}: `),
			`end: ${reason}`,
		]);
	});
}

test("shows the message from a model failure and keeps the text before it", async () => {
	const failure = new ModelFailure("wrong-key", "The key is wrong. Log in again.");
	const chat = await ChatFixture.begin({ answers: [[...says("Hel"), failure], says("Now.")] });
	expect(await chat.prompt("Go")).toBe("failed");
	expect(await chat.lines()).toEqual([
		"prompt: Go",
		"text: Hel",
		"error: The key is wrong. Log in again.",
		"end: failed",
	]);
	expect(await chat.prompt("And now?")).toBe("done");
});

test("reports an answer without an end as cut off", async () => {
	const chat = await ChatFixture.begin({});
	chat.model.stream = async function* () {
		yield* says("Hel");
	};
	expect(await chat.prompt("Go")).toBe("failed");
	expect((await chat.lines()).at(-2)).toBe("error: The answer from test/first was cut off. Try again.");
});

test("shows a notice for a retry", async () => {
	const retrying = { type: "retrying", afterMs: 1500, why: "The model is busy." } as const;
	const chat = await ChatFixture.begin({ answers: [[retrying, ...says("Hi")]] });
	expect(await chat.prompt("Go")).toBe("done");
	expect((await chat.lines())[1]).toBe("info: The model is busy. Trying again in 2 s.");
});

test("rethrows an error caused by a bug in a model, but still ends the turn", async () => {
	const chat = await ChatFixture.begin({
		answers: [
			() => {
				throw new TypeError("a bug");
			},
		],
	});
	await expect(chat.assist.prompt(chat.thread.id, [], chat, { signal: chat.turn.signal })).rejects.toThrow("a bug");
	expect((await chat.lines()).at(-1)).toBe("end: failed");
});

const HALF_DONE = "Cancelled by the user. It may be partly done.";

/** Turns that hang in different ways, with the entries that they leave behind. `hang` signals that the turn hangs. */
const HANGING: Readonly<
	Record<string, { conditions: (hang: () => Promise<never>) => ChatFixtureOptions; left: readonly string[] }>
> = {
	"before the model answers": { conditions: () => ({ answers: [[HOLD]] }), left: [] },
	"in the middle of an answer": { conditions: () => ({ answers: [[...says("Hel"), HOLD]] }), left: ["text: Hel"] },
	"while the model is writing a call": {
		conditions: () => ({ answers: [[{ type: "call-begun", id: "1", tool: "read_file" }, HOLD]] }),
		left: [`failed: read_file: ${HALF_DONE}`],
	},
	"while a tool hangs": {
		conditions: (hang) => ({
			answers: [calls(["update_plan", { steps: [] }], READ_A)],
			buffers: { read: async (file) => (file.endsWith("a.ts") ? hang() : undefined), write: async () => false },
		}),
		left: ["done: Update the plan: The plan is shown to the user.", `failed: Read a.ts: ${HALF_DONE}`, "plan: "],
	},
	"while a question is open": {
		conditions: (hang) => ({ answers: [calls(["write_file", { path: "c.ts", content: "c" }])], approve: hang }),
		left: [`failed: Create c.ts: ${HALF_DONE}`, "approval: edit c.ts: no by nobody"],
	},
	"while the editor is sending a file": {
		conditions: (hang) => ({ files: { "AGENTS.md": "" }, buffers: { read: hang, write: async () => false } }),
		left: [],
	},
	"while the editor is listing its open documents": {
		conditions: (hang) => ({ editor: { openDocuments: hang } }),
		left: [],
	},
	"while the client is receiving an update": {
		conditions: (hang) => ({
			answers: [says("Hi")],
			update: (update) => (update.type === "entry" && update.entry.body.type === "text" ? hang() : undefined),
		}),
		left: ["text: Hi"],
	},
};

for (const [title, { conditions, left }] of Object.entries(HANGING)) {
	test(`is cancelled ${title} and keeps its entries`, async () => {
		const hanging = deferred();
		const hang = () => {
			hanging.open();
			return never();
		};
		const chat = await ChatFixture.begin({ files: FILES, ...conditions(hang) });
		const ended = chat.prompt("Go");
		await Promise.race([hanging.opened, chat.model.holding()]);
		await settled();
		chat.turn.abort();
		expect(await ended).toBe("cancelled");
		expect((await chat.lines()).slice(1)).toEqual([...left, "end: cancelled"]);
		expect(chat.receivedEntries()).toEqual(await chat.entries());
	});
}

test("is cancelled even if the model ignores the signal", async () => {
	const hanging = deferred();
	const chat = await ChatFixture.begin({});
	chat.model.stream = async function* () {
		yield* says("Hel");
		hanging.open();
		await never();
	};
	const ended = chat.prompt("Go");
	await hanging.opened;
	chat.turn.abort();
	expect(await ended).toBe("cancelled");
	expect(await chat.lines()).toContain("text: Hel");
});

test("closing the engine cancels running turns", async () => {
	const chat = await ChatFixture.begin({ answers: [[HOLD]] });
	const ended = chat.prompt("Go");
	await chat.model.holding();
	await chat.assist.close();
	expect(await ended).toBe("cancelled");
});

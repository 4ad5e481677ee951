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

test("answers, thinks and counts, and keeps all of it", async () => {
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

test("runs tools until the model is done, and tells it what came of them", async () => {
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

test("runs calls that only read beside each other, and answers in the model's order", async () => {
	const both = deferred();
	const asked = new Set<string>();
	const read = async (file: string) => {
		if (file.endsWith("AGENTS.md")) return undefined;
		// Neither is answered before the other was asked for.
		if (asked.add(file).size === 2) both.open();
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

test("keeps what was read of an editor's buffer, as it is there", async () => {
	const read = async (file: string) => (file.endsWith("a.ts") ? "unsaved\n" : undefined);
	const buffers = { read, write: async () => false };
	const chat = await ChatFixture.begin({ files: FILES, buffers, answers: [calls(READ_A, READ_B)] });
	await chat.prompt("Read both");
	const kept = (await chat.entries()).flatMap(({ body }) => (body.type === "file" ? [body.content] : []));
	expect(kept.toSorted()).toEqual(["const b = 2;", "unsaved"]);
});

test("runs what changes things one after the other, in the model's order", async () => {
	const again = ["edit_file", { path: "a.ts", old_text: "7", new_text: "8" }] as const;
	const chat = await ChatFixture.begin({ files: FILES, answers: [calls(READ_A), calls(EDIT_A, again, READ_A)] });
	await chat.prompt("Make it 8, in two steps");
	expect(await chat.tools.text("a.ts")).toBe("const a = 8;\n");
	expect(chat.model.requests[2]?.messages.at(-1)).toMatchObject({ results: [{}, {}, { output: "1\tconst a = 8;" }] });
});

for (const { title, call, sent } of [
	{ title: "an unknown tool", call: ["open_door", {}], sent: /There is no tool open_door. There are: read_file, / },
	{ title: "an input that is no JSON", call: ["read_file", '{"path": '], sent: /no valid JSON/ },
	{ title: "an input that does not fit", call: ["read_file", { path: 1 }], sent: /does not fit:\n.*path/s },
	{ title: "what a tool refuses", call: ["read_file", { path: "../x" }], sent: /outside/ },
] as const) {
	test(`tells the model of ${title}, and goes on`, async () => {
		const chat = await ChatFixture.begin({ files: FILES, answers: [calls(call), says("I see.")] });
		expect(await chat.prompt("Go")).toBe("done");
		const result = chat.model.requests[1]?.messages.at(-1);
		expect(result).toMatchObject({ results: [{ failed: true, output: expect.stringMatching(sent) }] });
	});
}

test("does not run a call that was not written to its end", async () => {
	const opened = { type: "call-begun", id: "1", tool: "update_plan" } as const;
	const chat = await ChatFixture.begin({ answers: [[opened, { type: "end", reason: "calls" }], says("I see.")] });
	expect(await chat.prompt("Go")).toBe("done");
	expect((await chat.lines())[1]).toBe("failed: update_plan: This call was not written to its end. Nothing was done.");
});

test("takes a call with nothing as its input for one with an empty object", async () => {
	const chat = await ChatFixture.begin({ answers: [calls(["update_plan", ""])] });
	await chat.prompt("Go");
	expect((await chat.lines())[1]).toMatch(/does not fit:.*steps/s);
});

test("ends when the model repeats a call that fails", async () => {
	const wrong = calls(["read_file", { path: "none.ts" }]);
	const chat = await ChatFixture.begin({ answers: [wrong, wrong, wrong, says("never said")] });
	expect(await chat.prompt("Go")).toBe("failed");
	expect(chat.model.requests).toHaveLength(3);
	expect((await chat.lines()).at(-2)).toMatch(/^error: The turn was ended: the model repeated a call of read_file/);
});

test("ends after a hundred steps", async () => {
	const files = { "a.ts": "" };
	const chat = await ChatFixture.begin({ files, answers: Array.from({ length: 200 }, () => calls(READ_A)) });
	expect(await chat.prompt("Go")).toBe("steps");
	expect(chat.model.requests).toHaveLength(100);
});

test("gives calls ids of its own where a server repeats them", async () => {
	const chat = await ChatFixture.begin({
		files: FILES,
		answers: [calls(READ_A), calls(READ_B), calls(["read_file", READ_A[1]])],
	});
	await chat.prompt("Read");
	await chat.prompt("Read again");
	const ids = (await chat.entries()).flatMap(({ body }) => (body.type === "call" ? [body.call.id] : []));
	expect(new Set(ids).size).toBe(3);
});

test("shows a call while the model still writes it", async () => {
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
	test(`ends with ${reason} when the model does, and runs none of its calls`, async () => {
		const cut = [...calls(EDIT_A), { type: "end", reason: end } as const];
		const chat = await ChatFixture.begin({ files: FILES, answers: [cut] });
		expect(await chat.prompt("Go")).toBe(reason);
		expect(chat.questions).toEqual([]);
		expect((await chat.lines()).slice(1)).toEqual([
			"failed: edit_file: Not run: the turn ended before.",
			expect.stringMatching(`^${level}: `),
			`end: ${reason}`,
		]);
	});
}

test("says in the failure's own words why a model did not answer, and keeps what came before", async () => {
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

test("takes an answer without an end for one that was cut", async () => {
	const chat = await ChatFixture.begin({});
	chat.model.stream = async function* () {
		yield* says("Hel");
	};
	expect(await chat.prompt("Go")).toBe("failed");
	expect((await chat.lines()).at(-2)).toBe("error: The answer of test/first ended in the middle. Ask again.");
});

test("tells that a request is tried again", async () => {
	const retrying = { type: "retrying", afterMs: 1500, why: "The model is busy." } as const;
	const chat = await ChatFixture.begin({ answers: [[retrying, ...says("Hi")]] });
	expect(await chat.prompt("Go")).toBe("done");
	expect((await chat.lines())[1]).toBe("info: The model is busy. Trying again in 2 s.");
});

test("throws a bug of a model, and still ends the turn", async () => {
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

const HALF_DONE = "Cancelled by the user. If it had begun, it may be half done.";

/** Each hangs in its own way, and says that it does. */
const HANGING: Readonly<
	Record<string, { conditions: (hang: () => Promise<never>) => ChatFixtureOptions; left: readonly string[] }>
> = {
	"while the model is silent": { conditions: () => ({ answers: [[HOLD]] }), left: [] },
	"in the middle of a text": { conditions: () => ({ answers: [[...says("Hel"), HOLD]] }), left: ["text: Hel"] },
	"while a call is written": {
		conditions: () => ({ answers: [[{ type: "call-begun", id: "1", tool: "read_file" }, HOLD]] }),
		left: [`failed: read_file: ${HALF_DONE}`],
	},
	"while a tool hangs": {
		conditions: (hang) => ({
			answers: [calls(["update_plan", { steps: [] }], READ_A)],
			buffers: { read: async (file) => (file.endsWith("a.ts") ? hang() : undefined), write: async () => false },
		}),
		left: ["done: Update the plan: The user sees the plan.", `failed: Read a.ts: ${HALF_DONE}`, "plan: "],
	},
	"while a question is open": {
		conditions: (hang) => ({ answers: [calls(["write_file", { path: "c.ts", content: "c" }])], approve: hang }),
		left: [`failed: Create c.ts: ${HALF_DONE}`, "approval: edit c.ts: no by nobody"],
	},
	"while the editor does not send a file": {
		conditions: (hang) => ({ files: { "AGENTS.md": "" }, buffers: { read: hang, write: async () => false } }),
		left: [],
	},
	"while the editor does not say what it has open": {
		conditions: (hang) => ({ editor: { openDocuments: hang } }),
		left: [],
	},
	"while the client is told something": {
		conditions: (hang) => ({
			answers: [says("Hi")],
			update: (update) => (update.type === "entry" && update.entry.body.type === "text" ? hang() : undefined),
		}),
		left: ["text: Hi"],
	},
};

for (const [title, { conditions, left }] of Object.entries(HANGING)) {
	test(`is cancelled ${title}, and keeps what there is`, async () => {
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

test("is cancelled although the model does not listen", async () => {
	const asked = deferred();
	const chat = await ChatFixture.begin({});
	chat.model.stream = async function* () {
		yield* says("Hel");
		asked.open();
		await never();
	};
	const ended = chat.prompt("Go");
	await asked.opened;
	chat.turn.abort();
	expect(await ended).toBe("cancelled");
	expect(await chat.lines()).toContain("text: Hel");
});

test("ends what runs when it is closed", async () => {
	const chat = await ChatFixture.begin({ answers: [[HOLD]] });
	const ended = chat.prompt("Go");
	await chat.model.holding();
	await chat.assist.close();
	expect(await ended).toBe("cancelled");
});

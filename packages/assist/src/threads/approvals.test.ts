import { ChatFixture, calls, never, says } from "@segue/testing/chat/chat-fixture";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import type { Store } from "../store/store.js";
import { type ApprovalRule, Approvals, isDenied } from "./approvals.js";
import type { PermissionAnswer, ToolCall } from "./thread.js";

const write = (path: string, content = "new") => calls(["write_file", { path, content }]);

/** Returns a thread's approvals, in order. */
async function approvals(chat: ChatFixture): Promise<string[]> {
	return (await chat.lines()).filter((line) => line.startsWith("approval: ")).map((line) => line.slice(10));
}

test("shows the diff and asks for approval before a change, and waits for the answer", async () => {
	const asked = deferred();
	const answered = deferred<PermissionAnswer>();
	const chat = await ChatFixture.begin({
		answers: [write("a.ts")],
		approve: () => {
			asked.open();
			return answered.opened;
		},
	});
	const ended = chat.prompt("Write it");
	await asked.opened;
	await settled();
	await expect(chat.tools.text("a.ts")).rejects.toThrow("ENOENT");
	expect(chat.questions).toMatchObject([
		{ permission: { kind: "edit", subject: "a.ts" }, call: { status: "pending", diffs: [{ after: "new" }] } },
	]);
	answered.open("once");
	expect(await ended).toBe("done");
	expect(await chat.tools.text("a.ts")).toBe("new");
});

test("does not ask before reading", async () => {
	const chat = await ChatFixture.begin({ files: { "a.ts": "a" }, answers: [calls(["read_file", { path: "a.ts" }])] });
	await chat.prompt("Read it");
	expect(chat.questions).toEqual([]);
});

for (const { title, answers, asked, outcomes } of [
	{
		title: 'asks again after the answer "once"',
		answers: ["once", "once"],
		asked: 2,
		outcomes: ["once by person", "once by person"],
	},
	{
		title: 'does not ask again after the answer "session"',
		answers: ["session"],
		asked: 1,
		outcomes: ["session by person", "session by rule"],
	},
	{
		title: 'does not ask again after the answer "always"',
		answers: ["always"],
		asked: 1,
		outcomes: ["always by person", "always by rule"],
	},
] as const) {
	test(`${title}, for the same file`, async () => {
		const answersLeft: PermissionAnswer[] = [...answers];
		const chat = await ChatFixture.begin({
			answers: [write("a.ts"), write("a.ts", "newer"), says("Done."), write("b.ts")],
			approve: async () => answersLeft.shift() ?? "no",
		});
		await chat.prompt("Write it twice");
		expect(chat.questions).toHaveLength(asked);
		expect(await approvals(chat)).toEqual(outcomes.map((outcome) => `edit a.ts: ${outcome}`));
		await chat.prompt("Write another");
		expect((await approvals(chat)).at(-1)).toBe("edit b.ts: no by person");
	});
}

for (const { answer, isAsked } of [
	{ answer: "session", isAsked: true },
	{ answer: "always", isAsked: false },
] as const) {
	test(`${isAsked ? "asks again" : "does not ask again"} in another process after the answer "${answer}"`, async () => {
		const chat = await ChatFixture.begin({
			answers: [
				calls(["run_command", { command: "true" }]),
				says("Done."),
				calls(["run_command", { command: "true" }]),
			],
			approve: async () => answer,
		});
		await chat.prompt("Write it");
		chat.assist = chat.newEngine();
		await chat.prompt("Write it again");
		expect(chat.questions).toHaveLength(isAsked ? 2 : 1);
	});
}

const RULES: readonly ApprovalRule[] = [
	{ kind: "edit", pattern: "src/**", answer: "allow" },
	{ kind: "edit", pattern: "src/keep/**", answer: "deny" },
	{ kind: "edit", pattern: "src/ask/*", answer: "ask" },
];

for (const { path, outcome } of [
	{ path: "src/a.ts", outcome: "always by rule" },
	{ path: "src/.hidden", outcome: "always by rule" },
	{ path: "src/keep/a.ts", outcome: "no by rule" },
	{ path: "src/ask/a.ts", outcome: "session by person" },
	{ path: "other/src/a.ts", outcome: "session by person" },
]) {
	test(`decides for ${path} by the strictest matching rule`, async () => {
		const chat = await ChatFixture.begin({ rules: RULES, answers: [write(path)], approve: async () => "session" });
		await chat.prompt("Write it");
		expect(await approvals(chat)).toEqual([`edit ${path}: ${outcome}`]);
	});
}

for (const { title, answers } of [
	{ title: "changed", answers: [write("src/link/a.ts")] },
	{ title: "deleted", answers: [calls(["delete_file", { path: "src/link/old.ts" }])] },
]) {
	test(`also checks the target of a link through which a file is ${title}`, async () => {
		const rules = (["edit", "delete"] as const).flatMap((kind) => [
			{ kind, pattern: "src/**", answer: "allow" } as const,
			{ kind, pattern: "ci/**", answer: "deny" } as const,
		]);
		const chat = await ChatFixture.begin({
			files: { "ci/old.ts": "old", "src/link": "→ ../ci" },
			rules,
			answers,
		});
		await chat.prompt("Write it");
		expect(await approvals(chat)).toEqual([
			expect.stringMatching(/ src\/link\/.*: always by rule$/),
			expect.stringMatching(/ ci\/.*: no by rule$/),
		]);
		expect(await chat.tools.text("ci/old.ts")).toBe("old");
		await expect(chat.tools.text("ci/a.ts")).rejects.toThrow("ENOENT");
	});
}

test("asks every time if a rule says so", async () => {
	const twice = [write("src/ask/a.ts"), write("src/ask/a.ts", "newer")];
	const chat = await ChatFixture.begin({ rules: RULES, answers: twice, approve: async () => "always" });
	await chat.prompt("Write it twice");
	expect(chat.questions).toHaveLength(2);
});

test("matches rules for commands exactly", async () => {
	const rules = ["echo *", "echo one", "echo [ab]"].map(
		(pattern) => ({ kind: "command", pattern, answer: "allow" }) as const,
	);
	const chat = await ChatFixture.begin({
		rules,
		answers: ["echo one; echo two", "echo a", "echo one"].map((command) => calls(["run_command", { command }])),
		approve: async () => "no",
	});
	await chat.prompt("Run");
	expect(await approvals(chat)).toEqual([
		"command echo one; echo two: no by person",
		"command echo a: no by person",
		"command echo one: always by rule",
	]);
});

for (const { title, approve, by } of [
	{ title: "the user declines", approve: async () => "no", by: "person" },
	{ title: "the client disconnects", approve: () => Promise.reject(new Error("gone")), by: "nobody" },
	{
		title: "the client throws",
		approve: () => {
			throw new Error("broken");
		},
		by: "nobody",
	},
] as const) {
	test(`changes nothing and tells the model when ${title}`, async () => {
		const chat = await ChatFixture.begin({
			answers: [write("a.ts"), says("I see.")],
			approve: approve as () => Promise<PermissionAnswer>,
		});
		expect(await chat.prompt("Write it")).toBe("done");
		await expect(chat.tools.text("a.ts")).rejects.toThrow("ENOENT");
		expect(await approvals(chat)).toEqual([`edit a.ts: no by ${by}`]);
		expect(chat.model.requests[1]?.messages.at(-1)).toMatchObject({
			results: [{ failed: true, output: expect.stringMatching(/Nothing was done\.$/) }],
		});
	});
}

test("ends the turn when the model requests a declined permission again", async () => {
	const answers = [write("a.ts"), write("b.ts"), write("a.ts"), write("a.ts"), says("never said")];
	const chat = await ChatFixture.begin({ answers, approve: async () => "no" });
	expect(await chat.prompt("Write it")).toBe("cancelled");
	expect(chat.questions.map((question) => question.permission.subject)).toEqual(["a.ts", "b.ts", "a.ts", "a.ts"]);
	expect((await chat.lines()).at(-2)).toBe("info: Stopped: the model asked again for a permission that was declined.");
});

test("ends the turn for a repeated request even after other calls", async () => {
	const answers = [write("a.ts"), calls(["list_directory", { path: "." }]), write("a.ts"), says("never said")];
	const chat = await ChatFixture.begin({ answers, approve: async () => "no" });
	expect(await chat.prompt("Write it")).toBe("cancelled");
});

test("does not end the turn for a repeated request in the same reply", async () => {
	const twice = [...write("a.ts"), ...write("a.ts", "newer")].map((call, i) => ({ ...call, id: `call${i}` }));
	const chat = await ChatFixture.begin({ answers: [twice, says("I see.")], approve: async () => "no" });
	expect(await chat.prompt("Write it")).toBe("done");
});

test("asks one question at a time across concurrent turns, and applies the answer to later requests", async () => {
	const asked = deferred();
	const answered = deferred<PermissionAnswer>();
	const chat = await ChatFixture.begin({
		answers: [write("a.ts"), write("a.ts")],
		approve: () => {
			asked.open();
			return answered.opened;
		},
	});
	const parts = [{ type: "text", text: "Write it" }] as const;
	const options = { signal: chat.turn.signal };
	const both = [1, 2].map(() => chat.assist.prompt(chat.thread.id, parts, chat, options));
	await asked.opened;
	await settled();
	answered.open("session");
	await Promise.all(both);
	expect(chat.questions).toHaveLength(1);
});

test("a cancelled turn does not wait for another turn's question", async () => {
	const asked = deferred();
	const chat = await ChatFixture.begin({
		answers: [write("a.ts"), write("a.ts")],
		approve: () => {
			asked.open();
			return never();
		},
	});
	const parts = [{ type: "text", text: "Write it" }] as const;
	const first = chat.assist.prompt(chat.thread.id, parts, chat, { signal: chat.turn.signal });
	await asked.opened;
	const second = new AbortController();
	const ended = chat.assist.prompt(chat.thread.id, parts, chat, { signal: second.signal });
	second.abort();
	expect(await ended).toBe("cancelled");
	chat.turn.abort();
	expect(await first).toBe("cancelled");
});

test("asks one question at a time even after a waiting request was cancelled", async () => {
	const answered = deferred<PermissionAnswer>();
	const chat = await ChatFixture.begin({ approve: () => answered.opened });
	const approvals = new Approvals({ allowances: async () => [] } as unknown as Store, chat.tools.root, []);
	const cancelled = new AbortController();
	const decide = (subject: string, { signal }: AbortController) => {
		return approvals.decide({ id: subject } as ToolCall, { kind: "edit", subject }, chat, signal);
	};
	const first = decide("a.ts", chat.turn);
	const second = decide("b.ts", cancelled);
	cancelled.abort();
	expect(await second).toMatchObject({ by: "nobody", answer: "no" });
	const third = decide("c.ts", chat.turn);
	await settled();
	expect(chat.questions.map(({ permission }) => permission.subject)).toEqual(["a.ts"]);
	answered.open("once");
	expect(await Promise.all([first, third])).toMatchObject([{ by: "person" }, { by: "person" }]);
});

test('the answer "session" applies only to its folder', async () => {
	const answers = [1, 2, 3].flatMap(() => [calls(["run_command", { command: "true" }]), says("Done.")]);
	const chat = await ChatFixture.begin({ answers, approve: async () => "session" });
	const { root } = await ToolFixture.draw({});
	await chat.prompt("Go");
	await chat.prompt("Go", { folders: [root] });
	expect(chat.questions).toHaveLength(1);
	await chat.prompt("Go", { workspace: root });
	expect(chat.questions).toHaveLength(2);
});

test.each([
	["many stars", `${"*a".repeat(12)}*b`, "a".repeat(200), { deny: false, allow: false }],
	["overlapping groups", "*(a|aa|aaa)*(a|aa)*(a|aa)b", "a".repeat(200), { deny: false, allow: false }],
	["a pattern that is too long", "a".repeat(10_001), "b", { deny: true, allow: false }],
	["too many steps", `${"*!(".repeat(30)}a${")".repeat(30)}b`, "a".repeat(255), { deny: true, allow: false }],
])("decides quickly for %s, and allows only definite matches", async (_, pattern, subject, expected) => {
	for (const answer of ["deny", "allow"] as const) {
		const rules = [{ kind: "edit", pattern, answer }] as const;
		const permission = { kind: "edit", subject } as const;
		const decided = await new Approvals({ allowances: async () => [] } as never, "", rules).decide(
			{ id: "1" } as never,
			permission,
			{ approve: async () => "once" },
			new AbortController().signal,
		);
		expect(decided.by).toBe(expected[answer] ? "rule" : "person");
	}
});

test("shares one step budget among all rules, and denies requests once the budget is used up", () => {
	const rules = Array.from(
		{ length: 1000 },
		(_, i) => ({ kind: "edit", pattern: `${"*a".repeat(100)}*b${i}`, answer: "deny" }) as const,
	);
	expect(isDenied({ kind: "edit", subject: "a".repeat(255) }, rules)).toBe(true);
	expect(isDenied({ kind: "edit", subject: "src/b.ts" }, rules)).toBe(false);
});

import { existsSync } from "node:fs";
import path from "node:path";
import type { Body, Entry } from "@segue/assist";
import type { ModelAnswer } from "@segue/testing/models/model-server";
import { ChatCommandFixture } from "@segue/testing/process/chat-command-fixture";
import type { RunningSegue } from "@segue/testing/process/running-segue";
import { hasTerminals } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSegue } from "../program.js";

let stage: ChatCommandFixture;

beforeEach(async () => {
	stage = await ChatCommandFixture.open(runSegue);
});

afterEach(async () => {
	const leaks = stage.leaks();
	await stage.close();
	expect(leaks).toEqual([]);
});

const notices = (bodies: readonly Body[]) => bodies.flatMap((body) => (body.type === "notice" ? [body.text] : []));

interface Fault {
	readonly answers: readonly ModelAnswer[];
	readonly code: number;
	readonly stdout: string;
	/** The message for the user, on standard error and in the thread. */
	readonly notice: RegExp;
}

test.each<[string, Fault]>([
	[
		"a connection that is lost in the middle of an answer",
		{
			answers: [["Half of ", "it", { cut: true }]],
			code: 1,
			stdout: "Half of it\n",
			notice: /The reply from .* was interrupted/,
		},
	],
	[
		"a busy server",
		{
			answers: [{ refuse: "busy", retryAfter: "0" }, ["At last."]],
			code: 0,
			stdout: "At last.\n",
			notice: /[Tt]rying again/,
		},
	],
	[
		"a chunk that is not JSON",
		{ answers: [["Half of ", { data: "{nonsense" }, "it."]], code: 1, stdout: "Half of \n", notice: /not valid JSON/ },
	],
])("reports %s and keeps the partial answer", async (_, { answers, code, stdout, notice }) => {
	stage.server.add(...answers);
	const ran = await stage.run(["Tell me"]);
	expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout });
	expect(ran.stderr).toMatch(notice);
	expect(ran.stderr).not.toMatch(/^\s+at /m);
	const bodies = await stage.bodies();
	expect(notices(bodies).join("\n")).toMatch(notice);
	const text = bodies.flatMap((body) => (body.type === "text" ? [body.text] : [])).join("");
	expect(text.trim()).toBe(stdout.trim());
	expect(bodies.at(-1)).toEqual({ type: "end", reason: code === 0 ? "done" : "failed" });
});

test.each<[string, ModelAnswer, RegExp]>([
	["a web page instead of an answer", { page: "<!doctype html><title>Sign in</title>" }, /web page/],
	["a wrong key", { refuse: "wrong-key" }, /key/i],
	["an unknown model", { refuse: "unknown-model" }, /scripted/],
])("reports %s and stores no thread without an answer", async (_, answer, notice) => {
	stage.server.add(answer);
	const { code, stdout, stderr } = await stage.run(["Hello"]);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toMatch(notice);
	expect(stderr).not.toMatch(/^\s+at /m);
	expect(await stage.inStore((store) => store.list({ limit: 1 }))).toEqual([]);
});

test("reports an unreachable server and stores no thread", async () => {
	const { code, stdout, stderr } = await stage.run(["Hello"], { env: { SEGUE_BASE_URL: "http://127.0.0.1:9/v1" } });
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toContain("127.0.0.1:9");
	expect(await stage.inStore((store) => store.list({ limit: 1 }))).toEqual([]);
});

/** A command that writes its process id and then sleeps. */
const HANG = "echo $$ > pid; echo begun; exec sleep 1000000";

test("stops a hanging command after its time limit, and the turn continues", async () => {
	stage.server.add(
		[{ call: "run_command", id: "c1", input: [JSON.stringify({ command: HANG, time_limit_s: 1 })] }],
		["It hung."],
	);
	const { code, stdout } = await stage.run(["--allow", "command:*", "Run it"]);
	expect({ code, stdout }).toEqual({ code: 0, stdout: "It hung.\n" });
	expect(isAlive()).toBe(false);
});

test.each(isAll ? (["start", "startProcess"] as const) : (["start"] as const))(
	"stops a hanging command when the turn is cancelled: %s",
	async (start) => {
		stage.server.add([{ call: "run_command", id: "c1", input: [JSON.stringify({ command: HANG })] }]);
		const started = stage[start](["--json", "--allow", "command:*", "Run it"]);
		await started.until(/"status":"running".*"output":"[^"]*begun/);
		started.kill("SIGINT");
		expect(await started.ended).toBe(130);
		if (start === "startProcess") expect(isAlive()).toBe(false);
		else await expect.poll(isAlive).toBe(false);
		expect(await stage.bodies()).toMatchObject([{}, { call: { status: "failed" } }, {}, { reason: "cancelled" }]);
	},
);

/** Whether the command that wrote its process id is still running. */
function isAlive(): boolean {
	try {
		return process.kill(Number(stage.read("pid")), 0);
	} catch {
		return false;
	}
}

test.runIf(isAll && hasTerminals)("closing a process's terminal answers its question with no", async () => {
	stage.server.add([{ call: "write_file", id: "c1", input: ['{"path":"new.txt","content":"x"}'] }], ["Never asked."]);
	const started = stage.startProcess([], { isTerminal: true });
	await started.until("> ");
	started.type("Write it\r");
	await started.until("Change new.txt?");
	// The terminal is closed.
	started.kill("SIGKILL");
	await started.ended;
	const bodies = await untilEnded();
	expect(bodies).toMatchObject([
		{ type: "prompt" },
		{ type: "call", call: { status: "failed" } },
		{ type: "approval", approval: { by: "nobody", answer: "no" } },
		{ type: "end", reason: "cancelled" },
	]);
	expect(existsSync(path.join(stage.folder, "new.txt"))).toBe(false);
	expect(stage.server.requests).toHaveLength(1);
});

/** The process is not our child, so the store is the only way to see that the turn has ended. */
async function untilEnded(): Promise<Body[]> {
	for (;;) {
		const bodies = await stage.bodies();
		if (bodies.at(-1)?.type === "end") return bodies;
		await new Promise((resolve) => setImmediate(resolve));
	}
}

test.runIf(isAll)("two processes write to one thread at the same time without losing entries", async () => {
	stage.server.add(["Hello."]);
	await stage.run(["Begin"]);
	const words = Array.from({ length: 20 }, (_, i) => `word${i} `);
	stage.server.add(["Ready. ", { hold: true }, ...words], ["Ready. ", { hold: true }, ...words]);
	const both = ["One", "Two"].map((question) => stage.startProcess(["--json", "--resume", question]));
	await Promise.all(both.map((started) => started.until("Ready. ")));
	await stage.server.release();
	await stage.server.release();
	expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
	const [thread = { id: "" }, another] = await stage.inStore((store) => store.list({ limit: 2 }));
	expect(another).toBeUndefined();
	const entries = await stage.inStore((store) => store.entries(thread.id));
	const turns = groupByTurn(entries);
	const contents = [...turns.values()].map((turn) =>
		turn.map(({ body }) => (body.type === "text" ? body.text : body.type)),
	);
	const answer = `Ready. ${words.join("")}`;
	expect(contents).toEqual([
		["prompt", "Hello.", "end"],
		["prompt", answer, "end"],
		["prompt", answer, "end"],
	]);
	expect(entries.map(({ number }) => number)).toEqual(
		[...new Set(entries.map(({ number }) => number))].toSorted((a, b) => a - b),
	);
});

function groupByTurn(entries: readonly Entry[]): Map<string, Entry[]> {
	const turns = new Map<string, Entry[]>();
	for (const entry of entries) turns.set(entry.turn, [...(turns.get(entry.turn) ?? []), entry]);
	return turns;
}

// Enough parallel processes to keep two cores busy.
const AT_ONCE = 5;
const KILLS = isAll ? 50 : AT_ONCE;
const PACKET_BYTES = 200;

test(`a process that is killed ${KILLS} times while it streams has stored everything it printed`, async () => {
	const words = Array.from({ length: 40 }, (_, i) => `word${i} `);
	// Sends about one word per packet, so that the process can be killed between words.
	stage.server.cut = (bytes) =>
		Array.from({ length: Math.ceil(bytes.length / PACKET_BYTES) }, (_, i) =>
			bytes.subarray(i * PACKET_BYTES, (i + 1) * PACKET_BYTES),
		);
	for (let killed = 0; killed < KILLS; killed += AT_ONCE) {
		stage.server.add(...Array.from({ length: AT_ONCE }, () => [...words, { hold: true } as const]));
		const batch = Array.from({ length: AT_ONCE }, async (_, i) => {
			const started = stage.startProcess(["--json", `Count, ${killed + i}`]);
			// Each process is killed at a different position in the stream.
			await started.until(`word${(killed + i) % words.length} `);
			started.kill("SIGKILL");
			expect(await started.ended).toBe("SIGKILL");
			return started;
		});
		for (const started of await Promise.all(batch)) await expectStored(started, words.join(""));
	}
	stage.server.add(["Still here."]);
	expect(await stage.run(["--resume", "Are you there?"])).toMatchObject({ code: 0, stdout: "Still here.\n" });
});

async function expectStored(started: RunningSegue, whole: string): Promise<void> {
	const [{ thread }] = started.lines as unknown as [{ thread: { id: string } }];
	const printed = started.lines.flatMap((line) => {
		const { type, text, entry } = line as { type: string; text?: string; entry?: Entry };
		if (type === "more") return [text];
		return entry?.body.type === "text" ? [entry.body.text] : [];
	});
	const bodies = await stage.bodies(thread.id);
	const stored = bodies.flatMap((body) => (body.type === "text" ? [body.text] : [])).join("");
	expect(bodies[0]).toMatchObject({ type: "prompt" });
	expect(stored.startsWith(printed.join(""))).toBe(true);
	expect(whole.startsWith(stored)).toBe(true);
}

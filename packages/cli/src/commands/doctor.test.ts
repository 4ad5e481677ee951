import { Memory, predict } from "@segue/predict";
import { FakeClock } from "@segue/testing/clock";
import { type ModelAnswer, startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import { describe, expect, test } from "vitest";
import { sampleScene } from "../doctor/model-check.js";
import { examine } from "./doctor.js";

const LINE = "\tconst dz = a.z - b.z;";

interface Sources {
	readonly user?: unknown;
	readonly project?: unknown;
	readonly env?: Readonly<Record<string, string>>;
	readonly json?: boolean;
	readonly nodeVersion?: string;
	readonly columns?: number;
	readonly signal?: AbortSignal;
	readonly clock?: FakeClock;
}

/** What the command prints, with short paths and no ports; and its exit code. */
async function doctor(sources: Sources) {
	const { user, project, env = {}, json = false, nodeVersion = "22.1.0", clock = new FakeClock() } = sources;
	const { signal = new AbortController().signal } = sources;
	const files = { "home/config.json": user, "project/.segue.json": project };
	using home = new Home(Object.fromEntries(Object.entries(files).filter(([, content]) => content !== undefined)));
	let out = "";
	const code = await examine(
		{ json },
		{
			...{ folder: home.project, nodeVersion, signal, isColoured: false, progress: undefined },
			env: { SEGUE_HOME: home.home, ...env },
			stdout: { write: (text: string) => (out += text), columns: sources.columns },
			timer: { now: () => clock.now(), after: (delayMs, run) => clock.after(delayMs, run) },
		},
	);
	return { out: home.short(out).replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT"), code };
}

/** A server with these answers, and what to configure for it. */
async function serving(answers: readonly ModelAnswer[], model = "scripted", format = "fim-qwen") {
	const server = await startModelServer(answers);
	const user = {
		nextEdit: { model: `mine/${model}`, format },
		providers: { mine: { type: "openai-compatible", baseUrl: server.url } },
	};
	return { server, user, [Symbol.asyncDispose]: () => server.stop() };
}

/** What is told of the model for next edits. */
function ofEdits(out: string): string {
	return out.slice(out.indexOf("Next edits"), out.indexOf("\n\nChat"));
}

describe("the sample", () => {
	test("leaves something to do for a model that the embedded engine does not do", () => {
		expect(predict(sampleScene(), Memory.empty)).toHaveProperty("silence");
	});
});

describe("segue doctor", () => {
	test("prints a line for each check, and the suggestion of the model as a diff", async () => {
		await using mine = await serving([[`${LINE}\n`], [`${LINE}\n`], ["yes"]]);
		const { out, code } = await doctor({ user: { ...mine.user, model: "mine/scripted" } });
		expect(out).toBe(`This machine
ok       Node is 22.1.0.
ok       The configuration is from home/config.json.
ok       Threads will be kept in home/segue.db.
ok       There are no keys. Models on this machine need none.

Next edits: mine/scripted
ok       http://127.0.0.1:PORT/v1 answers, and has scripted.
ok       It is asked in the format fim-qwen, as configured.
ok       It answers, after 0 ms.
ok       It suggests for a file that is made up:
         @@ -7,6 +7,6 @@
          function distance(a: Point, b: Point): number {
          	const dx = a.x - b.x;
          	const dy = a.y - b.y;
         -
         +	const dz = a.z - b.z;
          	return Math.sqrt(dx * dx + dy * dy);
          }

Chat: mine/scripted
ok       http://127.0.0.1:PORT/v1 answers, and has scripted.
ok       It answers, after 0 ms.

All is well.
`);
		expect(code).toBe(0);
	});

	test("shows programs the same as JSON", async () => {
		await using mine = await serving([[`${LINE}\n`], [`${LINE}\n`]]);
		const { out, code } = await doctor({ user: mine.user, json: true });
		expect(JSON.parse(out)).toMatchObject({
			isWell: true,
			isStopped: false,
			findings: expect.arrayContaining([
				{ about: "This machine", status: "ok", text: "Node is 22.1.0." },
				expect.objectContaining({
					about: "Next edits: mine/scripted",
					status: "ok",
					diff: expect.stringContaining("dz"),
				}),
				expect.objectContaining({ about: "Chat: no model", status: "warning" }),
			]),
		});
		expect(code).toBe(0);
	});

	test("is content without any model, and says how to have one", async () => {
		const { out, code } = await doctor({});
		expect(out).toMatch(/Next edits: embedded\nok {7}The embedded engine suggests.*\n {9}.*SEGUE_NEXT_EDIT_MODEL/);
		expect(out).toMatch(/Chat: no model\nwarning {2}No model is configured\. Set SEGUE_MODEL/);
		expect(out).toMatch(/\n1 warning\.\n$/);
		expect(code).toBe(0);
	});

	test.for<[string, Sources, RegExp, number]>([
		["an old Node", { nodeVersion: "20.18.3" }, /failure {2}Node is 20\.18\.3, which is too old\.\n {9}Install/, 1],
		[
			"a slip in a file",
			{ user: { efort: 1 } },
			/failure {2}.*efort is no setting; did you mean effort\?\n {9}Mend that: until then, the file does not hold\.\n/,
			1,
		],
		[
			"a slip in a variable",
			{ env: { SEGUE_MODEL: "gpt" } },
			/failure {2}SEGUE_MODEL must be PROVIDER.*\n {9}Set it anew, or unset it: until then, it does not hold\.\n/,
			1,
		],
		["a project that is not trusted", { project: { network: true } }, /warning {2}.*segue trust/, 0],
		["what is no key", { env: { OPENAI_API_KEY: "two words" } }, /failure {2}What OPENAI_API_KEY holds/, 1],
		[
			"a variable that should hold a key and does not",
			{
				user: {
					providers: { work: { type: "openai-compatible", baseUrl: "https://work.example/v1", keyEnv: "WORK_KEY" } },
				},
			},
			/warning {2}WORK_KEY, which is configured to hold the key for work, is not set\.\n {9}Set it, or run: segue login work\n/,
			0,
		],
		[
			"much in a narrow terminal",
			{ columns: 50 },
			/ok {7}The embedded engine suggests, by rules\n {9}and without a model\.\n {9}A model can write what no rule can: set\n/,
			0,
		],
		[
			"much in a terminal whose size nobody has set",
			{ columns: 0 },
			/ok {7}The embedded engine suggests, by rules and without a model\.\n {9}A model can write what no rule can: set SEGUE/,
			0,
		],
		["a key", { env: { OPENAI_API_KEY: "sk-0123456789" } }, /ok {7}There are keys for openai\.\n/, 0],
		[
			"a key that is missing",
			{ env: { SEGUE_NEXT_EDIT_MODEL: "codestral/codestral-latest" } },
			/failure {2}There is no key for codestral\. Run: segue login codestral/,
			1,
		],
		[
			"a format that the server cannot be asked in",
			{ user: { nextEdit: { model: "ollama/a", format: "mercury" } } },
			/failure {2}The format "mercury" cannot be used with the api "ollama"/,
			1,
		],
	])("tells of %s", async ([, sources, told, exit]) => {
		const { out, code } = await doctor(sources);
		expect(out).toMatch(told);
		expect(code).toBe(exit);
	});

	test.for<[string, readonly ModelAnswer[], RegExp, number]>([
		["a wrong key", [{ refuse: "wrong-key" }], /failure {2}mine .*key/, 1],
		["a model that there is not", [{ refuse: "unknown-model" }], /failure {2}mine has no model scripted/, 1],
		["a page in place of an answer", [{ page: "<html>Welcome</html>" }], /failure {2}127\.0\.0\.1:PORT /, 1],
		["an answer that breaks off", [[{ cut: true }]], /failure {2}.*closed the connection/, 1],
		["a model that has nothing to say", [[""], [""]], /warning {2}It suggests nothing for a file that is made up: /, 0],
	])("tells of %s", async ([, answers, told, exit]) => {
		await using mine = await serving(answers);
		const { out, code } = await doctor({ user: mine.user });
		expect(ofEdits(out)).toMatch(told);
		expect(code).toBe(exit);
	});

	test("tells of a server that is not there, and asks it nothing more", async () => {
		const mine = await serving([]);
		await mine.server.stop();
		const { out, code } = await doctor({ user: mine.user });
		expect(ofEdits(out)).toBe(`Next edits: mine/scripted
failure  Nothing answers at 127.0.0.1:PORT. Check the base URL and that the server runs.`);
		expect(code).toBe(1);
	});

	test("names models that are near to one that is not listed, and tries it all the same", async () => {
		await using mine = await serving([{ refuse: "unknown-model" }], "scriptd");
		const { out, code } = await doctor({ user: mine.user });
		expect(ofEdits(out)).toContain(`warning  http://127.0.0.1:PORT/v1 answers, and does not list scriptd.
         Near to that it has scripted: choose mine/scripted.
`);
		expect(code).toBe(1);
	});

	test("tells of a model that is slow", async () => {
		await using mine = await serving([[{ hold: true }, `${LINE}\n`], [`${LINE}\n`]]);
		const clock = new FakeClock();
		const told = doctor({ user: mine.user, clock });
		await mine.server.holding();
		clock.advance(2_500);
		await mine.server.release();
		expect(ofEdits((await told).out)).toContain("warning  It answers, but only after 2.5 s.\n");
	});

	test("waits for no model for ever", async () => {
		await using mine = await serving([[{ hold: true }]]);
		const clock = new FakeClock();
		const told = doctor({ user: mine.user, clock });
		await mine.server.holding();
		clock.advance(90_000);
		const { out, code } = await told;
		expect(ofEdits(out)).toMatch(
			/failure {2}There was no answer within 90 seconds, while mine\/scripted is asked to write\./,
		);
		expect(code).toBe(1);
		await mine.server.requests[0]?.abandoned;
	});

	test("ends at once where somebody presses Ctrl-C", async () => {
		await using mine = await serving([[{ hold: true }]]);
		const interrupted = new AbortController();
		const told = doctor({ user: mine.user, signal: interrupted.signal });
		await mine.server.holding();
		interrupted.abort();
		const { out, code } = await told;
		expect(out).toMatch(/as configured\.\n\nStopped\.\n$/);
		expect(code).toBe(130);
		await mine.server.requests[0]?.abandoned;
	});

	test("never shows a key, whatever a server says", async () => {
		const key = "sk-never-to-be-seen-1234";
		await using mine = await serving([{ status: 400, headers: {}, body: `{"error":{"message":"bad ${key}"}}` }]);
		const { out } = await doctor({ user: mine.user, env: { SEGUE_API_KEY: key } });
		expect(out).toContain("failure");
		expect(out).not.toContain(key);
		expect(JSON.stringify(mine.server.requests[0]?.headers)).toContain(key);
	});
});

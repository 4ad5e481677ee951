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

/** Returns the exit code and the output, with short paths and without ports. */
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

/** Starts a model server that gives these answers. Returns the server and a configuration that uses it. */
async function serving(answers: readonly ModelAnswer[], model = "scripted", format = "fim-qwen") {
	const server = await startModelServer(answers);
	const user = {
		nextEdit: { model: `mine/${model}`, format },
		providers: { mine: { type: "openai-compatible", baseUrl: server.url } },
	};
	return { server, user, [Symbol.asyncDispose]: () => server.stop() };
}

/** Returns the section about the next-edit model. */
function nextEditsIn(out: string): string {
	return out.slice(out.indexOf("Next edits"), out.indexOf("\n\nChat"));
}

describe("the sample", () => {
	test("needs an edit that the built-in engine does not find", () => {
		expect(predict(sampleScene(), Memory.empty)).toHaveProperty("silence");
	});
});

describe("segue doctor", () => {
	test("prints a line for each check and the model's suggestion as a diff", async () => {
		await using mine = await serving([[`${LINE}\n`], [`${LINE}\n`], ["yes"]]);
		const { out, code } = await doctor({ user: { ...mine.user, model: "mine/scripted" } });
		expect(out).toBe(`This machine
ok       Node 22.1.0.
ok       The configuration comes from home/config.json.
ok       Conversations will be stored in home/segue.db.
ok       No API keys found. The built-in engine and local models need none.

Next edits: mine/scripted
ok       http://127.0.0.1:PORT/v1 answers and lists scripted.
ok       The prompt format is fim-qwen, as configured.
ok       The model answered in 0 ms.
ok       Suggestion for the sample file:
         @@ -7,6 +7,6 @@
          function distance(a: Point, b: Point): number {
          	const dx = a.x - b.x;
          	const dy = a.y - b.y;
         -
         +	const dz = a.z - b.z;
          	return Math.sqrt(dx * dx + dy * dy);
          }

Chat: mine/scripted
ok       http://127.0.0.1:PORT/v1 answers and lists scripted.
ok       The model answered in 0 ms.

No problems found.
`);
		expect(code).toBe(0);
	});

	test("prints the findings as JSON", async () => {
		await using mine = await serving([[`${LINE}\n`], [`${LINE}\n`]]);
		const { out, code } = await doctor({ user: mine.user, json: true });
		expect(JSON.parse(out)).toMatchObject({
			isWell: true,
			isStopped: false,
			findings: expect.arrayContaining([
				{ about: "This machine", status: "ok", text: "Node 22.1.0." },
				expect.objectContaining({
					about: "Next edits: mine/scripted",
					status: "ok",
					diff: expect.stringContaining("dz"),
				}),
				expect.objectContaining({ about: "Chat: no model", status: "info" }),
			]),
		});
		expect(code).toBe(0);
	});

	test("succeeds without a model and says how to configure one", async () => {
		const { out, code } = await doctor({});
		expect(out).toMatch(
			/Next edits: built-in engine\nok {7}The built-in engine suggests.*\n {9}.*SEGUE_NEXT_EDIT_MODEL/,
		);
		expect(out).toMatch(/Chat: no model\ninfo {5}No model is configured\. Set SEGUE_MODEL/);
		expect(out).toMatch(/\nNo problems found\.\n$/);
		expect(code).toBe(0);
	});

	test.for<[string, Sources, RegExp, number]>([
		["an old Node", { nodeVersion: "20.18.3" }, /failure {2}Node 20\.18\.3 is too old\.\n {9}Install/, 1],
		[
			"a mistake in a file",
			{ user: { efort: 1 } },
			/failure {2}.*efort is not a setting; did you mean effort\?\n {9}Fix this\. Until then the file is ignored\.\n/,
			1,
		],
		[
			"an invalid environment variable",
			{ env: { SEGUE_MODEL: "gpt" } },
			/failure {2}SEGUE_MODEL must be PROVIDER.*\n {9}Change or unset it\. Until then it is ignored\.\n/,
			1,
		],
		["a project that is not trusted", { project: { network: true } }, /warning {2}.*segue trust/, 0],
		[
			"an invalid key",
			{ env: { OPENAI_API_KEY: "two words" } },
			/failure {2}OPENAI_API_KEY contains an invalid key for/,
			1,
		],
		[
			"an unset variable for a key",
			{
				user: {
					providers: { work: { type: "openai-compatible", baseUrl: "https://work.example/v1", keyEnv: "WORK_KEY" } },
				},
			},
			/warning {2}WORK_KEY is configured to contain the key for work, but is not set\.\n {9}Set it, or run: segue login work\n/,
			0,
		],
		[
			"long lines in a narrow terminal",
			{ columns: 50 },
			/ok {7}The built-in engine suggests edits by\n {9}rules, without a model\.\n {9}For edits that no rule finds, set\n/,
			0,
		],
		[
			"long lines in a terminal of unknown size",
			{ columns: 0 },
			/ok {7}The built-in engine suggests edits by rules, without a model\.\n {9}For edits that no rule finds, set SEGUE.*\n {9}/,
			0,
		],
		["a key", { env: { OPENAI_API_KEY: "sk-0123456789" } }, /ok {7}Found API keys for openai\.\n/, 0],
		[
			"a missing key",
			{ env: { SEGUE_NEXT_EDIT_MODEL: "codestral/codestral-latest" } },
			/failure {2}There is no key for codestral\. Run: segue login codestral/,
			1,
		],
		[
			"a format that the API does not support",
			{ user: { nextEdit: { model: "ollama/a", format: "mercury" } } },
			/failure {2}The format "mercury" cannot be used with the api "ollama"/,
			1,
		],
	])("reports %s", async ([, sources, finding, exit]) => {
		const { out, code } = await doctor(sources);
		expect(out).toMatch(finding);
		expect(code).toBe(exit);
	});

	test.for<[string, readonly ModelAnswer[], RegExp, number]>([
		["a wrong key", [{ refuse: "wrong-key" }], /failure {2}mine .*key/, 1],
		["an unknown model", [{ refuse: "unknown-model" }], /failure {2}mine has no model named "scripted"/, 1],
		["a web page instead of an answer", [{ page: "<html>Welcome</html>" }], /failure {2}127\.0\.0\.1:PORT /, 1],
		["an interrupted answer", [[{ cut: true }]], /failure {2}.*closed the connection/, 1],
		["an empty answer", [[""], [""]], /warning {2}The model has no suggestion for the sample file: /, 0],
	])("reports %s", async ([, answers, finding, exit]) => {
		await using mine = await serving(answers);
		const { out, code } = await doctor({ user: mine.user });
		expect(nextEditsIn(out)).toMatch(finding);
		expect(code).toBe(exit);
	});

	test("reports an unreachable server and skips the model's other checks", async () => {
		const mine = await serving([]);
		await mine.server.stop();
		const { out, code } = await doctor({ user: mine.user });
		expect(nextEditsIn(out)).toBe(`Next edits: mine/scripted
failure  Cannot connect to 127.0.0.1:PORT: connection refused. Check the base URL, and check that the server is running.`);
		expect(code).toBe(1);
	});

	test("lists models with similar names if the server does not list the model, and tries the model anyway", async () => {
		await using mine = await serving([{ refuse: "unknown-model" }], "scriptd");
		const { out, code } = await doctor({ user: mine.user });
		expect(nextEditsIn(out)).toContain(`warning  http://127.0.0.1:PORT/v1 answers, but does not list scriptd.
         Similar names: scripted. To use the first one, choose mine/scripted.
`);
		expect(code).toBe(1);
	});

	test("reports a slow model", async () => {
		await using mine = await serving([[{ hold: true }, `${LINE}\n`], [`${LINE}\n`]]);
		const clock = new FakeClock();
		const running = doctor({ user: mine.user, clock });
		await mine.server.holding();
		clock.advance(2_500);
		await mine.server.release();
		expect(nextEditsIn((await running).out)).toContain("warning  The model is slow: it answered in 2.5 s.\n");
	});

	test("stops waiting for a model after 90 seconds", async () => {
		await using mine = await serving([[{ hold: true }]]);
		const clock = new FakeClock();
		const running = doctor({ user: mine.user, clock });
		await mine.server.holding();
		clock.advance(90_000);
		const { out, code } = await running;
		expect(nextEditsIn(out)).toMatch(/failure {2}Timed out after 90 seconds while waiting for mine\/scripted\./);
		expect(code).toBe(1);
		await mine.server.requests[0]?.abandoned;
	});

	test("stops immediately on Ctrl-C", async () => {
		await using mine = await serving([[{ hold: true }]]);
		const interrupted = new AbortController();
		const running = doctor({ user: mine.user, signal: interrupted.signal });
		await mine.server.holding();
		interrupted.abort();
		const { out, code } = await running;
		expect(out).toMatch(/as configured\.\n\nStopped\.\n$/);
		expect(code).toBe(130);
		await mine.server.requests[0]?.abandoned;
	});

	test("never shows a key, even if a server's message contains it", async () => {
		const key = "sk-never-to-be-seen-1234";
		await using mine = await serving([{ status: 400, headers: {}, body: `{"error":{"message":"bad ${key}"}}` }]);
		const { out } = await doctor({ user: mine.user, env: { SEGUE_API_KEY: key } });
		expect(out).toContain("failure");
		expect(out).not.toContain(key);
		expect(JSON.stringify(mine.server.requests[0]?.headers)).toContain(key);
	});
});

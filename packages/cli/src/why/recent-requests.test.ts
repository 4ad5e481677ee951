import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { expect, onTestFinished, test } from "vitest";
import { explainRecent, type RecentOptions } from "./recent-requests.js";

const AT = new Date(2030, 0, 1, 10, 11, 12).toISOString();

const shown = { predictor: "rename", kind: "edit", chance: 0.83, offered: 0, verdict: "partly" };
const unsure = { predictor: "repeat", kind: "jump", chance: 0.4, objection: "below-threshold" };
const suggests = {
	at: AT,
	trigger: "automatic",
	language: "go",
	latencyMs: 2.04,
	count: 12,
	candidates: [shown, unsure],
};
const written = { predictor: "model", model: "local/coder", kind: "edit", chance: 0.7, objection: "of-the-future" };
const silent = { at: AT, language: "go", latencyMs: 0.2, count: 0, candidates: [], silence: "stale" };
const failed = {
	...suggests,
	count: 1,
	candidates: [written],
	silence: "model-failed",
	detail: "It said \u001b[31m500.",
};

/** Runs the command with these request logs. */
async function run(logs: readonly unknown[], options: Partial<RecentOptions> = {}, columns?: number) {
	const home = new Home();
	onTestFinished(() => home[Symbol.dispose]());
	mkdirSync(path.join(home.home, "requests"));
	// The only processes that are certain to be running.
	for (const [i, log] of logs.entries()) {
		const pid = [process.pid, process.ppid][i] ?? 1;
		const content =
			typeof log === "string" ? log : JSON.stringify({ pid, startedAt: AT, withCode: false, ...(log as object) });
		writeFileSync(path.join(home.home, "requests", `${pid}-0123abcd.json`), content);
	}
	let [out, err] = ["", ""];
	const code = await explainRecent(
		{ last: 5, ...options },
		{
			env: { SEGUE_HOME: home.home },
			stdout: { write: (text: string) => (out += text), columns },
			stderr: { write: (text: string) => (err += text) },
			isColoured: false,
		},
	);
	return { out, err: home.short(err), code };
}

test("segue why prints the outcome of each request on one line", async () => {
	const gone = {
		...suggests,
		candidates: [
			{ ...shown, verdict: "cancelled" },
			{ ...shown, offered: 1 },
		],
	};
	const waiting = { ...suggests, candidates: [{ ...shown, verdict: undefined }] };
	const doubted = { ...suggests, silence: "below-threshold", candidates: [unsure] };
	const { out, err, code } = await run([{ requests: [suggests, gone, waiting, silent, doubted] }]);
	expect({ err, code }).toEqual({ err: "", code: 0 });
	expect(out.split("\n")).toEqual([
		`Server ${process.pid}, running since 10:11:12`,
		"",
		"  10:11:12  partly accepted  Continues a rename (83 %).",
		"  10:11:12  not shown        Continues a rename (83 %), and 1 more. You went on before it could be",
		"                             shown.",
		"  10:11:12  sent             Continues a rename (83 %).",
		"  10:11:12  no suggestion    The document has changed since the request.",
		"  10:11:12  no suggestion    Not sure enough to show it. The likeliest: Repeats your change in a",
		"                             similar place (40 %).",
		"",
		"% is the estimated chance that you want the edit. To list every candidate, pass --all.",
		"To see names and code here, start the server with --with-code.",
		"",
	]);
});

test("segue why prints consecutive requests with the same result on one line, with the time of the newest", async () => {
	const at = (second: number) => new Date(2030, 0, 1, 10, 11, second).toISOString();
	const gone = { ...suggests, candidates: [{ ...shown, predictor: "calls", verdict: "gone" }] };
	const requests = [
		...[20, 21, 22].map((second) => ({ ...gone, at: at(second) })),
		{ ...silent, silence: "unfinished-call", at: at(23) },
		...[24, 24].map((second) => ({ ...gone, at: at(second) })),
	];
	const { out } = await run([{ requests }], { last: 10 }, 200);
	const calls = "Updates a call to a function whose parameters you changed (83 %).";
	expect(
		out
			.replace(/\n {27}/g, " ")
			.split("\n")
			.slice(2, 5),
	).toEqual([
		`  10:11:22  no outcome     ${calls} The editor did not say what you did with it. (3 times since 10:11:20)`,
		"  10:11:23  no suggestion  The call at the cursor still has the old arguments; change it, or request a suggestion to skip it.",
		`  10:11:24  no outcome     ${calls} The editor did not say what you did with it. (2 times)`,
	]);
	const all = await run([{ requests }], { last: 10, all: true });
	expect(all.out.match(/ no outcome {5}/g)).toHaveLength(5);
	expect(all.out).toContain("(unfinished-call)");
});

test("segue why prints names if the server records code", async () => {
	const why = "Renaming `cnt` to `count`: 3 more in this file";
	const { out } = await run([{ requests: [{ ...suggests, candidates: [{ ...shown, why }] }], withCode: true }]);
	expect(out).toContain("  10:11:12  partly accepted  Renaming `cnt` to `count`: 3 more in this file (83 %).\n");
});

test("segue why --all prints what a running server considered, and the outcomes", async () => {
	const { out, err, code } = await run([{ requests: [suggests, silent] }], { all: true });
	expect({ err, code }).toEqual({ err: "", code: 0 });
	expect(out.split("\n")).toEqual([
		`Server ${process.pid}, running since 10:11:12`,
		"",
		"  10:11:12  partly accepted  Continues a rename (83 %).",
		"    automatic request, go, 2 ms, 12 candidates, the most likely below",
		"  ▸  83 %  Rename            partly accepted",
		"           Continues a rename.",
		"     40 %  Repeat a change   jump; not shown: not sure enough to show it (below-threshold)",
		"           Repeats your change in a similar place.",
		"",
		"  10:11:12  no suggestion    The document has changed since the request (stale).",
		"    go, 0.2 ms, no candidates",
		"",
		"A candidate is an edit or a jump that Segue considered. ▸ was sent, ▹ is shown next, and % is the",
		"estimated chance that you want it.",
		"To see code, paths and model servers' messages, start the server with --with-code.",
		"",
	]);
});

test("segue why prints model failures and unknown reasons, without control characters", async () => {
	const { out } = await run([{ requests: [failed], withCode: true }], { all: true });
	expect(out).toContain("no suggestion  The request to the model failed (model-failed). It said ␛[31m500.\n");
	expect(out).toContain("local/coder  ");
	expect(out).toContain("not shown: (of-the-future)");
	expect(out).not.toContain("\u001b");
	expect(out).not.toContain("--with-code");
});

test("segue why prints Segue's own message for a model failure if the log has no code", async () => {
	const model = { name: "local/coder", failure: "wrong-key", words: "local does not accept your key. Replace KEY." };
	const { detail: _, ...rest } = failed;
	const { out } = await run([{ requests: [{ ...rest, model }] }], { all: true });
	expect(out.replace(/\s+/g, " ")).toContain("local/coder: local does not accept your key. Replace KEY. automatic");
	expect(out).toContain("go, 2 ms, local/coder (wrong-key), 1 candidate\n");
	const { failure: __, ...working } = { ...model, words: "There is nothing to change." };
	const answered = await run([{ requests: [{ ...rest, silence: "no-edit", model: working }] }]);
	expect(answered.out.replace(/\s+/g, " ")).toContain("no change. local/coder: There is nothing to change. %");
});

test.each<[features: Record<string, number>, reason: string]>([
	[{ "jump.error": 1, left: 2 }, "Leads to an error in code that you changed."],
	[{ "jump.use": 1, left: 1 }, "Leads to another use of what you changed."],
	[{ "jump.rename": 1, left: 1 }, "Leads to the next use of a name that you changed."],
	[{}, "Leads to the next place to edit."],
])("segue why prints the reason for a jump with the features %j", async (features, reason) => {
	const jump = { predictor: "jump", kind: "jump", chance: 0.8, offered: 0, features };
	const { out } = await run([{ requests: [{ ...suggests, candidates: [jump] }] }], { all: true });
	expect(out).toContain(`  ▸  80 %  Jump              sent to the editor\n           ${reason}\n`);
	const why = "You changed the type of `a`: 2 uses to check";
	const requests = [{ ...suggests, candidates: [{ ...jump, why }] }];
	const withCode = await run([{ requests, withCode: true }], { all: true });
	expect(withCode.out).toContain(`  ▸  80 %  Jump              sent to the editor\n           ${why}\n`);
});

test("segue why prints no reason for a rule of another version", async () => {
	const requests = [{ ...suggests, candidates: [{ ...shown, predictor: "constructor" }] }];
	const { out } = await run([{ requests }], { all: true });
	expect(out).toContain("constructor       partly accepted\n\n");
});

test.each([60, 100, 140])("segue why fits into a terminal with %d columns", async (columns) => {
	for (const all of [false, true]) {
		const { out } = await run([{ requests: [suggests, silent, failed] }], { all }, columns);
		for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(Math.min(columns, 100));
		expect(out).not.toContain("…");
	}
});

test("segue why prints lines of at most 100 columns", async () => {
	const drawn = [`file:///${"long/".repeat(60)}`];
	const long = { ...written, model: `local/${"x".repeat(190)}`, drawn, why: "y ".repeat(100) };
	const requests = [{ ...failed, uri: drawn[0], detail: "z ".repeat(200), candidates: [long] }];
	const { out } = await run([{ requests }], { all: true });
	for (const line of out.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(100);
});

test("segue why wraps long reasons and cuts names at a boundary", async () => {
	const model = "openai-compatible/qwen2.5-coder-7b-instruct";
	const candidate = { predictor: "model", model, kind: "searchAndReplace", chance: 0.7, objection: "below-threshold" };
	const drawn = [`a.ts:1  ${"firstElement(second), ".repeat(5)}`];
	const requests = [{ ...suggests, candidates: [{ ...candidate, drawn }] }];
	const { out } = await run([{ requests, withCode: true }], { all: true });
	expect(out.split("\n").slice(4, 8)).toEqual([
		"     70 %  openai-compatible/qwen2.… searchAndReplace; not shown: not sure enough to show it",
		"                                     (below-threshold)",
		"           Written by a model.",
		"           a.ts:1  firstElement(second), firstElement(second), firstElement(second),…",
	]);
});

test("segue why prints the last requests to all servers or to one", async () => {
	const logs = [{ requests: [silent, silent, suggests] }, { requests: [silent] }];
	const all = await run(logs, { last: 2, json: true });
	const counts = JSON.parse(all.out).map(({ pid, requests }: { pid: number; requests: unknown[] }) => [
		pid,
		requests.length,
	]);
	expect(new Map(counts)).toEqual(
		new Map([
			[process.pid, 2],
			[process.ppid, 1],
		]),
	);
	const one = await run(logs, { server: process.ppid });
	expect(one.out).toContain(`Server ${process.ppid}`);
	expect(one.out).not.toContain(`Server ${process.pid},`);
});

test.for<[options: Partial<RecentOptions>, which: string, printed: string]>([
	[{}, "No running server", ""],
	[{ server: 1 }, "No running server with process id 1", ""],
	[{ json: true }, "No running server", "[]\n"],
])("segue why says what to do if no server is running: %j", async ([options, which, printed]) => {
	const { out, err, code } = await run(options.server === undefined ? [] : [{ requests: [silent] }], options);
	expect({ out, code }).toEqual({ out: printed, code: 1 });
	expect(err).toBe(
		`segue: ${which} has received requests. Type in an editor that uses Segue, wait a second, and run this command again.\n`,
	);
});

test("segue why skips a file that no server wrote", async () => {
	const { err, out } = await run(["nonsense", { requests: [silent] }]);
	expect(err).toBe(`segue: Skipping home/requests/${process.pid}-0123abcd.json: a server did not write it.\n`);
	expect(out).toContain(`Server ${process.ppid}`);
});

test("segue why reports an invalid SEGUE_HOME", async () => {
	let err = "";
	const write = (text: string) => (err += text);
	const context = { env: { SEGUE_HOME: "here" }, stdout: { write }, stderr: { write }, isColoured: false };
	expect(await explainRecent({ last: 5 }, context)).toBe(1);
	expect(err).toMatch(/^segue: SEGUE_HOME must be the absolute path/);
});

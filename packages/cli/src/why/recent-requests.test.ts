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

/** What the command says with these files in the folder of requests. */
async function run(rings: readonly unknown[], options: Partial<RecentOptions> = {}) {
	const home = new Home();
	onTestFinished(() => home[Symbol.dispose]());
	mkdirSync(path.join(home.home, "requests"));
	// Of all processes, only these are sure to run.
	for (const [i, ring] of rings.entries()) {
		const pid = [process.pid, process.ppid][i] ?? 1;
		const content =
			typeof ring === "string" ? ring : JSON.stringify({ pid, startedAt: AT, withCode: false, ...(ring as object) });
		writeFileSync(path.join(home.home, "requests", `${pid}-0123abcd.json`), content);
	}
	let [out, err] = ["", ""];
	const code = await explainRecent(
		{ last: 5, ...options },
		{
			env: { SEGUE_HOME: home.home },
			stdout: { write: (text: string) => (out += text) },
			stderr: { write: (text: string) => (err += text) },
			isColoured: false,
		},
	);
	return { out, err: home.short(err), code };
}

test("segue why tells people what a running server considered, what it showed, and what became of it", async () => {
	const { out, err, code } = await run([{ requests: [suggests, silent] }]);
	expect({ err, code }).toEqual({ err: "", code: 0 });
	expect(out.split("\n")).toEqual([
		`Server ${process.pid}, since 10:11:12`,
		"",
		"  10:11:12  automatic, go, 2 ms: suggests, of 12 candidates",
		"  ▸  .83  rename        shown; partly accepted",
		"     .40  repeat        jump; not shown: not sure enough to show it (below-threshold)",
		"",
		"  10:11:12  go, 0.2 ms: suggests nothing, of no candidates",
		"    the document has changed since the request (stale)",
		"",
		"What the suggestions would write, in which files, and what a model's server said is told of a server",
		"that was started with --with-code.",
		"",
	]);
});

test("segue why tells of a model that failed, of reasons it does not know, and lets nothing control the terminal", async () => {
	const { out } = await run([{ requests: [failed], withCode: true }]);
	expect(out).toContain("    the request to the model failed (model-failed)\n");
	expect(out).toContain("local/coder  ");
	expect(out).toContain("not shown: (of-the-future)");
	expect(out).not.toContain("\u001b");
	expect(out).not.toContain("--with-code");
});

test("segue why tells in our own words why a model failed where the server was started without code", async () => {
	const model = { name: "local/coder", failure: "wrong-key", words: "local does not accept your key. Set KEY anew." };
	const { detail: _, ...rest } = failed;
	const { out } = await run([{ requests: [{ ...rest, model }] }]);
	expect(out).toContain("    local/coder (wrong-key): local does not accept your key. Set KEY anew.\n");
	const { failure: __, ...willing } = { ...model, words: "There is nothing to change." };
	const said = await run([{ requests: [{ ...rest, silence: "no-edit", model: willing }] }]);
	expect(said.out).toContain("    local/coder: There is nothing to change.\n");
});

test("segue why prints no line that a terminal of 100 columns would break", async () => {
	const drawn = [`file:///${"long/".repeat(60)}`];
	const long = { ...written, model: `local/${"x".repeat(190)}`, drawn, why: "y ".repeat(100) };
	const { out } = await run([
		{ requests: [{ ...failed, uri: drawn[0], detail: "z ".repeat(200), candidates: [long] }] },
	]);
	for (const line of out.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(100);
});

test("segue why tells of the last requests of every server, or of one", async () => {
	const rings = [{ requests: [silent, silent, suggests] }, { requests: [silent] }];
	const all = await run(rings, { last: 2, json: true });
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
	const one = await run(rings, { server: process.ppid });
	expect(one.out).toContain(`Server ${process.ppid}`);
	expect(one.out).not.toContain(`Server ${process.pid},`);
});

test.for<[options: Partial<RecentOptions>, which: string, printed: string]>([
	[{}, "No server", ""],
	[{ server: 1 }, "No server with process id 1", ""],
	[{ json: true }, "No server", "[]\n"],
])("segue why says in a sentence that no server runs, and what to do: %j", async ([options, which, printed]) => {
	const { out, err, code } = await run(options.server === undefined ? [] : [{ requests: [silent] }], options);
	expect({ out, code }).toEqual({ out: printed, code: 1 });
	expect(err).toBe(
		`segue: ${which} has been asked for suggestions and still runs. Type in an editor that has started segue acp, wait a second, and run this again; to explain a story, name its file.\n`,
	);
});

test("segue why passes over a file that no server has written, and says so", async () => {
	const { err, out } = await run(["nonsense", { requests: [silent] }]);
	expect(err).toBe(`segue: home/requests/${process.pid}-0123abcd.json is not what a server writes; passed over\n`);
	expect(out).toContain(`Server ${process.ppid}`);
});

test("segue why says that SEGUE_HOME is no home", async () => {
	let err = "";
	const write = (text: string) => (err += text);
	const surroundings = { env: { SEGUE_HOME: "here" }, stdout: { write }, stderr: { write }, isColoured: false };
	expect(await explainRecent({ last: 5 }, surroundings)).toBe(1);
	expect(err).toMatch(/^segue: SEGUE_HOME must be the absolute path/);
});

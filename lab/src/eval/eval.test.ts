import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { type EvalOptions, evaluate } from "./eval.js";

const folder = mkdtempSync(path.join(tmpdir(), "segue-eval-"));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Returns a commit that renames a variable in five places in a file. Another file has an unrelated variable with that
 * name.
 */
function caseOf(id: string, rename = "total") {
	const lines = ["let sum = 0", "sum += 1", "sum += 2", "log(sum)", "save(sum)"];
	return {
		id,
		language: "typescript",
		files: { "a.ts": lines.join("\n") },
		context: { "b.ts": "const sum = 1\n" },
		steps: lines.map((line, i) => {
			return { path: "a.ts", oldStart: i, oldLines: [line], newLines: [line.replace("sum", rename)] };
		}),
		stepOrder: [0, 1, 2, 3, 4],
		stepEvalAt: [1, 2, 3, 4],
	};
}

function fileOf(name: string, ...values: unknown[]): string {
	const file = path.join(folder, name);
	const text = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");
	writeFileSync(file, name.endsWith(".br") ? brotliCompressSync(text) : text);
	return file;
}

async function run(
	file: string,
	options: Partial<EvalOptions> = {},
	{ threads = 1, signal = new AbortController().signal } = {},
) {
	let [out, err] = ["", ""];
	const stdout = { write: (text: string) => (out += text) };
	const stderr = { write: (text: string) => (err += text) };
	const report = (message: string) => (err += `${message}\n`);
	const environment = { stdout, stderr, report, threads, signal, now: () => 0 };
	const code = await evaluate(file, { mode: "forced", ...options }, environment);
	return { out, err: err.replaceAll(`${folder}${path.sep}`, ""), code };
}

const two = fileOf("two.jsonl", caseOf("first"), "", caseOf("second", "all"));

/** Parses results and leaves out the timings. */
function withoutTimes(json: string): unknown {
	return JSON.parse(json, (key, value) => (/^(?:p\d\dM|m)s$/.test(key) ? undefined : value));
}

describe("segue eval", () => {
	test("prints tables", async () => {
		const { out, code } = await run(two);
		expect(code).toBe(0);
		const titles = out.split("\n").filter((line) => /^\S/.test(line));
		expect(titles).toEqual([
			"By language",
			"By predictor",
			"By reason for no suggestion",
			"Precision by recall, with the threshold that reaches it",
			"Reliability: the share of exact candidates, by confidence",
			"Time of a prediction, in ms",
		]);
		expect(out).toMatch(/^ {2}all +2 +8 /m);
	});

	test("writes every state with --json", async () => {
		const { out } = await run(two, { json: true });
		const { mode, overall, results } = JSON.parse(out);
		expect({ mode, cases: overall.cases, states: overall.states }).toEqual({ mode: "forced", cases: 2, states: 8 });
		expect(results.map(({ id }: { id: string }) => id)).toEqual(["first", "second"]);
		expect(results[0].states.map(({ made, isFinal }: { made: number; isFinal: boolean }) => [made, isFinal])).toEqual([
			[1, false],
			[2, false],
			[3, false],
			[4, false],
			[5, true],
		]);
	});

	test("has the same results with one thread and with several", async () => {
		const { out } = await run(two, { json: true });
		const { out: threaded } = await run(two, { json: true }, { threads: 2 });
		expect(withoutTimes(threaded)).toEqual(withoutTimes(out));
	});

	test("reads compressed cases, limits their number, and accepts suggestions interactively", async () => {
		const file = fileOf("cases.jsonl.br", caseOf("first"), caseOf("second"));
		const { out } = await run(file, { json: true, limit: 1, mode: "interactive" });
		const { overall, results } = JSON.parse(out);
		expect(results).toHaveLength(1);
		expect(results[0].states.at(-1)).toMatchObject({ made: 5, isFinal: true });
		expect(overall).toHaveProperty("automated");
	});

	test("prints its progress to standard error", async () => {
		expect((await run(two)).err).toBe("1 of 2 cases, 0 s, about 0 s left\n2 of 2 cases, 0 s\n");
	});

	test.each([
		["no.jsonl", undefined, "Cannot read no.jsonl: no such file."],
		["empty.jsonl", ["", ""], "empty.jsonl contains no cases"],
		["bad.jsonl.br.jsonl", [caseOf("good"), "{"], "bad.jsonl.br.jsonl, line 2: not JSON"],
		["less.jsonl", [caseOf("good"), "", { ...caseOf("bad"), steps: [] }], "less.jsonl, line 3: steps: "],
		["order.jsonl", [{ ...caseOf("bad"), stepOrder: [9] }], "order.jsonl, line 1: stepOrder: contains an unknown step"],
		["files.jsonl", [{ ...caseOf("bad"), files: {} }], "files.jsonl, line 1: steps: refer to an unknown file"],
	])("prints one line for the invalid file %s and runs nothing", async (name, values, message) => {
		if (values !== undefined) fileOf(name, ...values);
		const { out, err, code } = await run(path.join(folder, name));
		expect({ out, code }).toEqual({ out: "", code: 1 });
		expect(err).toContain(`${message}`);
		expect(err.trimEnd().split("\n")).toHaveLength(1);
	});

	test("reports a .br file that is not compressed", async () => {
		const file = path.join(folder, "plain.jsonl.br");
		writeFileSync(file, "{}");
		expect((await run(file)).err).toBe("Cannot read plain.jsonl.br: it is not compressed with Brotli.\n");
	});

	test.each([1, 2])("stops between two cases when interrupted, with %d threads", async (threads) => {
		const { out, err, code } = await run(two, {}, { threads, signal: AbortSignal.abort() });
		expect({ out, err, code }).toEqual({ out: "", err: "Stopped.\n", code: 130 });
	});
});

describe("segue eval --mode completion", () => {
	/** A commit that adds a line similar to those above it, and an unrelated line. */
	const written = {
		...caseOf("written"),
		files: { "a.ts": "this.one = one;\nthis.two = two;\n" },
		steps: [
			{ path: "a.ts", oldStart: 2, oldLines: [], newLines: ["this.six = six;", "unheard(of, anything)"] },
			{ path: "a.ts", oldStart: 2, oldLines: [], newLines: [] },
		],
		stepOrder: [0, 1],
	};
	const file = fileOf("written.jsonl", written);

	test("types the lines from commits and prints tables", async () => {
		const { out, code } = await run(file, { mode: "completion" });
		expect(code).toBe(0);
		expect(out.split("\n").filter((line) => /^\S/.test(line))).toEqual([
			"Completions",
			"By reason for no suggestion",
			"Reliability: the share of right candidates, by confidence",
			"Time of a completion, in ms",
		]);
		expect(out).toMatch(/^ {2}all +5 /m);
	});

	test("writes every stop with --json, with any number of threads", async () => {
		const both = fileOf("both.jsonl", written, { ...written, id: "again" });
		const { out } = await run(both, { mode: "completion", json: true });
		const { mode, overall, byReason, results } = JSON.parse(out);
		expect({ mode, stops: overall.stops }).toEqual({ mode: "completion", stops: 10 });
		expect(results[0].stops[1]).toMatchObject({
			isNew: true,
			where: "after two thirds",
			shown: { isRight: true, characters: 5 },
		});
		expect(results[0].stops[3]).toMatchObject({ silence: "nothing-found", isFound: false });
		expect(byReason["nothing-found"]).toEqual({ stops: 6, found: 0 });
		const { out: threaded } = await run(both, { mode: "completion", json: true }, { threads: 2 });
		expect(withoutTimes(threaded)).toEqual(withoutTimes(out));
	});

	test("rejects --diff", async () => {
		const { err, code } = await run(file, { mode: "completion", diff: file });
		expect({ err, code }).toEqual({
			err: "--diff cannot be combined with --mode completion. Omit one of them.\n",
			code: 1,
		});
	});
});

describe("segue eval --diff", () => {
	const old = async (change: (states: Record<string, unknown>[]) => void) => {
		const run1 = JSON.parse((await run(two, { json: true })).out);
		change(run1.results[0].states);
		return fileOf("old.json", run1);
	};

	test("reports no differences between equal runs", async () => {
		const { out } = await run(two, { diff: await old(() => {}) });
		expect(out).toContain("Better: 0\n\nWorse: 0\n\nFigures that changed (10 states compared)\n");
	});

	test("lists better and worse states, and states in only one run", async () => {
		const diff = await old((states) => {
			const isShown = (state: Record<string, unknown>) => state["shown"] !== undefined;
			const exact = { label: "exact", predictor: "rename", confidence: 1, steps: 1, why: "" };
			for (const state of states) {
				if (state["isFinal"] === true) state["shown"] = exact;
				else if (isShown(state)) delete state["shown"];
				else state["shown"] = exact;
			}
			Object.assign(states[0] as object, { made: 77 });
		});
		const { better, worse, onlyOld, onlyNew } = JSON.parse((await run(two, { diff, json: true })).out).comparison;
		expect(better).toContainEqual({ id: "first", made: 5, old: "false", now: "silent" });
		expect([...better, ...worse].map(({ id, made }) => `${id} ${made}`).toSorted()).toEqual([
			"first 2",
			"first 3",
			"first 4",
			"first 5",
		]);
		expect([onlyOld, onlyNew]).toEqual([1, 1]);
		const { out } = await run(two, { diff });
		expect(out).toContain("  first, step 5: false → silent\n");
		expect(out).toContain("1 only in the old run, 1 only in the new run");
	});

	test.each([
		["{", "old.json was not written by segue eval --json."],
		[{ mode: "forced" }, "old.json was not written by segue eval --json."],
		[
			{ mode: "interactive", overall: {}, results: [] },
			"old.json was written with --mode interactive. Use the same mode.",
		],
	])("reports the invalid file %j", async (value, message) => {
		const { err, code } = await run(two, { diff: fileOf("old.json", value) });
		expect({ err, code }).toEqual({ err: `${message}\n`, code: 1 });
	});

	test("reports a missing file", async () => {
		const { err } = await run(two, { diff: path.join(folder, "none.json") });
		expect(err).toBe("Cannot read the --diff file none.json. Write it with segue eval --json.\n");
	});
});

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openEmbeddedStore, type SeenSuggestion } from "@segue/assist";
import { Home } from "@segue/testing/process/home";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { statsOf } from "../suggestion-stats.js";
import { type StatsOptions, showStats } from "./stats.js";

const NOW = new Date("2030-06-15T12:00:00.000Z");
const HOUR_MS = 3_600_000;

let count = 0;
function seen(hoursAgo: number, more: Partial<SeenSuggestion> = {}): SeenSuggestion {
	return {
		...{ id: `${++count}`, at: new Date(NOW.getTime() - hoursAgo * HOUR_MS).toISOString(), predictor: "rename" },
		...{ model: undefined, language: "go", kind: "edit", trigger: "automatic", latencyMs: 3, chance: 0.8 },
		...{ features: { rank: 1 }, verdict: undefined, ...more },
	};
}

const SOME = [
	seen(1, { verdict: "accepted", latencyMs: 1 }),
	seen(2, { verdict: "typed", latencyMs: 2 }),
	seen(3, { verdict: "rejected", language: "rust", latencyMs: 30 }),
	seen(30, { verdict: "ignored" }),
	seen(40, { predictor: "model", model: "local/coder", verdict: "partly", latencyMs: 250 }),
	seen(50, { predictor: "model", model: "local/coder" }),
	seen(60, { predictor: "model", model: "local/coder", verdict: "cancelled" }),
];

/** Creates a home directory with these suggestions in its store. */
async function homeWith(all: readonly SeenSuggestion[]): Promise<Home> {
	const home = new Home();
	onTestFinished(() => home[Symbol.dispose]());
	if (all.length === 0) return home;
	const { store, feedback } = await openEmbeddedStore(path.join(home.home, "segue.db"), NOW);
	await feedback.keep(all, NOW);
	await store.close();
	return home;
}

async function run(
	home: Home,
	options: StatsOptions,
	{ confirm, columns }: { confirm?: (question: string) => Promise<boolean>; columns?: number } = {},
) {
	let [out, err] = ["", ""];
	const code = await showStats(options, {
		...{ env: { SEGUE_HOME: home.home }, now: NOW, isColoured: false, confirm },
		stdout: { write: (text: string) => (out += text), columns },
		stderr: { write: (text: string) => (err += text) },
	});
	return { out: home.short(out), err: home.short(err), code };
}

test("segue stats prints how often suggestions were accepted, by source, model and language", async () => {
	const { out, err, code } = await run(await homeWith(SOME), {});
	expect({ err, code }).toEqual({ err: "", code: 0 });
	expect(out.split("\n")).toEqual([
		"All          shown  accepted  partly  dismissed  ignored  other   rate  median",
		"suggestions      6         2       1          1        1      1   60 %    3 ms",
		"",
		"By source    shown  accepted  partly  dismissed  ignored  other   rate  median",
		"Rename           4         2       0          1        1      0   50 %    2 ms",
		"Model            2         0       1          0        0      1  100 %    3 ms",
		"",
		"By model     shown  accepted  partly  dismissed  ignored  other   rate  median",
		"local/coder      2         0       1          0        0      1  100 %    3 ms",
		"",
		"By language  shown  accepted  partly  dismissed  ignored  other   rate  median",
		"go               5         2       1          0        1      1   75 %    3 ms",
		"rust             1         0       0          1        0      0    0 %   30 ms",
		"",
		"accepted   with a key, or by typing the same text",
		"partly     only some words or lines were accepted",
		"dismissed  with a key",
		"ignored    you continued without it",
		"other      replaced by a newer suggestion, or the editor reported no outcome",
		"rate       the share that was accepted, fully or partly; other is left out",
		"median     time from the request to the suggestion",
		"Jumps to another place are not counted, because they change no code.",
		"",
	]);
});

test.each([40, 60, 80])("segue stats fits into a terminal with %d columns", async (columns) => {
	const long = seen(1, { predictor: "model", model: `local/${"long-".repeat(12)}name`, verdict: "typed" });
	const { out } = await run(await homeWith([...SOME, long]), {}, { columns });
	for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
	expect(out).toContain("local/long");
});

test("segue stats prints each row as a list in a narrow terminal", async () => {
	const { out } = await run(await homeWith(SOME), {}, { columns: 60 });
	expect(out).toContain(
		[
			"By source",
			"Rename",
			"  4 shown, 2 accepted, 0 partly, 1 dismissed, 1 ignored,",
			"  0 other, rate 50 %, median 2 ms",
			"",
		].join("\n"),
	);
});

test("segue stats --since limits the period", async () => {
	const home = await homeWith(SOME);
	const shown = async (since: string) => JSON.parse((await run(home, { since, json: true })).out).all.shown;
	expect([await shown("2h"), await shown("1d"), await shown("1w")]).toEqual([2, 3, 6]);
	const { err, code } = await run(home, { since: "yesterday" });
	expect({ err, code }).toEqual({
		err: "segue: --since takes a number of hours, days or weeks, for example 12h, 7d or 4w.\n",
		code: 1,
	});
});

test("segue stats creates no files if nothing is stored", async () => {
	const home = await homeWith([]);
	expect((await run(home, {})).out).toMatch(/^No suggestions in this period\./);
	expect((await run(home, { clear: true, yes: true })).out).toBe("Deleted 0 suggestions.\n");
	const file = path.join(home.project, "out.jsonl");
	expect((await run(home, { export: file })).err).toBe(
		"segue: Nothing to export: no suggestions are stored for this period.\n",
	);
	expect([file, path.join(home.home, "segue.db")].map(existsSync)).toEqual([false, false]);
});

test("segue stats --export creates no file if no suggestion is in the period", async () => {
	const home = await homeWith(SOME.slice(1));
	const file = path.join(home.project, "out.jsonl");
	const { out, err, code } = await run(home, { export: file, since: "1h" });
	expect({ out, err, code }).toEqual({
		out: "",
		err: "segue: Nothing to export: no suggestions are stored for this period.\n",
		code: 1,
	});
	expect(existsSync(file)).toBe(false);
});

test("segue stats exports each suggestion to a file that only the user can read", async () => {
	const home = await homeWith(SOME);
	const file = path.join(home.project, "out.jsonl");
	writeFileSync(file, "older\n", { mode: 0o644 });
	expect(await run(home, { export: file })).toEqual({
		out: "Exported 7 suggestions to project/out.jsonl.\n",
		err: "",
		code: 0,
	});
	expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	expect(lines.map((line) => JSON.parse(line))).toEqual(
		SOME.toReversed().map(({ id: _, ...one }) => JSON.parse(JSON.stringify(one))),
	);
	const nowhere = path.join(home.project, "no", "out.jsonl");
	expect((await run(home, { export: nowhere })).err).toBe(
		"segue: Cannot write project/no/out.jsonl: the folder does not exist. Choose another file.\n",
	);
});

test("segue stats --clear deletes only after confirmation", async () => {
	const home = await homeWith(SOME);
	const outsideTerminal = await run(home, { clear: true });
	expect(outsideTerminal.err).toBe("segue: Not a terminal: pass --yes to delete all statistics.\n");
	const questions: string[] = [];
	const answering = (yes: boolean) => async (question: string) => {
		questions.push(question);
		return yes;
	};
	expect((await run(home, { clear: true }, { confirm: answering(false) })).err).toBe("segue: Nothing was deleted.\n");
	expect((await run(home, { clear: true }, { confirm: answering(true) })).out).toBe("Deleted 7 suggestions.\n");
	expect(questions).toHaveLength(2);
	expect((await run(home, {})).out).toMatch(/^No suggestion/);
});

test.for<[command: string, options: StatsOptions]>([
	["segue stats", {}],
	["segue stats --json", { json: true }],
	["segue stats --export", { export: "out.jsonl" }],
	["segue stats --clear", { clear: true, yes: true }],
])("%s leaves a damaged database unchanged, because it also contains threads", async ([, options]) => {
	const home = await homeWith([]);
	home.write("home/segue.db", "not a database");
	// In the second run, the file is in the process's cache.
	for (let i = 0; i < 2; i++) {
		expect(await run(home, options)).toEqual({
			out: "",
			err: "segue: home/segue.db is damaged. Start Segue again: it moves the file aside and keeps what can be read.\n",
			code: 1,
		});
	}
	expect(readdirSync(home.home)).toEqual(["segue.db"]);
	expect(readFileSync(path.join(home.home, "segue.db"), "utf8")).toBe("not a database");
});

const OUTCOMES = ["accepted", "partly", "rejected", "ignored", "other"] as const;

test("each table counts every shown suggestion in one row and one column", () => {
	const someVerdict = fc.constantFrom(
		"accepted",
		"partly",
		"typed",
		"rejected",
		"ignored",
		"replaced",
		"gone",
		undefined,
	);
	const some = fc.record({
		...{ at: fc.constantFrom("2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"), language: fc.constantFrom("go", "c") },
		...{ predictor: fc.constantFrom("rename", "model"), model: fc.constantFrom("a/b", undefined) },
		...{ latencyMs: fc.nat(100), verdict: someVerdict },
	});
	fc.assert(
		fc.property(fc.array(some), (outcomes) => {
			const { all, bySource, byLanguage, byDay, byModel } = statsOf(outcomes);
			expect(all.shown).toBe(outcomes.length);
			for (const row of [all, ...bySource, ...byModel]) {
				expect(OUTCOMES.reduce((sum, column) => sum + row[column], 0)).toBe(row.shown);
			}
			for (const rows of [bySource, byLanguage, byDay]) {
				for (const column of [...OUTCOMES, "shown"] as const) {
					expect(rows.reduce((sum, row) => sum + row[column], 0)).toBe(all[column]);
				}
			}
			expect(byModel[0]?.shown ?? 0).toBe(outcomes.filter(({ model }) => model !== undefined).length);
			const sorted = outcomes.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b);
			const { medianMs } = all;
			if (medianMs !== null)
				expect(sorted.filter((one) => one <= medianMs).length * 2).toBeGreaterThanOrEqual(sorted.length);
		}),
	);
});

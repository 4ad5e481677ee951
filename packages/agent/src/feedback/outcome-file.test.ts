import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/home";
import { expect, onTestFinished, test } from "vitest";
import type { RequestAccount } from "./account.js";
import { OutcomeFile, takeOutcomes } from "./outcome-file.js";

const SEEN = { kind: "edit", trigger: "automatic", chance: 0.9, features: { rename: 1 } };
const OUTCOME = { at: "2026-01-01T00:00:00.000Z", predictor: "rename", language: "typescript", latencyMs: 3 };

function stage(configuration: object = {}) {
	const home = new Home({ "home/config.json": configuration });
	onTestFinished(() => home[Symbol.dispose]());
	const file = path.join(home.home, "outcomes.jsonl");
	return { file, kept: new OutcomeFile({ folder: home.project, env: { SEGUE_HOME: home.home } }) };
}

/** A request whose suggestions were seen, the first with a verdict. */
function account(number: number, verdict: string | undefined, count = 1): RequestAccount {
	const workspace = { uri: undefined, folders: [], repository: undefined };
	const seen = () => Array.from({ length: count }, (_, rank) => ({ rank, ...SEEN, ...OUTCOME, verdict }));
	return { number, workspace, seen } as unknown as RequestAccount;
}

test("what became of suggestions is written for this user alone, and taken once", async () => {
	const { file, kept } = stage();
	await kept.keep([account(1, undefined, 2), account(2, "accepted")]);
	expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
	const taken = await takeOutcomes(file);
	expect(taken?.seen).toMatchObject([OUTCOME, OUTCOME, { ...OUTCOME, verdict: "accepted" }]);
	await taken?.forget();
	expect(await takeOutcomes(file)).toBeUndefined();
});

test("a suggestion is as it was told last", async () => {
	const { file, kept } = stage();
	await kept.keep([account(1, undefined)]);
	await kept.keep([account(1, "rejected")]);
	expect((await takeOutcomes(file))?.seen).toMatchObject([{ verdict: "rejected" }]);
});

test("what was taken and not forgotten is taken again, with what came since", async () => {
	const { file, kept } = stage();
	await kept.keep([account(1, "accepted")]);
	await takeOutcomes(file);
	await kept.keep([account(2, "rejected")]);
	const taken = await takeOutcomes(file);
	expect(taken?.seen.map(({ verdict }) => verdict).toSorted()).toEqual(["accepted", "rejected"]);
});

test("a line that was half written, or that somebody else wrote, is passed over", async () => {
	const { file, kept } = stage();
	await kept.keep([account(1, "accepted")]);
	const { size } = statSync(file);
	await kept.keep([account(2, "accepted")]);
	truncateSync(file, size + 20);
	appendFileSync(file, '\n{"id":1}\nnull\nwords\n');
	expect((await takeOutcomes(file))?.seen).toHaveLength(1);
});

test("a file that is full makes room for another, and the full one before it goes", async () => {
	const { file, kept } = stage();
	for (const letter of ["a", "b", "c"]) {
		await kept.keep([account(1, letter)]);
		appendFileSync(file, `${"x".repeat(2 ** 24)}\n`);
	}
	const names = readdirSync(path.dirname(file)).filter((name) => name.startsWith("outcomes"));
	expect(names.toSorted()).toEqual(["outcomes-full.jsonl", "outcomes.jsonl"]);
	expect(readFileSync(path.join(path.dirname(file), "outcomes-full.jsonl"), "utf8")).toContain('"verdict":"b"');
});

test("nothing is written where it is not wanted, and why it cannot be is said", async () => {
	const quiet = stage({ feedback: false });
	await quiet.kept.keep([account(1, "accepted")]);
	expect(existsSync(quiet.file)).toBe(false);
	const home = new Home({ "home/config.json": {}, "home/outcomes.jsonl/in-the-way": "" });
	onTestFinished(() => home[Symbol.dispose]());
	const kept = new OutcomeFile({ folder: home.project, env: { SEGUE_HOME: home.home } });
	await expect(kept.keep([account(1, "accepted")])).rejects.toThrow(
		/outcomes\.jsonl cannot be written: it is a folder\.$/,
	);
});

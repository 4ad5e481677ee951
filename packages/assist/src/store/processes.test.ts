import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { inTier } from "@segue/testing/setup/tier";
import { build } from "esbuild";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEmbeddedStore } from "./embedded.js";

const AT = "2030-01-01T00:00:00.000Z";
const KILLS = inTier(5, 50);

/** A program that prints a line after each write. Its arguments are the file, the task and the turn. */
const PROGRAM = `
	import { once } from "node:events";
	import { openEmbeddedStore } from "./embedded.js";
	const [file, task, turn] = process.argv.slice(2);
	const { store } = await openEmbeddedStore(file, new Date());
	const print = (line) => new Promise((done) => process.stdout.write(line + "\\n", done));
	const append = () => store.append("a", turn, "${AT}", { type: "text", text: "" });
	if (task === "stream") {
		let { number } = await append();
		for (let i = 0; ; i++) {
			await store.more("a", number, i + ";");
			await print(i);
			if (i % 40 !== 39) continue;
			await store.settle("a", number);
			({ number } = await append());
		}
	}
	if (task === "append") {
		await print("ready");
		await once(process.stdin, "data");
		for (let i = 0; i < 100; i++) {
			const { number } = await append();
			for (const piece of ["entry ", i, " of ", turn]) await store.more("a", number, String(piece));
			if (i % 2 === 0) await store.settle("a", number);
			await print(number);
		}
		process.exit(0);
	}
`;

let folder: string;
let bundle: string;

beforeAll(async () => {
	folder = mkdtempSync(path.join(os.tmpdir(), "segue-processes-"));
	// Must be in node_modules to find the native package, which cannot be bundled.
	const cache = path.resolve(import.meta.dirname, "../../../../node_modules/.cache");
	mkdirSync(cache, { recursive: true });
	bundle = path.join(mkdtempSync(path.join(cache, "segue-store-")), "program.mjs");
	await build({
		stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: "ts" },
		outfile: bundle,
		bundle: true,
		platform: "node",
		format: "esm",
		conditions: ["@segue/source"],
		external: ["libsql", "pg"],
	});
});
afterAll(() => {
	rmSync(folder, { recursive: true });
	rmSync(path.dirname(bundle), { recursive: true });
});

type Program = ChildProcessByStdio<Writable, Readable, null>;

function start(...args: string[]): Program {
	return spawn(process.execPath, [bundle, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

test("a store loses at most the last chunk when its process is killed, and is never damaged", async () => {
	const file = path.join(folder, "killed.db");
	const { store: first } = await openEmbeddedStore(file, new Date(AT));
	await first.create({ id: "a", title: "", workspace: "/w", modifiedAt: AT });
	await first.close();
	const moments = fc.sample(fc.nat(300), { numRuns: KILLS, seed: 9 });
	let numbers = 0;
	for (const [round, moment] of moments.entries()) {
		const program = start(file, "stream", `${round}`);
		// Killing a process twice is harmless.
		const printed = await linesOf(program, (lines) => void (lines >= moment && program.kill("SIGKILL")));
		expect(printed.length).toBeGreaterThanOrEqual(moment);

		const { store, notice } = await openEmbeddedStore(file, new Date(AT));
		expect(notice).toBeUndefined();
		const { rows } = await sql`pragma integrity_check`.execute(store["database"]);
		expect(rows).toEqual([{ integrity_check: "ok" }]);
		const all = await store.entries("a");
		const texts = all.map(({ turn, body }) => (turn === `${round}` && body.type === "text" ? body.text : ""));
		const stored = texts.join("").split(";").slice(0, -1);
		expect(stored).toEqual(Array.from(stored, (_, i) => `${i}`));
		expect(stored.slice(0, printed.length)).toEqual(printed);
		expect(stored.length - printed.length).toBeLessThanOrEqual(1);
		const { number } = await store.append("a", "next", AT, { type: "end", reason: "done" });
		expect(number).toBe(all.length + 1);
		expect(number).toBeGreaterThan(numbers);
		numbers = number;
		await store.close();
	}
});

/** Resolves with the lines that the program prints until it exits. */
async function linesOf(program: Program, listener: (lines: number) => void): Promise<string[]> {
	const lines: string[] = [];
	for await (const line of createInterface({ input: program.stdout })) listener(lines.push(line));
	return lines;
}

test("a store that four processes write to concurrently has every entry once, in the order of its process", async () => {
	const file = path.join(folder, "shared", "segue.db");
	const turns = ["one", "two", "three", "four"];
	const programs = turns.map((turn) => start(file, "append", turn));
	await Promise.all(programs.map(({ stdout }) => once(stdout, "data")));
	const { store } = await openEmbeddedStore(file, new Date(AT));
	await store.create({ id: "a", title: "", workspace: "/w", modifiedAt: AT });
	const printed = await Promise.all(
		programs.map(async (program) => {
			program.stdin.write("go\n");
			return (await linesOf(program, () => {})).map(Number);
		}),
	);
	const entries = await store.entries("a");
	expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
	for (const [i, turn] of turns.entries()) {
		const own = entries.filter((entry) => entry.turn === turn);
		expect(own.map(({ number }) => number)).toEqual(printed[i]);
		const texts = Array.from({ length: 100 }, (_, n) => ({ type: "text", text: `entry ${n} of ${turn}` }));
		expect(own.map(({ body }) => body)).toEqual(texts);
	}
	await store.close();
});

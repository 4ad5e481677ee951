import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { startModelServer } from "@segue/testing/model-server";
import { WAIT } from "@segue/testing/wait";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..", "..", "..");
const readme = readFileSync(path.join(import.meta.dirname, "..", "README.md"), "utf8");

const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, program = ""]) => program);

/** Compiles a program as any plugin would be, and runs it with `segue` on its path. */
async function runProgram(program: string, env: Readonly<Record<string, string>> = {}) {
	// Below node_modules, so that it finds the packages as any plugin would.
	const cache = path.join(root, "node_modules", ".cache");
	mkdirSync(cache, { recursive: true });
	const folder = mkdtempSync(path.join(cache, "readme-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	// A repository of its own, because what is below node_modules is ignored in ours.
	mkdirSync(path.join(folder, ".git"));
	writeFileSync(path.join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
	writeFileSync(path.join(folder, "plugin.ts"), program);
	writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
	const compilerOptions = { composite: false, declaration: false, declarationMap: false, types: ["node"] };
	const config = { extends: path.join(root, "tsconfig.base.json"), compilerOptions, files: ["plugin.ts"] };
	writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
	const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
	await run(process.execPath, [tsc, "-p", folder]);

	const bin = path.join(root, "node_modules", ".bin");
	const PATH = `${bin}${path.delimiter}${process.env["PATH"]}`;
	const place = { cwd: folder, env: { ...process.env, SEGUE_HOME: path.join(folder, "home"), ...env, PATH } };
	return run(process.execPath, [path.join(folder, "plugin.js")], { ...place, timeout: WAIT.timeout });
}

test("The plugin of the README is complete in under 60 lines, compiles, and works with segue", async () => {
	const [plugin = ""] = programs;
	expect(plugin.split("\n").length).toBeLessThan(60);
	const { stdout, stderr } = await runProgram(plugin);
	expect(stderr).toBe("");
	expect(stdout).toBe(
		"`cnt` became `count` at 1 place; 1 is left in this file (Tab to take it)\nconst count = items.length\nlog(count)\n\n",
	);
});

test("The talk of the README compiles, and reads with segue what is not saved", async () => {
	const model = await startModelServer([
		[{ call: "read_file", id: "c1", input: ['{"path":"notes.txt"}'] }],
		["That you ", "should buy milk."],
	]);
	onTestFinished(() => model.stop());
	const env = { SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };
	const talk = programs.find((program) => program.includes("new ThreadsEditor")) ?? "";
	const { stdout, stderr } = await runProgram(talk, env);
	expect(stderr).toBe("");
	expect(stdout).toBe("✓ Read notes.txt\n\nThat you should buy milk.\n(What do my notes say?)\n");
	expect(JSON.stringify(model.requests[1]?.body)).toContain("Buy milk.");
});

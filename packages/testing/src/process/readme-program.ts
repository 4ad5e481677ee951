import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { WAIT } from "../setup/tier.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..", "..", "..", "..");

/** Returns the TypeScript programs in a Markdown page. The page is given by its path in the repository. */
export function programsIn(page: string): string[] {
	const text = readFileSync(path.join(root, page), "utf8");
	return [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, program = ""]) => program);
}

/** Compiles a program as a plugin would be compiled, and runs it with `segue` on the PATH. */
export async function runProgram(program: string, env: Readonly<Record<string, string>> = {}) {
	// Inside node_modules, so that the program resolves packages as a plugin does.
	const cache = path.join(root, "node_modules", ".cache");
	mkdirSync(cache, { recursive: true });
	const folder = mkdtempSync(path.join(cache, "readme-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	// A separate repository, because Segue's own ignores node_modules.
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
	const options = { cwd: folder, env: { ...process.env, SEGUE_HOME: path.join(folder, "home"), ...env, PATH } };
	return run(process.execPath, [path.join(folder, "plugin.js")], { ...options, timeout: WAIT.timeout });
}

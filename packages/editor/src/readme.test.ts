import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..", "..", "..");
const readme = readFileSync(path.join(import.meta.dirname, "..", "README.md"), "utf8");

test("The plugin of the README is complete in under 60 lines, compiles, and works with segue", async () => {
	const plugin = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";
	expect(plugin.split("\n").length).toBeLessThan(60);

	// Below node_modules, so that it finds the packages as any plugin would.
	const cache = path.join(root, "node_modules", ".cache");
	mkdirSync(cache, { recursive: true });
	const folder = mkdtempSync(path.join(cache, "readme-"));
	try {
		writeFileSync(path.join(folder, "plugin.ts"), plugin);
		writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
		const compilerOptions = { composite: false, declaration: false, declarationMap: false, types: ["node"] };
		const config = { extends: path.join(root, "tsconfig.base.json"), compilerOptions, files: ["plugin.ts"] };
		writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
		const tsc = path.join(
			path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
			"bin",
			"tsc",
		);
		await run(process.execPath, [tsc, "-p", folder]);

		const bin = path.join(root, "node_modules", ".bin");
		const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env["PATH"]}` };
		const { stdout, stderr } = await run(process.execPath, [path.join(folder, "plugin.js")], { env, timeout: 60_000 });
		expect(stderr).toBe("");
		expect(stdout).toBe(
			"`cnt` became `count` at 1 place; 1 is left in this file (Tab to take it)\nconst count = items.length\nlog(count)\n\n",
		);
	} finally {
		rmSync(folder, { recursive: true });
	}
}, 120_000);

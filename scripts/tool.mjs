// Starts the development tools in the root's node_modules with the current Node, on every system.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs a tool in the root folder and passes on its output. Returns its exit code. If a signal ends the tool, ends this
 * process too.
 */
export function runTool(name, args, env = {}) {
	const folder = path.join(root, "node_modules", name);
	const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
	const program = path.join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]);
	const options = { cwd: root, stdio: "inherit", env: { ...process.env, ...env } };
	const { status, signal } = spawnSync(process.execPath, [program, ...args], options);
	if (signal !== null) process.kill(process.pid, signal);
	return status ?? 1;
}

/** Bundles a program from the sources and runs it in this process. */
export async function runSource(...entry) {
	const { build } = await import("esbuild");
	// In node_modules, so that packages that are not bundled can be resolved.
	const folder = mkdtempSync(path.join(root, "node_modules", ".segue-source-"));
	const outfile = path.join(folder, "program.mjs");
	try {
		await build({
			entryPoints: [path.join(root, ...entry)],
			outfile,
			bundle: true,
			format: "esm",
			platform: "node",
			target: "node20",
			conditions: ["@segue/source"],
		});
		await import(pathToFileURL(outfile).href);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

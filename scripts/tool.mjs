// The development tools of the root's node_modules, started with the Node that runs us: the same on every system.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a tool in the root folder, its output to ours. Returns its exit code; a signal that ends it ends us too. */
export function runTool(name, args, env = {}) {
	const folder = path.join(root, "node_modules", name);
	const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
	const program = path.join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]);
	const options = { cwd: root, stdio: "inherit", env: { ...process.env, ...env } };
	const { status, signal } = spawnSync(process.execPath, [program, ...args], options);
	if (signal !== null) process.kill(process.pid, signal);
	return status ?? 1;
}

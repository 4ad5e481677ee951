import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";

/** Runs npm in a folder, without network access and without the user's npm settings. Returns its output. */
export function npm(folder: string, args: readonly string[]): string {
	const cache = path.join(folder, ".npm-cache");
	const alone = [
		"--offline",
		"--ignore-scripts",
		"--no-audit",
		"--no-fund",
		"--no-update-notifier",
		"--loglevel=error",
	];
	const settings = [`--cache=${cache}`, `--userconfig=${cache}/none`, `--globalconfig=${cache}/none-either`];
	const { status, stdout, stderr } = runNode(folder, [findNpm(), ...args, ...alone, ...settings]);
	if (status !== 0) throw new Error(`npm ${args.join(" ")} failed: ${stderr}${stdout}`);
	return stdout;
}

/** Runs Node in a folder, without the environment variables that npm, Node and vitest set. */
export function runNode(folder: string, args: readonly string[]): { status: number; stdout: string; stderr: string } {
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|node_|vitest)/i.test(name)));
	const options = { cwd: folder, env, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
	const { status, stdout, stderr, error } = spawnSync(process.execPath, args, options);
	if (error !== undefined) throw error;
	return { status: status ?? 1, stdout, stderr };
}

/**
 * Returns the path of npm's JavaScript entry point, which Node can run on every system. `npm.cmd` would need a shell.
 */
function findNpm(): string {
	const folder = path.dirname(process.execPath);
	const places = [
		process.env["npm_execpath"] ?? "",
		path.join(folder, "node_modules", "npm", "bin", "npm-cli.js"),
		path.join(folder, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
		path.join(folder, "npm"),
	];
	const found = places
		.filter((place) => existsSync(place))
		.map((place) => realpathSync(place))
		.find((place) => path.basename(place) === "npm-cli.js");
	if (found === undefined)
		throw new Error(`npm was not found next to ${process.execPath}: run the tests with npm test`);
	return found;
}

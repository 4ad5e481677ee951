// `npm run bench -- NAME [--json]` runs the benchmark in src/bench/NAME.ts or src/bench/NAME/NAME.ts. It starts a new
// process because Node needs command-line options to load tsx (for TypeScript) and to expose the garbage collector (for
// memory measurements).

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = new URL("./src/bench/", import.meta.url);
const benchmarks = findBenchmarks();
const [name, ...rest] = process.argv.slice(2);

if (name !== undefined && benchmarks.has(name)) run(name, rest);
else {
	const problem = name === undefined ? "No benchmark specified." : `Unknown benchmark "${name}".`;
	const width = Math.max(...[...benchmarks.keys()].map((each) => each.length));
	const list = [...benchmarks].map(([each, { about }]) => `  ${each.padEnd(width)}  ${about}\n`);
	process.stderr.write(`${problem}\n\nUsage: npm run bench -- NAME [--json]\n\n${list.join("")}`);
	process.exitCode = 2;
}

/** Finds the benchmarks: files whose first line is `// Benchmark:` and a description. */
function findBenchmarks() {
	const found = new Map();
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const name = path.parse(entry.name).name;
		const file = fileOf(name, entry.isDirectory());
		if (!existsSync(file)) continue;
		const about = /^\/\/ Benchmark: (.*)/.exec(readFileSync(file, "utf8"))?.[1];
		if (about !== undefined) found.set(name, { about, file });
	}
	return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fileOf(name, hasFolder) {
	return fileURLToPath(new URL(hasFolder ? `${name}/${name}.ts` : `${name}.ts`, folder));
}

function run(benchmark, args) {
	const { file } = benchmarks.get(benchmark);
	const child = spawn(process.execPath, ["--expose-gc", "--import", import.meta.resolve("tsx"), file, ...args], {
		stdio: "inherit",
	});
	// Ctrl-C also reaches the benchmark through the terminal. Wait until it exits, and return its exit code.
	process.on("SIGINT", () => {});
	process.on("SIGTERM", () => child.kill("SIGTERM"));
	child.on("error", (error) => {
		process.stderr.write(`Cannot start ${benchmark}: ${error.message}\n`);
		process.exitCode = 1;
	});
	child.on("exit", (code, signal) => {
		process.exitCode = signal === null ? code : 128 + constants.signals[signal];
	});
}

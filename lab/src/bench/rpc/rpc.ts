// Benchmark: notifications and round trips between two processes, compared with bare JSON lines and two other libraries

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { interleave, median } from "../rounds.js";
import { CHANGES, ContenderProcess, ROUND_TRIPS, type Times } from "./contender.js";

// Timings differ between starts, depending on JIT compilation and memory layout, so all processes are started several
// times.
const STARTS = 3;
// An agent runs for hours, so measure the speed after JIT compilation.
const WARM_UP_ROUNDS = 2;
const ROUNDS = 5;

/** Files in this folder, each a complete program. */
const CONTENDERS = ["bare", "ours", "sdk", "vscode-jsonrpc"] as const;
type Name = (typeof CONTENDERS)[number];

const folder = mkdtempSync(join(tmpdir(), "segue-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// Without these listeners, a signal would end the process before it removes the folder.
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

showProgress("bundling the contenders");
await bundle();
const times: Record<Name, Times[]> = { bare: [], ours: [], sdk: [], "vscode-jsonrpc": [] };
for (let start = 1; start <= STARTS; start++) await competition(start);
clearProgress();
report(
	[
		...figuresOf("changes", `${CHANGES.toLocaleString("en-US")} document/didChange`, 1.8),
		...figuresOf("roundTrips", `${ROUND_TRIPS.toLocaleString("en-US")} nes/suggest round trips`, 2),
	],
	process.argv,
);

/** Bundles each contender into one file, so that none pays for a TypeScript loader or module resolution. */
async function bundle(): Promise<void> {
	await build({
		entryPoints: CONTENDERS.map((name) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))),
		outdir: folder,
		outExtension: { ".js": ".cjs" },
		bundle: true,
		platform: "node",
		target: "node20",
		format: "cjs",
		logLevel: "error",
	});
}

/** Starts all contenders and runs them one after another. While one runs, the others are idle. */
async function competition(start: number): Promise<void> {
	const pairs = CONTENDERS.map((name) => [name, new ContenderProcess(join(folder, `${name}.cjs`))] as const);
	const turns = Object.fromEntries(pairs.map(([name, pair]) => [name, () => pair.measure()])) as Record<
		Name,
		() => Promise<Times>
	>;
	const where = `start ${start} of ${STARTS}`;
	await interleave(turns, WARM_UP_ROUNDS, () => showProgress(`${where}: warming up`));
	const samples = await interleave(turns, ROUNDS, (round) => showProgress(`${where}: round ${round + 1} of ${ROUNDS}`));
	for (const [name, pair] of pairs) {
		times[name].push(...samples[name]);
		pair.stop();
	}
}

function figuresOf(kind: keyof Times, what: string, timesAtMost: number): Measurement[] {
	const timeOf = (name: Name) => median(times[name].map((sample) => sample[kind]));
	const unit = "ms";
	const against = { name: "bare JSON lines", value: timeOf("bare") };
	return [
		{ figure: `${what}, @segue/rpc`, value: timeOf("ours"), unit, against, target: { timesAtMost } },
		{ figure: `${what}, ACP SDK`, value: timeOf("sdk"), unit, against },
		{ figure: `${what}, vscode-jsonrpc`, value: timeOf("vscode-jsonrpc"), unit, against },
	];
}

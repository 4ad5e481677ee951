// Runs a package's property tests many times with random seeds: npm run fuzz -- text [RUNS]
import { existsSync } from "node:fs";
import path from "node:path";
import { root, runTool } from "./tool.mjs";

const RUNS = 50_000;

const [name = "", runs = String(RUNS)] = process.argv.slice(2);
if (name === "" || !existsSync(path.join(root, "packages", name, "package.json")) || !/^\d+$/.test(runs)) {
	console.error("Specify the package to fuzz and, optionally, the number of runs: npm run fuzz -- text 100000");
	process.exit(2);
}
console.log(`Fuzzing packages/${name}, ${runs} runs of each property…`);
process.exitCode = runTool("vitest", ["run", `packages/${name}/`], { FUZZ_RUNS: runs });

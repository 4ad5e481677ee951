// `npm test` checks a change in a few minutes; `npm test -- --all` runs everything that must pass before a change lands. Other
// arguments are passed to vitest. setup.cjs has already checked the types and built the packages.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, runTool } from "./tool.mjs";

const args = process.argv.slice(2).filter((arg) => arg !== "--all");
const isAll = process.argv.includes("--all");
if (args.length > 0) console.log(`Running lint, format and: vitest run ${args.join(" ")}`);
else if (isAll) console.log("Running all tests: about 15 minutes on two cores.");
else
	console.log("Running the tests: about 4 minutes on two cores. npm test -- --all runs everything, about 15 minutes.");

console.log("Checking lint and format…");
const lint = runTool("@biomejs/biome", ["check", "--error-on-warnings"]);

console.log("Running the tests…");
const folder = mkdtempSync(path.join(tmpdir(), "segue-test-"));
const file = path.join(folder, "counts.json");
const reporters = [`--reporter=${path.join(root, "scripts", "test-progress.mjs")}`, "--reporter=minimal"];
const env = { SEGUE_TEST_COUNTS: file, ...(isAll ? { SEGUE_TESTS: "all" } : {}) };
const tests = runTool("vitest", ["run", ...reporters, ...args], env);
const counts = readCounts();
rmSync(folder, { recursive: true });

const passed = 1 + (lint === 0 ? 1 : 0) + counts.passed;
const failed = (lint === 0 ? 0 : 1) + (tests === 0 ? counts.failed : Math.max(counts.failed, 1));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * Reads the number of tests by state. If there is no file, vitest could not start, which counts as one failure. Vitest
 * has printed the reason.
 */
function readCounts() {
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		return { passed: 0, failed: 1 };
	}
}

// Everything that must hold before a change lands. Types and build were checked on the way here, by setup.cjs.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTool } from "./tool.mjs";

console.log("Checking lint and format…");
const lint = runTool("@biomejs/biome", ["check", "--error-on-warnings"]);

console.log("Running the tests…");
const folder = mkdtempSync(path.join(tmpdir(), "segue-test-"));
const results = path.join(folder, "results.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
const tests = runTool("vitest", ["run", ...reporters, ...process.argv.slice(2)]);
const counted = readResults();
rmSync(folder, { recursive: true });

const passed = 1 + (lint === 0 ? 1 : 0) + counted.passed;
const failed = (lint === 0 ? 0 : 1) + (tests === 0 ? counted.failed : Math.max(counted.failed, 1));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Vitest writes no results when it cannot start; that is one failure, and its own words stand above. */
function readResults() {
	try {
		const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(results, "utf8"));
		return { passed: numPassedTests, failed: numFailedTests };
	} catch {
		return { passed: 0, failed: 1 };
	}
}

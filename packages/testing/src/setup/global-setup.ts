import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CHROMIUM } from "../playground/chromium.js";

/** Runs once before all tests. Returns the teardown function. */
export function setup(): () => void {
	if (CHROMIUM === undefined) {
		process.stderr.write(
			"Skipping the browser tests: Chromium was not found. Run `npm run setup:browser` to install it, or set CHROMIUM.\n",
		);
	}
	// Prevents `segue` processes that have no SEGUE_HOME of their own from writing to the user's home.
	const home = mkdtempSync(path.join(tmpdir(), "segue-test-home-"));
	process.env["SEGUE_HOME"] = home;
	return () => rmSync(home, { recursive: true, force: true });
}

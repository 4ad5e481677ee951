import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CHROMIUM } from "../playground/chromium.js";

/** Run once before all tests. Returns the teardown. */
export function setup(): () => void {
	if (CHROMIUM === undefined) {
		process.stderr.write(
			"The browser tests are skipped, because there is no Chromium: npm run setup:browser installs it, or set CHROMIUM.\n",
		);
	}
	// A `segue` that a test starts without a home of its own must not write into the user's.
	const home = mkdtempSync(path.join(tmpdir(), "segue-test-home-"));
	process.env["SEGUE_HOME"] = home;
	return () => rmSync(home, { recursive: true, force: true });
}

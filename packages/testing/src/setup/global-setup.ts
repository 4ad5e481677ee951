import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Run once before all tests: a `segue` that a test starts without a home of its own writes nothing into the person's. */
export function setup(): () => void {
	const home = mkdtempSync(path.join(tmpdir(), "segue-test-home-"));
	process.env["SEGUE_HOME"] = home;
	return () => rmSync(home, { recursive: true, force: true });
}

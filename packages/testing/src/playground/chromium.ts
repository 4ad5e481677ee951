import { existsSync } from "node:fs";

/** Where Chromium is on this machine: where CHROMIUM says, or where apt puts it. Undefined where there is none. */
export const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium"].find(
	(place) => place !== undefined && existsSync(place),
);

/** Run once before all tests, so that what is left out is told in one line. */
export function setup(): void {
	if (CHROMIUM !== undefined) return;
	process.stderr.write(
		"The browser tests are skipped, because there is no Chromium: npm run setup:browser installs it, or set CHROMIUM.\n",
	);
}

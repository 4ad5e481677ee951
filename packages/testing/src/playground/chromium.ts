import { existsSync } from "node:fs";

/**
 * The path of Chromium: the value of CHROMIUM, or the place where apt installs it. Undefined if it is not installed.
 */
export const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium"].find(
	(place) => place !== undefined && existsSync(place),
);

import { existsSync } from "node:fs";

/** The path of Chromium: the value of CHROMIUM, or where apt installs it. Undefined if there is none. */
export const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium"].find(
	(place) => place !== undefined && existsSync(place),
);

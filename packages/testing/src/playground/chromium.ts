import { existsSync } from "node:fs";

/** The path of Chromium: the value of CHROMIUM, or apt's install location. Undefined if Chromium is not installed. */
export const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium"].find(
	(place) => place !== undefined && existsSync(place),
);

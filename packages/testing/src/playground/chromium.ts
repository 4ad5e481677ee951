import { existsSync } from "node:fs";

/** Where Chromium is on this machine: where CHROMIUM says, or where apt puts it. Undefined where there is none. */
export const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium"].find(
	(place) => place !== undefined && existsSync(place),
);

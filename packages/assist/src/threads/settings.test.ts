import { expect, test } from "vitest";
import { readSettings } from "./settings.js";

test("ignores settings from a newer version of Segue", () => {
	const stored = { mode: "dream", model: "p/m", effort: "utmost", colour: "red" };
	expect(readSettings(JSON.stringify(stored))).toEqual({ model: "p/m" });
});

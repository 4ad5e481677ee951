import { expect, test } from "vitest";
import { readSettings } from "./settings.js";

test("settings of a newer Segue are left out where this one does not know them", () => {
	const kept = { mode: "dream", model: "p/m", effort: "utmost", colour: "red" };
	expect(readSettings(JSON.stringify(kept))).toEqual({ model: "p/m" });
});

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeWeights } from "./weights-file.js";

test("writes weights by name, rounded to two digits, without zeros", () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-weights-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const file = { path: path.join(folder, "w.ts"), command: "npm run fit", features: "features.ts", constant: "W" };
	expect(writeWeights(file, ["rank 1", "all", "rank 2"], Float64Array.of(-0.126, 0.5, 0.004))).toBe(2);
	expect(
		readFileSync(file.path, "utf8"),
	).toBe(`// Written by \`npm run fit\`. See features.ts for the meaning of each weight.
export const W: Readonly<Record<string, number>> = {
	all: 0.5,
	"rank 1": -0.13,
};
`);
});

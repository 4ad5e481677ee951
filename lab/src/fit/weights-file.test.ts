import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { roundWeights, writeForest, writeWeights } from "./weights-file.js";

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

test("rounds weights as they are written", () => {
	expect([...roundWeights(Float64Array.of(-0.126, 0.004))]).toEqual([-0.13, 0]);
});

test("writes trees with only the features that they use", () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-trees-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const file = path.join(folder, "trees.ts");
	const forest = { names: ["unused", "support"], thresholds: [[], [2]], nodes: [1, 0, 100, -1, -500, -1, 700] };
	expect(writeForest(file, forest)).toBe(3);
	expect(readFileSync(file, "utf8")).toBe(`import type { PackedForest } from "./forest.js";

// Written by \`npm run fit\`. See features.ts for the meaning of each feature.
// biome-ignore format: one line for each part
export const TREES: PackedForest = {
	names: ["support"],
	thresholds: [[2]],
	nodes: [0,0,100,-1,-500,-1,700],
};
`);
});

import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import { expect, test } from "vitest";
import type { Case } from "./cases.js";
import { dumpCase } from "./dump.js";

const outliner = await inProcessOutliner();

const kase: Case = {
	id: "made/up@1",
	language: "typescript",
	files: { "a.ts": "open(one)\nopen(two)\n\nopen(two)\n" },
	context: {},
	steps: [
		{ path: "a.ts", oldStart: 0, oldLines: ["open(one)"], newLines: ["read(one)"] },
		{ path: "a.ts", oldStart: 1, oldLines: ["open(two)"], newLines: ["read(two)"] },
	],
	stepOrder: [0, 1],
	stepEvalAt: [1],
};

test("a dump has a line for each state, each followed by a line for each candidate", () => {
	const lines = dumpCase(kase, outliner).map((line) => JSON.parse(line));
	const states = lines.filter(({ type }) => type === "state");
	expect(states).toMatchObject([
		{ repo: "made/up", language: "typescript", k: 1, cursorPath: "a.ts", cursorLine: 0, final: false },
		{ k: 2, final: true, left: [] },
	]);
	expect(states[0]).toMatchObject({
		history: [{ path: "a.ts", line: 0, old: "open(one)", new: "read(one)" }],
		left: [kase.steps[1]],
	});
	expect(lines[0]).toBe(states[0]);
	const candidates = lines.slice(1, lines.indexOf(states[1]));
	expect(candidates.every(({ type }) => type === "candidate")).toBe(true);
	const onLine = (line: number) => candidates.find((one) => one.line === line && one.newText === "read(two)");
	expect(onLine(1)).toMatchObject({
		...{ path: "a.ts", oldText: "open(two)", right: true, label: "exact" },
		...{ above: ["read(one)"], below: ["", "open(two)", ""] },
	});
	expect(onLine(3)).toMatchObject({ right: false });
	expect(onLine(1).features).toMatchObject({ repeat: 1 });
});

import { Text } from "@segue/text";
import { expect, test } from "vitest";
import type { Candidate, Features, Finding } from "../candidate.js";
import { examplesOf, History } from "../index.js";
import { sceneOf } from "../scene.js";
import { pool } from "./pool.js";

const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of("let cnt = 1\nlog(cnt)\n") };
const scene = sceneOf(document, History.empty, 0);

/** A finding that replaces a string on the second line. */
function finding(predictor: Finding["predictor"], old: string, now: string, features: Features = {}): Finding {
	const from = document.text.toString().lastIndexOf(old);
	const edits = [{ from, to: from + old.length, insert: now }];
	const rest = { rule: `${predictor} ${old}`, why: () => `reason of ${predictor}`, features: [features] };
	return { proposal: { kind: "edit", uri: document.uri, edits }, predictor, ...rest };
}

function pooled(...findings: Finding[]) {
	return pool(scene, examplesOf(History.empty), findings);
}

function featuresOf(candidate: Candidate | undefined): Features {
	return Object.fromEntries(candidate?.features ?? []);
}

test("merges findings with the same effect, even if their edits differ", () => {
	const [candidate, ...others] = pooled(
		finding("repeat", "log(cnt)", "log(count)", { support: 1, line: 1 }),
		finding("rename", "cnt", "count", { support: 2 }),
	);
	expect(others).toEqual([]);
	expect(candidate).toMatchObject({
		predictor: "rename",
		rules: ["rename cnt", "repeat log(cnt)"],
	});
	expect(candidate?.why([])).toBe("reason of rename");
	const merged = { rename: 1, repeat: 1, "rename.support": 2, "repeat.line": 1, support: 2, predictors: 2, rivals: 0 };
	expect(featuresOf(candidate)).toMatchObject(merged);
});

test("counts the candidates that change the same part of the line, another part, or more of it", () => {
	const candidates = pooled(
		finding("rename", "cnt", "count"),
		finding("repeat", "cnt", "total"),
		finding("repeat", "log", "print"),
		finding("template", "log(cnt)", "print(count)"),
	);
	const counts = (one: Candidate) => ["rivals", "beside", "whole"].map((name) => one.features.get(name));
	expect(candidates.map(counts)).toEqual([
		[1, 1, 1],
		[1, 1, 1],
		[0, 2, 1],
		[3, 0, 0],
	]);
});

test("skips findings that change nothing or are for an unknown document", () => {
	const { proposal, ...rest } = finding("rename", "cnt", "count");
	expect(pooled(finding("repeat", "cnt", "cnt"), { ...rest, proposal: { ...proposal, uri: "b.ts" } })).toEqual([]);
});

test("does not count a jump to the line as a competing candidate", () => {
	const { proposal: _, ...rest } = finding("jump", "cnt", "count");
	const jump: Finding = { ...rest, proposal: { kind: "jump", uri: document.uri, at: document.text.length - 5 } };
	const [edit] = pooled(finding("rename", "cnt", "count"), jump);
	expect(featuresOf(edit)).toMatchObject({ rivals: 0, beside: 0, whole: 0 });
});

test("keeps the largest value of a predictor's feature, and merges shared features by their own rule", () => {
	const [candidate] = pooled(
		finding("repeat", "cnt", "count", { line: 3, left: 1, support: 1, age: 4 }),
		finding("repeat", "cnt", "count", { line: 2, left: 5, support: 2, age: 1 }),
	);
	const merged = { "repeat.line": 3, left: 1, support: 2, age: 1, rules: 2, predictors: 1 };
	expect(featuresOf(candidate)).toMatchObject(merged);
});

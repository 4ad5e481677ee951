import { sceneOf } from "@segue/testing";
import { Text } from "@segue/text";
import { expect, test } from "vitest";
import type { Finding } from "./candidate.js";
import { examplesOf, History } from "./index.js";
import { pool } from "./pool.js";

const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of("let cnt = 1\nlog(cnt)\n") };
const scene = sceneOf(document, History.empty, 0);

/** A finding that writes a text in place of another one on the second line. */
function finding(predictor: Finding["predictor"], old: string, now: string, features = {}): Finding {
	const from = document.text.toString().lastIndexOf(old);
	const edits = [{ from, to: from + old.length, insert: now }];
	const said = { rule: `${predictor} ${old}`, why: `${predictor} says so`, features };
	return { proposal: { kind: "edit", uri: document.uri, edits }, predictor, ...said };
}

function pooled(...findings: Finding[]) {
	return pool(scene, examplesOf(History.empty), findings);
}

test("makes one candidate of what writes the same, in whatever pieces", () => {
	const [candidate, ...others] = pooled(
		finding("repeat", "log(cnt)", "log(count)", { support: 1, line: 1 }),
		finding("rename", "cnt", "count", { support: 2 }),
	);
	expect(others).toEqual([]);
	expect(candidate).toMatchObject({
		predictor: "rename",
		why: "rename says so",
		rules: ["rename cnt", "repeat log(cnt)"],
		features: { rename: 1, repeat: 1, "rename.support": 2, "repeat.line": 1, support: 2, predictors: 2, rivals: 0 },
	});
});

test("counts what would change the same part of the line, another part, and more of it", () => {
	const candidates = pooled(
		finding("rename", "cnt", "count"),
		finding("repeat", "cnt", "total"),
		finding("repeat", "log", "print"),
		finding("template", "log(cnt)", "print(count)"),
	);
	expect(candidates.map(({ features: { rivals, beside, whole } }) => [rivals, beside, whole])).toEqual([
		[1, 1, 1],
		[1, 1, 1],
		[0, 2, 1],
		[3, 0, 0],
	]);
});

test("passes over what changes nothing, and what is for a document that is not there", () => {
	const { proposal, ...said } = finding("rename", "cnt", "count");
	expect(pooled(finding("repeat", "cnt", "cnt"), { ...said, proposal: { ...proposal, uri: "b.ts" } })).toEqual([]);
});

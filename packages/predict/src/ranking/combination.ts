import { sameUri } from "@segue/text";
import { type Finding, featureOf } from "../candidate.js";
import { documentOf, type Scene } from "../scene.js";
import type { Proposal } from "../suggestion.js";

// If a line has more changes than this, at least one is probably wrong.
const TOGETHER_MAX = 4;

type EditFinding = Finding & { readonly proposal: Extract<Proposal, { kind: "edit" }> };

/**
 * Combines findings that change different parts of one line, because a user on that line makes all the changes at once.
 */
export function combine(scene: Scene, findings: readonly Finding[]): Finding[] {
	const byLine = new Map<string, EditFinding[]>();
	for (const finding of findings) {
		if (finding.proposal.kind !== "edit" || !isCombined(finding)) continue;
		const key = lineKey(scene, finding.proposal);
		if (key === undefined) continue;
		const others = byLine.get(key);
		if (others === undefined) byLine.set(key, [finding as EditFinding]);
		else others.push(finding as EditFinding);
	}
	return [...byLine.values()].flatMap(together);
}

/** Only rules about names and tokens are combined. The others rewrite a whole line. */
function isCombined(finding: Finding): boolean {
	if (finding.isDoubtful) return false;
	const isKnownBy = (name: string) => featureOf(finding, name) === 1;
	return finding.predictor === "rename" || (finding.predictor === "repeat" && ["near", "wide", "name"].some(isKnownBy));
}

/** Returns a key for the line of the edits, or undefined if they are on several lines. */
function lineKey(scene: Scene, { uri, edits }: EditFinding["proposal"]): string | undefined {
	const document = documentOf(scene, uri);
	const first = edits[0];
	const last = edits.at(-1);
	if (document === undefined || first === undefined || last === undefined) return undefined;
	const line = document.text.lineAt(first.from);
	return line === document.text.lineAt(last.to) ? `${line} ${uri}` : undefined;
}

/** Combines the findings for one line that don't overlap, preferring the changes that the user made most often. */
function together(findings: readonly EditFinding[]): Finding[] {
	const chosen: EditFinding[] = [];
	const ranked = findings.toSorted((a, b) => weightOf(b) - weightOf(a));
	for (const finding of ranked) {
		if (chosen.length < TOGETHER_MAX && chosen.every((other) => areApart(other, finding))) chosen.push(finding);
	}
	const first = chosen[0];
	if (first === undefined || chosen.length < 2) return [];
	const edits = chosen.flatMap(({ proposal }) => proposal.edits).toSorted((a, b) => a.from - b.from);
	const least = (name: string) => Math.min(...chosen.map((one) => featureOf(one, name) ?? 0));
	const most = (name: string) => Math.max(...chosen.map((one) => featureOf(one, name) ?? 0));
	return [
		{
			...first,
			predictor: "repeat",
			proposal: { ...first.proposal, edits },
			rule: `together ${chosen.map(({ rule }) => rule).join(" and ")}`,
			features: [
				{
					together: chosen.length,
					support: least("support"),
					age: most("age"),
					rank: least("rank"),
					skipped: most("skipped"),
					left: most("left"),
					share: least("share"),
					similar: most("similar"),
					linesAbove: most("linesAbove"),
					linesBelow: most("linesBelow"),
					against: most("against"),
					"together.partly": least("partly"),
				},
			],
		},
	];
}

/** Prefers changes that were made more often and more recently. */
function weightOf(finding: Finding): number {
	const value = (name: string) => featureOf(finding, name) ?? 0;
	return value("support") * 10 - value("age") + value("wide") + value("near");
}

function areApart(a: EditFinding, b: EditFinding): boolean {
	if (!sameUri(a.proposal.uri, b.proposal.uri)) return false;
	return a.proposal.edits.every((one) => b.proposal.edits.every((other) => one.to < other.from || other.to < one.from));
}

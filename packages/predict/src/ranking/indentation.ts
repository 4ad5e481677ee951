import type { Document, Edit } from "@segue/text";
import type { Finding } from "../candidate.js";
import type { Example } from "../example.js";
import type { EditedFile } from "../history.js";
import { indentOf } from "../languages/identifiers.js";
import { documentOf, type Scene } from "../scene.js";

// If the user indents code line by line, the next line to change gets the new indent too.

type EditFinding = Finding & { readonly proposal: { readonly kind: "edit" } };

/**
 * Returns the findings, and for each that changes a line next to one that the user indented differently, a finding that
 * also changes the indent.
 */
export function indent(scene: Scene, examples: readonly Example[], findings: readonly Finding[]): readonly Finding[] {
	const shifts = shiftsOf(examples);
	if (shifts.size === 0) return findings;
	return findings.flatMap((finding) => (isEdit(finding) ? indentEach(scene, shifts, finding) : [finding]));
}

function isEdit(finding: Finding): finding is EditFinding {
	return finding.proposal.kind === "edit";
}

function indentEach(scene: Scene, shifts: Shifts, finding: EditFinding): Finding[] {
	const { proposal, features } = finding;
	const document = documentOf(scene, proposal.uri);
	const edits = document && indentedEdits(scene, document, shifts, proposal.edits);
	if (edits === undefined) return [finding];
	return [
		{ ...finding, features: [...features, { keepsIndent: 1 }] },
		{ ...finding, proposal: { ...proposal, edits }, features: [...features, { indents: 1 }] },
	];
}

/** The old and new indent of a line that the user changed. */
interface IndentShift {
	readonly before: string;
	readonly after: string;
}

/** For each file, the lines whose indent the user changed, by current line number. */
type Shifts = ReadonlyMap<EditedFile, ReadonlyMap<number, IndentShift>>;

function shiftsOf(examples: readonly Example[]): Shifts {
	const shifts = new Map<EditedFile, Map<number, IndentShift>>();
	for (const { file, at, before, after } of examples) {
		if (before === undefined || after === undefined || indentOf(before) === indentOf(after)) continue;
		const lines = shifts.get(file) ?? new Map<number, IndentShift>();
		shifts.set(file, lines.set(file.now.lineAt(at), { before: indentOf(before), after: indentOf(after) }));
	}
	return shifts;
}

/** Adds a change of indent to edits of one line; undefined if no line next to it was indented in the same way. */
function indentedEdits(
	scene: Scene,
	{ uri, text }: Document,
	shifts: Shifts,
	edits: readonly Edit[],
): readonly Edit[] | undefined {
	const [first, ...others] = edits.toSorted((a, b) => a.from - b.from);
	const last = others.at(-1) ?? first;
	const file = scene.history.fileOf(uri);
	const lines = file && shifts.get(file);
	if (lines === undefined || first === undefined || last === undefined) return undefined;
	// Inserted lines have their own indent.
	if (edits.some(({ insert }) => /[\r\n]/.test(insert))) return undefined;
	const line = text.lineAt(first.from);
	const from = text.lineStart(line);
	if (last.to > text.lineEnd(line) || lines.has(line)) return undefined;
	const old = indentOf(text.slice(from, text.lineEnd(line)));
	const to = from + old.length;
	const shift = [lines.get(line - 1), lines.get(line + 1)].find((one) => one && old.startsWith(one.before));
	if (shift === undefined || first.from < to) return undefined;
	const insert = shift.after + old.slice(shift.before.length);
	if (first.from === to) return [{ from, to: first.to, insert: insert + first.insert }, ...others];
	return [{ from, to, insert }, first, ...others];
}

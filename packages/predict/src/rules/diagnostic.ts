import { type Document, type Edit, sameUri } from "@segue/text";
import type { Features, Finding } from "../candidate.js";
import type { Example } from "../example.js";
import { editedLinesOf, touchedIn } from "../history.js";
import { isName, wordsOf } from "../languages/identifiers.js";
import { addImport, importAt, removeImport } from "../languages/imports.js";
import type { Diagnostic, Scene } from "../scene.js";
import { sourceOf } from "../symbols/exports.js";
import { addAwait, makeAsync } from "./missing-await.js";

// Diagnostics further away are probably unrelated to the user's edit.
const NEAR_LINES = 12;
// In a badly broken build, most diagnostics are unrelated to the last edit.
const DIAGNOSTICS_MAX = 50;
const FINDINGS_MAX = 3;
// The start of a message describes the problem; the rest is advice.
const MESSAGE_MAX = 1000;

/**
 * Fixes diagnostics near the user's edit if the fix is clear: imports an exported name, adds a missing `await` or
 * `async`, and removes an import with the last use of its name.
 */
export function proposeFixes(scene: Scene, examples: readonly Example[]): Finding[] {
	const { document, diagnostics } = scene;
	const findings: Finding[] = [];
	for (const diagnostic of nearestFirst(scene, diagnostics)) {
		const fix = fixOf(scene, diagnostic, examples);
		if (fix === undefined) continue;
		const ofDiagnostic = {
			error: diagnostic.severity === "error" ? 1 : 0,
			distance: distanceOf(scene, diagnostic),
			asked: scene.trigger === "automatic" ? 0 : 1,
		};
		const proposal = { kind: "edit", uri: document.uri, edits: [fix.edit] } as const;
		findings.push({
			proposal,
			predictor: "diagnostic",
			rule: fix.rule,
			why: () => fix.why,
			features: [fix.features, ofDiagnostic],
		});
		if (findings.length === FINDINGS_MAX) break;
	}
	return findings;
}

function nearestFirst(scene: Scene, diagnostics: readonly Diagnostic[]): Diagnostic[] {
	const { uri, text } = scene.document;
	return diagnostics
		.filter((one) => sameUri(one.uri, uri) && one.from <= one.to && one.to <= text.length)
		.slice(0, DIAGNOSTICS_MAX)
		.toSorted((a, b) => distanceOf(scene, a) - distanceOf(scene, b) || a.from - b.from);
}

function distanceOf({ document, cursor }: Scene, { from }: Diagnostic): number {
	return Math.abs(document.text.lineAt(from) - document.text.lineAt(cursor));
}

interface Fix {
	readonly edit: Edit;
	readonly rule: string;
	readonly why: string;
	readonly features: Features;
}

// Matches messages from compilers and linters for many languages.
const MISSING =
	/\b(?:cannot find|cannot resolve|could not find|does not exist in the current context|failed to resolve|not defined|not found|undeclared|undefined|unresolved|use of undeclared)\b/i;
const UNUSED = /\b(?:unused|never (?:read|used)|not (?:accessed|used))\b/i;
const OUTSIDE = /\bawait\b.*\b(?:inside|only|outside|within)\b/i;
const UNAWAITED =
	/\b(?:(?:must be|not|never) awaited|(?:are you missing|forg[eo]t(?:ten)? to use|missing) (?:an? )?["'`]?await|use ["'`]?await)\b|\b(?:coroutine|future)\b.*\bmust be used\b/i;

function fixOf(scene: Scene, diagnostic: Diagnostic, examples: readonly Example[]): Fix | undefined {
	const message = diagnostic.message.slice(0, MESSAGE_MAX);
	if (UNUSED.test(message) && !UNAWAITED.test(message)) return unusedFix(scene, diagnostic, examples);
	if (!isNear(scene, diagnostic)) return undefined;
	if (OUTSIDE.test(message)) return asyncFix(scene, diagnostic);
	if (UNAWAITED.test(message)) return awaitFix(scene, diagnostic);
	return MISSING.test(message) ? importFix(scene, diagnostic) : undefined;
}

/** Whether a diagnostic is near the user's edits or, unless the request is automatic, near the cursor. */
function isNear(scene: Scene, diagnostic: Diagnostic): boolean {
	const { document, history, trigger } = scene;
	const line = document.text.lineAt(diagnostic.from);
	if (trigger !== "automatic") return distanceOf(scene, diagnostic) <= NEAR_LINES;
	const touches = history.fileOf(document.uri)?.touches ?? [];
	return touches.some((touch) => {
		const { first, last } = editedLinesOf(touch, document.text);
		return first - NEAR_LINES <= line && line <= last + NEAR_LINES;
	});
}

// An arrow followed by a space precedes a return type.
const LOOKED_UP = /(?:\.|::|->)$/;

function importFix(scene: Scene, diagnostic: Diagnostic): Fix | undefined {
	const { document } = scene;
	const place = namedBy(document, diagnostic);
	if (place === undefined || LOOKED_UP.test(document.text.slice(Math.max(place.at - 2, 0), place.at))) return undefined;
	const { name } = place;
	const source = sourceOf(name, scene);
	const edit = source && addImport(document, name, source);
	if (source === undefined || edit === undefined) return undefined;
	const why = `\`${name}\` is not defined here; it is available from \`${source.module}\``;
	return { edit, rule: `import ${name} from ${source.module}`, why, features: { import: 1 } };
}

/**
 * Returns the name that a diagnostic is about: the marked name if the message contains it, otherwise the name that the
 * message quotes.
 */
function namedBy({ text }: Document, { from, to, message }: Diagnostic): { name: string; at: number } | undefined {
	const under = text.slice(from, Math.min(to, from + 200));
	const words = wordsOf(message);
	if (isName(under)) return words.includes(under) ? { name: under, at: from } : undefined;
	const quoted = /["'`‘“]([\p{L}\p{N}_$]+)["'`’”]/u.exec(message)?.[1];
	const index = quoted === undefined ? -1 : under.indexOf(quoted);
	return quoted !== undefined && index !== -1 && isName(quoted) ? { name: quoted, at: from + index } : undefined;
}

function unusedFix(scene: Scene, diagnostic: Diagnostic, examples: readonly Example[]): Fix | undefined {
	const { document, history } = scene;
	const found = importAt(document, diagnostic.from);
	if (found === undefined) return undefined;
	const { statement, name } = found;
	// The user is about to use an import that they have just added.
	const isTouched = touchedIn(history, document);
	for (let line = statement.first; line <= statement.last; line++) if (isTouched(line)) return undefined;
	const gone = (name === undefined ? statement.names : [name]).map((one) => one.name.split(".").at(-1) ?? one.name);
	const wasUsed = examples.some(({ file, before = "", after = "" }) => {
		const has = wordsOf(after);
		return (
			sameUri(file.uri, document.uri) && wordsOf(before).some((word) => gone.includes(word) && !has.includes(word))
		);
	});
	if (!wasUsed && scene.trigger === "automatic") return undefined;
	const edit = removeImport(document, statement, name);
	const quoted = gone.map((one) => `\`${one}\``).join(", ");
	const why = `${quoted} ${gone.length === 1 ? "is" : "are"} no longer used`;
	return { edit, rule: `unimport ${gone.join(", ")}`, why, features: { unused: 1 } };
}

function asyncFix({ document }: Scene, { from }: Diagnostic): Fix | undefined {
	const edit = makeAsync(document, from);
	return edit && { edit, rule: "async", why: "The function uses `await`", features: { async: 1 } };
}

function awaitFix({ document }: Scene, { from, to }: Diagnostic): Fix | undefined {
	const edit = addAwait(document, from, to);
	const called = wordsOf(document.text.slice(from, Math.min(to, from + 200))).find((word) => isName(word));
	const why = called === undefined ? "This expression must be awaited" : `\`${called}\` must be awaited`;
	return edit && { edit, rule: "await", why, features: { await: 1 } };
}

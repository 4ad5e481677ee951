import { type Document, sameUri } from "@segue/text";
import type { Finding } from "../candidate.js";
import type { Example } from "../example.js";
import { explanationOf, type RemainingSite } from "../explanation.js";
import { touchedIn } from "../history.js";
import { declarationAt, isMember, isName, LINE_MAX, sameLanguage, wordsOf } from "../languages/identifiers.js";
import { isImportLine } from "../languages/imports.js";
import { isCode } from "../languages/languages.js";
import { partAt } from "../languages/parts.js";
import { inVisitOrder } from "../ranking/site.js";
import { type Diagnostic, documentOf, isOpen, outlineOf, type Scene } from "../scene.js";
import { documentsWith, filesWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { hasOtherType } from "../symbols/declared-type.js";
import { mentionsOf } from "../symbols/mentions.js";
import { revisionsIn } from "../symbols/signature-revision.js";
import { type ChangedName, isImportedFrom, isSameThing } from "../symbols/symbol-meaning.js";

// If there are more uses, most of them are unlikely to need a change.
const MENTIONS_MAX = 20;
// Users don't visit more than this many errors one by one.
const ERRORS_MAX = 20;
// Shorter strings occur twice by chance.
const TEXT_MIN = 8;
// While the user is still typing the new string, most of it is missing.
const TEXT_SHARE_MIN = 0.75;
// A string that occurs more often is not a message shared by code and its tests.
const TEXTS_MAX = 3;

/**
 * Jumps to the location that the user has to change next, if there is no edit to suggest: the nearest error that an
 * edit caused, a use of a declaration whose type changed, or the same string in another file. Returns a finding for
 * every location, nearest first, because the gate skips those that the user has visited. Only for editors that support
 * jumps.
 */
export function proposeJumps(scene: Scene, examples: readonly Example[]): Finding[] {
	if (!scene.kinds.has("jump")) return [];
	const errors = errorJumps(scene, examples);
	if (errors.length > 0) return errors;
	return [...useJumps(scene, examples), ...textJumps(scene, examples)];
}

/** Jumps to errors about the user's last change, nearest first. On a manual request, jumps to all errors. */
function errorJumps(scene: Scene, examples: readonly Example[]): Finding[] {
	const words = changedWords(examples.at(-1));
	const cursorLine = scene.document.text.lineAt(scene.cursor);
	const open = scene.diagnostics.flatMap((diagnostic) => {
		const document = documentOf(scene, diagnostic.uri);
		if (document === undefined || diagnostic.severity !== "error" || diagnostic.from > document.text.length) return [];
		const line = document.text.lineAt(diagnostic.from);
		const isHere = document === scene.document;
		if (isHere && line === cursorLine) return [];
		const isAbout = wordsOf(diagnostic.message).some((word) => words.has(word));
		if (!isAbout && scene.trigger !== "manual") return [];
		return [{ diagnostic, document, isAbout, isHere, distance: isHere ? Math.abs(line - cursorLine) : 0 }];
	});
	const nearest = open.toSorted((a, b) => {
		return Number(b.isAbout) - Number(a.isAbout) || Number(b.isHere) - Number(a.isHere) || a.distance - b.distance;
	});
	return nearest.slice(0, ERRORS_MAX).map(({ diagnostic, document, isAbout }) => ({
		proposal: { kind: "jump", uri: document.uri, at: diagnostic.from },
		predictor: "jump",
		rule: `error ${firstLine(diagnostic)}`,
		why: () => firstLine(diagnostic),
		features: [{ error: 1, about: isAbout ? 1 : 0, left: open.length }],
	}));
}

/** The names that were added to or removed from a line, and the first names on it. */
function changedWords(example: Example | undefined): Set<string> {
	const before = wordsOf(example?.before ?? "");
	const after = wordsOf(example?.after ?? "");
	const changed = [
		...before.filter((word) => !after.includes(word)),
		...after.filter((word) => !before.includes(word)),
	];
	const declared = after.filter((_, i) => i < 3 && before.length > 0);
	return new Set([...changed, ...declared].filter((word) => isName(word)));
}

function firstLine({ message }: Diagnostic): string {
	return message.split(/\r\n|\r|\n/, 1)[0] ?? "";
}

/** Jumps to the uses of a declaration on the newest changed line, if its type changed but its name did not. */
function useJumps(scene: Scene, examples: readonly Example[]): Finding[] {
	const changed = redeclared(scene, examples);
	if (changed === undefined) return [];
	const name = changed.oldName;
	const search = new Search(name);
	const { languageId } = scene.document;
	const documents = filesWith(scene, search).filter((one) => {
		if (!sameLanguage(one.languageId, languageId)) return false;
		return isOpen(scene, one) || isImportedFrom(one, search, [changed.document.uri]);
	});
	const uses = documents.flatMap((document) => usesIn(scene, document, search, changed));
	if (uses.length > MENTIONS_MAX) return [];
	const change = `You changed the type of \`${name}\``;
	return jumpsTo(scene, uses, { rule: `uses of ${changed.line.trim()}`, noun: "use", change });
}

/** Returns a jump to each location, in visit order. */
function jumpsTo(
	scene: Scene,
	places: readonly RemainingSite[],
	{ rule, noun, change }: { readonly rule: string; readonly noun: string; readonly change: string },
): Finding[] {
	const cursorLine = scene.document.text.lineAt(scene.cursor);
	const away = places.filter(({ document, from }) => {
		return document !== scene.document || document.text.lineAt(from) !== cursorLine;
	});
	// The location at the cursor is not counted, because the user is already there.
	const why = explanationOf(scene, change, away, noun);
	const next = inVisitOrder(scene, away, ({ document, from }) => ({ document, from, count: 1 }));
	return next.map(({ document, from }) => ({
		proposal: { kind: "jump", uri: document.uri, at: from },
		predictor: "jump",
		rule,
		why,
		features: [{ use: 1, left: places.length }],
	}));
}

/** Returns the name whose type changed on the newest changed line, and the current text of that line. */
function redeclared(scene: Scene, examples: readonly Example[]): (ChangedName & { readonly line: string }) | undefined {
	const { before, after, edits, file, at } = examples.at(-1) ?? {};
	if (before === undefined || after === undefined || file === undefined || at === undefined) return undefined;
	if (before.length > LINE_MAX || after.length > LINE_MAX) return undefined;
	if (!isCode(file.languageId) || partAt({ ...file, version: 0, text: file.now }, at) !== "code") return undefined;
	for (const { 0: name, index } of before.matchAll(/[\p{L}\p{N}_$]+/gu)) {
		if (!isName(name) || name.length < 2 || declarationAt(before, index, name) === undefined) continue;
		const isKept = !edits?.some(({ from, to }) => from < index + name.length && index < to);
		// Another predictor handles the calls to a function whose parameters changed.
		const close = before[index + name.length] === "(" ? before.lastIndexOf(")") : -1;
		if (edits?.every(({ from }) => index < from && from <= close)) return undefined;
		if (revisionsIn(examples).some(({ signature }) => signature.name === name)) return undefined;
		const now = after.indexOf(name);
		const document = documentOf(scene, file.uri);
		if (!isKept || now === -1 || document === undefined) return undefined;
		if (declarationAt(after, now, name) === undefined) return undefined;
		if (!hasOtherType({ line: before, at: index, name }, { line: after, at: now, name })) return undefined;
		return { document, at: at + now, oldName: name, line: after };
	}
	return undefined;
}

/**
 * Jumps to strings in other files in the same language that equal the message that the user replaced on the newest
 * changed line. Single words don't count, because many are keys or values.
 */
function textJumps(scene: Scene, examples: readonly Example[]): Finding[] {
	const { before = "", after = "", file } = examples.at(-1) ?? {};
	const old = replacedText(before, after);
	if (old === undefined || file === undefined || !isCode(file.languageId)) return [];
	const search = new Search(old);
	const places = documentsWith(scene, search).flatMap((document): RemainingSite[] => {
		if (sameUri(document.uri, file.uri) || !sameLanguage(document.languageId, file.languageId)) return [];
		const { text } = document;
		const isTouched = touchedIn(scene.history, document);
		return (search.in(text) ?? []).flatMap((from) => {
			const to = from + old.length;
			const around = text.slice(Math.max(from - 1, 0), Math.min(to + 1, text.length));
			const isWhole =
				around.length === old.length + 2 && /["'`]/.test(around.charAt(0)) && around.endsWith(around.charAt(0));
			const isOpen = isWhole && partAt(document, from) === "string" && !isTouched(text.lineAt(from));
			return isOpen ? [{ document, from, to }] : [];
		});
	});
	if (places.length > TEXTS_MAX) return [];
	return jumpsTo(scene, places, { rule: `text ${old}`, noun: "place", change: "You changed this text" });
}

const STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

/**
 * Returns the old text of the only string that changed on a line, if nothing else changed and the new string looks
 * complete.
 */
function replacedText(before: string, after: string): string | undefined {
	if (before.length > LINE_MAX || after.length > LINE_MAX) return undefined;
	const [old, now] = [before.match(STRINGS) ?? [], after.match(STRINGS) ?? []];
	const isRestSame = before.replace(STRINGS, '""') === after.replace(STRINGS, '""') && old.length === now.length;
	const changed = old.flatMap((text, i) => (text === now[i] ? [] : [[text.slice(1, -1), now[i]?.slice(1, -1) ?? ""]]));
	const [text = "", next = ""] = changed[0] ?? [];
	if (!isRestSame || changed.length !== 1 || text.length < TEXT_MIN || !isMessage(text) || !isMessage(next))
		return undefined;
	// The user may still be typing or deleting at one end of the string.
	const isPart = [text.startsWith(next), text.endsWith(next), next.startsWith(text), next.endsWith(text)].includes(
		true,
	);
	return isPart || next.length < text.length * TEXT_SHARE_MIN ? undefined : text;
}

/** Whether a text has several words. */
function isMessage(text: string): boolean {
	return /\p{L}\s+\S/u.test(text);
}

/**
 * Returns the uses of a name on lines that the user has not changed. Imports don't count, because they need no edit.
 */
function usesIn(scene: Scene, document: Document, search: Search, changed: ChangedName): RemainingSite[] {
	const { text } = document;
	const isTouched = touchedIn(scene.history, document);
	const isHome = scene.history.files.some((file) => sameUri(file.uri, document.uri));
	const outline = outlineOf(scene, document);
	return mentionsOf(document, search).flatMap(({ at, line, isKey, isDeclaration }) => {
		if (outline?.declaredAt(at)?.kind === "import" || isImportLine(document, line)) return [];
		const isSame = isSameThing(scene, changed, { document, at });
		const looksOther = isMember(text, at) || isKey;
		const isOther = (isHome && isDeclaration) || !(isSame ?? !looksOther);
		return isOther || isTouched(line) ? [] : [{ document, from: at, to: at + search.text.length }];
	});
}

import { type Document, sameUri } from "@segue/text";
import type { Finding } from "./candidate.js";
import { declarationAt, isMember, isName, sameLanguage, wordsOf } from "./code.js";
import { documentsWith } from "./concordance.js";
import type { Example } from "./example.js";
import { Search } from "./find.js";
import { touchedIn } from "./history.js";
import { isCode } from "./languages.js";
import { type Changed, isSameThing } from "./meaning.js";
import { type Mention, mentionsOf } from "./mentions.js";
import { partAt } from "./parts.js";
import { type Diagnostic, documentOf, type Scene } from "./scene.js";
import { leftIn, tallied } from "./why.js";

// What is named in more places than this is changed for more reasons than its declaration.
const MENTIONS_MAX = 20;

/**
 * Goes where the user has to go next, where there is nothing to write yet: to the nearest error that an edit brought
 * about, or to the next use of what the user declares otherwise now. Only for editors that can show a place.
 */
export function proposeJumps(scene: Scene, examples: readonly Example[]): Finding[] {
	if (!scene.kinds.has("jump")) return [];
	const error = errorJump(scene, examples);
	if (error !== undefined) return [error];
	const use = useJump(scene, examples);
	return use === undefined ? [] : [use];
}

/** To the nearest error that speaks of what the user changed last; or to the nearest of all for one who asks. */
function errorJump(scene: Scene, examples: readonly Example[]): Finding | undefined {
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
	const [nearest] = open.toSorted((a, b) => {
		return Number(b.isAbout) - Number(a.isAbout) || Number(b.isHere) - Number(a.isHere) || a.distance - b.distance;
	});
	if (nearest === undefined) return undefined;
	const { diagnostic, document, isAbout } = nearest;
	return {
		proposal: { kind: "jump", uri: document.uri, at: diagnostic.from },
		predictor: "jump",
		rule: `error ${firstLine(diagnostic)}`,
		why: () => firstLine(diagnostic),
		features: [{ error: 1, about: isAbout ? 1 : 0, left: open.length }],
	};
}

/** The names that came or went on a line. */
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

/** To the next use of what the newest changed line declares: it has its name still, but is something else. */
function useJump(scene: Scene, examples: readonly Example[]): Finding | undefined {
	const changed = redeclared(scene, examples.at(-1));
	if (changed === undefined) return undefined;
	const name = changed.oldName;
	const search = new Search(name);
	const { languageId } = scene.document;
	const documents = documentsWith(scene, search).filter((one) => sameLanguage(one.languageId, languageId));
	const uses = documents.flatMap((document) => usesIn(scene, document, search, changed));
	if (uses.length > MENTIONS_MAX) return undefined;
	const here = uses.filter(({ document }) => document === scene.document);
	const next = here.find(({ mention }) => mention.at >= scene.cursor) ?? here[0] ?? uses[0];
	if (next === undefined) return undefined;
	const left = uses.map(({ document, mention: { at } }) => ({ document, from: at, to: at + name.length }));
	return {
		proposal: { kind: "jump", uri: next.document.uri, at: next.mention.at },
		predictor: "jump",
		rule: `uses of ${name}`,
		why: tallied(scene, left, (now) => `\`${name}\` is declared otherwise now; ${leftIn(now, "use")}`),
		features: [{ use: 1, left: uses.length }],
	};
}

/** The name that a line declared before and declares now, where the line is changed in something else. */
function redeclared(scene: Scene, example: Example | undefined): Changed | undefined {
	const { before, after, edits, file, at } = example ?? {};
	if (before === undefined || after === undefined || file === undefined || at === undefined) return undefined;
	if (!isCode(file.languageId) || partAt({ ...file, version: 0, text: file.now }, at) !== "code") return undefined;
	for (const { 0: name, index } of before.matchAll(/[\p{L}\p{N}_$]+/gu)) {
		if (!isName(name) || name.length < 2 || declarationAt(before, index, name) === undefined) continue;
		const isKept = !edits?.some(({ from, to }) => from < index + name.length && index < to);
		// What a function takes is a matter of its calls, and they are another predictor's.
		const close = before[index + name.length] === "(" ? before.lastIndexOf(")") : -1;
		if (edits?.every(({ from }) => index < from && from <= close)) return undefined;
		const now = after.indexOf(name);
		const document = documentOf(scene, file.uri);
		if (!isKept || now === -1 || document === undefined) return undefined;
		return declarationAt(after, now, name) && { document, at: at + now, oldName: name };
	}
	return undefined;
}

interface Use {
	readonly document: Document;
	readonly mention: Mention;
}

/** Where a name is used in a document that the user has not been. */
function usesIn(scene: Scene, document: Document, search: Search, changed: Changed): Use[] {
	const isTouched = touchedIn(scene.history, document);
	const isHome = scene.history.files.some((file) => sameUri(file.uri, document.uri));
	return mentionsOf(document, search).flatMap((mention) => {
		const isSame = isSameThing(scene, changed, { document, at: mention.at });
		const looksOther = isMember(document.text, mention.at) || mention.isKey;
		const isOther = (isHome && mention.isDeclaration) || !(isSame ?? !looksOther);
		return isOther || isTouched(mention.line) ? [] : [{ document, mention }];
	});
}

import type { Document, Edit } from "@segue/text";
import { type Features, type Finding, fullName } from "../candidate.js";
import { ageOf, type Example } from "../example.js";
import { type Explanation, explanationOf, type RemainingSite, remainingSitesOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { indentOf, isName, LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { isCode } from "../languages/languages.js";
import { partAt, type Part as TextPart } from "../languages/parts.js";
import { editsBetween, type Line, lineOf, type Segment, segmentTextFor, similarity, writeLine } from "../line.js";
import { areMany, editsIn, findingsOf, type Site } from "../ranking/site.js";
import { type Rewrite, rewriteOf, writesComment } from "../rewrite.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { type Role, roleAt } from "../symbols/name-role.js";
import {
	ALL_WIDTHS,
	editsOn,
	findPart,
	isSameToken,
	type Pattern,
	type PatternPart,
	patternsOf,
	type Replacement,
	type Width,
} from "./pattern.js";
import { renameBounds, renameReach } from "./rename.js";

// Older changes are not part of the current task.
const RULES_MAX = 16;
// A rule with more sites is too general: the nearest one would be right only by chance.
const PLACES_MAX = 200;

// Changes to punctuation are repeated only within this many lines of the cursor.
const AROUND = 20;
// The maximum number of recent changes to check a rule against.
const COMPARED_MAX = 16;
// Counting more equal tokens on either side adds no information.
const CONTEXT_MAX = 5;

/** Repeats a change to a line at other sites with the same tokens and the same context. */
export function proposeRepeats(scene: Scene, examples: readonly Example[]): Finding[] {
	const rewrites = examples.flatMap((example) => rewriteOf(example) ?? []);
	const isProse = (rule: Rule) =>
		rule.width !== "line" && rule.rewrites.length === 1 && rule.rewrites.every(writesComment);
	const touched = new Map<Document, (line: number) => boolean>();
	const isTouched = (document: Document) => {
		const known = touched.get(document) ?? touchedIn(scene.history, document);
		touched.set(document, known);
		return known;
	};
	return rulesOf(rewrites).flatMap((rule) => {
		const { example } = rule.rewrites.at(-1) as Rewrite;
		const { languageId } = example.file;
		const documents = rule.search === undefined ? [scene.document] : documentsWith(scene, rule.search);
		const found: Site[] = [];
		for (const document of documents) {
			if (found.length >= PLACES_MAX) break;
			const isAlike = rule.search === undefined || sameLanguage(languageId, document.languageId);
			const most = PLACES_MAX - found.length;
			if (isAlike) found.push(...placesIn(scene, document, rule, isTouched(document), most));
		}
		// Most rules have no sites left, so skip the expensive part.
		if (found.length === 0) return [];
		// A comment describes its own line, so don't repeat it.
		if (isProse(rule)) return [];
		const { width } = rule;
		const own = rule.rewrites.filter((one) => !one.example.isAccepted).length;
		// Accepted suggestions come from another rule, which knows better where to stop.
		if (own === 0) return [];
		const features: Features = {
			// `left` is also the number of remaining sites.
			...(width !== "left" && { [width]: 1 }),
			[fullName(width, "support")]: own,
			[fullName(width, "tokens")]: rule.tokens.length,
			[fullName(width, "partly")]: rule.isPart ? 1 : 0,
			signs: rule.search === undefined ? 1 : 0,
			telling: rule.telling,
			support: own,
			age: ageOf(examples, example),
			against: rewrites.slice(-COMPARED_MAX).filter((one) => isAgainst(one, rule)).length,
			files: new Set(rule.rewrites.map((one) => one.example.file.uri)).size,
			goes: rule.goes,
			comes: rule.comes,
		};
		const repeated = {
			predictor: "repeat",
			rule: `repeat ${rule.key}`,
			examples: rule.rewrites.map((one) => one.example),
			kind: width,
		} as const;
		const isIn = isForked(rule, rewrites) ? () => false : boundsOf(scene, examples, rule);
		const [inPlaces, outPlaces] = [[] as Site[], [] as Site[]];
		for (const place of found) (isIn(place) ? inPlaces : outPlaces).push(place);
		if (inPlaces.length > 0) {
			return findingsOf(scene, {
				...repeated,
				why: whyOf(scene, rule, inPlaces),
				sites: inPlaces,
				features,
				atOnce: ({ document }, left) => {
					// A change that was made only once may apply only to equal lines.
					const isClear = width === "line" || (width === "wide" && own > 1);
					const literal = isClear && areMany(scene, document, left) ? literalOf(rule) : undefined;
					if (literal === undefined) return undefined;
					const isSafe = countOf(document.text.toString(), literal.search) === editsIn(document, left);
					return isSafe ? { kind: "searchAndReplace", uri: document.uri, ...literal, isRegex: false } : undefined;
				},
			});
		}
		// Doubtful sites wait until the others are done: scoring them takes as long, and they are offered only on
		// request.
		return findingsOf(scene, {
			...repeated,
			why: whyOf(scene, rule, outPlaces),
			sites: outPlaces,
			features,
			isDoubtful: true,
		});
	});
}

/**
 * Whether the user made this change once, and changed the same tokens of another line differently, so that either change
 * could apply to a third line.
 */
function isForked(rule: Rule, rewrites: readonly Rewrite[]): boolean {
	if (rule.rewrites.length > 1) return false;
	return rewrites.some((one) => {
		if (rule.rewrites.includes(one)) return false;
		const edits = editsOn(one.before, rule);
		return edits.some(({ insert }) => insert.trim() !== "" && !one.after.text.includes(insert.trim()));
	});
}

/**
 * Returns a test for sites where a rule may apply. A change made in code is not repeated in comments, and not in strings
 * if it was made once. A variable's name is not replaced where it names a member or a key. Accepted suggestions don't count
 * as repetitions, because they follow from the user's change.
 */
function boundsOf(scene: Scene, examples: readonly Example[], rule: Rule): (place: Site) => boolean {
	const isIn = nameBoundsOf(scene, examples, rule);
	const own = rule.rewrites.filter(({ example }) => !example.isAccepted);
	const sources = (own.length > 0 ? own : rule.rewrites).map(sourceOf);
	const name = nameOf(rule);
	const isOfVariable = name !== undefined && sources.every(({ role }) => role !== undefined && VARIABLE.has(role));
	// The rule for renames knows the scope of a renamed declaration.
	if (isOfVariable && sources.some(({ role }) => role === "declaration")) return () => false;
	const isOnce = own.length <= 1 && rule.width !== "line";
	// The user has probably deleted the name to type another.
	if (isOnce && rule.comes === 0 && isName(removedName(rule))) return () => false;
	const isOfCode = sources.every(({ part }) => part === "code");
	const isInComment = rule.width === "line" || sources.some(({ part }) => part === "comment");
	const isEditIn = ({ document }: Site, { from }: Edit, index: number) => {
		const part = partAt(document, from);
		if (part === "comment" && !isInComment) return false;
		// The other edits of a change may be in another part of the text than the first.
		if (index === 0 && isOnce && isOfCode && part !== "code") return false;
		const role = isOfVariable ? roleAt(document, from, name) : undefined;
		return role === undefined || !OF_OTHERS.has(role);
	};
	return (place) => isIn(place) && place.edits.every((edit, i) => isEditIn(place, edit, i));
}

/** The token that a rule removes; empty if it removes none or several. */
function removedName({ parts, goes }: Rule): string {
	const [segment] = parts[0]?.segments ?? [];
	return goes === 1 ? (parts[0]?.tokens[segment?.from ?? 0] ?? "") : "";
}

// A variable, and names that belong to an object or to another function.
const VARIABLE: ReadonlySet<Role> = new Set(["declaration", "pattern", "use"]);
const OF_OTHERS: ReadonlySet<Role> = new Set(["member", "key", "field", "foreign"]);

/**
 * Returns a test for sites where a rule that replaces one name with another may apply: those in the scope of the
 * renamed symbol. For rules with little context, the new name must not be taken, and the old name must not have been
 * replaced with two different names.
 */
function nameBoundsOf(scene: Scene, examples: readonly Example[], rule: Rule): (place: Site) => boolean {
	const { parts, goes, comes, isPart, width, rewrites } = rule;
	const [part] = parts;
	const [segment] = part?.segments ?? [];
	const oldName = removedName(rule);
	if (goes !== 1 || !isName(oldName)) return () => true;
	const newName = comes === 1 ? (segment?.written.insert.trim() ?? "") : "";
	if (!isName(newName)) return () => !(isPart && width === "bare");
	if (!LOOSE.has(width)) return renameReach(scene, examples, oldName, newName);
	const isIn = renameBounds(scene, examples, oldName, newName);
	// Outside code, a word that was replaced once is not a name.
	return (place) => isIn(place) && (rewrites.length > 1 || isCode(place.document.languageId));
}

const LOOSE: ReadonlySet<Width> = new Set(["left", "right", "bare"]);

interface Rule extends Pattern {
	/** The user's changes that follow this rule, newest last. */
	readonly rewrites: readonly Rewrite[];
}

function rulesOf(rewrites: readonly Rewrite[]): Rule[] {
	const rules = new Map<string, { pattern: Pattern; rewrites: Rewrite[] }>();
	for (const rewrite of rewrites) {
		for (const pattern of patternsOf(rewrite)) {
			const known = rules.get(pattern.key);
			rules.delete(pattern.key);
			const own = known?.rewrites ?? [];
			own.push(rewrite);
			rules.set(pattern.key, { pattern, rewrites: own });
		}
	}
	const newestFirst = [...rules.values()].toReversed();
	return ALL_WIDTHS.flatMap((width) => {
		const chosen = newestFirst.filter(({ pattern }) => pattern.width === width).slice(0, RULES_MAX);
		return chosen.map(({ pattern, rewrites: own }) => ({ ...pattern, rewrites: own }));
	});
}

/** Returns up to `most` sites in a document where a rule applies. Skips lines that the user has changed. */
function placesIn(
	scene: Scene,
	document: Document,
	rule: Rule,
	isTouched: (line: number) => boolean,
	most: number,
): Site[] {
	const { text } = document;
	const { before } = rule.rewrites.at(-1) as Rewrite;
	const isOfCode = nameOf(rule) !== undefined && sourceOf(rule.rewrites.at(-1) as Rewrite).part === "code";
	const places: Site[] = [];
	for (const line of linesFor(scene, document, rule)) {
		if (isTouched(line) || text.lineEnd(line) - text.lineStart(line) > LINE_MAX) continue;
		const target = lineOf(text, line);
		const own = editsOnEqual(target, rule) ?? editsOn(target, rule);
		if (own.length === 0) continue;
		const start = text.lineStart(line);
		const all = own.map(({ from, to, insert }) => ({ from: start + from, to: start + to, insert }));
		// The text of a string does not have to change when a name in the code does.
		const isInString = (at: number) => isOfCode && partAt(document, at) === "string";
		const edits = all.filter(({ from }) => !isInString(from));
		if (edits.length === 0) continue;
		const features = () => ({
			similar: similarity(before, target),
			...contextOf(before, target, rule),
			...rolesOf(document, edits[0]?.from ?? start, rule),
			indent: indentOf(target.text) === indentOf(before.text) ? 1 : 0,
		});
		places.push({ document, line, edits, features });
		if (places.length >= most) break;
	}
	return places;
}

/** Counts the tokens on either side of a site that are the same as around the user's change. */
function contextOf(before: Line, target: Line, { parts }: Rule): Features {
	const part = parts[0] as PatternPart;
	const at = findPart(target, part, 0);
	const own = findPart(before, part, 0);
	const segment = part.segments[0] as Replacement;
	if (at === -1 || own === -1) return {};
	let left = 0;
	while (
		left < CONTEXT_MAX &&
		isSameToken(before.tokens[own + segment.from - 1 - left], target.tokens[at + segment.from - 1 - left])
	)
		left++;
	let right = 0;
	while (
		right < CONTEXT_MAX &&
		isSameToken(before.tokens[own + segment.to + right], target.tokens[at + segment.to + right])
	)
		right++;
	return { tokensBefore: left, tokensAfter: right };
}

/** Compares the part of the text (code, comment or string) and the role of the name with those of the user's change. */
function rolesOf(document: Document, at: number, rule: Rule): Features {
	const source = sourceOf(rule.rewrites.at(-1) as Rewrite);
	const otherPart = source.part !== partAt(document, at) ? 1 : 0;
	const oldName = nameOf(rule);
	if (oldName === undefined) return { otherPart };
	const is = roleAt(document, at, oldName);
	return { otherPart, name: 1, otherRole: source.role !== is ? 1 : 0, [fullName("is", is ?? "text")]: 1 };
}

/** The name that a rule searches for, if its pattern is a single name. */
function nameOf({ width, tokens }: Rule): string | undefined {
	const [name = "", ...more] = tokens;
	return width === "bare" && more.length === 0 && isName(name) ? name : undefined;
}

/** The part of the text that the user changed, and the role of the name there. */
interface Source {
	readonly part: TextPart;
	readonly role: Role | undefined;
}

// Shared by all rules and sites of a rewrite.
const SOURCES = new WeakMap<Rewrite, Source>();

function sourceOf(rewrite: Rewrite): Source {
	let source = SOURCES.get(rewrite);
	if (source === undefined) {
		const { example, after, segments } = rewrite;
		const { uri, languageId, now: text } = example.file;
		const document = { uri, languageId, version: 0, text };
		const at = Math.min(example.at + (example.edits[0]?.from ?? 0), text.length);
		const token = segments.map(({ newFrom }) => after.tokens[newFrom]).find((one) => one !== undefined);
		const start = text.lineStart(text.lineAt(at));
		const role = token && roleAt(document, start + token.from, token.text);
		source = { part: partAt(document, at), role };
		SOURCES.set(rewrite, source);
	}
	return source;
}

/**
 * Returns the lines to check for a rule: those with its search word if it has one, otherwise those around the cursor.
 */
function linesFor(scene: Scene, { text }: Document, { search }: Rule): readonly number[] {
	if (search !== undefined) return search.linesIn(text);
	const line = text.lineAt(scene.cursor);
	const from = Math.max(line - AROUND, 0);
	return Array.from({ length: Math.min(line + AROUND + 1, text.lineCount) - from }, (_, i) => from + i);
}

/**
 * Returns the edits for a line that differs from the changed line only in its indent. Here, changes to whitespace are
 * repeated, too.
 */
function editsOnEqual(line: Line, { width, rewrites }: Rule): Edit[] | undefined {
	const { before, after } = rewrites.at(-1) as Rewrite;
	if (width !== "line" || line.text.trim() !== before.text.trim()) return undefined;
	const indent = indentOf(before.text).length;
	const shift = indentOf(line.text).length - indent;
	const edits = editsBetween(before, after).filter(({ to }) => to > indent || indent === 0);
	return edits.map(({ from, to, insert }) => {
		return from >= indent
			? { from: from + shift, to: to + shift, insert }
			: { from: indent + shift, to: to + shift, insert: insert.trimStart() };
	});
}

/** Whether a rule applies to a line that the user changed differently. */
function isAgainst({ before, after }: Rewrite, rule: Rule): boolean {
	const edits = editsOn(before, rule);
	return (
		edits.length > 0 &&
		writeLine(before.text, edits) !== after.text &&
		edits.some(({ from, to }) => after.text.includes(before.text.slice(from, to)) && to > from)
	);
}

/** Expresses a rule as a literal search and replace. Undefined if it changes more than one piece of text. */
function literalOf({ parts, rewrites }: Rule): { search: string; replace: string } | undefined {
	const { before } = rewrites.at(-1) as Rewrite;
	const [part, ...others] = parts;
	if (part === undefined || others.length > 0 || part.segments.length > 1) return undefined;
	const at = findPart(before, part, 0);
	const from = before.tokens[at]?.from;
	const to = before.tokens[at + part.tokens.length - 1]?.to;
	if (from === undefined || to === undefined) return undefined;
	const edits = editsOn(before, { parts }).filter((edit) => from <= edit.from && edit.to <= to);
	const search = before.text.slice(from, to);
	const own = edits.slice(0, 1).map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }));
	return own.length === 0 ? undefined : { search, replace: writeLine(search, own) };
}

function countOf(source: string, wanted: string): number {
	return source.split(wanted).length - 1;
}

/** Names the change and counts the sites left. A line to which the rule applies twice counts as two sites. */
function whyOf(scene: Scene, rule: Rule, places: readonly Site[]): Explanation {
	const { parts, width } = rule;
	if (width === "line") return explanationOf(scene, `${changeText(rule)} on equal lines`, remainingSitesOf(places));
	const each = parts.reduce((sum, { segments }) => sum + segments.length, 0);
	const left = places.flatMap(({ document, edits }): RemainingSite[] => {
		return edits.filter((_, i) => i % each === 0).map(({ from, to }) => ({ document, from, to, edits }));
	});
	return explanationOf(scene, changeText(rule), left);
}

/** "Replacing `a` with `b`", "Inserting `b`" or "Removing `a`". */
function changeText({ rewrites, parts, isPart }: Rule): string {
	const rewrite = rewrites.at(-1) as Rewrite;
	const { before, after, segments } = rewrite;
	const [own] = parts[0]?.segments ?? [];
	const part = isPart ? segments.find((one) => segmentTextFor(rewrite, one).from === own?.written.from) : undefined;
	const first = part ?? (segments[0] as Segment);
	const last = part ?? (segments.at(-1) as Segment);
	const old = before.text.slice(before.tokens[first.from]?.from ?? 0, before.tokens[last.to - 1]?.to ?? 0);
	const now = after.text.slice(after.tokens[first.newFrom]?.from ?? 0, after.tokens[last.newTo - 1]?.to ?? 0);
	if (first.from === last.to) return `Inserting \`${now}\``;
	if (first.newFrom === last.newTo) return `Removing \`${old}\``;
	return `Replacing \`${old}\` with \`${now}\``;
}

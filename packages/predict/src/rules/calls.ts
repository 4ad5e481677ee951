import { type Document, type Edit, sameUri } from "@segue/text";
import type { Finding } from "../candidate.js";
import { type Example, examplesOf } from "../example.js";
import { type Explanation, explanationOf, type RemainingSite } from "../explanation.js";
import { touchedIn } from "../history.js";
import { declarationAt, indentOf, isMember, isName, LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import { findingsOf, inVisitOrder, type Site } from "../ranking/site.js";
import { documentOf, isOpen, type Scene } from "../scene.js";
import { filesWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { type Item, type List, listAt, type Parameter, signatureAround, signatureOn } from "../symbols/signature.js";
import { type Revision, revisionsIn } from "../symbols/signature-revision.js";
import { isImportedFrom, isSameThing, isVariableAt } from "../symbols/symbol-meaning.js";

// Variables declared further above are probably unrelated.
const SCOPE_LINES_MAX = 500;
// Users don't visit more than this many calls one by one.
const JUMPS_MAX = 30;

/**
 * Updates the calls to a function whose parameters the user changed, if they still match the old parameters. Removes
 * or reorders arguments, and adds a new argument if its value is clear. If the value is unclear, proposes jumps to the
 * calls instead.
 */
export function proposeCalls(scene: Scene, examples: readonly Example[]): Finding[] {
	return revisionsIn(examples).flatMap((revision) => findingsAfter(scene, revision));
}

function findingsAfter(scene: Scene, revision: Revision): Finding[] {
	const { signature, kind } = revision;
	const { done, left } = callsOf(scene, revision);
	const given = done.map(({ list }) => list.items);
	const places = joinLines(
		left.flatMap((call): Site[] => {
			const edits = editsOf(scene, call, revision, given);
			return edits === undefined ? [] : [{ document: call.document, line: call.line, edits }];
		}),
	);
	const predictor = "calls";
	const rule = `calls ${signature.name}(${signature.parameters.map(({ name }) => name).join(", ")})`;
	const whyFor = (calls: readonly Call[]) => {
		return explanationOf(scene, revisionText(revision), calls.map(whereOf), "call");
	};
	const features = {
		support: given.length,
		added: kind === "added" ? 1 : 0,
		removed: kind === "removed" ? 1 : 0,
		method: signature.isMethod ? 1 : 0,
		age: revision.age,
	};
	if (places.length > 0) {
		const { examples } = revision;
		return findingsOf(scene, { predictor, rule, why: whyFor(left), examples, sites: places, features });
	}
	if (!scene.kinds.has("jump")) return [];
	const jumpTo = ({ document, list }: Call, why: Explanation): Finding => {
		const proposal = { kind: "jump", uri: document.uri, at: list.to - 1 } as const;
		return { proposal, predictor, rule, why, features: [features, { left: left.length }] };
	};
	// The next call is not offered while the user is still at one. This jump only makes the gate give the reason.
	const here = callAtCursor(scene, revision);
	if (here !== undefined && scene.trigger === "automatic")
		return [{ ...jumpTo(here, whyFor(left)), isUnfinished: true }];
	// Every call gets its own jump, because the gate skips those that the user has visited. The call at the cursor is
	// not counted, because the user is already there.
	const away = left.filter((call) => !isAtCursor(scene, call));
	const next = inVisitOrder(scene, away, ({ document, list }) => ({ document, from: list.from, count: 1 }));
	const why = whyFor(away);
	return next.slice(0, JUMPS_MAX).map((call) => jumpTo(call, why));
}

/** Returns the call around the cursor that still has the old arguments, even if the user has begun to change it. */
function callAtCursor(scene: Scene, revision: Revision): Call | undefined {
	const { document } = scene;
	const { signature, before, file } = revision;
	if (!sameLanguage(document.languageId, file.languageId)) return undefined;
	const calls = callsIn(scene, document, revision, new Search(signature.name));
	return calls.find((call) => {
		return isAtCursor(scene, call) && isGiven(call, before) && !isGiven(call, signature.parameters);
	});
}

function isAtCursor(scene: Scene, { document, list: { from, to } }: Call): boolean {
	return document === scene.document && from < scene.cursor && scene.cursor < to;
}

function whereOf({ document, list: { from, to } }: Call): RemainingSite {
	return { document, from, to };
}

interface Call {
	readonly document: Document;
	readonly line: number;
	readonly list: List;
}

/** Returns the calls that the user has updated to the new parameters, and those that still match the old ones. */
function callsOf(scene: Scene, revision: Revision): { readonly done: readonly Call[]; readonly left: readonly Call[] } {
	const { signature, before, file } = revision;
	const search = new Search(signature.name);
	const done: Call[] = [];
	const left: Call[] = [];
	for (const document of filesWith(scene, search)) {
		if (!search.in(document.text)?.length || !sameLanguage(document.languageId, file.languageId)) continue;
		// A method with that name may belong to another class.
		const mayBeOther = () => signature.isMethod || !isImportedFrom(document, search, [file.uri]);
		if (!isOpen(scene, document) && mayBeOther()) continue;
		const isTouched = changedCallsIn(scene, document, revision);
		const calls = callsIn(scene, document, revision, search);
		const changed = calls.filter((call) => isTouched(call.line) && isGiven(call, signature.parameters));
		done.push(...changed);
		// A line on which the user has already changed one call may contain another call to change.
		const isBegun = ({ line }: Call) => changed.some((call) => call.line === line);
		left.push(
			...calls.filter((call) => {
				if (!isGiven(call, before)) return false;
				return !isTouched(call.line) || (isBegun(call) && !isGiven(call, signature.parameters));
			}),
		);
	}
	return { done, left };
}

/** Returns a test for lines that the user has edited, except those on which only the function's name was changed. */
function changedCallsIn(
	{ history }: Scene,
	document: Document,
	{ oldName, signature: { name } }: Revision,
): (line: number) => boolean {
	const isTouched = touchedIn(history, document);
	if (oldName === name) return isTouched;
	const renamed = new Set<number>();
	for (const { file, before, after, at, edits } of examplesOf(history)) {
		if (before === undefined || after === undefined || !sameUri(file.uri, document.uri)) continue;
		const isName = edits.every(({ from, to, insert }) => insert === name && before.slice(from, to) === oldName);
		if (isName) renamed.add(file.now.lineAt(at));
	}
	return (line) => isTouched(line) && !renamed.has(line);
}

function callsIn(scene: Scene, document: Document, { signature, file }: Revision, search: Search): Call[] {
	const { text, languageId } = document;
	const isHome = sameUri(document.uri, file.uri);
	const home = documentOf(scene, file.uri);
	const changed = home && { document: home, at: signature.at, oldName: signature.name };
	return (search.in(text) ?? []).flatMap((at): Call[] => {
		const open = at + signature.name.length;
		if (text.slice(open, Math.min(open + 1, text.length)) !== "(" || partAt(document, at) !== "code") return [];
		if (isHome && at === signature.at) return [];
		const line = text.lineAt(at);
		if (text.lineEnd(line) - text.lineStart(line) > LINE_MAX || signatureOn(document, line)?.at === at) return [];
		const isOfOther = isMember(text, at);
		const isNew = /\bnew\s+$/.test(text.slice(Math.max(at - 8, 0), at));
		if (signature.isMethod && !isOfOther) return [];
		if (signature.isConstructor && !isNew && languageId !== "python") return [];
		// In these languages a function can be a member of a module, with the same syntax as a member of an object.
		const mayBeOfModule = /^(?:go|python|rust)$/.test(languageId);
		if (!signature.isMethod && isOfOther && !mayBeOfModule) return [];
		// A constructor is called by the name of its class, so `isSameThing` does not apply.
		if (changed && !signature.isConstructor && isSameThing(scene, changed, { document, at }) === false) return [];
		if (!signature.isMethod && !isOfOther && isParameterOf(document, line, signature.name)) return [];
		const list = listAt(document, open, "arguments");
		return list === undefined ? [] : [{ document, line, list }];
	});
}

/** Whether a name is a parameter of a function around a line, based on indentation. */
function isParameterOf(document: Document, line: number, name: string): boolean {
	const { text } = document;
	let depth = Number.POSITIVE_INFINITY;
	for (let at = line; at >= Math.max(line - SCOPE_LINES_MAX, 0) && depth > 0; at--) {
		if (text.lineEnd(at) - text.lineStart(at) > LINE_MAX) continue;
		const content = text.line(at);
		const indent = indentOf(content).length;
		if (indent === content.length || indent >= depth) continue;
		depth = indent;
		if (signatureAround(document, at)?.parameters.some((one) => one.name === name)) return true;
	}
	return false;
}

const NAMED = /^\w+\s*[:=](?![:=])/;
const IN_BULK = /^\.{3}|\.{3}$/;
// A star or ampersand spreads an argument in these languages. In others it dereferences a pointer or takes an address.
const IN_BULK_BY_STAR = /^\*|^&\w+$/;
// A closure's parameters, which are between bars, would be read as arguments.
const IN_BARS = /^(?:move\s*)?\|/;

/** Whether a call matches parameters, with one argument for each and no named or spread arguments. */
function isGiven({ document, list }: Call, parameters: readonly Parameter[]): boolean {
	const needed = parameters.filter(({ isOptional }) => !isOptional).length;
	if (list.items.length < needed || list.items.length > parameters.length) return false;
	const hasStars = /^(?:python|ruby)$/.test(document.languageId);
	return !list.items.some(({ text }) => {
		return NAMED.test(text) || IN_BULK.test(text) || IN_BARS.test(text) || (hasStars && IN_BULK_BY_STAR.test(text));
	});
}

/** Returns the edits that update a call, or undefined if an argument is unclear. */
function editsOf(
	scene: Scene,
	call: Call,
	revision: Revision,
	given: readonly (readonly Item[])[],
): Edit[] | undefined {
	const { items } = call.list;
	const before = revision.before.map(({ name }) => name);
	const after = revision.signature.parameters;
	if (revision.kind === "removed") {
		const gone = before.flatMap((name, i) => (after.some((one) => one.name === name) || !items[i] ? [] : [i]));
		return gone.length === 0 ? undefined : withoutItems(items, gone);
	}
	if (revision.kind === "moved") {
		if (items.length < before.length) return undefined;
		return after.flatMap(({ name }, i): Edit[] => {
			const item = items[i] as Item;
			const insert = (items[before.indexOf(name)] as Item).text;
			return insert === item.text ? [] : [{ from: item.from, to: item.to, insert }];
		});
	}
	const edits: Edit[] = [];
	for (const [i, { name, isOptional }] of after.entries()) {
		if (before.includes(name) || isOptional) continue;
		const argument = argumentFor(scene, call, name, i, given);
		if (argument === undefined) return undefined;
		const preceding = after.slice(0, i).filter((one) => before.includes(one.name)).length;
		if (preceding > items.length) return undefined;
		edits.push(insertAt(call, preceding, argument));
	}
	return edits;
}

/**
 * Returns the argument for a new parameter: a variable with the same name, or the one that the user passed in all
 * other calls.
 */
function argumentFor(
	scene: Scene,
	call: Call,
	name: string,
	index: number,
	given: readonly (readonly Item[])[],
): string | undefined {
	const isKnown = (variable: string) => {
		return isVariableAt(scene, { document: call.document, at: call.list.from }, variable) ?? isInScope(call, variable);
	};
	if (isKnown(name)) return name;
	const [argument, ...others] = given.map((items) => items[index]?.text);
	if (argument === undefined || others.some((other) => other !== argument)) return undefined;
	// A literal, for example `true`, that was written once says little about the next call.
	if (!isName(argument)) return others.length > 0 ? argument : undefined;
	return argument === argument.toUpperCase() || isKnown(argument) ? argument : undefined;
}

/** Whether a variable with this name is declared above a call, in an enclosing block. */
function isInScope({ document, list }: Call, name: string): boolean {
	const { text, languageId } = document;
	const callLine = text.lineAt(list.from);
	return (new Search(name).in(text) ?? []).some((at) => {
		const { line, start } = text.locate(at);
		if (
			line >= callLine ||
			line < callLine - SCOPE_LINES_MAX ||
			text.lineEnd(line) - start > LINE_MAX ||
			partAt(document, at) !== "code"
		)
			return false;
		const content = text.line(line);
		const isAssigned =
			/^(?:python|ruby)$/.test(languageId) &&
			/^\s*=(?!=)/.test(content.slice(at - start + name.length)) &&
			indentOf(content).length === at - start;
		const reach = declarationAt(content, at - start, name) ?? (isAssigned ? "local" : undefined);
		const isParameter =
			reach === "parameter" || signatureOn(document, line)?.parameters.some((one) => one.name === name);
		if (reach !== "local" && !isParameter) return false;
		const depth = indentOf(content).length + (isParameter ? 1 : 0);
		for (let between = line + 1; between <= callLine; between++) {
			const other = text.line(between);
			const isClosing = isParameter && /^\s*[)\]}{]+[^)]*[{:]\s*$/.test(other);
			if (other.trim() !== "" && indentOf(other).length < depth && !isClosing) return false;
		}
		return true;
	});
}

function withoutItems(items: readonly Item[], gone: readonly number[]): Edit[] {
	const kept = items.filter((_, i) => !gone.includes(i));
	if (kept.length === 0) return [{ from: items[0]?.from ?? 0, to: items.at(-1)?.to ?? 0, insert: "" }];
	return gone.map((i) => {
		const next = items[i + 1];
		const isLast = items.slice(i + 1).every((_, j) => gone.includes(i + 1 + j));
		const item = items[i] as Item;
		if (next !== undefined && !isLast) return { from: item.from, to: next.from, insert: "" };
		return { from: items[i - 1]?.to ?? item.from, to: item.to, insert: "" };
	});
}

/** Inserts an argument at an index, with the same separator as the others. */
function insertAt({ document, list }: Call, index: number, argument: string): Edit {
	const { text } = document;
	const [first, second] = list.items;
	const between = first && second ? text.slice(first.to, second.from) : ", ";
	const previous = list.items[index - 1];
	if (previous !== undefined) return { from: previous.to, to: previous.to, insert: between + argument };
	const at = first?.from ?? list.from + 1;
	return { from: at, to: at, insert: first === undefined ? argument : argument + between };
}

/** Merges the edits of several calls on one line, except for nested calls. */
function joinLines(places: readonly Site[]): Site[] {
	const joined: Site[] = [];
	for (const place of places) {
		const last = joined.at(-1);
		const isSame = last?.document === place.document && last.line === place.line;
		const isApart = isSame && (last.edits.at(-1)?.to ?? 0) < (place.edits[0]?.from ?? 0);
		if (isSame && !isApart) continue;
		if (isSame) joined[joined.length - 1] = { ...place, edits: [...last.edits, ...place.edits] };
		else joined.push(place);
	}
	return joined;
}

function revisionText({ signature, before, kind }: Revision): string {
	const { name, parameters } = signature;
	const names = (list: readonly Parameter[], others: readonly Parameter[]) => {
		const own = list.filter((one) => !others.some((other) => other.name === one.name));
		return own.map((one) => `\`${one.name}\``).join(", ");
	};
	switch (kind) {
		case "added":
			return `\`${name}\` now takes ${names(parameters, before)}`;
		case "removed":
			return `\`${name}\` no longer takes ${names(before, parameters)}`;
		case "moved":
			return `\`${name}\` now takes its arguments in another order`;
	}
}

import type { NodesAround, Parse } from "@segue/predict";
import { type Document, type Edit, sameUri, type Text, uriKey } from "@segue/text";
import type { ParsedText, Parsers } from "./parser.js";

// A request waits for the first parse of a document. Code of this length takes 10 to 20 ms to parse.
const LENGTH_MAX = 50_000;
// Malformed code can take seconds to parse. The parser can stop only once every hundred operations, so giving up takes
// 30 to 50 ms (measured with 15 pathological files in seven languages).
const TIME_MAX_MS = 30;
// Once the parser has given up on a document, it would also give up on the next versions, at the same cost.
const VERSIONS_SKIPPED = 50;
// Beyond this limit, the oldest document that the parser gave up on is evicted.
const GIVEN_UP_MAX = 100;
// Deeper nesting can crash the parser with a stack overflow (from 2,500 levels) or take seconds to parse. Handwritten
// code has fewer than 20 levels.
const NESTING_MAX = 200;
// A syntax tree takes about thirty times the memory of its text. All sessions in a process share the trees.
const TOTAL_LENGTH_MAX = 4 * LENGTH_MAX;
// Enough for the text before and after each candidate in one request, and a few other documents.
const TREES_MAX = 16;

/**
 * Parses documents in the caller's thread if their language's grammar is loaded. Caches the trees of recent texts, so
 * that another version of a text is parsed incrementally.
 */
export class SyntaxChecker {
	private parsers: Parsers | undefined;
	private starting: Promise<Parsers> | undefined;
	/** Languages that are loading or failed to load. */
	private readonly requested = new Set<string>();
	/** Least recently used first. */
	private trees: readonly CachedTree[] = [];
	/** The version at which the parser gave up on a document, keyed by `uriKey`. */
	private readonly givenUp = new Map<string, number>();
	/** The parser has crashed. */
	private isBroken = false;

	/**
	 * If `start` is a function, it is called when the first language is loaded. Without a clock (`now`, in milliseconds),
	 * only the number of operations is limited, which is deterministic.
	 */
	constructor(
		private readonly start: Parsers | (() => Promise<Parsers>),
		private readonly report: (text: string) => void,
		private readonly now: () => number = () => 0,
	) {
		if (typeof start !== "function") this.parsers = start;
	}

	/** Starts loading the grammar for a language. A failure is reported once. */
	load(languageId: string): void {
		if (this.isBroken || this.requested.has(languageId) || this.parsers?.isLoaded(languageId)) return;
		this.requested.add(languageId);
		this.loadNow(languageId).catch((error) => this.report(`no syntax checks for ${languageId}: ${String(error)}`));
	}

	/** Used in the scenes of all sessions. */
	readonly parse: Parse = (document, { from, to }) => {
		return this.read(document, (parsed, isLate) => parsed.errorsIn(from, to, isLate));
	};

	/** Used in the scenes of all sessions. */
	readonly nodesAround: NodesAround = (document, at) => {
		return this.read(document, (parsed, isLate) => parsed.nodesAround(at, isLate));
	};

	/** The number of cached syntax trees. */
	get size(): number {
		return this.trees.length;
	}

	/** Frees all syntax trees. Never throws. */
	clear(): void {
		for (const { parsed } of this.trees) parsed.free();
		this.trees = [];
	}

	/**
	 * Calls `readTree` with a document's tree and returns its result. Undefined if there is no tree, or if parsing
	 * takes too long.
	 */
	private read<T>(
		document: Document,
		readTree: (parsed: ParsedText, isLate: () => boolean) => T | undefined,
	): T | undefined {
		const { languageId, text, uri, version } = document;
		if (this.isBroken || text.length > LENGTH_MAX || !this.parsers?.isLoaded(languageId)) return undefined;
		const key = uriKey(uri);
		const skipped = version - (this.givenUp.get(key) ?? Number.POSITIVE_INFINITY);
		// A lower version belongs to a document that was closed and opened again.
		if (skipped >= 0 && skipped <= VERSIONS_SKIPPED) return undefined;
		const end = this.now() + TIME_MAX_MS;
		try {
			const parsed = this.treeOf(document, this.parsers);
			const result = parsed && readTree(parsed, () => this.now() > end);
			if (result === undefined) this.giveUp(key, version);
			return result;
		} catch (error) {
			this.isBroken = true;
			this.trees = [];
			this.report(`syntax checks are disabled: ${String(error)}`);
			return undefined;
		}
	}

	private async loadNow(languageId: string): Promise<void> {
		const { start } = this;
		if (typeof start === "function") {
			this.starting ??= start();
			this.parsers = await this.starting;
		}
		await this.parsers?.load(languageId);
	}

	private giveUp(key: string, version: number): void {
		this.givenUp.delete(key);
		this.givenUp.set(key, version);
		const [oldest] = this.givenUp.keys();
		if (this.givenUp.size > GIVEN_UP_MAX && oldest !== undefined) this.givenUp.delete(oldest);
	}

	/** Undefined if the text is nested too deeply. */
	private treeOf({ uri, languageId, text }: Document, parsers: Parsers): ParsedText | undefined {
		const ofUri = this.trees.filter((one) => one.languageId === languageId && sameUri(one.uri, uri));
		const same = ofUri.findLast((one) => one.text === text || one.text.equals(text));
		if (same !== undefined) {
			this.trees = [...this.trees.filter((one) => one !== same), same];
			return same.parsed;
		}
		const source = text.toString();
		if (isNestedDeeply(source)) return undefined;
		const base = ofUri.at(-1);
		const parsed = base === undefined ? parsers.parse(languageId, source) : base.parsed.copy();
		if (base !== undefined) parsed.change([editBetween(base.text, text)]);
		this.keep({ uri, languageId, text, parsed });
		return parsed;
	}

	private keep(checked: CachedTree): void {
		this.trees = [...this.trees, checked];
		let length = this.trees.reduce((sum, { text }) => sum + text.length, 0);
		while (this.trees.length > TREES_MAX || length > TOTAL_LENGTH_MAX) {
			const [oldest, ...rest] = this.trees as [CachedTree, ...CachedTree[]];
			oldest.parsed.free();
			length -= oldest.text.length;
			this.trees = rest;
		}
	}
}

/** A text and its syntax tree. */
interface CachedTree {
	readonly uri: string;
	readonly languageId: string;
	readonly text: Text;
	readonly parsed: ParsedText;
}

function editBetween(before: Text, after: Text): Edit {
	const { head, tail } = before.common(after);
	return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}

/**
 * Whether brackets are nested too deeply for the parser. Also counts each `<` since the last other bracket, semicolon
 * or closing tag, because it may begin a type argument, a type assertion or an element that contains the next `<`.
 */
function isNestedDeeply(source: string): boolean {
	let [depth, angles] = [0, 0];
	for (const [token] of source.matchAll(/<\/|\/>|[([{}\])<;]/g)) {
		if (token === "<") angles++;
		else angles = 0;
		if ("([{".includes(token)) depth++;
		else if (")]}".includes(token)) depth = Math.max(depth - 1, 0);
		if (depth + angles > NESTING_MAX) return true;
	}
	return false;
}

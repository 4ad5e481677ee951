import type { Parse } from "@segue/predict";
import { type Document, type Edit, sameUri, type Text } from "@segue/text";
import type { ParsedText, Parsers } from "./parser.js";

// A request waits for the first parse of a text, which takes about 10 ms for so many characters, or 50 ms if it is broken.
const LENGTH_MAX = 50_000;
// A syntax tree takes some thirty times the memory of its text. All sessions of a process share these trees.
const TOTAL_LENGTH_MAX = 4 * LENGTH_MAX;
// The text before and after each candidate of one request, with room for a few other documents.
const TREES_MAX = 16;

/**
 * Parses documents in the thread of the caller, in the languages whose grammars are loaded. The trees of recent texts are
 * kept, so that another version of a text is parsed only where it differs.
 */
export class SyntaxChecker {
	private parsers: Parsers | undefined;
	private starting: Promise<Parsers> | undefined;
	/** Languages that are being loaded, or failed to load. */
	private readonly requested = new Set<string>();
	/** Least recently used first. */
	private trees: readonly Checked[] = [];

	/** With a function, the parsers are made when the first language is loaded. */
	constructor(
		private readonly start: Parsers | (() => Promise<Parsers>),
		private readonly report: (text: string) => void,
	) {
		if (typeof start !== "function") this.parsers = start;
	}

	/** Starts to load the grammar of a language. A failure is reported once. */
	load(languageId: string): void {
		if (this.requested.has(languageId) || this.parsers?.isLoaded(languageId)) return;
		this.requested.add(languageId);
		this.loadNow(languageId).catch((error) => this.report(`no syntax checks for ${languageId}: ${String(error)}`));
	}

	/** For the scenes of all sessions. */
	readonly parse: Parse = (document, { from, to }) => {
		const { languageId, text } = document;
		if (text.length > LENGTH_MAX || !this.parsers?.isLoaded(languageId)) return undefined;
		return this.treeOf(document, this.parsers).errorsIn(from, to);
	};

	/** How many syntax trees are kept. */
	get size(): number {
		return this.trees.length;
	}

	/** Frees all syntax trees. */
	clear(): void {
		for (const { parsed } of this.trees) parsed.free();
		this.trees = [];
	}

	private async loadNow(languageId: string): Promise<void> {
		const { start } = this;
		if (typeof start === "function") {
			this.starting ??= start();
			this.parsers = await this.starting;
		}
		await this.parsers?.load(languageId);
	}

	private treeOf({ uri, languageId, text }: Document, parsers: Parsers): ParsedText {
		const ofUri = this.trees.filter((one) => one.languageId === languageId && sameUri(one.uri, uri));
		const same = ofUri.findLast((one) => one.text === text || one.text.equals(text));
		if (same !== undefined) {
			this.trees = [...this.trees.filter((one) => one !== same), same];
			return same.parsed;
		}
		const base = ofUri.at(-1);
		const parsed = base === undefined ? parsers.parse(languageId, text.toString()) : base.parsed.copy();
		if (base !== undefined) parsed.change([editBetween(base.text, text)]);
		this.keep({ uri, languageId, text, parsed });
		return parsed;
	}

	private keep(checked: Checked): void {
		this.trees = [...this.trees, checked];
		let length = this.trees.reduce((sum, { text }) => sum + text.length, 0);
		while (this.trees.length > TREES_MAX || length > TOTAL_LENGTH_MAX) {
			const [oldest, ...rest] = this.trees as [Checked, ...Checked[]];
			oldest.parsed.free();
			length -= oldest.text.length;
			this.trees = rest;
		}
	}
}

/** A text with its syntax tree. */
interface Checked {
	readonly uri: string;
	readonly languageId: string;
	readonly text: Text;
	readonly parsed: ParsedText;
}

function editBetween(before: Text, after: Text): Edit {
	const { head, tail } = before.common(after);
	return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}

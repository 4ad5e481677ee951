// Import only types, because this file also runs in a worker, which must not load anything else.
import type { Clock, Edit } from "@segue/text";

// A normal pattern searches the largest text in a fraction of this time; a catastrophic one may never finish.
const TIME_LIMIT_MS = 1000;
// Larger files are not written by hand, and users don't review more matches than this.
const TEXT_CHARACTERS_MAX = 8 * 2 ** 20;
const MATCHES_MAX = 10_000;
// A replacement may contain all of the text before each match, so the result may be far larger than the text.
const INSERT_CHARACTERS_MAX = 8 * 2 ** 20;
// Several screens of text, longer than any sensible search.
const SEARCH_CHARACTERS_MAX = 10_000;

/** A search and its replacement. */
export interface SearchQuery {
	readonly search: string;
	readonly replace: string;
	/**
	 * Whether `search` is an ECMAScript pattern, used with the flags `g`, `m` and `u`. If so, `replace` may contain
	 * references such as `$1`.
	 */
	readonly isRegex: boolean;
}

/** An error that prevents a search. The message is for the user. */
export class MatchError extends Error {
	override readonly name = "MatchError";

	constructor(
		readonly kind: "invalid" | "slow" | "too-much" | "no-worker" | "failed",
		message: string,
	) {
		super(message);
	}
}

/** One end of a message channel between the main thread and a worker. */
interface Port {
	post(message: unknown): void;
	/** Sets the listener. Called once, before anything is posted. */
	receive(listener: (message: unknown) => void): void;
}

/**
 * The main thread's handle to a worker that runs `serveMatches`. If the worker fails, `receive` gets the error, which
 * can be any value that is not a reply.
 */
export interface MatchWorker extends Port {
	/** Terminates the worker immediately, even in the middle of a search. */
	stop(): void;
}

/**
 * Finds matches. Regular expressions come from an agent and may take arbitrarily long, so they run in a worker that can
 * be stopped.
 */
export class Matcher {
	private worker: MatchWorker | undefined;
	private running: ((outcome: { edits: readonly Edit[] } | { error: unknown }) => void) | undefined;
	private turn: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly start: (() => MatchWorker) | undefined,
		private readonly clock: Clock,
	) {}

	/**
	 * Returns the edits that replace all matches, in order. Omits edits that change nothing. Rejects with a MatchError.
	 */
	async find(search: SearchQuery, text: string, signal: AbortSignal): Promise<readonly Edit[]> {
		signal.throwIfAborted();
		checkSize(search, text);
		if (!search.isRegex) return literalEdits(search, text);
		patternOf(search);
		const { start } = this;
		if (start === undefined) {
			throw new MatchError("no-worker", "This editor has no worker to run regular expressions in.");
		}
		const found = this.turn.then(() => this.run(start, search, text, signal));
		this.turn = found.catch(() => {});
		return found;
	}

	/** Stops the worker and the current search. */
	stop(): void {
		this.abandon(new MatchError("failed", "The search was stopped."));
	}

	private run(
		start: () => MatchWorker,
		search: SearchQuery,
		text: string,
		signal: AbortSignal,
	): Promise<readonly Edit[]> {
		signal.throwIfAborted();
		this.worker ??= this.startWorker(start);
		const { worker } = this;
		return new Promise((resolve, reject) => {
			const onAbort = () => this.abandon(signal.reason);
			const callOff = this.clock.after(TIME_LIMIT_MS, () => {
				const limit = `${TIME_LIMIT_MS / 1000} s`;
				this.abandon(new MatchError("slow", `The regular expression took longer than ${limit} in one file.`));
			});
			signal.addEventListener("abort", onAbort);
			this.running = (outcome) => {
				this.running = undefined;
				callOff();
				signal.removeEventListener("abort", onAbort);
				if ("edits" in outcome) resolve(outcome.edits);
				else reject(outcome.error);
			};
			worker.post({ search, text } satisfies Task);
		});
	}

	private startWorker(start: () => MatchWorker): MatchWorker {
		try {
			const worker = start();
			worker.receive((message) => {
				if (this.worker === worker) this.answered(message);
			});
			return worker;
		} catch (error) {
			throw failed(error);
		}
	}

	private answered(message: unknown): void {
		const { edits, refused } = (message ?? {}) as Partial<MatchReply>;
		if (Array.isArray(edits)) this.running?.({ edits });
		else if (refused !== undefined) this.running?.({ error: new MatchError(refused.kind, refused.text) });
		else this.abandon(failed(message));
	}

	private abandon(error: unknown): void {
		this.worker?.stop();
		this.worker = undefined;
		this.running?.({ error });
	}
}

/** Responds to every search that is posted to the port. Call it in a worker. */
export function serveMatches(port: Port): void {
	port.receive((message) => {
		const { search, text } = message as Task;
		port.post(answer(search, text));
	});
}

interface Task {
	readonly search: SearchQuery;
	readonly text: string;
}

interface MatchReply {
	readonly edits?: readonly Edit[];
	readonly refused?: { readonly kind: MatchError["kind"]; readonly text: string };
}

function answer(search: SearchQuery, text: string): MatchReply {
	try {
		return { edits: patternEdits(search, text) };
	} catch (error) {
		const { kind, message } = error instanceof MatchError ? error : failed(error);
		return { refused: { kind, text: message } };
	}
}

function failed(error: unknown): MatchError {
	const reason = error instanceof Error ? error.message : JSON.stringify(error);
	return new MatchError("failed", `The search failed: ${reason}`);
}

function checkSize({ search, replace }: SearchQuery, text: string): void {
	if (text.length > TEXT_CHARACTERS_MAX) {
		throw new MatchError("too-much", `Files of more than ${TEXT_CHARACTERS_MAX} characters are not searched.`);
	}
	if (search.length > SEARCH_CHARACTERS_MAX || replace.length > SEARCH_CHARACTERS_MAX) {
		throw new MatchError(
			"invalid",
			`The search or replacement text is longer than ${SEARCH_CHARACTERS_MAX} characters.`,
		);
	}
	if (LONE_SURROGATE.test(search) || LONE_SURROGATE.test(replace)) {
		throw new MatchError("invalid", "The search or replacement text contains half a surrogate pair.");
	}
}

const LONE_SURROGATE = /\p{Cs}/u;

function literalEdits({ search, replace }: SearchQuery, text: string): readonly Edit[] {
	if (search === "" || search === replace) return [];
	const edits: Edit[] = [];
	for (let from = text.indexOf(search); from !== -1; from = text.indexOf(search, from + search.length)) {
		edits.push({ from, to: from + search.length, insert: replace });
		checkCount(edits.length);
	}
	return edits;
}

function patternEdits(search: SearchQuery, text: string): readonly Edit[] {
	const edits: Edit[] = [];
	let count = 0;
	let inserted = 0;
	for (const match of text.matchAll(patternOf(search))) {
		checkCount(++count);
		const insert = expand(search.replace, match);
		inserted += insert.length;
		if (inserted > INSERT_CHARACTERS_MAX) {
			throw new MatchError("too-much", `The replacements are longer than ${INSERT_CHARACTERS_MAX} characters.`);
		}
		if (insert !== match[0]) edits.push({ from: match.index, to: match.index + match[0].length, insert });
	}
	return edits;
}

function patternOf({ search }: SearchQuery): RegExp {
	if (search === "") return /(?!)/g;
	try {
		return new RegExp(search, "gmu");
	} catch (error) {
		throw new MatchError("invalid", error instanceof Error ? error.message : String(error));
	}
}

function checkCount(count: number): void {
	if (count > MATCHES_MAX) throw new MatchError("too-much", `A file has more than ${MATCHES_MAX} matches.`);
}

/** Expands the replacement of a match like `String.replace`. */
function expand(replace: string, match: RegExpExecArray): string {
	const { index, input, groups } = match;
	return replace.replace(groups === undefined ? REFERENCE : NAMED_REFERENCE, (reference) => {
		switch (reference[1]) {
			case "$":
				return "$";
			case "&":
				return match[0];
			case "`":
				return input.slice(0, index);
			case "'":
				return input.slice(index + match[0].length);
			case "<":
				return groups?.[reference.slice(2, -1)] ?? "";
			default:
				return expandNumber(reference, match);
		}
	});
}

const REFERENCE = /\$(?:[$&`']|\d{1,2})/g;
const NAMED_REFERENCE = /\$(?:[$&`']|\d{1,2}|<[^>]*>)/g;

/**
 * Expands a numbered reference. Two digits are one number if there are that many groups; if not, the second digit is
 * literal.
 */
function expandNumber(reference: string, match: RegExpExecArray): string {
	for (const length of [3, 2]) {
		const number = Number(reference.slice(1, length));
		if (number >= 1 && number < match.length) return (match[number] ?? "") + reference.slice(length);
	}
	return reference;
}

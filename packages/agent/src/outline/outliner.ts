import { type NodesAround, Outline, type Parse, readabilityOf } from "@segue/predict";
import { type Document, type Text, uriKey } from "@segue/text";
import { GRAMMARS } from "./grammars.js";
import type { OutlineReply, OutlineTask } from "./outline-tasks.js";
import type { SyntaxChecker } from "./syntax-checker.js";

// The first parse of a longer document takes seconds, and users don't edit such documents by hand.
const LENGTH_MAX = 500_000;
// A syntax tree takes about thirty times the memory of its text. The least recently used trees are evicted.
const TOTAL_LENGTH_MAX = 4_000_000;

/** Parses documents, in a separate thread or in this one. */
export interface OutlineWorker {
	post(task: OutlineTask): void;
	/** Registers a listener for replies, and for an error if the worker ends unexpectedly. */
	receive(listener: (reply: OutlineReply | Error) => void): void;
	stop(): void;
}

/**
 * Parses documents in one worker, which is started for the first document. A document has no outline if its language
 * has no grammar, or if the worker failed for that language. Each failure is reported once.
 */
export class Outliner {
	private worker: OutlineWorker | undefined;
	private isStopped = false;
	private count = 0;
	/** The worker's documents by id, least recently used first. */
	private readonly entries = new Map<number, Entry>();
	/** The total length of their texts. */
	private length = 0;
	/** Languages for which the worker failed, with the reason. */
	private readonly failures = new Map<string, string>();
	private readonly waiting: (() => void)[] = [];

	constructor(
		private readonly start: () => OutlineWorker,
		private readonly report: (text: string) => void,
		/** If omitted, scenes have no parser. */
		readonly checker?: SyntaxChecker,
	) {}

	/** Creates the outlines for one session's documents. */
	outlines(): Outlines {
		return new Outlines(this);
	}

	/** Resolves when no document is being parsed. */
	settled(): Promise<void> {
		return new Promise((resolve) => {
			if (this.isIdle()) resolve();
			else this.waiting.push(resolve);
		});
	}

	stop(): void {
		this.worker?.stop();
		this.checker?.clear();
		this.isStopped = true;
		for (const entry of this.entries.values()) Object.assign(entry, NOT_KNOWN);
		this.entries.clear();
		this.length = 0;
		this.rest();
	}

	/**
	 * Parses the current text of a document. While one version is being parsed, later ones wait, and only the newest is
	 * parsed next.
	 */
	parse(entry: Entry, text: Text): void {
		if (this.isStopped || this.failures.has(entry.languageId) || text.length > LENGTH_MAX) {
			this.forget(entry);
			return;
		}
		this.remove(entry);
		if (entry.sent === undefined) entry.id = ++this.count;
		entry.wanted = text;
		this.entries.set(entry.id, entry);
		this.length += text.length;
		for (const oldest of this.entries.values()) {
			if (this.length <= TOTAL_LENGTH_MAX) break;
			this.forget(oldest);
		}
		if (!entry.isBusy) this.send(entry);
	}

	forget(entry: Entry): void {
		if (entry.sent !== undefined) this.post({ kind: "close", id: entry.id });
		Object.assign(entry, NOT_KNOWN);
		this.remove(entry);
		this.rest();
	}

	private remove(entry: Entry): void {
		if (this.entries.delete(entry.id)) this.length -= entry.wanted.length;
	}

	private send(entry: Entry): void {
		const { id, languageId, sent, wanted } = entry;
		if (sent === wanted) return;
		entry.isBusy = true;
		entry.sent = wanted;
		if (sent === undefined) this.post({ kind: "open", id, languageId, source: wanted.toString() });
		else {
			const { head, tail } = sent.common(wanted);
			const insert = wanted.slice(head, wanted.length - tail);
			this.post({ kind: "change", id, edit: { from: head, to: sent.length - tail, insert } });
		}
	}

	private post(task: OutlineTask): void {
		if (this.worker === undefined) {
			this.worker = this.start();
			this.worker.receive((reply) => this.receive(reply));
		}
		this.worker.post(task);
	}

	private receive(reply: OutlineReply | Error): void {
		if (this.isStopped) return;
		if (reply instanceof Error) {
			this.report(`the parser crashed: ${reply.message}`);
			this.stop();
			return;
		}
		const entry = this.entries.get(reply.id);
		if (entry === undefined) return;
		entry.isBusy = false;
		if ("failure" in reply) {
			const isNew = ![...this.failures.values()].includes(reply.failure);
			if (isNew) this.report(reply.failure);
			this.failures.set(entry.languageId, reply.failure);
			this.forget(entry);
			return;
		}
		entry.outline = Outline.of(entry.sent as Text, reply.data);
		// Loading blocks this thread, so do it after the worker's first reply. By then the first requests have been answered,
		// and the compiled grammar is shared by all threads.
		this.checker?.load(entry.languageId);
		this.send(entry);
		this.rest();
	}

	private isIdle(): boolean {
		return ![...this.entries.values()].some(({ isBusy }) => isBusy);
	}

	private rest(): void {
		if (this.waiting.length === 0 || !this.isIdle()) return;
		for (const resolve of this.waiting.splice(0)) resolve();
	}
}

interface Entry {
	id: number;
	readonly languageId: string;
	/** The text that was last sent to the worker, if any. */
	sent: Text | undefined;
	/** The current text of the document. */
	wanted: Text;
	isBusy: boolean;
	outline: Outline | undefined;
}

const NOT_KNOWN: Pick<Entry, "sent" | "isBusy" | "outline"> = { sent: undefined, isBusy: false, outline: undefined };

// The same limit as in the mirror. The least recently changed document is evicted.
const DOCUMENTS_MAX = 1000;

/** The outlines of a session's documents, each for the newest version that was parsed. */
export class Outlines {
	/** Keyed by `uriKey`. */
	private readonly entries = new Map<string, Entry>();

	constructor(private readonly outliner: Outliner) {}

	/** Must be called when a document has been opened or changed. Skips documents that the engine does not read. */
	update(document: Document): void {
		const { uri, languageId, text } = document;
		const key = uriKey(uri);
		let entry = this.entries.get(key);
		if (entry !== undefined && (entry.languageId !== languageId || readabilityOf(document) !== "ok")) {
			this.forget(uri);
			entry = undefined;
		}
		if (entry === undefined) {
			if (!GRAMMARS.has(languageId) || readabilityOf(document) !== "ok") return;
			entry = { ...NOT_KNOWN, id: 0, languageId, wanted: text };
		}
		this.entries.delete(key);
		this.entries.set(key, entry);
		const [oldest] = this.entries.values();
		if (this.entries.size > DOCUMENTS_MAX && oldest !== undefined) {
			this.outliner.forget(oldest);
			this.entries.delete(this.entries.keys().next().value as string);
		}
		this.outliner.parse(entry, text);
	}

	forget(uri: string): void {
		const entry = this.entries.get(uriKey(uri));
		if (entry !== undefined) this.outliner.forget(entry);
		this.entries.delete(uriKey(uri));
	}

	forgetAll(): void {
		for (const entry of this.entries.values()) this.outliner.forget(entry);
		this.entries.clear();
	}

	/** Checks the syntax of documents in this thread. */
	get parse(): Parse | undefined {
		return this.outliner.checker?.parse;
	}

	/** Finds the syntax nodes around an offset, in this thread. */
	get nodesAround(): NodesAround | undefined {
		return this.outliner.checker?.nodesAround;
	}

	/** A snapshot of the outlines, by `uriKey`. */
	now(): ReadonlyMap<string, Outline> {
		return new Map([...this.entries].flatMap(([key, { outline }]) => (outline ? [[key, outline]] : [])));
	}
}

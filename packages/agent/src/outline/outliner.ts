import { type NodesAround, Outline, type Parse, readabilityOf } from "@segue/predict";
import { type Document, type Text, uriKey } from "@segue/text";
import { GRAMMARS } from "./grammars.js";
import type { OutlineReply, OutlineTask } from "./outline-tasks.js";
import type { SyntaxChecker } from "./syntax-checker.js";

// Longer texts take seconds to parse for the first time, and nobody renames anything in them by hand.
const LENGTH_MAX = 500_000;
// A syntax tree takes some thirty times the memory of its text. Those that were used last are kept.
const TOTAL_LENGTH_MAX = 4_000_000;

/** Where texts are parsed: in a thread of its own, or right here. */
export interface OutlineWorker {
	post(task: OutlineTask): void;
	/** Passes on answers, and an error when the worker has ended by itself. */
	receive(listener: (answer: OutlineReply | Error) => void): void;
	stop(): void;
}

/**
 * Has documents parsed by one worker, which is started for the first of them. Where a language has no grammar, or the
 * worker fails at it, its documents have no outlines; each reason for the latter is reported once.
 */
export class Outliner {
	private worker: OutlineWorker | undefined;
	private isStopped = false;
	private count = 0;
	/** What the worker knows, by id, the most recently used last. */
	private readonly entries = new Map<number, Entry>();
	/** How long their texts are together. */
	private length = 0;
	/** Languages that the worker failed at, and why. */
	private readonly failures = new Map<string, string>();
	private readonly waiting: (() => void)[] = [];

	constructor(
		private readonly start: () => OutlineWorker,
		private readonly report: (text: string) => void,
		/** Without it, scenes have no parser. */
		readonly checker?: SyntaxChecker,
	) {}

	/** For the documents of one session. */
	outlines(): Outlines {
		return new Outlines(this);
	}

	/** Resolves when the outlines of all documents are those of their present texts, or never will be. */
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

	/** Has the present text of a document parsed. At most one version is under way, and the next is the newest then. */
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
			this.worker.receive((answer) => this.receive(answer));
		}
		this.worker.post(task);
	}

	private receive(answer: OutlineReply | Error): void {
		if (this.isStopped) return;
		if (answer instanceof Error) {
			this.report(`the parser ended: ${answer.message}`);
			this.stop();
			return;
		}
		const entry = this.entries.get(answer.id);
		if (entry === undefined) return;
		entry.isBusy = false;
		if ("failure" in answer) {
			const isNew = ![...this.failures.values()].includes(answer.failure);
			if (isNew) this.report(answer.failure);
			this.failures.set(entry.languageId, answer.failure);
			this.forget(entry);
			return;
		}
		entry.outline = Outline.of(entry.sent as Text, answer.data);
		// Loading takes the time of this thread. The worker's answer comes after the first requests, and the grammar that it
		// has compiled is shared by all threads.
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

/** A document whose outline is wanted. */
interface Entry {
	id: number;
	readonly languageId: string;
	/** The version that the worker has, and makes an outline of while it is busy; undefined where it has none. */
	sent: Text | undefined;
	wanted: Text;
	isBusy: boolean;
	outline: Outline | undefined;
}

const NOT_KNOWN: Pick<Entry, "sent" | "isBusy" | "outline"> = { sent: undefined, isBusy: false, outline: undefined };

// As many as a mirror keeps. The one that is unchanged for longest is forgotten.
const DOCUMENTS_MAX = 1000;

/** The outlines of a session's documents: of the newest version that is parsed, which is a moment old at most. */
export class Outlines {
	/** By `uriKey`. */
	private readonly entries = new Map<string, Entry>();

	constructor(private readonly outliner: Outliner) {}

	/** A document was opened or changed. What the engine does not read is not parsed either. */
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

	/** A document was closed. */
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

	/** What is known now, by `uriKey`; later events do not change it. */
	now(): ReadonlyMap<string, Outline> {
		return new Map([...this.entries].flatMap(([key, { outline }]) => (outline ? [[key, outline]] : [])));
	}
}

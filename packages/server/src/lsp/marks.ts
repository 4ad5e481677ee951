import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import * as lsp from "@segue/protocol/lsp";
import type { Connection } from "@segue/rpc";
import { type Edit, offsetsOf, positionAt, rangeAt, type StartTimer, sameUri } from "@segue/text";
import { type Mark, SOURCE } from "./from-wire.js";

// Debounce after the last change. It can be short, because a request costs about as much as drawing a line of text.
const PAUSE_MS = 300;

const HINT = 4;

interface MarkContext {
	readonly connection: Pick<Connection<"agent">, "notify" | "request">;
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
	readonly after: StartTimer;
	/** Requests the next edit after a change. */
	readonly findNext: (uri: string, cursor: number) => Promise<MarkedEdit | undefined>;
	readonly report: (error: unknown) => void;
}

/** The next edit with a short description. */
export interface MarkedEdit {
	readonly offer: SuggestionOffer;
	readonly edit: Edit;
	readonly title: string;
}

/**
 * Marks the next edit in the text when the user pauses, as an inlay hint or as a diagnostic of the lowest severity.
 * Intended for clients that don't request suggestions. Off by default.
 */
export class Marks {
	private kind: Mark = "none";
	private current: MarkedEdit | undefined;
	private stopTimer = () => {};
	/** The number of changes so far. An edit found for an earlier change is stale. */
	private changes = 0;

	constructor(private readonly context: MarkContext) {}

	set(kind: Mark): void {
		if (kind === this.kind) return;
		this.clear();
		this.kind = kind;
	}

	/** Removes the mark and cancels a pending request for one. */
	clear(): void {
		this.stop();
		this.show(undefined);
	}

	closed(uri: string): void {
		if (this.current !== undefined && sameUri(this.current.offer.document.uri, uri)) this.clear();
	}

	/** `cursor` is the end of the change. */
	changed(uri: string, cursor: number): void {
		if (this.kind === "none") return;
		this.clear();
		const change = this.changes;
		this.stopTimer = this.context.after(PAUSE_MS, () => {
			const { findNext, report } = this.context;
			findNext(uri, cursor).then((found) => {
				if (change === this.changes) this.show(found);
			}, report);
		});
	}

	stop(): void {
		this.stopTimer();
		this.changes++;
	}

	/** Returns the hint in a range of a document. */
	hints(uri: string, range: Parameters<typeof offsetsOf>[1]) {
		const { current, kind } = this;
		if (kind !== "hint" || current === undefined || !sameUri(current.offer.document.uri, uri)) return [];
		const { text } = current.offer.document;
		const { encoding } = this.context;
		const { from, to } = offsetsOf(text, range, encoding);
		if (current.edit.from < from || current.edit.from > to) return [];
		const position = positionAt(text, current.edit.to, encoding);
		return [
			{ position, label: `→ ${labelOf(current.edit)}`, paddingLeft: true, tooltip: `Next edit: ${current.title}` },
		];
	}

	private show(found: MarkedEdit | undefined): void {
		const before = this.current;
		if (before === undefined && found === undefined) return;
		this.current = found;
		const { connection, capabilities } = this.context;
		if (this.kind === "hint") {
			if (capabilities.workspace?.inlayHint?.refreshSupport !== true) return;
			connection.request(lsp.refreshInlayHints, undefined).catch(() => {});
		} else {
			const uris = new Set([before, found].flatMap((one) => (one ? [one.offer.document.uri] : [])));
			for (const uri of uris) connection.notify(lsp.publishDiagnostics, { uri, diagnostics: this.diagnosticsOf(uri) });
		}
	}

	private diagnosticsOf(uri: string) {
		const { current } = this;
		if (current === undefined || current.offer.document.uri !== uri) return [];
		const { text } = current.offer.document;
		const range = rangeAt(text, current.edit.from, current.edit.to, this.context.encoding);
		return [{ range, severity: HINT, source: SOURCE, message: `Next edit: ${current.title}` }];
	}
}

// A hint takes up space within a line of code, so keep it short.
const LABEL_MAX = 30;

function labelOf({ insert }: Edit): string {
	if (insert === "") return "delete";
	const [first = ""] = insert.trim().split(/\r?\n/, 1);
	return first.length <= LABEL_MAX && first === insert.trim() ? first : `${first.slice(0, LABEL_MAX)}…`;
}

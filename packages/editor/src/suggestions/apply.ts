import { Change, diffTokens, type Edit, errorText, sameUri, Text } from "@segue/text";
import type { FileEdits, Host } from "../host.js";
import type { OpenDocuments } from "../sync/open-documents.js";
import type { DisplayedSuggestion } from "./display.js";
import type { EditorSuggestion } from "./suggestion.js";
import type { SuggestionQueue } from "./suggestion-queue.js";

interface SuggestionApplierOptions {
	readonly host: Host;
	readonly documents: OpenDocuments;
	/** The suggestion being shown. */
	readonly shown: () => DisplayedSuggestion | undefined;
	/** Finds the edits for a search and replace. */
	readonly preview: (search: Search) => Promise<readonly FileEdits[]>;
	/**
	 * Called before edits are applied. The editor reports the edits like any other change. Returns a function to call
	 * afterwards.
	 */
	readonly applying: (files: readonly FileEdits[]) => () => void;
	/** Called when the suggestion to show may have changed. */
	readonly changed: () => void;
	/** Sends all pending changes to the agent. */
	readonly flush: () => void;
}

type Search = Extract<EditorSuggestion, { kind: "searchAndReplace" }>;

/** Applies suggestions that the user accepts. */
export class SuggestionApplier {
	/** Keeps a second Tab from repeating an action that the first one has not finished. */
	private isBusy = false;
	/** Serializes accepted words and lines, so that no key press is lost. */
	private parts: Promise<unknown> = Promise.resolve();

	constructor(private readonly options: SuggestionApplierOptions) {}

	/**
	 * Moves to the next part of the suggestion that is not visible, or accepts the suggestion if all of it is visible.
	 * Resolves to whether something was accepted.
	 */
	tab(shown: DisplayedSuggestion, queue: SuggestionQueue): Promise<boolean> {
		if (shown.as !== "chip" || shown.kind === "jump") return this.whole(queue);
		return this.once(async () => {
			queue.visit(shown.place);
			await this.options.host.reveal(shown.uri, shown.place);
			return false;
		});
	}

	/** Accepts the whole suggestion. Resolves to whether something was accepted. */
	whole(queue: SuggestionQueue): Promise<boolean> {
		const kind = queue.current?.suggestion.kind;
		// Don't block other actions, because the user may keep working while a preview is open.
		const opensPreview = kind === "rename" || kind === "searchAndReplace";
		return opensPreview ? this.finish(queue) : this.once(() => this.finish(queue));
	}

	/** Accepts the next word or line of a visible suggestion. Suggestions other than edits are accepted as a whole. */
	async part(by: "word" | "line", queue: SuggestionQueue): Promise<boolean> {
		const taken = this.parts.then(() => this.takePart(by, queue));
		this.parts = taken;
		// The parts that follow don't wait, because a preview may be open.
		return (await taken) ?? this.whole(queue);
	}

	/** Resolves to undefined if the suggestion has no parts. */
	private async takePart(by: "word" | "line", queue: SuggestionQueue): Promise<boolean | undefined> {
		// Accepting the previous part may have completed its suggestion, and the suggestion that follows may not be
		// visible.
		if (this.options.shown()?.as === "chip") return false;
		const suggestion = queue.current?.suggestion;
		const document = suggestion && this.options.documents.find(suggestion.uri)?.document;
		if (suggestion?.kind !== "edit" || document === undefined) return undefined;
		return this.once(async () => {
			const edits = firstPart(suggestion.edits, by, document.text);
			const cursor = Change.of(edits, document.text.length).map(edits.at(-1)?.to ?? 0, "after");
			if (await this.apply([{ uri: document.uri, edits, version: document.version }])) {
				await this.reveal(document.uri, cursor);
				return true;
			}
			if (queue.current?.suggestion.id === suggestion.id) queue.dismiss(undefined);
			return false;
		});
	}

	private async finish(queue: SuggestionQueue): Promise<boolean> {
		const suggestion = queue.take();
		if (suggestion === undefined) return false;
		this.options.changed();
		const outcome = await this.perform(suggestion).catch((error: unknown) => {
			this.report(error);
			return FAILED;
		});
		if (outcome.kind !== "done") {
			queue.failed(suggestion, outcome.kind === "declined" ? "rejected" : undefined);
			return false;
		}
		queue.taken(suggestion, outcome.isPartial);
		if (suggestion.kind === "edit") await this.reveal(suggestion.uri, suggestion.cursor);
		return true;
	}

	private async perform(suggestion: EditorSuggestion): Promise<Outcome> {
		const { host } = this.options;
		const { uri } = suggestion;
		const version = this.options.documents.find(uri)?.document.version;
		if (version === undefined && !(await this.isAsRead(suggestion))) return FAILED;
		switch (suggestion.kind) {
			case "edit": {
				const { edits } = suggestion;
				return (await this.apply([{ uri, edits, version }])) ? DONE : FAILED;
			}
			case "jump":
				await host.reveal(uri, suggestion.at);
				return DONE;
			case "rename":
				switch (await host.rename?.(uri, suggestion.at, suggestion.newName)) {
					case true:
						return DONE;
					case "declined":
						return { kind: "declined" };
					default:
						this.report("the editor could not rename the symbol");
						return FAILED;
				}
			case "searchAndReplace": {
				const found = await this.options.preview(suggestion);
				if (countOf(found) === 0) {
					this.report(`${suggestion.search} was not found`);
					return FAILED;
				}
				const chosen = (await host.preview?.(found)) ?? [];
				if (countOf(chosen) === 0) return { kind: "declined" };
				// The files may have changed during the preview.
				const isStill = areAmong(chosen, await this.options.preview(suggestion));
				if (!isStill) this.report("the files have changed since the preview");
				if (!isStill || !(await this.apply(chosen))) return FAILED;
				return { kind: "done", isPartial: countOf(chosen) < countOf(found) };
			}
		}
	}

	/**
	 * Applies edits. Flushes before and after, so that the agent gets them as a separate change and recognizes its
	 * suggestion.
	 */
	private async apply(files: readonly FileEdits[]): Promise<boolean> {
		const { host, flush, applying } = this.options;
		flush();
		const applied = applying(files);
		try {
			if (await host.apply(files)) return true;
			this.report("the editor could not apply the edits");
		} catch (error) {
			this.report(error);
		} finally {
			applied();
			flush();
		}
		return false;
	}

	/** Reveals an offset, clamped because the user may have typed since. A failure does not undo the acceptance. */
	private async reveal(uri: string, offset: number): Promise<void> {
		const length = this.options.documents.find(uri)?.document.text.length ?? offset;
		try {
			await this.options.host.reveal(uri, Math.min(offset, length));
		} catch (error) {
			this.report(error);
		}
	}

	/**
	 * Whether a closed file still has the text that the suggestion is for. Not checked for searches, because they read
	 * the files themselves.
	 */
	private async isAsRead({ kind, uri, fileText }: EditorSuggestion): Promise<boolean> {
		if (kind === "searchAndReplace") return true;
		const now = await this.options.host.files?.read(uri);
		if (now !== undefined && fileText?.equals(Text.of(now)) === true) return true;
		this.report("the file has changed");
		return false;
	}

	private async once(run: () => Promise<boolean>): Promise<boolean> {
		if (this.isBusy) return false;
		this.isBusy = true;
		try {
			return await run();
		} catch (error) {
			this.report(error);
			return false;
		} finally {
			this.isBusy = false;
		}
	}

	private report(error: unknown): void {
		const text = errorText(error);
		this.options.host.report({ kind: "failed", text: `the suggestion could not be applied: ${text}` });
	}
}

/** The result of applying a suggestion. */
type Outcome =
	| { readonly kind: "done"; readonly isPartial: boolean }
	| { readonly kind: "declined" }
	| { readonly kind: "failed" };
const DONE: Outcome = { kind: "done", isPartial: false };
const FAILED: Outcome = { kind: "failed" };

function countOf(files: readonly FileEdits[]): number {
	return files.reduce((count, { edits }) => count + edits.length, 0);
}

/** Whether a list contains all of the edits, for the same document versions. */
function areAmong(files: readonly FileEdits[], others: readonly FileEdits[]): boolean {
	return files.every(({ uri, version, edits }) => {
		const other = others.find((one) => sameUri(one.uri, uri) && one.version === version);
		const known = new Set(other?.edits.map((edit) => JSON.stringify([edit.from, edit.to, edit.insert])));
		return edits.every((edit) => known.has(JSON.stringify([edit.from, edit.to, edit.insert])));
	});
}

/**
 * Returns the first word or line that a suggestion would insert. The returned edits are a prefix of the suggestion's
 * edits, so it is rebased as if the user had typed them.
 */
export function firstPart(edits: readonly Edit[], by: "word" | "line", text: Text): readonly Edit[] {
	const [first, ...others] = edits.flatMap((edit) => refine(edit, text));
	if (first === undefined) return [];
	if (by === "word") return [beginning(first, WORD)];
	const line = text.lineAt(first.from);
	const part: Edit[] = [];
	for (const edit of [first, ...others]) {
		if (text.lineAt(edit.from) !== line) break;
		const start = beginning(edit, LINE);
		part.push(start);
		if (start.insert !== edit.insert || text.lineAt(edit.to) !== line) break;
	}
	return part;
}

/** Whether the first word or line of a suggestion leaves a rest. Otherwise, accepting it is accepting everything. */
export function isDivisible(edits: readonly Edit[], by: "word" | "line", text: Text): boolean {
	const all = edits.flatMap((edit) => refine(edit, text));
	const part = firstPart(edits, by, text);
	return part.length < all.length || part.at(-1)?.insert !== all.at(-1)?.insert;
}

// Include whitespace before a word and the line break before a line, so that the first key press inserts more than
// whitespace.
const WORD = /^\s*(?:[\p{L}\p{N}\p{M}_$]+|[^\p{L}\p{N}\p{M}_$\s]+)?/u;
const LINE = /^(?:\r\n|\n|\r)?[^\r\n]*/;

/** Splits an edit into minimal edits, token by token. Insertions and deletions are already minimal. */
function refine(edit: Edit, text: Text): Edit[] {
	if (edit.from === edit.to || edit.insert === "") return [edit];
	const fine = diffTokens(text.slice(edit.from, edit.to), edit.insert);
	return Change.of(
		fine.map(({ from, to, insert }) => ({ from: edit.from + from, to: edit.from + to, insert })),
		text.length,
	).edits.slice();
}

function beginning(edit: Edit, pattern: RegExp): Edit {
	const insert = pattern.exec(edit.insert)?.[0] ?? "";
	return { ...edit, insert: insert === "" ? edit.insert : insert };
}

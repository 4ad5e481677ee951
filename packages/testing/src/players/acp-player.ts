import * as acp from "@segue/protocol/acp";
import { type Channel, Connection, memoryPair } from "@segue/rpc";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import {
	Change,
	type Document,
	type Edit,
	languageOf,
	offsetOf,
	offsetsOf,
	positionAt,
	printUnified,
	rangeAt,
	type SyncKind,
	type Text,
} from "@segue/text";
import type { FakeClock } from "../clock.js";
import { type DocumentEvent, FakeEditor } from "../editors/fake-editor.js";

// Longer than any pause within a single edit, so that every pane of a story is a separate edit.
const BETWEEN_EDITS_MS = 2000;

const ROOT = "file:///story/";

export interface AcpWire {
	/** Serves ACP at the other end of the connection. */
	readonly serve: (channel: Channel) => void;
	/** The agent's clock. Every edit advances it by a few seconds. */
	readonly clock: FakeClock;
	readonly encoding: acp.PositionEncoding;
	readonly syncKind: SyncKind;
}

/**
 * Plays stories on a next-edit agent over ACP, acting as the editor. Sends only what the agent's capabilities request:
 * events, context with each request, or both.
 */
export class AcpPlayer implements Player {
	private can: Extract<StorySettings, { can: unknown }>["can"] = [];
	private session: Promise<Session> | undefined;
	/** The user's documents, most recent first. */
	private paths: string[] = [];
	private view: StoryView = { selection: { anchor: 0, head: 0 }, diagnostics: [] };
	/** The edit history as unified diffs, newest last. */
	private readonly diffs: { uri: string; diff: string }[] = [];
	private offered: acp.Suggestion | undefined;

	constructor(private readonly wire: AcpWire) {}

	async configure(settings: StorySettings): Promise<void> {
		if (!("can" in settings)) throw new Error("every story is played with every encoding and sync kind");
		if (this.session !== undefined) throw new Error("capabilities must be set before a document is opened");
		this.can = settings.can;
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		const { editor } = await this.connected();
		editor.open(uriOf(path), text.toString(), languageOf(path));
		this.turnTo(path, view);
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		const { client, sessionId, editor, asked } = await this.connected();
		const isElsewhere = path !== this.paths[0];
		if (change.edits.length > 0) await this.edit(path, change.edits);
		this.turnTo(path, view);
		if (!isElsewhere || !asked.events?.document?.didFocus) return;
		const { uri, text } = editor.document(uriOf(path));
		const position = positionAt(text, view.selection.head, this.wire.encoding);
		client.notify(acp.didFocus, { sessionId, uri, position });
	}

	async model(): Promise<void> {
		throw new Error("the agent has no model");
	}

	async suggest(): Promise<StorySuggestion> {
		const { client, sessionId, editor, asked } = await this.connected();
		const { encoding } = this.wire;
		const here = editor.document(uriOf(this.paths[0] ?? ""));
		const { anchor, head } = this.view.selection;
		const { suggestions, _meta } = await client.request(acp.nesSuggest, {
			sessionId,
			uri: here.uri,
			version: here.version,
			position: positionAt(here.text, head, encoding),
			...(anchor !== head && {
				selection: rangeAt(here.text, Math.min(anchor, head), Math.max(anchor, head), encoding),
			}),
			triggerKind: "automatic",
			context: this.contextOf(editor, asked),
		});
		this.offered = suggestions[0];
		if (this.offered === undefined) return { kind: "nothing", reason: segueOf(_meta)["reason"] ?? "" };
		return outcomeOf(this.offered, editor.document(this.offered.uri), encoding);
	}

	async accept(): Promise<void> {
		const { client, sessionId, editor } = await this.connected();
		const { offered } = this;
		if (offered === undefined) throw new Error("no suggestion to accept");
		if (offered.kind === "edit") {
			const document = editor.document(offered.uri);
			const { edits = [], cursor = 0 } = editOf(offered, document, this.wire.encoding);
			const path = pathOf(offered.uri);
			await this.edit(path, edits);
			this.turnTo(path, { selection: { anchor: cursor, head: cursor }, diagnostics: [] });
		}
		if (offered.kind === "jump") {
			const { text } = editor.document(offered.uri);
			const head = offsetOf(text, offered.position, this.wire.encoding);
			this.turnTo(pathOf(offered.uri), { selection: { anchor: head, head }, diagnostics: [] });
		}
		client.notify(acp.nesAccept, { sessionId, id: offered.id });
	}

	async reject(reason: string | undefined): Promise<void> {
		const { client, sessionId } = await this.connected();
		client.notify(acp.nesReject, { sessionId, id: this.offered?.id ?? "", ...(reason !== undefined && { reason }) });
	}

	async wait(ms: number): Promise<void> {
		this.wire.clock.advance(ms);
	}

	/** Connects on first use, with the capabilities that the story has set so far. */
	private connected(): Promise<Session> {
		this.session ??= start(this.wire, this.can);
		return this.session;
	}

	private async edit(path: string, edits: readonly Edit[]): Promise<void> {
		const { editor } = await this.connected();
		const uri = uriOf(path);
		const before = editor.document(uri).text.toString();
		editor.edit(uri, edits);
		this.wire.clock.advance(BETWEEN_EDITS_MS);
		this.diffs.push({ uri, diff: printUnified(before, editor.document(uri).text.toString(), path, path) });
	}

	private turnTo(path: string, view: StoryView): void {
		this.paths = [path, ...this.paths.filter((other) => other !== path)];
		this.view = view;
	}

	private contextOf(editor: FakeEditor, { context }: acp.NesCapabilities): acp.SuggestContext {
		const { recentFiles, editHistory, diagnostics } = context ?? {};
		const documents = this.paths.map((path) => editor.document(uriOf(path)));
		return {
			...(recentFiles && {
				recentFiles: documents
					.slice(0, recentFiles.maxCount ?? undefined)
					.map(({ uri, languageId, text }) => ({ uri, languageId, text: text.toString() })),
			}),
			...(editHistory && { editHistory: this.diffs.slice(-(editHistory.maxCount ?? this.diffs.length)) }),
			...(diagnostics && { diagnostics: this.diagnosticsIn(documents[0]) }),
		};
	}

	private diagnosticsIn(document: Document | undefined): acp.Diagnostic[] {
		if (document === undefined) return [];
		const { uri, text } = document;
		return this.view.diagnostics.map(({ from, to, severity, message }) => {
			const range = rangeAt(text, from, to, this.wire.encoding);
			return { uri, range, severity: severity === "info" ? "information" : severity, message };
		});
	}
}

interface Session {
	readonly client: Connection<"client">;
	readonly sessionId: string;
	readonly editor: FakeEditor;
	readonly asked: acp.NesCapabilities;
}

async function start({ serve, encoding, syncKind }: AcpWire, can: readonly string[]): Promise<Session> {
	const [ours, theirs] = memoryPair();
	serve(theirs);
	const report = ({ kind, text }: { kind: string; text: string }) => {
		if (kind !== "unknown-notification") throw new Error(`${kind}: ${text}`);
	};
	const client = new Connection<"client">(ours, { dialect: acp.dialect, handlers: [], report });
	const initialized = await client.request(acp.initialize, {
		protocolVersion: 1,
		clientCapabilities: {
			nes: Object.fromEntries(can.map((kind) => [kind, {}])),
			positionEncodings: [encoding],
		},
	});
	const asked = acp.agentCapabilitiesOf(initialized).nes ?? {};
	const { sessionId } = await client.request(acp.nesStart, {});
	const send = (event: DocumentEvent) => sendEvent(client, event, asked);
	return { client, sessionId, editor: new FakeEditor({ sessionId, encoding, syncKind, send }), asked };
}

function sendEvent(client: Connection<"client">, event: DocumentEvent, { events }: acp.NesCapabilities): void {
	const asked = events?.document;
	if (event.method === "document/didOpen" && asked?.didOpen) client.notify(acp.didOpen, event.params);
	if (event.method === "document/didChange" && asked?.didChange) client.notify(acp.didChange, event.params);
	if (event.method === "document/didClose" && asked?.didClose) client.notify(acp.didClose, event.params);
}

function uriOf(path: string): string {
	return ROOT + path;
}

function pathOf(uri: string): string {
	return uri.slice(ROOT.length);
}

function outcomeOf(suggestion: acp.Suggestion, document: Document, encoding: acp.PositionEncoding): StorySuggestion {
	const { text } = document;
	const path = pathOf(suggestion.uri);
	switch (suggestion.kind) {
		case "edit":
			return { kind: "edit", path, ...editOf(suggestion, document, encoding), note: segueOf(suggestion._meta)["why"] };
		case "jump":
			return { kind: "jump", path, offset: offsetOf(text, suggestion.position, encoding) };
		case "rename": {
			const from = offsetOf(text, suggestion.position, encoding);
			const oldName = /^[\p{L}\p{N}_$]*/u.exec(text.slice(from))?.[0] ?? "";
			return { kind: "rename", path, oldName, newName: suggestion.newName };
		}
		case "searchAndReplace": {
			const { search, replace, isRegex } = suggestion;
			return { kind: "searchAndReplace", path, search, replace, isRegex: isRegex ?? false };
		}
	}
}

function editOf(
	suggestion: Extract<acp.Suggestion, { kind: "edit" }>,
	{ text }: Document,
	encoding: acp.PositionEncoding,
): { edits: Edit[]; cursor: number | undefined } {
	const edits = suggestion.edits.map(({ range, newText }) => {
		return { ...offsetsOf(text, range, encoding), insert: newText };
	});
	const after = Change.of(edits, text.length).apply(text);
	const { cursorPosition } = suggestion;
	return { edits, cursor: cursorPosition ? offsetOf(after, cursorPosition, encoding) : undefined };
}

function segueOf(meta: Record<string, unknown> | null | undefined): Record<string, string> {
	return (meta?.["segue"] ?? {}) as Record<string, string>;
}

import type { Prediction, Scene, Suggestion } from "@segue/predict";
import * as acp from "@segue/protocol/acp";
import { type Channel, Connection, memoryPair, on, type Problem, RpcError } from "@segue/rpc";
import { type AcpOptions, serveAcp } from "@segue/server";
import { afterEach, expect } from "vitest";
import { STRICT_VALIDATORS } from "./strict-validators.js";

// Shared by the agent's tests: an editor that sends exactly what a test specifies.

export const A = "file:///a.ts";
export const B = "file:///b.ts";

/** Messages from the agent over all connections in a test. They are validated after each test. */
const emitted: { readonly method: string; readonly part: "result" | "error" | "params"; readonly value: unknown }[] =
	[];

afterEach(() => {
	for (const { method, part, value } of emitted.splice(0)) {
		if (part === "error") {
			expect(value).toEqual({ code: expect.any(Number), message: expect.any(String), ...dataOf(value) });
		} else if (part === "result" && STRICT_VALIDATORS.result[method] !== undefined) {
			// The validators strip unknown members, so the parsed result must be compared with the original.
			expect(STRICT_VALIDATORS.result[method].parse(value)).toMatchObject(value as object);
		}
	}
});

function dataOf(error: unknown): object {
	const { data } = error as { data?: unknown };
	return data === undefined ? {} : { data };
}

/** Records the agent's messages. A response is recorded under its request's method. */
function watch(agent: Connection<"agent">): void {
	const methods = new Map<unknown, string>();
	agent.tap(({ direction, phase, text }) => {
		if (phase !== "before") return;
		const { id, method, params, result, error } = text.startsWith("{") ? JSON.parse(text) : {};
		if (direction === "in") methods.set(id, method);
		else if (method !== undefined) emitted.push({ method, part: "params", value: params });
		else if (error !== undefined) emitted.push({ method: methods.get(id) ?? "", part: "error", value: error });
		else emitted.push({ method: methods.get(id) ?? "", part: "result", value: result });
	});
}

export interface AcpEditorOptions extends Partial<AcpOptions> {
	readonly capabilities?: acp.ClientCapabilities;
	/** The agent's end and the editor's end of the connection. In memory by default. */
	readonly wire?: readonly [Channel, Channel];
}

/** An editor connected to the agent. */
export class AcpEditor {
	readonly client: Connection<"client">;
	readonly problems: Problem[] = [];
	readonly updates: unknown[] = [];
	/** Messages from the agent, in order: a method, or a request's id with `result` or the error code. */
	readonly transcript: string[] = [];
	sessionId = "";
	private readonly raw: (text: string) => void;

	/** Connects without sending anything. */
	constructor({ capabilities: _, wire = memoryPair(), ...options }: AcpEditorOptions = {}) {
		const [a, b] = wire;
		const report = (problem: Problem) => this.problems.push(problem);
		const agent = serveAcp(a, { version: "1.2.3", sync: "events", report, ...options });
		watch(agent);
		this.raw = (text) => b.send(text);
		this.client = new Connection<"client">(b, {
			dialect: acp.dialect,
			report: () => {},
			handlers: [on(acp.sessionUpdate, (update) => void this.updates.push(update))],
		});
		this.client.tap(({ direction, phase, text }) => {
			if (direction !== "in" || phase !== "before") return;
			const { id, method, error } = JSON.parse(text);
			this.transcript.push(method ?? `#${id} ${error === undefined ? "result" : error.code}`);
		});
	}

	/** Connects, starts a session and opens documents, all at version 1. */
	static async open(files: Readonly<Record<string, string>> = {}, options: AcpEditorOptions = {}): Promise<AcpEditor> {
		const editor = new AcpEditor(options);
		await editor.initialize(options.capabilities);
		await editor.start();
		for (const [uri, text] of Object.entries(files)) editor.didOpen(uri, text);
		return editor;
	}

	initialize(clientCapabilities: acp.ClientCapabilities = {}, protocolVersion = 1) {
		return this.client.request(acp.initialize, { protocolVersion, clientCapabilities });
	}

	async start(workspace: acp.NesStart = {}): Promise<string> {
		const { sessionId } = await this.client.request(acp.nesStart, workspace);
		this.sessionId = sessionId;
		return sessionId;
	}

	didOpen(uri: string, text: string, version = 1): void {
		const { sessionId } = this;
		this.client.notify(acp.didOpen, { sessionId, uri, languageId: "typescript", version, text });
	}

	didChange(uri: string, version: number, ...contentChanges: acp.ContentChange[]): void {
		this.client.notify(acp.didChange, { sessionId: this.sessionId, uri, version, contentChanges });
	}

	didClose(uri: string): void {
		this.client.notify(acp.didClose, { sessionId: this.sessionId, uri });
	}

	didFocus(uri: string, position: acp.Position, visibleRange: acp.Range): void {
		this.client.notify(acp.didFocus, { sessionId: this.sessionId, uri, version: 1, position, visibleRange });
	}

	suggest(uri: string, version: number, more: Partial<acp.SuggestRequest> = {}, signal?: AbortSignal) {
		const { sessionId } = this;
		const position = { line: 0, character: 0 };
		const request = { sessionId, uri, version, position, triggerKind: "manual", ...more };
		return this.client.request(acp.nesSuggest, request, signal);
	}

	close(sessionId = this.sessionId) {
		return this.client.request(acp.nesClose, { sessionId });
	}

	accept(id: string): void {
		this.client.notify(acp.nesAccept, { sessionId: this.sessionId, id });
	}

	reject(id: string, reason?: string): void {
		this.client.notify(acp.nesReject, { sessionId: this.sessionId, id, ...(reason !== undefined && { reason }) });
	}

	set(configId: string, value: string | boolean) {
		return this.client.request(acp.setConfigOption, { sessionId: this.sessionId, configId, value });
	}

	/** Sends a raw message and waits until the agent has handled it. */
	async write(method: string, params: unknown, id?: number): Promise<void> {
		this.raw(JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params }));
		await new Promise(setImmediate);
	}
}

/** Returns a range within one line. */
export function lineRange(line: number, from: number, to: number): acp.Range {
	return { start: { line, character: from }, end: { line, character: to } };
}

/** Returns a change within one line. */
export function lineChange(line: number, from: number, to: number, text: string): acp.ContentChange {
	return { range: lineRange(line, from, to), text };
}

export function noSuggestionReasonOf({ suggestions, _meta }: acp.SuggestResponse): unknown {
	expect(suggestions).toEqual([]);
	return segueMetaOf(_meta)["reason"];
}

/** Returns Segue's part of a message's `_meta`. */
export function segueMetaOf(meta: Record<string, unknown> | null | undefined): Record<string, unknown> {
	return (meta?.["segue"] ?? {}) as Record<string, unknown>;
}

/** Returns the error code of a failed request, with the error's data if there is any. */
export async function errorCodeOf(request: Promise<unknown>): Promise<unknown> {
	const error = await request.then(
		() => expect.unreachable("the request succeeded"),
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(RpcError);
	const { code, data } = error as RpcError;
	return data === undefined ? code : [code, data];
}

/** Returns a predictor that records scenes and suggests nothing. */
export function sceneRecorder() {
	const scenes: Scene[] = [];
	const predict = (scene: Scene): Prediction => {
		scenes.push(scene);
		return { silence: "nothing-found" };
	};
	/** The text of the last scene's document, with ▮ at the cursor. */
	const seen = () => {
		const { document, cursor } = scenes.at(-1) as Scene;
		return `${document.text.slice(0, cursor)}▮${document.text.slice(cursor)}`;
	};
	return { scenes, predict, seen };
}

export const SUGGESTION_DETAILS = {
	predictor: "repeat",
	rules: ["rule"],
	confidence: 1,
	why: "because",
	cursor: 0,
} as const;

export function edit(uri: string, from: number, to: number, insert: string): Suggestion {
	return {
		...SUGGESTION_DETAILS,
		kind: "edit",
		uri,
		edits: [{ from, to, insert }],
		cursor: from + insert.length,
		key: `${from}`,
	};
}

/** Returns a predictor that always returns these suggestions. */
export function always(...suggestions: Suggestion[]) {
	return (): Prediction => ({ suggestions });
}

/**
 * Opens an editor in which the user has started a rename. The next occurrence is on the second line, at columns 4 to 7.
 */
export async function startRename(options: AcpEditorOptions = {}): Promise<AcpEditor> {
	const editor = await AcpEditor.open({ [A]: "const cnt = 0\nlog(cnt)\n" }, options);
	editor.didChange(A, 2, lineChange(0, 6, 9, "count"));
	return editor;
}

export const RENAME_SUGGESTION = {
	kind: "edit",
	uri: A,
	edits: [{ range: { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } }, newText: "count" }],
	cursorPosition: { line: 1, character: 9 },
};

/** Requests suggestions and returns the first one. */
export async function first(editor: AcpEditor, version = 2) {
	const { suggestions } = await editor.suggest(A, version);
	const [suggestion] = suggestions;
	if (suggestion === undefined) throw new Error("no suggestion");
	return suggestion;
}

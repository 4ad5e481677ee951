import * as acp from "@segue/protocol/acp";
import { type Call, type Channel, Connection, memoryPair, on } from "@segue/rpc";
import { STRICT_VALIDATORS } from "../editors/strict-validators.js";

/** Requests every document event and every kind of context. */
export const ALL_NES_CAPABILITIES: acp.NesCapabilities = {
	events: {
		document: { didOpen: {}, didChange: { syncKind: "incremental" }, didClose: {}, didSave: {}, didFocus: {} },
	},
	context: {
		recentFiles: { maxCount: 10 },
		relatedSnippets: {},
		editHistory: { maxCount: 6 },
		userActions: { maxCount: 16 },
		openFiles: {},
		diagnostics: {},
	},
};

export interface ScriptedAgentMessage {
	readonly method: string;
	readonly params: Record<string, unknown>;
}

/** An agent that sends the messages scripted by a test, valid or not, and records the messages it receives. */
export class ScriptedAgent {
	nes: acp.NesCapabilities | undefined = ALL_NES_CAPABILITIES;
	encoding: acp.PositionEncoding | undefined = "utf-16";
	authMethods: acp.AuthMethod[] = [];
	/** Handles `nes/suggest`. */
	suggest: (request: acp.SuggestRequest, call: Call) => acp.SuggestResponse | Promise<acp.SuggestResponse> = () =>
		NOTHING;
	/** Called on `nes/start`. Throw an error to reject the session. */
	start: () => void = () => {};
	/** Messages received over all connections, in order. */
	readonly received: ScriptedAgentMessage[] = [];
	/** Violations of the strict protocol schemas in received messages. */
	readonly violations: string[] = [];
	/** The latest connection. */
	connection: Connection<"agent"> | undefined;
	private sessions = 0;

	/** Creates a new connection on each call. */
	readonly connect = (): Channel => {
		const [ours, theirs] = memoryPair();
		this.connection = new Connection<"agent">(theirs, {
			dialect: acp.dialect,
			report: ({ kind, text }) => {
				throw new Error(`${kind}: ${text}`);
			},
			handlers: [
				on(acp.initialize, () => ({
					protocolVersion: 1,
					agentCapabilities: {
						...(this.nes && { nes: this.nes }),
						...(this.encoding && { positionEncoding: this.encoding }),
					},
					authMethods: this.authMethods,
				})),
				on(acp.authenticate, () => ({})),
				on(acp.nesStart, () => {
					this.start();
					return { sessionId: `session_${++this.sessions}` };
				}),
				on(acp.nesSuggest, (request, call) => this.suggest(request, call)),
				on(acp.nesClose, () => ({})),
				on(acp.nesAccept, () => {}),
				on(acp.nesReject, () => {}),
				on(acp.didOpen, () => {}),
				on(acp.didChange, () => {}),
				on(acp.didClose, () => {}),
				on(acp.didSave, () => {}),
				on(acp.didFocus, () => {}),
			],
		});
		this.connection.tap(({ direction, phase, text }) => {
			if (direction !== "in" || phase !== "before") return;
			const { method, params } = JSON.parse(text);
			if (method === undefined) return;
			this.received.push({ method, params });
			this.violations.push(...violationsOf(method, params));
		});
		return ours;
	};

	/** Returns the params of all messages received for this method. */
	paramsOf(method: string): Record<string, unknown>[] {
		return this.received.filter((one) => one.method === method).map(({ params }) => params);
	}

	die(): void {
		this.connection?.close();
	}
}

function violationsOf(method: string, params: unknown): string[] {
	try {
		const read = STRICT_VALIDATORS.params[method]?.parse(params);
		// The schemas strip unknown members. In `initialize`, such members may belong to other extensions.
		const isWhole = read === undefined || method === "initialize" || sizeOf(read) === sizeOf(params);
		return isWhole ? [] : [`${method} has members that the protocol does not define: ${JSON.stringify(params)}`];
	} catch (error) {
		return [`${method}: ${error}`];
	}
}

function sizeOf(value: unknown): number {
	return JSON.stringify(value).length;
}

const NOTHING: acp.SuggestResponse = { suggestions: [] };

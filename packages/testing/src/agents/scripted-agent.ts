import * as acp from "@segue/protocol/acp";
import { type Call, type Channel, Connection, memoryPair, on } from "@segue/rpc";
import { STRICT_VALIDATORS } from "../editors/strict-validators.js";

/** All that an agent can ask for: every event, every kind of context. */
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

/** An agent that says what a test tells it to, sound or not, and remembers all that it hears. */
export class ScriptedAgent {
	nes: acp.NesCapabilities | undefined = ALL_NES_CAPABILITIES;
	encoding: acp.PositionEncoding | undefined = "utf-16";
	authMethods: acp.AuthMethod[] = [];
	/** Answers a request for suggestions. */
	suggest: (request: acp.SuggestRequest, call: Call) => acp.SuggestResponse | Promise<acp.SuggestResponse> = () =>
		NOTHING;
	/** Answers the beginning of a session; a throw refuses it. */
	start: () => void = () => {};
	/** What was heard, all connections after one another. */
	readonly received: ScriptedAgentMessage[] = [];
	/** Why something that was heard is not what the strictest reading of the protocol allows. */
	readonly violations: string[] = [];
	/** The last connection that was made. */
	connection: Connection<"agent"> | undefined;
	private sessions = 0;

	/** Called anew for each connection. */
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

	/** The params of what was heard of one method. */
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
		// They strip members that they do not know. Those of `initialize` may be of other extensions.
		const isWhole = read === undefined || method === "initialize" || sizeOf(read) === sizeOf(params);
		return isWhole ? [] : [`${method} has members that are not in the protocol: ${JSON.stringify(params)}`];
	} catch (error) {
		return [`${method}: ${error}`];
	}
}

function sizeOf(value: unknown): number {
	return JSON.stringify(value).length;
}

const NOTHING: acp.SuggestResponse = { suggestions: [] };

import * as acp from "@segue/protocol/acp";
import { Connection, on, overWebSocket } from "@segue/rpc";
import type { WebSocket } from "ws";

/** The context of a scripted chat turn. */
export interface PlayTurn {
	readonly connection: Connection<"agent">;
	readonly sessionId: string;
	/** The session's working directory. */
	readonly cwd: string;
	/** The text of the user's prompt. */
	readonly prompt: string;
	/** Sends a chunk of the agent's message. */
	readonly say: (text: string) => void;
}

/** A scripted agent that a `PlayRelay` connects to the page in place of the server's agent. */
export class PlayAgent {
	suggest: (request: acp.SuggestRequest) => acp.Suggestion[] = () => [];
	commands: readonly string[] = [];
	private sessions = 0;
	private readonly folders = new Map<string, string>();

	/** `turn` is called for each prompt and must resolve at the end of the turn. */
	constructor(private readonly turn: (turn: PlayTurn) => Promise<"end_turn"> = async () => "end_turn") {}

	readonly join = (socket: WebSocket): void => {
		const connection: Connection<"agent"> = new Connection<"agent">(overWebSocket(socket), {
			dialect: acp.dialect,
			// Notifications about documents are ignored.
			report: () => {},
			handlers: [
				on(acp.initialize, () => ({ protocolVersion: 1, agentCapabilities: CAPABILITIES, authMethods: [] })),
				on(acp.nesStart, () => ({ sessionId: "edits" })),
				on(acp.nesSuggest, (request) => ({ suggestions: this.suggest(request) })),
				on(acp.nesClose, () => ({})),
				on(acp.newSession, ({ cwd }, call) => {
					const sessionId = `chat_${++this.sessions}`;
					this.folders.set(sessionId, cwd);
					const availableCommands = this.commands.map((name) => ({ name, description: `Runs ${name}` }));
					const update: acp.SessionUpdate = { sessionUpdate: "available_commands_update", availableCommands };
					call.afterwards(() => void connection.notify(acp.sessionUpdate, { sessionId, update }));
					return { sessionId };
				}),
				on(acp.prompt, async ({ sessionId, prompt }) => {
					const say = (text: string) => {
						const update = { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } };
						connection.notify(acp.sessionUpdate, { sessionId, update });
					};
					const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
					const cwd = this.folders.get(sessionId) ?? "";
					return { stopReason: await this.turn({ connection, sessionId, cwd, prompt: text, say }) };
				}),
				on(acp.closeSession, () => ({})),
			],
		});
	};
}

const CAPABILITIES = { positionEncoding: "utf-16" as const, nes: {} };

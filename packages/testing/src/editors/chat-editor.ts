import { basename } from "node:path";
import type { AcquiredEngine, ChatEngine } from "@segue/agent/chat/chat";
import { COMMANDS } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { Connection, type Handler, memoryPair, on, RpcError } from "@segue/rpc";
import { type Authentication, serveAcp, withChat } from "@segue/server";
import { ChatFixture, type ChatFixtureOptions } from "../chat/chat-fixture.js";
import { settled } from "../rpc/peers.js";
import { STRICT_VALIDATORS } from "./strict-validators.js";

/** An editor that chats over ACP. The server behind it uses the engine and a scripted model. */
export class ChatEditor {
	readonly connection: Connection<"client">;
	/** Summaries of all messages received, in order. */
	readonly transcript: string[] = [];
	readonly updates: acp.SessionUpdate[] = [];
	/** The tool calls in permission requests, in order. */
	readonly permissionRequests: acp.ToolCallUpdate[] = [];
	/** Violations of the strict protocol schemas, and reported problems. */
	readonly violations: unknown[] = [];
	/** The option to select in permission requests, "never" to not respond, or undefined to cancel. */
	answer: string | undefined = "once";
	/** The result of `fs/read_text_file` for an unknown file. If undefined, the request fails. */
	missing: unknown;
	/** Names of the files read with `fs/read_text_file`. */
	readonly readNames: string[] = [];
	/** Acquired engines that have not been released. */
	readonly engines = new Set<AcquiredEngine>();
	/** The exit status of commands in the editor's terminals. Undefined if the editor has no terminals. */
	terminal: { exitCode: number } | "never" | "no such method" | undefined;

	constructor(
		readonly conversation: ChatFixture,
		readonly files: Readonly<Record<string, string>> = {},
		overrides: Partial<ChatEngine> = {},
		authentication?: Authentication,
	) {
		const [ours, theirs] = memoryPair();
		const { assist, model } = conversation;
		const models = { names: [model.name, "test/second"], choose: () => model };
		const engine = { assist, models, commands: COMMANDS, prompt: assist.prompt.bind(assist), ...overrides };
		const clock = { after: () => () => {} };
		serveAcp(theirs, {
			version: "1",
			sync: "events",
			report: (problem) => this.violations.push(problem),
			chat: withChat({
				acquireEngine: async () => {
					const lease = { engine, release: () => void this.engines.delete(lease) };
					this.engines.add(lease);
					return lease;
				},
				clock,
			}),
			...(authentication && { authentication }),
		});
		this.connection = new Connection<"client">(ours, {
			dialect: acp.dialect,
			report: (problem) => this.violations.push(problem),
			handlers: this.handlers(),
		});
		this.connection.tap(({ direction, phase, text }) => {
			if (direction !== "in" || phase !== "before") return;
			const { method, params, id, result } = JSON.parse(text);
			if (method !== undefined) this.check(method, "params", params);
			if (id !== undefined && method === undefined && result !== undefined) this.transcript.push(`answer ${id}`);
		});
	}

	static async open(options: ChatFixtureOptions = {}, files?: Readonly<Record<string, string>>): Promise<ChatEditor> {
		return new ChatEditor(await ChatFixture.begin(options), files);
	}

	private handlers(): Handler<"agent">[] {
		return [
			on(acp.sessionUpdate, ({ update }) => {
				this.updates.push(update);
				this.transcript.push(summaryOf(update));
			}),
			on(acp.requestPermission, ({ toolCall, options }) => {
				this.permissionRequests.push(toolCall);
				this.transcript.push(`asks ${toolCall.title}: ${options.map(({ optionId }) => optionId).join(" ")}`);
				const { answer } = this;
				if (answer === "never") return new Promise<never>(() => {});
				if (answer === undefined) return { outcome: { outcome: "cancelled" as const } };
				return { outcome: { outcome: "selected" as const, optionId: answer } };
			}),
			on(acp.readTextFile, ({ path }) => {
				this.readNames.push(basename(path));
				const text = Object.entries(this.files).find(([name]) => path.endsWith(name))?.[1];
				if (text !== undefined) return { content: text };
				if (this.missing === undefined) throw new RpcError(-32603, "no such file");
				return this.missing as { content: string };
			}),
			...this.terminalHandlers(),
		];
	}

	private terminalHandlers(): Handler<"agent">[] {
		let count = 0;
		const log = (action: string, terminalId: string) => this.transcript.push(`${action} ${terminalId}`);
		return [
			on(acp.createTerminal, ({ args, cwd }) => {
				if (this.terminal === "no such method") throw new RpcError(-32601, "Method not found");
				const terminalId = `t${++count}`;
				log("create", `${terminalId} ${args?.at(-1)} ${cwd === this.conversation.tools.root}`);
				return { terminalId };
			}),
			on(acp.waitForTerminalExit, () => {
				return typeof this.terminal === "object" ? this.terminal : new Promise<never>(() => {});
			}),
			on(acp.terminalOutput, () => ({ output: "printed\n", truncated: false })),
			on(acp.killTerminal, ({ terminalId }) => {
				log("kill", terminalId);
				return {};
			}),
			on(acp.releaseTerminal, ({ terminalId }) => {
				log("release", terminalId);
				return {};
			}),
		];
	}

	async initialize(fs = {}): Promise<unknown> {
		const clientCapabilities = { fs, terminal: this.terminal !== undefined };
		return await this.connection.request(acp.initialize, { protocolVersion: 1, clientCapabilities });
	}

	/** Creates a session and waits for the notifications that follow the response. */
	async session(): Promise<string> {
		await this.initialize({ readTextFile: Object.keys(this.files).length > 0 });
		const params = { cwd: this.conversation.tools.root, mcpServers: [] };
		const { sessionId } = await this.connection.request(acp.newSession, params);
		await settled();
		this.transcript.length = 0;
		return sessionId;
	}

	prompt(sessionId: string, ...prompt: (string | acp.ContentBlock)[]) {
		const blocks = prompt.map((each) => (typeof each === "string" ? { type: "text" as const, text: each } : each));
		return this.connection.request(acp.prompt, { sessionId, prompt: blocks });
	}

	private check(method: string, part: "params" | "result", value: unknown): void {
		const read = STRICT_VALIDATORS[part][method]?.safeParse(value);
		if (read?.success === false) this.violations.push({ method, error: read.error });
	}
}

function summaryOf(update: acp.SessionUpdate): string {
	switch (update.sessionUpdate) {
		case "user_message_chunk":
			return `user ${textIn(update.content)}`;
		case "agent_message_chunk":
			return `agent ${textIn(update.content)}`;
		case "agent_thought_chunk":
			return `thought ${textIn(update.content)}`;
		case "tool_call":
		case "tool_call_update": {
			const shown = update.content?.find((each) => each.type === "terminal");
			return `${update.sessionUpdate} ${update.title} ${update.status}${shown ? ` in ${shown.terminalId}` : ""}`;
		}
		default:
			return update.sessionUpdate;
	}
}

function textIn(content: acp.ContentBlock): string {
	return content.type === "text" ? content.text.trim() : content.type;
}

export const READ: readonly { type: "call"; id: string; tool: string; input: string }[] = [
	{ type: "call", id: "c1", tool: "read_file", input: '{"path":"a.txt"}' },
];
export const CHANGE = {
	type: "call" as const,
	id: "c2",
	tool: "edit_file",
	input: '{"path":"a.txt","old_text":"one","new_text":"two"}',
};
export const REMOVE = { type: "call" as const, id: "c3", tool: "delete_file", input: '{"path":"a.txt"}' };

import type { VerbatimRelay } from "@segue/assist/acp";
import * as acp from "@segue/protocol/acp";
import {
	type Connection,
	ErrorCode,
	type Handler,
	type Notification,
	notification,
	on,
	type Request,
	RpcError,
	request,
} from "@segue/rpc";
import * as z from "zod";
import type { ChatSession } from "./chat-session.js";

/** What an agent says before its session is answered for: a handful. */
const HELD_MAX = 1_000;

/** Passes another agent's messages in one session on to the editor. Holds them back until the editor knows the session. */
export class AcpRelay implements VerbatimRelay {
	readonly protocol = "acp";
	private held: (() => void)[] | undefined = [];
	private hasCommands = false;

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly sessionId: string,
		readonly capabilities: acp.ClientCapabilities,
	) {}

	update(update: acp.SessionUpdate): void {
		this.hasCommands ||= update.sessionUpdate === "available_commands_update";
		// What we do not know, the editor may: it goes on to the letter.
		const told = update.sessionUpdate === "(other)" ? (update.raw as unknown as acp.SessionUpdate) : update;
		this.sendOrHold(() => this.connection.notify(acp.sessionUpdate, { sessionId: this.sessionId, update: told }));
	}

	notify(method: string, params: Readonly<Record<string, unknown>>): void {
		const message: Notification<unknown, "agent"> = notification({ method, from: "agent", params: z.unknown() });
		this.sendOrHold(() => this.connection.notify(message, { ...params, sessionId: this.sessionId }));
	}

	async permission(
		asked: Omit<acp.RequestPermission, "sessionId">,
		signal: AbortSignal,
	): Promise<acp.PermissionOutcome> {
		const params = { ...asked, sessionId: this.sessionId };
		return (await this.connection.request(acp.requestPermission, params, signal)).outcome;
	}

	request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
		const message: Request<unknown, unknown, "agent"> = request({
			method,
			from: "agent",
			params: z.unknown(),
			result: z.unknown(),
		});
		return this.connection.request(message, { ...params, sessionId: this.sessionId }, signal);
	}

	/** The editor knows the session from now on. True where it is told by that which commands the agent has. */
	release(): boolean {
		const held = this.held ?? [];
		this.held = undefined;
		for (const send of held) send();
		return this.hasCommands;
	}

	private sendOrHold(send: () => void): void {
		if (this.held === undefined) send();
		else if (this.held.length < HELD_MAX) this.held.push(send);
	}
}

const params = z.looseObject({ sessionId: z.string() });

/** A handler that passes on to another agent what is private between it and the editor; undefined for what is not. */
export function passThroughHandler(
	method: string,
	kind: "request" | "notification",
	sessionOf: (sessionId: string) => ChatSession | undefined,
): Handler<"client"> | undefined {
	if (!method.startsWith("_")) return undefined;
	if (kind === "notification") {
		const message: Notification<z.output<typeof params>, "client"> = notification({ method, from: "client", params });
		return on(message, ({ sessionId, ...rest }) => {
			const { signal } = new AbortController();
			const told = sessionOf(sessionId)?.withAgent(signal, (agent) => agent.notify(method, rest));
			told?.catch(() => {}); // without an agent the notification is dropped
		});
	}
	const message: Request<z.output<typeof params>, unknown, "client"> = request({
		method,
		from: "client",
		params,
		result: z.unknown(),
	});
	return on(message, ({ sessionId, ...rest }, { signal }) => {
		const session = sessionOf(sessionId);
		if (session === undefined) throw new RpcError(ErrorCode.methodNotFound, acp.dialect.methodNotFound(method));
		return session.withAgent(signal, (agent) => agent.request(method, rest, signal));
	});
}

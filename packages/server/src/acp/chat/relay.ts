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

// An agent sends only a few messages before the response to `session/new`.
const HELD_MAX = 1_000;

/**
 * Forwards an external agent's messages for one session to the editor. Holds them until the editor has the session's
 * id.
 */
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
		// Forward unknown updates unchanged, because the editor may understand them.
		const sent = update.sessionUpdate === "(other)" ? (update.raw as unknown as acp.SessionUpdate) : update;
		this.sendOrHold(() => this.connection.notify(acp.sessionUpdate, { sessionId: this.sessionId, update: sent }));
	}

	notify(method: string, params: Readonly<Record<string, unknown>>): void {
		const message: Notification<unknown, "agent"> = notification({ method, from: "agent", params: z.unknown() });
		this.sendOrHold(() => this.connection.notify(message, { ...params, sessionId: this.sessionId }));
	}

	async permission(
		request: Omit<acp.RequestPermission, "sessionId">,
		signal: AbortSignal,
	): Promise<acp.PermissionOutcome> {
		const params = { ...request, sessionId: this.sessionId };
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

	/** Sends the held messages. Returns whether the agent has sent its commands. */
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

/** Returns a handler that forwards an extension method to the external agent, or undefined for other methods. */
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
			const sent = sessionOf(sessionId)?.withAgent(signal, (agent) => agent.notify(method, rest));
			sent?.catch(() => {}); // dropped if the agent cannot be reached
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

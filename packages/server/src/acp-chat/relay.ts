import type { Relay } from "@segue/assist";
import {
	acp,
	type ClientCapabilities,
	type PermissionOutcome,
	type RequestPermission,
	type SessionUpdate,
} from "@segue/protocol/acp";
import { type Connection, type Request, request } from "@segue/rpc";
import { z } from "zod";

/** What an agent says before its session is answered for: a handful. */
const HELD_MAX = 1_000;

/** An editor's end of what another agent says in one session. Held back until the editor knows the session. */
export class AcpRelay implements Relay {
	private held: SessionUpdate[] | undefined = [];

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly sessionId: string,
		readonly capabilities: ClientCapabilities,
	) {}

	update(update: SessionUpdate): void {
		if (this.held !== undefined) {
			if (this.held.length < HELD_MAX) this.held.push(update);
			return;
		}
		// What we do not know, the editor may: it goes on to the letter.
		const told = update.sessionUpdate === "(other)" ? (update.raw as unknown as SessionUpdate) : update;
		this.connection.notify(acp.sessionUpdate, { sessionId: this.sessionId, update: told });
	}

	async permission(asked: Omit<RequestPermission, "sessionId">, signal: AbortSignal): Promise<PermissionOutcome> {
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

	/** The editor knows the session from now on. Gives what it is told by that. */
	release(): readonly SessionUpdate[] {
		const held = this.held ?? [];
		this.held = undefined;
		for (const update of held) this.update(update);
		return held;
	}
}

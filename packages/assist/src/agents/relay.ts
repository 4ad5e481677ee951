import { fileURLToPath } from "node:url";
import * as acp from "@segue/protocol/acp";
import {
	ErrorCode,
	type Handler,
	type Notification,
	notification,
	on,
	PeerError,
	type Request,
	RpcError,
	request,
} from "@segue/rpc";
import * as z from "zod";
import type { Relay } from "../client.js";
import { ToolError } from "../failures.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import type { AgentSession, SessionOf } from "./session.js";

/** Methods passed on without inspecting the parameters: private methods and forms. */
const FOR_THE_CLIENT = /^(?:_|elicitation\/)/;
/** Supported queries to the editor. Others are rejected, because their results could not be filtered. */
const OF_THE_EDITOR: readonly string[] = [
	acp.openDocuments.method,
	acp.recentDocuments.method,
	acp.activeDocument.method,
];

const params = z.looseObject({ sessionId: z.string() });

/** Returns a handler that passes a request on to the client; undefined if the method may not be passed on. */
export function relayRequest(method: string, sessionOf: SessionOf): Handler<"agent"> | undefined {
	const isOfEditor = OF_THE_EDITOR.includes(method);
	if (!isOfEditor && !FOR_THE_CLIENT.test(method)) return undefined;
	const message: Request<z.output<typeof params>, unknown, "agent"> = request({
		method,
		from: "agent",
		params,
		result: z.unknown(),
	});
	return on(message, async ({ sessionId, ...rest }, { signal }) => {
		const { context, relay, turn } = await sessionOf(sessionId);
		if (relay === undefined) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
		await turn?.settle();
		const answer = await passOn(relay, method, rest, signal);
		return isOfEditor ? visibleDocuments(answer, context.workspace) : answer;
	});
}

/** Removes documents that are secret, ignored or outside the workspace from the editor's response. */
async function visibleDocuments(answer: unknown, workspace: ThreadWorkspace): Promise<unknown> {
	const parsed = documents.safeParse(answer);
	// The response is invalid, or null, which some editors send if there is no document.
	if (!parsed.success) return null;
	const { documents: all, document: one, ...rest } = parsed.data;
	const shown: unknown[] = [];
	for (const each of all ?? []) if (await isVisible(each, workspace)) shown.push(each);
	return {
		...rest,
		...(all != null && { documents: shown }),
		...(one !== undefined && { document: one !== null && (await isVisible(one, workspace)) ? one : null }),
	};
}

const document = z.looseObject({ uri: z.string() });
const documents = z.looseObject({ documents: z.array(document).nullish(), document: document.nullish() });

async function isVisible({ uri }: z.output<typeof document>, workspace: ThreadWorkspace): Promise<boolean> {
	try {
		return !(await workspace.isIgnored(await workspace.resolve(fileURLToPath(uri))));
	} catch (error) {
		// The document is not a local file, or tools may not access it.
		if (error instanceof ToolError || error instanceof TypeError) return false;
		throw error;
	}
}

/** Returns a handler that passes a notification on to the client; undefined if the method may not be passed on. */
export function relayNotification(
	method: string,
	toSession: (sessionId: string, deliver: (session: AgentSession) => void) => void,
): Handler<"agent"> | undefined {
	if (!FOR_THE_CLIENT.test(method)) return undefined;
	const message: Notification<z.output<typeof params>, "agent"> = notification({ method, from: "agent", params });
	return on(message, ({ sessionId, ...rest }) => {
		toSession(sessionId, (session) => session.note(method, rest));
	});
}

/** Sends a request to the client and passes on its response, including errors. */
export async function passOn(
	relay: Relay,
	method: string,
	rest: Readonly<Record<string, unknown>>,
	signal: AbortSignal,
): Promise<unknown> {
	try {
		return await relay.request(method, rest, signal);
	} catch (error) {
		if (error instanceof PeerError) throw new RpcError(error.code, error.message, error.data);
		throw error;
	}
}

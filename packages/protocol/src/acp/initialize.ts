import { type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, record, skipping } from "../tolerance.js";
import {
	type AgentCapabilities,
	agentCapabilities,
	type ClientCapabilities,
	clientCapabilities,
} from "./capabilities.js";

/** The ACP version that Segue supports. */
export const PROTOCOL_VERSION = 1;

const implementation = record({ name: z.string(), version: z.string(), title: lenient(z.string()), _meta: meta });

/**
 * A way to sign in. Without a type, the client calls `authenticate` and the agent handles the rest. With type
 * `terminal`, the client runs the agent in a terminal with these arguments and environment variables, and reconnects if
 * it exits successfully.
 */
const authMethod = record({
	id: z.string(),
	name: z.string(),
	description: lenient(z.string()),
	type: lenient(z.string()),
	args: lenient(z.array(z.string())),
	env: lenient(z.record(z.string(), z.string())),
	_meta: meta,
});
export type AuthMethod = z.output<typeof authMethod>;

/** The first request of a connection. Members not listed here are kept. */
export const initialize = request({
	method: "initialize",
	from: "client",
	params: record({
		protocolVersion: z.int().check(z.gte(0)),
		clientCapabilities: lenient(clientCapabilities),
		/** The name used in version 2 of the protocol. Only read, never sent. */
		capabilities: lenient(clientCapabilities),
		clientInfo: lenient(implementation),
		_meta: meta,
	}),
	result: record({
		protocolVersion: z.int().check(z.gte(0)),
		agentCapabilities: lenient(agentCapabilities),
		capabilities: lenient(agentCapabilities),
		authMethods: lenient(skipping(authMethod)),
		agentInfo: lenient(implementation),
		_meta: meta,
	}),
});
export type InitializeRequest = ParamsOf<typeof initialize>;
export type InitializeResponse = ResultOf<typeof initialize>;

export const authenticate = request({
	method: "authenticate",
	from: "client",
	params: record({ methodId: z.string(), _meta: meta }),
	result: record({ _meta: meta }),
});

export const logout = request({
	method: "logout",
	from: "client",
	params: z.nullish(record({ _meta: meta })),
	result: record({ _meta: meta }),
});

/**
 * Returns the client's capabilities from either version of the protocol. Some SDKs strip unknown members, so clients
 * that use them put `nes` and `positionEncodings` under `_meta.segue`.
 */
export function clientCapabilitiesOf(params: InitializeRequest): ClientCapabilities {
	const sent = { ...params.capabilities, ...params.clientCapabilities };
	const { nes, positionEncodings } = readMeta(clientCapabilities, sent._meta) ?? {};
	return { ...sent, nes: sent.nes ?? nes, positionEncodings: sent.positionEncodings ?? positionEncodings };
}

export function agentCapabilitiesOf(result: InitializeResponse): AgentCapabilities {
	const sent = { ...result.capabilities, ...result.agentCapabilities };
	const { nes, positionEncoding } = readMeta(agentCapabilities, sent._meta) ?? {};
	return { ...sent, nes: sent.nes ?? nes, positionEncoding: sent.positionEncoding ?? positionEncoding };
}

function readMeta<T>(schema: z.ZodMiniType<T>, extensions: Record<string, unknown> | null | undefined): T | undefined {
	return schema.safeParse(extensions?.["segue"]).data;
}

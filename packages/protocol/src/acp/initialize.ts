import { type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, record, skipping } from "../tolerance.js";
import {
	type AgentCapabilities,
	agentCapabilities,
	type ClientCapabilities,
	clientCapabilities,
} from "./capabilities.js";

/** The version of ACP that Segue speaks. */
export const PROTOCOL_VERSION = 1;

const implementation = record({ name: z.string(), version: z.string(), title: lenient(z.string()), _meta: meta });

/**
 * A way to sign in. Without a type it is the agent's own business, and `authenticate` names it. Of the type `terminal`, the
 * client runs the agent once more in a terminal, with these arguments and variables, and connects anew when that ends well.
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

/** The first request of a connection. Members of the core protocol pass through untouched. */
export const initialize = request({
	method: "initialize",
	from: "client",
	params: record({
		protocolVersion: z.int().min(0),
		clientCapabilities: lenient(clientCapabilities),
		/** Where the second version of the protocol has them. Read, never written. */
		capabilities: lenient(clientCapabilities),
		clientInfo: lenient(implementation),
		_meta: meta,
	}),
	result: record({
		protocolVersion: z.int().min(0),
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
	params: record({ _meta: meta }).nullish(),
	result: record({ _meta: meta }),
});

/**
 * What a client can do, wherever its version of the protocol puts it. A client whose SDK strips members that it does not
 * know says them under `_meta.segue`.
 */
export function clientCapabilitiesOf(params: InitializeRequest): ClientCapabilities {
	const said = { ...params.capabilities, ...params.clientCapabilities };
	const { nes, positionEncodings } = readMeta(clientCapabilities, said._meta) ?? {};
	return { ...said, nes: said.nes ?? nes, positionEncodings: said.positionEncodings ?? positionEncodings };
}

export function agentCapabilitiesOf(result: InitializeResponse): AgentCapabilities {
	const said = { ...result.capabilities, ...result.agentCapabilities };
	const { nes, positionEncoding } = readMeta(agentCapabilities, said._meta) ?? {};
	return { ...said, nes: said.nes ?? nes, positionEncoding: said.positionEncoding ?? positionEncoding };
}

function readMeta<T>(schema: z.ZodType<T>, said: Record<string, unknown> | null | undefined): T | undefined {
	return schema.safeParse(said?.["segue"]).data;
}

import { notification, type ParamsOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, word } from "../tolerance.js";
import { chatId, fromEditor } from "./params.js";

/** Reports the current selections and the available choices. Members that are missing have not changed. */
export const configUpdated = notification({
	method: "config/updated",
	from: "agent",
	params: record({
		chatId: lenient(chatId),
		chat: lenient(
			record({
				models: lenient(z.array(z.string())),
				agents: lenient(z.array(z.string())),
				selectModel: lenient(z.string()),
				selectAgent: lenient(z.string()),
				variants: lenient(z.array(z.string())),
				selectVariant: z.nullish(z.string()),
				selectTrust: lenient(z.boolean()),
				welcomeMessage: lenient(z.string()),
				/** Names used by older editors. */
				defaultModel: lenient(z.string()),
				defaultAgent: lenient(z.string()),
				behaviors: lenient(z.array(z.string())),
				selectBehavior: lenient(z.string()),
				defaultBehavior: lenient(z.string()),
			}),
		),
	}),
});
export type ConfigUpdated = ParamsOf<typeof configUpdated>;

export const selectedModelChanged = notification({
	method: "chat/selectedModelChanged",
	from: "client",
	params: fromEditor(record({ chatId: lenient(chatId), model: z.string(), variant: lenient(z.string()) })),
});

export const selectedAgentChanged = notification({
	method: "chat/selectedAgentChanged",
	from: "client",
	params: fromEditor(record({ chatId: lenient(chatId), agent: z.string() })),
});

/** The former name of `selectedAgentChanged`. */
export const selectedBehaviorChanged = notification({
	method: "chat/selectedBehaviorChanged",
	from: "client",
	params: fromEditor(record({ chatId: lenient(chatId), behavior: z.string() })),
});

const tool = record({
	name: z.string(),
	description: z.string(),
	parameters: z.record(z.string(), z.unknown()),
	disabled: lenient(z.boolean()),
});

const toolServer = z.discriminatedUnion("type", [
	record({ type: z.literal("native"), name: z.string(), status: word("running"), tools: skipping(tool) }),
	record({
		type: z.literal("mcp"),
		name: z.string(),
		command: lenient(z.string()),
		args: lenient(z.array(z.string())),
		url: lenient(z.string()),
		status: word("running", "starting", "stopped", "failed", "disabled", "requires-auth"),
		disabled: z.boolean(),
		hasAuth: z.boolean(),
		tools: lenient(skipping(tool)),
		prompts: lenient(
			skipping(
				record({
					name: z.string(),
					description: z.string(),
					arguments: lenient(
						skipping(record({ name: z.string(), description: lenient(z.string()), required: lenient(z.boolean()) })),
					),
				}),
			),
		),
		resources: lenient(
			skipping(record({ uri: z.string(), name: z.string(), description: z.string(), mimeType: z.string() })),
		),
	}),
]);

export const serverUpdated = notification({ method: "tool/serverUpdated", from: "agent", params: toolServer });
export type ServerUpdated = ParamsOf<typeof serverUpdated>;

const server = fromEditor(record({ name: z.string() }));
export const startServer = notification({ method: "mcp/startServer", from: "client", params: server });
export const stopServer = notification({ method: "mcp/stopServer", from: "client", params: server });
export const enableServer = notification({ method: "mcp/enableServer", from: "client", params: server });
export const disableServer = notification({ method: "mcp/disableServer", from: "client", params: server });

/** Signs in to a server that requires authentication. */
export const connectServer = notification({ method: "mcp/connectServer", from: "client", params: server });
export const logoutServer = notification({ method: "mcp/logoutServer", from: "client", params: server });

const texts = z.record(z.string(), z.string());
const refused = lenient(record({ code: z.string(), message: z.string() }));

export const addServer = request({
	method: "mcp/addServer",
	from: "client",
	params: fromEditor(
		record({
			name: z.string(),
			command: lenient(z.string()),
			args: lenient(z.array(z.string())),
			env: lenient(texts),
			url: lenient(z.string()),
			headers: lenient(texts),
			/** For OAuth, which Segue does not support. */
			clientId: lenient(z.string()),
			clientSecret: lenient(z.string()),
			disabled: lenient(z.boolean()),
			/** The configuration file to change. Defaults to the user's file. */
			scope: lenient(word("global", "workspace")),
			workspaceUri: lenient(z.string()),
		}),
		"env",
		"headers",
	),
	result: record({ server: lenient(toolServer), error: refused }),
});
export type AddServer = ParamsOf<typeof addServer>;

export const updateServer = request({
	method: "mcp/updateServer",
	from: "client",
	params: fromEditor(
		record({
			name: z.string(),
			command: lenient(z.string()),
			args: lenient(z.array(z.string())),
			url: lenient(z.string()),
		}),
	),
	result: record({}),
});

export const removeServer = request({
	method: "mcp/removeServer",
	from: "client",
	params: server,
	result: record({ name: lenient(z.string()), removed: lenient(z.boolean()), error: refused }),
});

export const serverRemoved = notification({
	method: "tool/serverRemoved",
	from: "agent",
	params: record({ name: z.string() }),
});

const provider = record({
	id: z.string(),
	label: lenient(z.string()),
	configured: z.boolean(),
	auth: record({
		status: word("authenticated", "expiring", "expired", "unauthenticated", "local", "not-running"),
		type: lenient(z.string()),
		source: lenient(z.string()),
		mode: lenient(z.string()),
		expiresAt: lenient(z.number()),
		envVar: lenient(z.string()),
	}),
	login: lenient(record({ methods: skipping(record({ key: z.string(), label: z.string() })) })),
	models: skipping(
		record({
			id: z.string(),
			capabilities: record({
				reason: z.boolean(),
				vision: z.boolean(),
				tools: z.boolean(),
				webSearch: z.boolean(),
			}),
		}),
	),
});
export type Provider = z.output<typeof provider>;

export const listProviders = request({
	method: "providers/list",
	from: "client",
	params: fromEditor(record({})),
	result: record({ providers: skipping(provider) }),
});

/** The next step of a login, which the editor performs. */
const loginStep = z.discriminatedUnion("action", [
	record({
		action: z.literal("choose-method"),
		methods: skipping(record({ key: z.string(), label: z.string() })),
	}),
	record({
		action: z.literal("input"),
		fields: skipping(record({ key: z.string(), label: z.string(), type: word("secret", "text") })),
	}),
	record({ action: z.literal("done") }),
]);
export type LoginStep = z.output<typeof loginStep>;

export const loginProvider = request({
	method: "providers/login",
	from: "client",
	params: fromEditor(record({ provider: z.string(), method: lenient(z.string()) })),
	result: loginStep,
});

export const loginInput = request({
	method: "providers/loginInput",
	from: "client",
	params: fromEditor(record({ provider: z.string(), data: z.record(z.string(), z.string()) }), "data"),
	result: loginStep,
});

export const logoutProvider = request({
	method: "providers/logout",
	from: "client",
	params: fromEditor(record({ provider: z.string() })),
	result: record({}),
});

export const providersUpdated = notification({
	method: "providers/updated",
	from: "agent",
	params: provider,
});

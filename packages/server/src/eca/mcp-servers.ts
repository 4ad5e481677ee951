import type { McpServerEntry } from "@segue/agent/config/mcp-servers";
import type { Client, ServerState } from "@segue/assist";
import * as eca from "@segue/protocol/eca";
import { ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import type { EcaEngine } from "./backend.js";
import type { EcaSession } from "./eca-session.js";
import { NATIVE } from "./to-wire.js";

type McpServers = EcaEngine["assist"]["mcp"];

/** Handles `mcp/startServer` and related messages. Results are reported with `tool/serverUpdated`. */
export function serverHandlers(session: EcaSession): Handler<"client">[] {
	const control = (name: string, act: (servers: McpServers) => void | Promise<void>) => {
		void within(session, async ({ assist }) => {
			if (assist.mcp.states().some(({ server }) => server.name === name)) await act(assist.mcp);
			else session.show("warning", "Unknown MCP server. Configure it as mcpServers.NAME.");
		});
	};
	return [
		on(eca.startServer, ({ name }) => control(name, (servers) => servers.start(name, session.folders[0]))),
		on(eca.stopServer, ({ name }) => control(name, (servers) => servers.stop(name))),
		on(eca.enableServer, ({ name }) => {
			control(name, (servers) => {
				servers.enable(name);
				return servers.start(name, session.folders[0]);
			});
		}),
		on(eca.disableServer, ({ name }) => control(name, (servers) => servers.disable(name))),
		// Segue cannot sign in to MCP servers. Credentials have to be in the configured headers, so only restart the
		// server.
		on(eca.connectServer, ({ name }) => control(name, (servers) => restart(servers, name, session))),
		on(eca.logoutServer, ({ name }) => control(name, (servers) => restart(servers, name, session))),
		on(eca.addServer, async ({ name, ...params }) => {
			try {
				refuseUnsupported(params);
				await session.backend.changeServer(session.folders[0], name, { type: "add", entry: entryOf(params) });
				await startChanged(session, name);
				const { mcp } = (await session.engine()).assist;
				const added = mcp.states().find(({ server }) => server.name === name);
				return added === undefined ? {} : { server: serverOf(added) };
			} catch (error) {
				return { error: errorFor(error) };
			}
		}),
		on(eca.updateServer, async ({ name, ...params }) => {
			await session.backend.changeServer(session.folders[0], name, { type: "update", entry: entryOf(params) });
			await startChanged(session, name);
			return {};
		}),
		on(eca.removeServer, async ({ name }) => {
			try {
				await session.backend.changeServer(session.folders[0], name, { type: "remove" });
				return { name, removed: true };
			} catch (error) {
				return { error: errorFor(error) };
			}
		}),
	];
}

async function restart(servers: McpServers, name: string, { folders: [folder] }: EcaSession): Promise<void> {
	await servers.stop(name);
	await servers.start(name, folder);
}

/** Starts a server whose configuration has changed, unless it is turned off or an external agent runs the servers. */
async function startChanged(session: EcaSession, name: string): Promise<void> {
	const { assist, agent } = await session.engine();
	const isOffered = assist.mcp.offered.some((server) => server.name === name);
	if (agent !== undefined || !isOffered) return;
	void assist.mcp.start(name, session.folders[0]).catch((error) => session.explain(error));
}

/** Returns the fields that the editor sent, without defaults. */
function entryOf({ command, args, env, url, headers }: Partial<eca.AddServer>): McpServerEntry {
	return {
		...(command != null && { command }),
		...(args != null && { args }),
		...(env != null && { env }),
		...(url != null && { url }),
		...(headers != null && { headers }),
	};
}

function refuseUnsupported({ scope, clientId, clientSecret, disabled }: Omit<eca.AddServer, "name">): void {
	if (disabled === true) {
		const why = "Segue cannot add a disabled server. Add the server, then disable it.";
		throw new RpcError(ErrorCode.invalidParams, why);
	}
	if (scope === "workspace") {
		const why = "Segue does not add servers to a project's configuration. Add the server to .segue.json yourself.";
		throw new RpcError(ErrorCode.invalidParams, why);
	}
	if (clientId != null || clientSecret != null) {
		const why = "Segue cannot sign in to MCP servers. Put a token in the headers instead.";
		throw new RpcError(ErrorCode.invalidParams, why);
	}
}

/** Returns the error as part of the result, where editors expect it. */
function errorFor(error: unknown): { code: string; message: string } {
	if (!(error instanceof RpcError)) throw error;
	return { code: "invalid", message: error.message };
}

/**
 * Sends our own tools and the state of each MCP server, then sends changes to them until the signal is aborted. Starts
 * the servers, because editors show their tools before the first prompt. An external agent starts the servers itself.
 * Resolves once each server is running or has failed. Call it once per engine.
 */
export async function announceServers(session: EcaSession, signal: AbortSignal): Promise<void> {
	if (session.protocolVersion === "2025-06-09") return;
	await within(session, async (engine) => {
		const { assist, agent } = engine;
		// Loaded lazily to keep the server's startup fast.
		const { schemaOf } = await import("@segue/assist");
		if (signal.aborted) return;
		const send = (params: eca.ServerUpdated) => session.connection.notify(eca.serverUpdated, params);
		const sendState = (state: ServerState) => {
			if (state.status !== "removed") send(serverOf(state));
			else session.connection.notify(eca.serverRemoved, { name: state.server.name });
		};
		const offered = agent === undefined ? assist.toolsFor(clientOf(session)) : [];
		const tools = offered.map((tool) => {
			return { name: tool.name, description: tool.description, parameters: { ...schemaOf(tool) } };
		});
		send({ type: "native", name: NATIVE, status: "running", tools });
		const states = assist.mcp.states();
		for (const state of states) send(serverOf(state));
		const unwatch = assist.mcp.watch((state) => {
			sendState(state);
			if (state.why !== undefined) session.show("warning", `MCP server ${state.server.name}: ${state.why}`);
		});
		signal.addEventListener("abort", unwatch, { once: true });
		if (agent !== undefined) return;
		const wanted = states.filter(({ status }) => status === "stopped");
		await Promise.all(wanted.map(({ server }) => assist.mcp.start(server.name, session.folders[0])));
	});
}

async function within(session: EcaSession, act: (engine: EcaEngine) => Promise<void>): Promise<void> {
	try {
		await act(await session.engine());
	} catch (error) {
		session.explain(error);
	}
}

/** Returns a stub client with the editor's capabilities, which determine the available tools. */
function clientOf({ capabilities }: EcaSession): Pick<Client, "editor" | "ask"> {
	const { editor, chatCapabilities } = capabilities;
	const nothing = async () => [];
	return {
		editor: {
			...(editor?.diagnostics === true && { diagnostics: nothing }),
			...(editor?.definition === true && { definition: nothing }),
			...(editor?.references === true && { references: nothing }),
		},
		...(chatCapabilities?.askQuestion === true && { ask: async () => undefined }),
	};
}

/**
 * Omits everything that may contain a key: arguments, environment variables, headers, and everything after the URL's
 * origin.
 */
function serverOf({ server, status, tools, prompts, resources }: ServerState): eca.ServerUpdated {
	return {
		type: "mcp",
		name: server.name,
		...(server.type === "stdio" ? { command: server.command } : { url: new URL(server.url).origin }),
		status,
		disabled: status === "disabled",
		hasAuth: false,
		tools: tools.map(({ name, description, schema }) => ({ name, description, parameters: { ...schema } })),
		prompts: prompts.map((prompt) => ({ ...prompt, arguments: [...prompt.arguments] })),
		resources: [...resources],
	};
}

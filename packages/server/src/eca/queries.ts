import path from "node:path";
import type { ChatEngine } from "@segue/agent/chat/chat";
import type { OtherAgentSession, PromptCommand, ServerState } from "@segue/assist";
import * as eca from "@segue/protocol/eca";
import { type Handler, on } from "@segue/rpc";
import type { Clock } from "@segue/text";
import type { EcaSession } from "./eca-session.js";
import { type FoundPath, WorkspacePaths } from "./workspace-paths.js";

// Users don't scroll past this many results; they type another letter instead.
const OFFERED_MAX = 100;

/** Handles completion queries while the user types: contexts after `@`, files after `#`, commands after `/`. */
export function queryHandlers(session: EcaSession, clock: Clock): Handler<"client">[] {
	const paths = new WorkspacePaths(clock);
	let end: AbortSignal | undefined;
	const search = async (query: string, wanted: (found: FoundPath) => boolean) => {
		const { workspaceOf } = await session.engine();
		end ??= endOf(session);
		return paths.search(session.folders, workspaceOf, query, wanted, OFFERED_MAX, end);
	};
	return [
		on(eca.queryContext, async ({ chatId, query, contexts }) => {
			const taken = new Set((contexts ?? []).flatMap(keyOf));
			const isNew = (offered: eca.OfferedContext) => !keyOf(offered).some((key) => taken.has(key));
			const found = await search(query, isNew);
			const { assist, agent } = await session.engine();
			const resources = agent === undefined ? resourcesIn(assist.mcp.states(), query) : [];
			const others = [...special(query), ...folders(session, query), ...resources].filter(isNew);
			return { chatId, contexts: [...others, ...found].slice(0, OFFERED_MAX) };
		}),
		on(eca.queryFiles, async ({ chatId, query }) => {
			return { chatId, files: [...(await search(query, ({ type }) => type === "file"))] };
		}),
		on(eca.queryCommands, async ({ chatId, query }) => {
			const named = chatId === undefined || chatId === null ? undefined : await session.chats.find(chatId);
			// A new chat has no session with the external agent yet, so use the commands from an existing chat.
			const chat = named ?? session.chats.known().find(({ agent }) => agent !== undefined);
			const { assist, commands: ours, agent } = await session.engine();
			const native = ((await chat?.agent?.())?.commands.map(agentCommandOf) ?? ours).map(commandOf);
			// An external agent runs the MCP servers and offers their prompts itself.
			const prompts = agent === undefined ? assist.mcp.commands().map(promptOf) : [];
			const word = query.trim().toLowerCase();
			return { chatId, commands: [...native, ...prompts].filter(({ name }) => name.toLowerCase().includes(word)) };
		}),
	];
}

/** Returns a signal that stops searches when the editor disconnects. */
function endOf({ connection }: EcaSession): AbortSignal {
	const ending = new AbortController();
	void connection.closed.then(() => ending.abort());
	return ending.signal;
}

/** Returns contexts other than files: the cursor, or a web page if the query is a URL. */
function special(query: string): eca.OfferedContext[] {
	const typed = query.trim();
	if (/^https?:\/\//i.test(typed) && URL.canParse(typed)) return [{ type: "web", url: typed }];
	return "cursor".startsWith(typed.toLowerCase()) ? [{ type: "cursor" }] : [];
}

function folders(session: EcaSession, query: string): eca.OfferedContext[] {
	const word = query.trim().toLowerCase();
	const named = session.folders.filter((folder) => path.basename(folder).toLowerCase().includes(word));
	return named.map((folder) => ({ type: "directory", path: folder }));
}

/** Leaves room for files in the list. */
const RESOURCES_MAX = 30;

function resourcesIn(states: readonly ServerState[], query: string): eca.OfferedContext[] {
	const word = query.trim().toLowerCase();
	const all = states.flatMap(({ server, resources }) => {
		return resources.map((resource) => ({ type: "mcpResource" as const, ...resource, server: server.name }));
	});
	const isMeant = ({ uri, name, server }: (typeof all)[number]) => {
		return `${server}:${name} ${uri}`.toLowerCase().includes(word);
	};
	return all.filter(isMeant).slice(0, RESOURCES_MAX);
}

/**
 * Returns a key that identifies a context. A line range in a file has no key, because it is not the same context as the
 * file.
 */
function keyOf(context: eca.ChatContext | eca.OfferedContext): string[] {
	switch (context.type) {
		case "file":
			return "linesRange" in context && context.linesRange ? [] : [`file ${context.path}`];
		case "directory":
			return [`directory ${context.path}`];
		case "web":
			return [`web ${context.url}`];
		case "cursor":
			return ["cursor"];
		case "mcpResource":
			return [`mcpResource ${context.server} ${context.uri}`];
		default:
			return [];
	}
}

/** Converts an external agent's command. The hint describes the argument and can be several words. */
function agentCommandOf({ name, description, input }: OtherAgentSession["commands"][number]): Command {
	return { name, description, argument: input ? `[${input.hint}]` : undefined };
}

function promptOf({ name, description, arguments: all }: PromptCommand) {
	return { name, description, type: "mcpPrompt", arguments: [...all] };
}

type Command = ChatEngine["commands"][number];

/** Converts a command. An argument in brackets is optional. */
function commandOf({ name, description, argument }: Command) {
	const required = argument !== undefined && !argument.startsWith("[");
	const word = argument?.replace(/^\[|\]$/g, "").toLowerCase();
	return { name, description, type: "native", arguments: word === undefined ? [] : [{ name: word, required }] };
}

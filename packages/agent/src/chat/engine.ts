import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import {
	type AgentMemory,
	type AgentProcesses,
	type ApprovalRule,
	Assist,
	type ChatModels,
	type Client,
	COMMANDS,
	type Entry,
	editorTools,
	type Mode,
	type OpenedStore,
	openEmbeddedStore,
	openPostgresStore,
	type StartAgent,
	ThreadWorkspace,
	type Tool,
	type ToolContext,
} from "@segue/assist";
import { chatModel } from "@segue/models";
import { resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";
import { type Configuration, readConfiguration } from "../config/configuration.js";
import type { EditorConfiguration } from "../config/layer.js";
import { UserError } from "../config/user-error.js";
import { chooseAgent } from "./agent-choice.js";
import type { ChatEngine } from "./chat.js";
import { EditorBridge } from "./editor-bridge.js";

interface EngineSettings {
	readonly workspace: string;
	readonly env: NodeJS.ProcessEnv;
	readonly model: string | undefined;
	readonly effort: string | undefined;
	readonly editor?: EditorConfiguration | undefined;
	/** The name or command line of another agent, used instead of a model. */
	readonly agent: string | undefined;
	/** The default mode for turns that specify none. */
	readonly mode: Mode | undefined;
	/** Receives log lines from another agent. */
	readonly report: (line: string) => void;
	/** Rules in addition to the configured ones. */
	readonly rules: readonly ApprovalRule[];
	/** A store shared between engines. By default, the engine opens and closes its own. */
	readonly store?: OpenedStore;
	/** Processes of other agents, shared by engines. */
	readonly processes?: AgentProcesses;
	/** Replaces the child process in which another agent runs by default. */
	readonly startAgent?: StartAgent | undefined;
	/** Stores other agents' descriptions of themselves. */
	readonly memory?: AgentMemory | undefined;
}

/** The chat engine for one folder. */
export interface Engine extends ChatEngine {
	/** Messages to show the user before anything else. */
	readonly notices: readonly string[];
	/** Reads the configured models again, for example after a key was added. */
	reload(): void;
	/** Creates a view of these folders with their ignore rules. The first folder is the workspace. */
	workspaceOf(folders: readonly [string, ...string[]]): ThreadWorkspace;
	/** Deletes a thread if no prompt was sent to a model, or if every turn failed without an answer. */
	forgetEmpty(threadId: string): Promise<void>;
	close(): Promise<void>;
}

/** Throws a `UserError` if the configuration is invalid, and a `StoreError` if the store cannot be opened. */
export async function openEngine(settings: EngineSettings): Promise<Engine> {
	const { workspace, env, model, effort, editor, mode, rules } = settings;
	const flags = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
	const read = () => readConfiguration({ folder: workspace, env, flags, editor });
	const configuration = read();
	if (configuration.problems.length > 0) throw new UserError(configuration.problems.join("\n"));
	const { store, notice } = settings.store ?? (await openStore(configuration));
	let configured = configuration.models;
	const reread = () => {
		const { models, problems } = read();
		// Keep the models while a file is incomplete because it is being written.
		if (problems.length === 0) configured = models;
	};
	const models: ChatModels = {
		get names() {
			return configured.names;
		},
		choose: (name) => {
			let settings = configured.choose(name);
			if ("why" in settings) {
				// The user may have stored a key from a terminal in the meantime.
				reread();
				settings = configured.choose(name);
			}
			return "why" in settings ? settings : chatModel(settings);
		},
	};
	const command = settings.agent === undefined ? undefined : chooseAgent(settings.agent, configuration);
	/** The ignore rules of editor bridges, which `assist` does not refresh. */
	const privacies = new Set<Privacy>();
	const assist = new Assist({
		store,
		models,
		privacyOf,
		mcpServers: configuration.mcpServers.map(({ value }) => value),
		rules: [...configuration.rules.map(({ value }) => value), ...rules],
		network: configuration.network.value,
		secretVariables: [...configuration.providers.values()].flatMap(({ keyVariables }) => keyVariables),
		agent: command && {
			...{ command, report: settings.report, processes: settings.processes, start: settings.startAgent },
			memory: settings.memory,
		},
		now: () => new Date(),
		newId: randomUUID,
	});
	return {
		assist,
		models,
		effort: configuration.effort?.value,
		agent: command?.name,
		notices: [...configuration.warnings, ...(notice === undefined ? [] : [notice])],
		// Another agent has its own models.
		commands: command === undefined ? COMMANDS : COMMANDS.filter(({ needsModel }) => needsModel !== true),
		...(command && {
			openEditorBridge: async (folders: readonly [string, ...string[]], client: Client) => {
				const tools = editorTools(client.editor);
				if (tools.length === 0) return undefined;
				const privacy = privacyOf(folders);
				privacies.add(privacy);
				const close = () => privacies.delete(privacy);
				return openBridge(tools, { workspace: new ThreadWorkspace(folders, privacy), client }, close);
			},
		}),
		prompt: (threadId, parts, client, options) => {
			for (const privacy of privacies) privacy.forget();
			const effort = options.effort ?? configuration.effort?.value;
			return assist.prompt(threadId, parts, client, { mode, ...options, effort });
		},
		reload: reread,
		workspaceOf: (folders) => new ThreadWorkspace(folders, privacyOf(folders)),
		forgetEmpty: async (threadId) => {
			const thread = await assist.thread(threadId);
			if (thread === undefined) return;
			if (thread.title === "" || isUnanswered(await assist.entries(threadId))) await assist.delete(threadId);
		},
		close: async () => {
			await assist.close();
			if (settings.store === undefined) await store.close();
		},
	};
}

function isUnanswered(entries: readonly Entry[]): boolean {
	const hasFailed = entries.some(({ body }) => body.type === "end" && body.reason === "failed");
	return hasFailed && entries.every(({ body }) => NOT_AN_ANSWER.has(body.type));
}

const NOT_AN_ANSWER: ReadonlySet<Entry["body"]["type"]> = new Set(["prompt", "notice", "usage", "agent", "end"]);

/** Opens the configured store. */
export async function openStore({ store: { value } }: Configuration): Promise<OpenedStore> {
	if ("file" in value) return openEmbeddedStore(value.file, new Date());
	return { store: await openPostgresStore(value.url), notice: undefined };
}

function privacyOf(folders: readonly string[]): Privacy {
	const uris = folders.map((folder) => pathToFileURL(folder).href);
	const workspaceFolders = uris.map((uri) => ({ uri, name: "" }));
	return new Privacy(
		resolvedFiles(() => ({ folders: workspaceFolders })),
		() => uris,
	);
}

/** Opens a bridge that gives another agent access to the editor. */
async function openBridge(tools: readonly Tool[], scope: Omit<ToolContext, "signal">, closed: () => void) {
	const bridge = await EditorBridge.open(tools, scope);
	const close = () => {
		bridge.close();
		closed();
	};
	return { server: bridge.mcpServer(process.argv[1] ?? ""), close };
}

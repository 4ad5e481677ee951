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
	/** Another agent that answers instead of a model: its name, or its command line. */
	readonly agent: string | undefined;
	/** For turns that say none. */
	readonly mode: Mode | undefined;
	/** Told what another agent says and no person has to know: for the log. */
	readonly report: (line: string) => void;
	/** Besides the configured ones. */
	readonly rules: readonly ApprovalRule[];
	/** Where threads are kept, for whoever has more than one engine; otherwise it is opened for this one, and closed with it. */
	readonly store?: OpenedStore;
	/** Other agents that run, likewise. */
	readonly processes?: AgentProcesses;
	/** Replaces the child process that another agent is by default. */
	readonly startAgent?: StartAgent | undefined;
	/** Where other agents' descriptions of themselves are stored. */
	readonly memory?: AgentMemory | undefined;
}

/** The chat engine as it is configured for a folder. */
export interface Engine extends ChatEngine {
	/** What the person should know before anything else. */
	readonly notices: readonly string[];
	/** Takes the models as they are configured by now, such as with a key that was not there before. */
	reload(): void;
	/** What may be looked at in these folders, the first of which is the workspace. */
	workspaceOf(folders: readonly [string, ...string[]]): ThreadWorkspace;
	/** Deletes a thread without a prompt for a model, or in which every turn failed without an answer. */
	forgetEmpty(threadId: string): Promise<void>;
	close(): Promise<void>;
}

/** Throws a `UserError` for what is wrong with the configuration, and a `StoreError` where threads cannot be kept. */
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
		// A file that somebody is in the midst of writing takes no model away.
		if (problems.length === 0) configured = models;
	};
	const models: ChatModels = {
		get names() {
			return configured.names;
		},
		choose: (name) => {
			let settings = configured.choose(name);
			if ("why" in settings) {
				// A key may be there since, which somebody stored in a terminal.
				reread();
				settings = configured.choose(name);
			}
			return "why" in settings ? settings : chatModel(settings);
		},
	};
	const command = settings.agent === undefined ? undefined : chooseAgent(settings.agent, configuration);
	/** Those of the editor bridges, which no turn of ours uses. */
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
		// Models are another agent's own, too.
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

/** The store that a folder's configuration names. */
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

/** Where another agent, started with us, asks what the editor knows. */
async function openBridge(tools: readonly Tool[], scope: Omit<ToolContext, "signal">, closed: () => void) {
	const bridge = await EditorBridge.open(tools, scope);
	const close = () => {
		bridge.close();
		closed();
	};
	return { server: bridge.mcpServer(process.argv[1] ?? ""), close };
}

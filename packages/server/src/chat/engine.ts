import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import {
	type ApprovalRule,
	Assist,
	type Client,
	type EndReason,
	type Mode,
	type Models,
	type OpenedStore,
	openEmbeddedStore,
	openPostgresStore,
	type PromptPart,
} from "@segue/assist";
import { Privacy } from "@segue/editor";
import { diskFiles } from "@segue/editor/node";
import { chatModel } from "@segue/models";
import { type Configuration, readConfiguration } from "../configuration/configuration.js";
import { Refusal } from "../configuration/refusal.js";

export interface EngineSettings {
	readonly workspace: string;
	readonly env: NodeJS.ProcessEnv;
	readonly model: string | undefined;
	readonly effort: string | undefined;
	readonly mode: Mode | undefined;
	/** Besides the configured ones. */
	readonly rules: readonly ApprovalRule[];
}

/** The chat engine as it is configured for a folder. */
export interface Engine {
	readonly assist: Assist;
	readonly models: Models;
	/** What the person should know before anything else. */
	readonly notices: readonly string[];
	prompt(threadId: string, parts: readonly PromptPart[], client: Client, signal: AbortSignal): Promise<EndReason>;
	/** Deletes a thread that has no title, because nothing was asked in it. */
	forgetEmpty(threadId: string): Promise<void>;
	close(): Promise<void>;
}

/** Throws a `Refusal` for what is wrong with the configuration, and a `StoreError` where threads cannot be kept. */
export async function openEngine({ workspace, env, model, effort, mode, rules }: EngineSettings): Promise<Engine> {
	const flags = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
	const configuration = readConfiguration({ folder: workspace, env, flags });
	if (configuration.problems.length > 0) throw new Refusal(configuration.problems.join("\n"));
	const { store, notice } = await openStore(configuration);
	const models: Models = {
		names: configuration.models.names,
		choose: (name) => {
			const settings = configuration.models.choose(name);
			return "why" in settings ? settings : chatModel(settings);
		},
	};
	const privacies: Privacy[] = [];
	const assist = new Assist({
		store,
		models,
		privacyOf: (folders) => {
			const uris = folders.map((folder) => pathToFileURL(folder).href);
			const workspaceFolders = uris.map((uri) => ({ uri, name: "" }));
			const privacy = new Privacy(
				diskFiles(() => ({ folders: workspaceFolders })),
				() => uris,
			);
			privacies.push(privacy);
			return privacy;
		},
		mcpServers: configuration.mcpServers.map(({ value }) => value),
		rules: [...configuration.rules.map(({ value }) => value), ...rules],
		network: configuration.network.value,
		secretVariables: [...configuration.providers.values()].flatMap(({ keyVariables }) => keyVariables),
		now: () => new Date(),
		newId: randomUUID,
	});
	return {
		assist,
		models,
		notices: [...configuration.warnings, ...(notice === undefined ? [] : [notice])],
		prompt: (threadId, parts, client, signal) => {
			// Nobody tells a terminal of ignore files that were written since the last turn.
			for (const privacy of privacies) privacy.forget();
			return assist.prompt(threadId, parts, client, { mode, effort: configuration.effort?.value, signal });
		},
		forgetEmpty: async (threadId) => {
			if ((await assist.thread(threadId))?.title === "") await assist.delete(threadId);
		},
		close: async () => {
			await assist.close();
			await store.close();
		},
	};
}

/** The store that a folder's configuration names. */
export async function openStore({ store: { value } }: Configuration): Promise<OpenedStore> {
	if ("file" in value) return openEmbeddedStore(value.file, new Date());
	return { store: await openPostgresStore(value.url), notice: undefined };
}

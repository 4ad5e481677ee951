import path from "node:path";
import type { McpServer } from "@segue/assist";
import { sanitizeName } from "@segue/text";
import type { z } from "zod";
import { EMBEDDED } from "../next-edit/settings.js";
import { readKeys } from "./api-keys.js";
import { BY_DEFAULT, type Setting, type SettingOrigin, type SettingsOf } from "./key-row.js";
import { type ConfigurationFile, KEYS } from "./keys.js";
import {
	type ApprovalEntry,
	type EditorConfiguration,
	type Layer,
	layerOf,
	originIn,
	readLayer,
	settingsOf,
} from "./layer.js";
import { shellArgument } from "./masking.js";
import { type EditModelCatalog, editModelsOf, type ModelCatalog, modelsOf } from "./model-catalog.js";
import { type NextEditConfiguration, nextEditOf } from "./next-edit.js";
import { type Provider, providersOf } from "./providers.js";
import { effort, modelName, nextEditModel, webAddress } from "./schema.js";
import { digestOf, guardedFields, readTrust, realFolder, splitByTrust } from "./trust.js";
import { UserError } from "./user-error.js";
import { type EnvironmentVariables, projectFileOf, type UserFiles, userFilesOf } from "./user-files.js";

/** The merged configuration of one workspace, with the origin of each value. Printing it does not reveal keys. */
export interface Configuration extends Omit<SettingsOf<typeof KEYS>, "store"> {
	readonly nextEdit: NextEditConfiguration;
	/** A file, or the URL of a PostgreSQL database. The URL may contain a password. */
	readonly store: Setting<{ readonly file: string } | { readonly url: string }>;
	/**
	 * The strictest matching rule must win: an untrusted project may add `ask` and `deny` rules but must not weaken a
	 * user's `deny` to `ask`.
	 */
	readonly rules: readonly Setting<ApprovalEntry>[];
	readonly mcpServers: readonly Setting<McpServer>[];
	readonly agents: readonly Setting<Agent>[];
	readonly providers: ReadonlyMap<string, Provider>;
	/** The models for chat. */
	readonly models: ModelCatalog;
	/** The models for next edits. */
	readonly editModels: EditModelCatalog;
	readonly userFiles: UserFiles;
	readonly projectFile: string;
	/** The fields in the project's file that are ignored because the user has not trusted them. */
	readonly leftOut: readonly string[];
	/** Messages for the user about valid settings that are ignored. */
	readonly warnings: readonly string[];
	/** Messages for the user about mistakes. A file with a problem is ignored. */
	readonly problems: readonly string[];
}

interface Agent {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
}

interface ConfigurationSources {
	/** The workspace folder. Its `.segue.json` is read. */
	readonly folder: string;
	readonly env: EnvironmentVariables;
	readonly flags: { readonly model?: string; readonly effort?: string; readonly nextEditModel?: string };
	readonly editor?: EditorConfiguration | undefined;
}

/** Reads and merges all sources. Mistakes are reported in `problems`, untrusted project settings in `warnings`. */
export function readConfiguration({ folder, env, flags, editor }: ConfigurationSources): Configuration {
	const problems: string[] = [];
	const orProblem = <Value>(read: () => Value, fallback: () => Value): Value => {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof UserError)) throw error;
			problems.push(...error.message.split("\n"));
			return fallback();
		}
	};
	const places = orProblem(
		() => userFilesOf(env),
		() => userFilesOf({}),
	);
	const root = realFolder(folder);
	const projectFile = projectFileOf(root);

	const user = orProblem(() => readLayer("user", places.configuration, problems), nothing);
	const whole = orProblem(() => readLayer("workspace", projectFile, problems), nothing);
	const trusted = orProblem(
		() => readTrust(places.trust),
		() => new Map<string, string>(),
	);
	const digest = whole && digestOf(whole.value);
	const isUntrusted = whole !== undefined && digest !== undefined && trusted.get(root) !== digest;
	const leftOut = isUntrusted ? guardedFields(whole.value) : [];
	const project = isUntrusted ? { ...whole, value: splitByTrust(whole.value).free } : whole;
	const layers = [user, project, editor && layerOf(editor)].filter((layer) => layer !== undefined);

	const parsed = <Value>(schema: z.ZodType<Value>, text: string | undefined, origin: SettingOrigin) => {
		if (text === undefined || text === "") return undefined;
		const { data, error } = schema.safeParse(text);
		if (error === undefined) return { value: data, origin };
		problems.push(`${origin.where} ${error.issues[0]?.message}.`);
		return undefined;
	};
	const inEnvironment = (variable: string): SettingOrigin => ({ from: "environment", where: variable });
	const modelOfEnvironment = parsed(modelName, env["SEGUE_MODEL"], inEnvironment("SEGUE_MODEL"));
	const modelOfFlag = parsed(modelName, flags.model, { from: "flag", where: "--model" });
	const modelOfUser = (modelOfEnvironment ?? modelOfFlag)?.value ?? editor?.value.model ?? user?.value.model;
	const chosenNextEdit =
		parsed(nextEditModel, flags.nextEditModel, { from: "flag", where: "--next-edit-model" }) ??
		parsed(nextEditModel, env["SEGUE_NEXT_EDIT_MODEL"], inEnvironment("SEGUE_NEXT_EDIT_MODEL"));
	const nextEditOfUser = chosenNextEdit?.value ?? editor?.value.nextEdit?.model ?? user?.value.nextEdit?.model;
	const settings = settingsOf(KEYS, layers);

	const providers = providersOf(layers, {
		env,
		// Only the user's own choice, because SEGUE_BASE_URL and SEGUE_API_KEY must not apply to a model selected by a
		// project.
		chosen: [modelOfUser, nextEditOfUser].map(providerIn).filter((provider) => provider !== undefined),
		baseUrl: parsed(webAddress, env["SEGUE_BASE_URL"], inEnvironment("SEGUE_BASE_URL")),
		keys: orProblem(
			() => readKeys(places.keys),
			() => new Map<string, string>(),
		),
		keysFile: places.keys,
		editorKeys: editor?.keys,
		problems,
	});
	const model = modelOfFlag ?? modelOfEnvironment ?? settings.model ?? firstModelOf(editor);
	const warnings = isUntrusted ? [warningOf(projectFile, leftOut)] : [];
	const nextEdit = nextEditOf(layers, chosenNextEdit);
	const choice = {
		...{ providers, model: model?.value, nextEdit, warnings, leftOut },
		configurationFile: places.configuration,
	};
	return {
		...settings,
		model,
		nextEdit,
		effort: parsed(effort, flags.effort, { from: "flag", where: "--effort" }) ?? settings.effort,
		store: settings.store ?? { value: { file: places.database }, origin: BY_DEFAULT },
		rules: layers.flatMap(rulesOf),
		mcpServers: entriesOf(layers, "mcpServers").map(({ name, value, origin }) => ({
			value: serverOf(name, value),
			origin,
		})),
		agents: entriesOf(layers, "agents").map(({ name, value, origin }) => {
			return { value: { name, command: value.command, args: value.args ?? [] }, origin };
		}),
		providers,
		models: modelsOf(choice),
		editModels: editModelsOf(choice),
		userFiles: places,
		projectFile,
		leftOut,
		warnings,
		problems,
	};
}

const nothing = () => undefined;

function firstModelOf(editor: EditorConfiguration | undefined): Setting<string> | undefined {
	if (editor?.firstModel === undefined) return undefined;
	return { value: editor.firstModel, origin: { from: "editor", where: editor.where } };
}

/** Returns the named entries in a section. The last layer that defines a name wins. */
function entriesOf<Field extends "mcpServers" | "agents">(layers: readonly Layer[], field: Field) {
	type Value = NonNullable<ConfigurationFile[Field]>[string];
	const entries = new Map<string, { name: string; value: Value; origin: SettingOrigin }>();
	for (const layer of layers) {
		for (const [name, value] of Object.entries(layer.value[field] ?? {})) {
			entries.set(name, { name, value: value as Value, origin: originIn(layer, [field, name]) });
		}
	}
	return [...entries.values()];
}

function rulesOf(layer: Layer): Setting<ApprovalEntry>[] {
	return (layer.value.approvals ?? []).map((value) => {
		return { value, origin: originIn(layer, ["approvals", layer.approvals.indexOf(value)]) };
	});
}

function serverOf(name: string, entry: NonNullable<ConfigurationFile["mcpServers"]>[string]): McpServer {
	const { command = "", args = [], env = {}, url, headers = {} } = entry;
	return url === undefined ? { name, type: "stdio", command, args, env } : { name, type: "http", url, headers };
}

function providerIn(model: string | undefined): string | undefined {
	return model === EMBEDDED ? undefined : model?.slice(0, model.indexOf("/"));
}

/** A warning lists at most this many fields, then states how many more there are. */
const FIELDS_NAMED_MAX = 10;

function warningOf(projectFile: string, leftOut: readonly string[]): string {
	const rest = leftOut.length - FIELDS_NAMED_MAX;
	const named = `${leftOut.slice(0, FIELDS_NAMED_MAX).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
	const folder = shellArgument(path.dirname(projectFile));
	return `These settings in ${sanitizeName(projectFile)} need your approval and are ignored: ${named}. To approve them, run: segue trust ${folder}`;
}

/** The name of the configured model's provider if it needs a key and has none. */
export function providerWithoutKey({ folder, env }: Pick<ConfigurationSources, "folder" | "env">): string | undefined {
	const { model, providers } = readConfiguration({ folder, env, flags: {} });
	const provider = providers.get(model?.value.split("/", 1)[0] ?? "");
	return provider?.needsKey === true && provider.key === undefined ? provider.name : undefined;
}

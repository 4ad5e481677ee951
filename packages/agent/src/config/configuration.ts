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

/** Everything that is configured for one workspace, with where each value is from. Printing it does not show a key. */
export interface Configuration extends Omit<SettingsOf<typeof KEYS>, "store"> {
	readonly nextEdit: NextEditConfiguration;
	/** A file, or the address of a PostgreSQL database, which may hold a password. */
	readonly store: Setting<{ readonly file: string } | { readonly url: string }>;
	/**
	 * The strictest of all that fit has to count. A project may add rules of `ask` and `deny` without being trusted, and so it
	 * cannot make an `ask` of what its user denies.
	 */
	readonly rules: readonly Setting<ApprovalEntry>[];
	readonly mcpServers: readonly Setting<McpServer>[];
	readonly agents: readonly Setting<Agent>[];
	readonly providers: ReadonlyMap<string, Provider>;
	/** For chat. */
	readonly models: ModelCatalog;
	/** For next edits. */
	readonly editModels: EditModelCatalog;
	readonly userFiles: UserFiles;
	readonly projectFile: string;
	/** The fields of the project's file that do not hold, because the user has not trusted them. */
	readonly leftOut: readonly string[];
	/** Sentences for a person about what does not hold and need not be wrong. */
	readonly warnings: readonly string[];
	/** Sentences for a person about what is wrong. A file with a problem is ignored. */
	readonly problems: readonly string[];
}

interface Agent {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
}

interface ConfigurationSources {
	/** The workspace, whose `.segue.json` is read. */
	readonly folder: string;
	readonly env: EnvironmentVariables;
	readonly flags: { readonly model?: string; readonly effort?: string; readonly nextEditModel?: string };
	readonly editor?: EditorConfiguration | undefined;
}

/** Reads all there is. What is wrong is told in `problems`, and what of a project is not trusted in `warnings`. */
export function readConfiguration({ folder, env, flags, editor }: ConfigurationSources): Configuration {
	const problems: string[] = [];
	const orProblem = <Value>(read: () => Value, otherwise: () => Value): Value => {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof UserError)) throw error;
			problems.push(...error.message.split("\n"));
			return otherwise();
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
	const isHeldBack = whole !== undefined && digest !== undefined && trusted.get(root) !== digest;
	const leftOut = isHeldBack ? guardedFields(whole.value) : [];
	const project = isHeldBack ? { ...whole, value: splitByTrust(whole.value).free } : whole;
	const layers = [user, project, editor && layerOf(editor)].filter((layer) => layer !== undefined);

	const said = <Value>(schema: z.ZodType<Value>, text: string | undefined, origin: SettingOrigin) => {
		if (text === undefined || text === "") return undefined;
		const { data, error } = schema.safeParse(text);
		if (error === undefined) return { value: data, origin };
		problems.push(`${origin.where} ${error.issues[0]?.message}.`);
		return undefined;
	};
	const inEnvironment = (variable: string): SettingOrigin => ({ from: "environment", where: variable });
	const modelOfEnvironment = said(modelName, env["SEGUE_MODEL"], inEnvironment("SEGUE_MODEL"));
	const modelOfFlag = said(modelName, flags.model, { from: "flag", where: "--model" });
	const modelOfUser = (modelOfEnvironment ?? modelOfFlag)?.value ?? editor?.value.model ?? user?.value.model;
	const nextEditSaid =
		said(nextEditModel, flags.nextEditModel, { from: "flag", where: "--next-edit-model" }) ??
		said(nextEditModel, env["SEGUE_NEXT_EDIT_MODEL"], inEnvironment("SEGUE_NEXT_EDIT_MODEL"));
	const nextEditOfUser = nextEditSaid?.value ?? editor?.value.nextEdit?.model ?? user?.value.nextEdit?.model;
	const settings = settingsOf(KEYS, layers);

	const providers = providersOf(layers, {
		env,
		// The user's own choice, never a project's: these are the address and the key for what the user has in mind.
		chosen: [modelOfUser, nextEditOfUser].map(providerIn).filter((provider) => provider !== undefined),
		baseUrl: said(webAddress, env["SEGUE_BASE_URL"], inEnvironment("SEGUE_BASE_URL")),
		keys: orProblem(
			() => readKeys(places.keys),
			() => new Map<string, string>(),
		),
		keysFile: places.keys,
		editorKeys: editor?.keys,
		problems,
	});
	const model = modelOfFlag ?? modelOfEnvironment ?? settings.model ?? firstModelOf(editor);
	const warnings = isHeldBack ? [warningOf(projectFile, leftOut)] : [];
	const nextEdit = nextEditOf(layers, nextEditSaid);
	const choice = {
		...{ providers, model: model?.value, nextEdit, warnings, leftOut },
		configurationFile: places.configuration,
	};
	return {
		...settings,
		model,
		nextEdit,
		effort: said(effort, flags.effort, { from: "flag", where: "--effort" }) ?? settings.effort,
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

/** Everything that has a name, each as the last of the layers has it. */
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

/** What a warning names one by one; how many more there are is enough to go and read the file. */
const FIELDS_NAMED_MAX = 10;

function warningOf(projectFile: string, leftOut: readonly string[]): string {
	const rest = leftOut.length - FIELDS_NAMED_MAX;
	const named = `${leftOut.slice(0, FIELDS_NAMED_MAX).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
	const folder = shellArgument(path.dirname(projectFile));
	return `${sanitizeName(projectFile)} is not trusted as it is, so this of it is left out: ${named}. If you trust it, run: segue trust ${folder}`;
}

/** The name of the provider of the configured model, where it needs a key and has none. */
export function providerWithoutKey({ folder, env }: Pick<ConfigurationSources, "folder" | "env">): string | undefined {
	const { model, providers } = readConfiguration({ folder, env, flags: {} });
	const provider = providers.get(model?.value.split("/", 1)[0] ?? "");
	return provider?.needsKey === true && provider.key === undefined ? provider.name : undefined;
}

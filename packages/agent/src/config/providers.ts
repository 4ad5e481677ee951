import type { Api } from "@segue/models";
import { ApiKey } from "./api-keys.js";
import { fieldName } from "./json.js";
import { BY_DEFAULT, type Setting } from "./key-row.js";
import type { ConfigurationFile } from "./keys.js";
import { type Layer, originIn } from "./layer.js";
import type { EnvironmentVariables } from "./user-files.js";

type ProviderEntry = NonNullable<ConfigurationFile["providers"]>[string];
type ProviderType = NonNullable<ProviderEntry["type"]>;
type ModelFacts = NonNullable<ProviderEntry["models"]>[string];

/** A provider that needs no configuration. */
interface BuiltIn {
	/** The chat API; undefined if the provider has none. */
	readonly type: ProviderType | undefined;
	readonly api: Api;
	/** Undefined if the user has to configure it. */
	readonly baseUrl: string | undefined;
	/** The environment variable from which other tools also read the key. */
	readonly keyEnv: string | undefined;
	/** Whether its default URL requires a key. */
	readonly needsKey: boolean;
	/** Defaults for all models of the provider. */
	readonly facts: ModelFacts;
}

const local = (port: number, api: Api): BuiltIn => ({
	type: "openai-compatible",
	api,
	baseUrl: `http://127.0.0.1:${port}/v1`,
	keyEnv: undefined,
	needsKey: false,
	facts: {},
});

const hosted = (api: Api, baseUrl: string, keyEnv: string): BuiltIn => ({
	type: "openai-compatible",
	api,
	baseUrl,
	keyEnv,
	needsKey: true,
	facts: {},
});

/** The ports are the servers' defaults. */
const BUILT_IN: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
	[
		"anthropic",
		{
			type: "anthropic",
			api: "anthropic",
			baseUrl: "https://api.anthropic.com/v1",
			keyEnv: "ANTHROPIC_API_KEY",
			needsKey: true,
			facts: { windowTokens: 200_000, images: true },
		},
	],
	["openai", { ...hosted("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"), facts: { images: true } }],
	["openrouter", hosted("openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")],
	["ollama", local(11_434, "ollama")],
	["lmstudio", local(1234, "openai")],
	["llamacpp", local(8080, "llamacpp")],
	["vllm", local(8000, "openai")],
	["mistral", hosted("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY")],
	["codestral", hosted("mistral", "https://codestral.mistral.ai/v1", "CODESTRAL_API_KEY")],
	["inception", hosted("inception", "https://api.inceptionlabs.ai/v1", "INCEPTION_API_KEY")],
	// Only this URL supports completions with text after the cursor.
	["deepseek", hosted("openai", "https://api.deepseek.com/beta", "DEEPSEEK_API_KEY")],
	["sweep", { ...hosted("sweep", "https://autocomplete.sweep.dev", "SWEEP_API_KEY"), type: undefined }],
	["sweep-local", { ...local(8081, "sweep"), type: undefined, baseUrl: "http://127.0.0.1:8081" }],
	[
		"openai-compatible",
		{ type: "openai-compatible", api: "openai", baseUrl: undefined, keyEnv: undefined, needsKey: false, facts: {} },
	],
]);

export interface Provider {
	readonly name: string;
	/** The API for chat; undefined if it does not support chat. */
	readonly type: ProviderType | undefined;
	/** The API for next edits. */
	readonly api: Api;
	readonly baseUrl: Setting<string> | undefined;
	readonly headers: Setting<Readonly<Record<string, string>>> | undefined;
	readonly key: ApiKey | undefined;
	/** The environment variables in which its key is looked up. */
	readonly keyVariables: readonly string[];
	/** The variable configured for the key, if it is unset and no other key was found. */
	readonly unsetVariable: string | undefined;
	/** Whether SEGUE_BASE_URL and SEGUE_API_KEY apply to this provider. */
	readonly usesGenericVariables: boolean;
	/** Whether requests without a key are known to fail. */
	readonly needsKey: boolean;
	/** The configured models, by their names at this provider. */
	readonly models: ReadonlyMap<string, ModelFacts>;
	/** Defaults for all other models. */
	readonly facts: ModelFacts;
}

/** Inputs other than the configuration files. */
interface ProviderSources {
	readonly env: EnvironmentVariables;
	/**
	 * Providers of the chosen models, the chat model's first. SEGUE_BASE_URL and SEGUE_API_KEY apply to one of them.
	 */
	readonly chosen: readonly string[];
	readonly baseUrl: Setting<string> | undefined;
	readonly keys: ReadonlyMap<string, string>;
	readonly keysFile: string;
	/** Keys sent by an editor, by provider. */
	readonly editorKeys: ReadonlyMap<string, ApiKey> | undefined;
	readonly problems: string[];
}

/** The built-in providers and those that the layers define. */
export function providersOf(layers: readonly Layer[], sources: ProviderSources): ReadonlyMap<string, Provider> {
	const names = new Set([...BUILT_IN.keys(), ...layers.flatMap(({ value }) => Object.keys(value.providers ?? {}))]);
	const target = genericVariablesTarget(sources.chosen, names, layers);
	const providers = [...names].flatMap((name) => {
		const provider = providerOf(name, layers, name === target, sources);
		return provider === undefined ? [] : [[name, provider] as const];
	});
	return new Map(providers);
}

/**
 * Returns the provider that SEGUE_BASE_URL and SEGUE_API_KEY apply to: the only chosen provider without a URL or,
 * failing that, the first chosen provider.
 */
function genericVariablesTarget(
	chosen: readonly string[],
	names: ReadonlySet<string>,
	layers: readonly Layer[],
): string {
	const hasUrl = (name: string) => {
		const entries = entriesOf(name, layers).map(({ entry }) => entry);
		const type = entries.findLast((entry) => entry.type !== undefined)?.type;
		return entries.some(({ baseUrl }) => baseUrl !== undefined) || builtInUrl(name, type) !== undefined;
	};
	const [incomplete, ...others] = new Set(chosen.filter((name) => names.has(name) && !hasUrl(name)));
	return (others.length === 0 ? incomplete : undefined) ?? chosen[0] ?? "openai-compatible";
}

function providerOf(
	name: string,
	layers: readonly Layer[],
	usesGenericVariables: boolean,
	sources: ProviderSources,
): Provider | undefined {
	const builtIn = BUILT_IN.get(name);
	const entries = entriesOf(name, layers);
	const lastOf = <Field extends keyof ProviderEntry>(
		field: Field,
	): Setting<NonNullable<ProviderEntry[Field]>> | undefined => {
		const found = entries.findLast(({ entry }) => entry[field] !== undefined);
		if (found === undefined) return undefined;
		const value = found.entry[field] as NonNullable<ProviderEntry[Field]>;
		return { value, origin: originIn(found.layer, ["providers", name, field]) };
	};
	const configuredApi = lastOf("api")?.value;
	const type = lastOf("type")?.value ?? (builtIn === undefined ? typeFor(configuredApi) : builtIn.type);
	const api = configuredApi ?? builtIn?.api ?? (type && apiFor(type));
	const baseUrl = (usesGenericVariables ? sources.baseUrl : undefined) ?? lastOf("baseUrl") ?? builtInUrl(name, type);
	if (api === undefined || (baseUrl === undefined && builtIn === undefined)) {
		reportIncomplete(name, api === undefined ? "type" : "baseUrl", entries, sources.problems);
		return undefined;
	}
	const models = new Map<string, ModelFacts>();
	for (const { entry } of entries) {
		for (const [id, facts] of Object.entries(entry.models ?? {})) models.set(id, { ...models.get(id), ...facts });
	}
	const headers = lastOf("headers");
	const [ours, theirs] = [usesGenericVariables ? "SEGUE_API_KEY" : undefined, lastOf("keyEnv")?.value];
	const { env, keys, keysFile, editorKeys } = sources;
	const isGuarded = [...BUILT_IN.values()].some((known) => known.needsKey && known.baseUrl === baseUrl?.value);
	const key =
		keyIn(env, ours) ??
		editorKeys?.get(name) ??
		keyIn(env, theirs) ??
		keyOf(keys.get(name), "login", keysFile) ??
		keyIn(env, builtIn?.keyEnv);
	return {
		name,
		type,
		api,
		baseUrl,
		headers,
		key,
		keyVariables: [...new Set([ours, theirs, builtIn?.keyEnv])].filter((variable) => variable !== undefined),
		unsetVariable: key === undefined ? theirs : undefined,
		usesGenericVariables: usesGenericVariables,
		// A configured header may contain the credentials.
		needsKey: isGuarded && headers === undefined,
		models,
		facts: builtIn?.facts ?? {},
	};
}

function entriesOf(name: string, layers: readonly Layer[]): { readonly layer: Layer; readonly entry: ProviderEntry }[] {
	return layers.flatMap((layer) => {
		const entry = ownEntry(layer.value.providers, name);
		return entry === undefined ? [] : [{ layer, entry }];
	});
}

/** Returns the chat API of a server that has this API for next edits. */
function typeFor(api: Api | undefined): ProviderType | undefined {
	if (api === undefined || api === "sweep") return undefined;
	return api === "anthropic" ? "anthropic" : "openai-compatible";
}

function apiFor(type: ProviderType): Api {
	return type === "anthropic" ? "anthropic" : "openai";
}

/** The URL of the provider itself, or of the vendor that defined its API. */
function builtInUrl(name: string, type: ProviderType | undefined): Setting<string> | undefined {
	const value = BUILT_IN.get(name)?.baseUrl ?? (type === "anthropic" ? BUILT_IN.get("anthropic")?.baseUrl : undefined);
	return value === undefined ? undefined : { value, origin: BY_DEFAULT };
}

/** Uses only own properties, because a provider's name may also be that of a member of `Object.prototype`. */
function ownEntry(providers: ConfigurationFile["providers"], name: string): ProviderEntry | undefined {
	return providers !== undefined && Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/**
 * Reports an incomplete provider, unless only an untrusted project or an editor defines it: the project may just add
 * facts about models, and editors get their own messages.
 */
function reportIncomplete(
	name: string,
	lacks: "type" | "baseUrl",
	entries: readonly { readonly layer: Layer; readonly entry: ProviderEntry }[],
	problems: string[],
): void {
	const files = entries.filter(({ layer }) => layer.from !== "editor");
	const defined = files.findLast(({ entry }) => Object.keys(entry).some((field) => field !== "models"));
	const found = defined ?? files.find(({ layer }) => layer.from === "user");
	if (found === undefined) return;
	const missing =
		lacks === "type"
			? "type is missing; it must be openai-compatible or anthropic"
			: "baseUrl is missing; it must be a URL";
	problems.push(`${found.layer.placeOf(["providers", name])}: ${fieldName(["providers", name])}.${missing}.`);
}

function keyIn(env: EnvironmentVariables, variable: string | undefined): ApiKey | undefined {
	if (variable === undefined) return undefined;
	return keyOf(env[variable]?.trim() || undefined, "environment", variable);
}

function keyOf(secret: string | undefined, from: "environment" | "login", where: string): ApiKey | undefined {
	return secret === undefined ? undefined : new ApiKey(secret, { from, where });
}

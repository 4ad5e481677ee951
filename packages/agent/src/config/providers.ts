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

/** What is known of a provider by its name alone. */
interface BuiltIn {
	/** Undefined where it is not for chat. */
	readonly type: ProviderType | undefined;
	readonly api: Api;
	/** Undefined where it has to be said. */
	readonly baseUrl: string | undefined;
	/** Where others keep its key too. */
	readonly keyEnv: string | undefined;
	/** Whether its own address answers nobody without a key. */
	readonly needsKey: boolean;
	/** What holds of all its models, unless it is configured otherwise. */
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

/** The ports are those that the servers listen on when they are started without any option. */
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
	// Its completions take what is behind the cursor only at this address.
	["deepseek", hosted("openai", "https://api.deepseek.com/beta", "DEEPSEEK_API_KEY")],
	["sweep", { ...hosted("sweep", "https://autocomplete.sweep.dev", "SWEEP_API_KEY"), type: undefined }],
	["sweep-local", { ...local(8081, "sweep"), type: undefined, baseUrl: "http://127.0.0.1:8081" }],
	[
		"openai-compatible",
		{ type: "openai-compatible", api: "openai", baseUrl: undefined, keyEnv: undefined, needsKey: false, facts: {} },
	],
]);

/** Somewhere that models are. */
export interface Provider {
	readonly name: string;
	/** What it speaks in chat; undefined where it is not for chat. */
	readonly type: ProviderType | undefined;
	/** What it speaks for next edits. */
	readonly api: Api;
	readonly baseUrl: Setting<string> | undefined;
	readonly headers: Setting<Readonly<Record<string, string>>> | undefined;
	readonly key: ApiKey | undefined;
	/** The variables that a key is looked for in. */
	readonly keyVariables: readonly string[];
	/** The one that is configured to hold the key and holds none, where there is no key from elsewhere. */
	readonly unsetVariable: string | undefined;
	/** Whether SEGUE_BASE_URL and SEGUE_API_KEY are for it. */
	readonly usesGenericVariables: boolean;
	/** Whether it is known that nothing comes of asking without a key. */
	readonly needsKey: boolean;
	/** By the models' names at this provider; those that are configured. */
	readonly models: ReadonlyMap<string, ModelFacts>;
	/** Of every other model. */
	readonly facts: ModelFacts;
}

/** What comes from elsewhere than the files of configuration. */
interface ProviderSources {
	readonly env: EnvironmentVariables;
	/** Those of the models that the user has chosen, the one for chat first: SEGUE_BASE_URL and SEGUE_API_KEY are for one of them. */
	readonly chosen: readonly string[];
	readonly baseUrl: Setting<string> | undefined;
	readonly keys: ReadonlyMap<string, string>;
	readonly keysFile: string;
	/** What an editor says, by provider. */
	readonly editorKeys: ReadonlyMap<string, ApiKey> | undefined;
	/** Takes what is wrong. */
	readonly problems: string[];
}

/** Those that are built in, and those that the layers define. */
export function providersOf(layers: readonly Layer[], sources: ProviderSources): ReadonlyMap<string, Provider> {
	const names = new Set([...BUILT_IN.keys(), ...layers.flatMap(({ value }) => Object.keys(value.providers ?? {}))]);
	const meant = genericVariablesTarget(sources.chosen, names, layers);
	const providers = [...names].flatMap((name) => {
		const provider = providerOf(name, layers, name === meant, sources);
		return provider === undefined ? [] : [[name, provider] as const];
	});
	return new Map(providers);
}

/** Whom SEGUE_BASE_URL and SEGUE_API_KEY are for: whoever alone cannot do without, or else the first that is chosen. */
function genericVariablesTarget(
	chosen: readonly string[],
	names: ReadonlySet<string>,
	layers: readonly Layer[],
): string {
	const hasAddress = (name: string) => {
		const entries = entriesOf(name, layers).map(({ entry }) => entry);
		const type = entries.findLast((entry) => entry.type !== undefined)?.type;
		return entries.some(({ baseUrl }) => baseUrl !== undefined) || builtInAddress(name, type) !== undefined;
	};
	const [lost, ...others] = new Set(chosen.filter((name) => names.has(name) && !hasAddress(name)));
	return (others.length === 0 ? lost : undefined) ?? chosen[0] ?? "openai-compatible";
}

function providerOf(
	name: string,
	layers: readonly Layer[],
	isMeant: boolean,
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
	const saidApi = lastOf("api")?.value;
	const type = lastOf("type")?.value ?? (builtIn === undefined ? typeFor(saidApi) : builtIn.type);
	const api = saidApi ?? builtIn?.api ?? (type && apiFor(type));
	const baseUrl = (isMeant ? sources.baseUrl : undefined) ?? lastOf("baseUrl") ?? builtInAddress(name, type);
	if (api === undefined || (baseUrl === undefined && builtIn === undefined)) {
		reportIncomplete(name, api === undefined ? "type" : "baseUrl", entries, sources.problems);
		return undefined;
	}
	const models = new Map<string, ModelFacts>();
	for (const { entry } of entries) {
		for (const [id, facts] of Object.entries(entry.models ?? {})) models.set(id, { ...models.get(id), ...facts });
	}
	const headers = lastOf("headers");
	const [ours, theirs] = [isMeant ? "SEGUE_API_KEY" : undefined, lastOf("keyEnv")?.value];
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
		usesGenericVariables: isMeant,
		// A header may be what lets us in.
		needsKey: isGuarded && headers === undefined,
		models,
		facts: builtIn?.facts ?? {},
	};
}

/** What the layers say of a provider. */
function entriesOf(name: string, layers: readonly Layer[]): { readonly layer: Layer; readonly entry: ProviderEntry }[] {
	return layers.flatMap((layer) => {
		const entry = ownEntry(layer.value.providers, name);
		return entry === undefined ? [] : [{ layer, entry }];
	});
}

/** What a server that speaks this for next edits speaks in chat. */
function typeFor(api: Api | undefined): ProviderType | undefined {
	if (api === undefined || api === "sweep") return undefined;
	return api === "anthropic" ? "anthropic" : "openai-compatible";
}

function apiFor(type: ProviderType): Api {
	return type === "anthropic" ? "anthropic" : "openai";
}

/** Of the provider itself, or of those who invented what it speaks. */
function builtInAddress(name: string, type: ProviderType | undefined): Setting<string> | undefined {
	const value = BUILT_IN.get(name)?.baseUrl ?? (type === "anthropic" ? BUILT_IN.get("anthropic")?.baseUrl : undefined);
	return value === undefined ? undefined : { value, origin: BY_DEFAULT };
}

/** A provider may have the name of something that every object has. */
function ownEntry(providers: ConfigurationFile["providers"], name: string): ProviderEntry | undefined {
	return providers !== undefined && Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/**
 * A project that is not trusted has no say in whether there is such a provider, and what an editor leaves out it has been told;
 * all others have left something out.
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
			? "type is missing: it is openai-compatible or anthropic"
			: "baseUrl is missing: it is a web address";
	problems.push(`${found.layer.placeOf(["providers", name])}: ${fieldName(["providers", name])}.${missing}.`);
}

function keyIn(env: EnvironmentVariables, variable: string | undefined): ApiKey | undefined {
	if (variable === undefined) return undefined;
	return keyOf(env[variable]?.trim() || undefined, "environment", variable);
}

function keyOf(secret: string | undefined, from: "environment" | "login", where: string): ApiKey | undefined {
	return secret === undefined ? undefined : new ApiKey(secret, { from, where });
}

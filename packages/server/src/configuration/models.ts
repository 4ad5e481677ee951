import { nearest, type Unavailable } from "@segue/assist";
import type { ModelSettings } from "@segue/models";
import { plain } from "../terminal/harmless.js";
import { nameOf } from "./json.js";
import type { Provider } from "./providers.js";

/** The models that can be chosen. */
export interface Models {
	/** Those that are configured, the chosen one first. Others can be chosen by their name too. */
	readonly names: readonly string[];
	/** By its name, or the one that is configured. */
	choose(name: string | undefined): ModelSettings | Unavailable;
}

export interface ModelSources {
	readonly providers: ReadonlyMap<string, Provider>;
	readonly model: string | undefined;
	readonly configurationFile: string;
	/** What of a project is left out, and the sentences about it. */
	readonly leftOut: readonly string[];
	readonly warnings: readonly string[];
}

export function modelsOf(sources: ModelSources): Models {
	const { providers, model: chosen, configurationFile } = sources;
	const configured = [...providers.values()].flatMap(({ name, models }) =>
		[...models.keys()].map((id) => `${name}/${id}`),
	);
	return {
		names: [...new Set([...(chosen === undefined ? [] : [chosen]), ...configured])],
		choose(name = chosen) {
			if (name === undefined) return { why: noModel(configurationFile) };
			const slash = name.indexOf("/");
			const [providerName, model] = [name.slice(0, slash), name.slice(slash + 1)];
			if (slash < 1 || model === "") {
				return { why: `A model is named PROVIDER/MODEL, as ollama/qwen3. The providers are ${listed(providers)}.` };
			}
			const provider = providers.get(providerName);
			if (provider === undefined) return { why: unknownProvider(providerName, sources) };
			return settingsOf(provider, model, configurationFile);
		},
	};
}

function settingsOf(provider: Provider, model: string, configurationFile: string): ModelSettings | Unavailable {
	const { name, type, baseUrl, headers, key, keyVariables, needsKey, models, facts } = provider;
	if (baseUrl === undefined) {
		return {
			why: `It is not said where the provider ${name} is. Set SEGUE_BASE_URL to its address, as http://127.0.0.1:8080/v1, or write it as providers.${name}.baseUrl into ${plain(configurationFile)}.`,
		};
	}
	if (needsKey && key === undefined) {
		return { why: `There is no key for ${name}. Run: segue login ${name}, or set ${keyVariables.join(" or ")}.` };
	}
	if (key?.objection !== undefined) {
		return { why: `What ${key.origin.where} holds for ${name} is no key. ${key.objection} Set it anew, or unset it.` };
	}
	const { windowTokens, images } = { ...facts, ...models.get(model) };
	return {
		name: `${name}/${model}`,
		type,
		model,
		baseUrl: baseUrl.value,
		apiKey: key?.reveal(),
		headers: headers?.value ?? {},
		windowTokens,
		takesImages: images ?? false,
	};
}

function noModel(configurationFile: string): string {
	return `No model is configured. Set SEGUE_MODEL=PROVIDER/MODEL, as SEGUE_MODEL=ollama/qwen3 for a model on this machine, or write "model": "PROVIDER/MODEL" into ${plain(configurationFile)}. For a provider that wants a key, run: segue login PROVIDER, as segue login anthropic.`;
}

function unknownProvider(name: string, { providers, leftOut, warnings, configurationFile }: ModelSources): string {
	const said = plain(name);
	if (leftOut.some((field) => field.startsWith(`${nameOf(["providers", name])}.`))) {
		return `The provider ${said} is only defined by the project. ${warnings.join(" ")}`;
	}
	const meant = nearest(name, providers.keys());
	const help = meant === undefined ? `Those that there are: ${listed(providers)}.` : `Did you mean ${meant}?`;
	return `There is no provider ${said}. ${help} Others are defined as providers.NAME in ${plain(configurationFile)}.`;
}

function listed(providers: ReadonlyMap<string, Provider>): string {
	return [...providers.keys()].join(", ");
}

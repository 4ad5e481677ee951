import type { UnavailableModel } from "@segue/assist";
import { nearest } from "@segue/assist/nearest";
import type { EditModelSettings, KeyAdvice, ModelSettings } from "@segue/models";
import { chooseFormat, formatObjection } from "@segue/models/choice";
import { sanitizeName } from "@segue/text";
import { EMBEDDED } from "../next-edit/settings.js";
import { fieldName } from "./json.js";
import type { NextEditConfiguration } from "./next-edit.js";
import type { Provider } from "./providers.js";

/** The models that can be chosen for one purpose. */
export interface ModelCatalog<Settings = ModelSettings> {
	/** Those that are configured, the chosen one first. Others can be chosen by their name too. */
	readonly names: readonly string[];
	/** By its name, or the one that is configured. */
	choose(name: string | undefined): Settings | UnavailableModel;
}

interface CatalogSources {
	readonly providers: ReadonlyMap<string, Provider>;
	/** The one for chat. */
	readonly model: string | undefined;
	readonly nextEdit: NextEditConfiguration;
	readonly configurationFile: string;
	/** What of a project is left out, and the sentences about it. */
	readonly leftOut: readonly string[];
	readonly warnings: readonly string[];
}

/** Those for chat. */
export function modelsOf(sources: CatalogSources): ModelCatalog {
	const { providers, model: chosen, configurationFile } = sources;
	const forChat = [...providers.values()].filter(({ type }) => type !== undefined);
	return {
		names: [...new Set([...(chosen === undefined ? [] : [chosen]), ...configuredAt(forChat)])],
		choose(name = chosen) {
			if (name === undefined) return { why: noModel(configurationFile) };
			const found = find(name, sources);
			if ("why" in found) return found;
			const { type, facts } = found.provider;
			if (type === undefined) {
				const provider = found.provider.name;
				return { why: `${provider} writes next edits and does not chat. Choose another model, as ollama/qwen3.` };
			}
			const access = accessTo(found, configurationFile);
			if ("why" in access) return access;
			const { images = facts.images ?? false } = found.provider.models.get(found.model) ?? {};
			return { ...access, type, takesImages: images };
		},
	};
}

/** Those for next edits, of which it is known how they are asked even where they cannot be. */
export interface EditModelCatalog extends ModelCatalog<EditModelSettings> {
	formatOf(name: string): string | undefined;
}

/**
 * Those for next edits. The chat model is among the names, and is asked for next edits only where somebody chooses it: they
 * are asked for at every pause, and what is on the screen goes with them.
 */
export function editModelsOf(sources: CatalogSources): EditModelCatalog {
	const { providers, model: forChat, nextEdit, configurationFile } = sources;
	const chosen = nextEdit.model.value === EMBEDDED ? undefined : nextEdit.model.value;
	const said = [chosen, forChat].filter((name) => name !== undefined);
	const formatFor = (name: string, { provider: { api, baseUrl, models }, model }: FoundModel) => {
		const own = name === chosen ? nextEdit.format?.value : undefined;
		return own ?? models.get(model)?.format ?? chooseFormat({ model, api, baseUrl: baseUrl?.value ?? "" });
	};
	return {
		names: [...new Set([...said, ...configuredAt([...providers.values()])])],
		choose(name = chosen) {
			if (name === undefined) return { why: noEditModel(configurationFile) };
			const found = find(name, sources);
			if ("why" in found) return found;
			const access = accessTo(found, configurationFile);
			if ("why" in access) return access;
			const { api } = found.provider;
			const format = formatFor(name, found);
			if (format === undefined)
				return { why: `${sanitizeName(name)} writes no text. Choose another model for next edits.` };
			const objection = formatObjection(format, api);
			if (objection !== undefined) return { why: objection };
			return { ...access, api, format, tellsVerdicts: nextEdit.tellVerdicts.value };
		},
		formatOf(name) {
			const found = find(name, sources);
			return "why" in found ? undefined : formatFor(name, found);
		},
	};
}

function configuredAt(providers: readonly Provider[]): string[] {
	return providers.flatMap(({ name, models }) => [...models.keys()].map((id) => `${name}/${id}`));
}

/** A model by its name, at its provider. */
interface FoundModel {
	readonly provider: Provider;
	readonly model: string;
}

function find(name: string, sources: CatalogSources): FoundModel | UnavailableModel {
	const slash = name.indexOf("/");
	const [providerName, model] = [name.slice(0, slash), name.slice(slash + 1)];
	if (slash < 1 || model === "") {
		return { why: `A model is named PROVIDER/MODEL, as ollama/qwen3. The providers are ${listed(sources.providers)}.` };
	}
	const provider = sources.providers.get(providerName);
	return provider === undefined ? { why: unknownProvider(providerName, sources) } : { provider, model };
}

/** What every request to a model needs. */
type Access = Omit<EditModelSettings, "api" | "format" | "tellsVerdicts">;

function accessTo({ provider, model }: FoundModel, configurationFile: string): Access | UnavailableModel {
	const {
		name,
		baseUrl,
		headers,
		key,
		keyVariables,
		usesGenericVariables: isMeant,
		needsKey,
		models,
		facts,
	} = provider;
	if (baseUrl === undefined) {
		const address = "its address, as http://127.0.0.1:8080/v1,";
		const help = isMeant ? `Set SEGUE_BASE_URL to ${address} or write it` : `Write ${address}`;
		return {
			why: `It is not said where the provider ${name} is. ${help} as providers.${name}.baseUrl into ${sanitizeName(configurationFile)}.`,
		};
	}
	if (needsKey && key === undefined) {
		return { why: `There is no key for ${name}. Run: segue login ${name}, or set ${keyVariables.join(" or ")}.` };
	}
	if (key?.objection !== undefined) {
		return { why: `What ${key.origin.where} holds for ${name} is no key. ${key.objection} Set it anew, or unset it.` };
	}
	return {
		name: `${name}/${model}`,
		model,
		baseUrl: baseUrl.value,
		apiKey: key?.reveal(),
		keyAdvice: keyAdviceOf(provider),
		headers: headers?.value ?? {},
		windowTokens: models.get(model)?.windowTokens ?? facts.windowTokens,
	};
}

/** The way to another key, by where the one is from that is sent. */
function keyAdviceOf({ name, key, keyVariables }: Provider): KeyAdvice {
	const login = `run "segue login ${name}"`;
	if (key === undefined) {
		const variables = keyVariables.length === 0 ? "" : `set ${keyVariables.join(" or ")}, or `;
		return { from: undefined, next: sentence(`${variables}${login}.`) };
	}
	const { from, where = "" } = key.origin;
	if (from === "login") return { from: "segue login", next: sentence(`${login} with another.`) };
	const place = sanitizeName(where);
	if (from === "environment") return { from: place, next: `Set ${place} anew, or unset it and ${login}.` };
	return { from: place, next: "Change it there." };
}

function sentence(words: string): string {
	return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function noModel(configurationFile: string): string {
	return `No model is configured. Set SEGUE_MODEL=PROVIDER/MODEL, as SEGUE_MODEL=ollama/qwen3 for a model on this machine, or write "model": "PROVIDER/MODEL" into ${sanitizeName(configurationFile)}. For a provider that wants a key, run: segue login PROVIDER, as segue login anthropic.`;
}

function noEditModel(configurationFile: string): string {
	return `No model is configured for next edits. Set SEGUE_NEXT_EDIT_MODEL=PROVIDER/MODEL, as SEGUE_NEXT_EDIT_MODEL=ollama/qwen2.5-coder:7b, or write "nextEdit": { "model": "PROVIDER/MODEL" } into ${sanitizeName(configurationFile)}.`;
}

function unknownProvider(name: string, { providers, leftOut, warnings, configurationFile }: CatalogSources): string {
	const said = sanitizeName(name);
	if (leftOut.some((field) => field.startsWith(`${fieldName(["providers", name])}.`))) {
		return `The provider ${said} is only defined by the project. ${warnings.join(" ")}`;
	}
	const meant = nearest(name, providers.keys());
	const help = meant === undefined ? `Those that there are: ${listed(providers)}.` : `Did you mean ${meant}?`;
	return `There is no provider ${said}. ${help} Others are defined as providers.NAME in ${sanitizeName(configurationFile)}.`;
}

function listed(providers: ReadonlyMap<string, Provider>): string {
	return [...providers.keys()].join(", ");
}

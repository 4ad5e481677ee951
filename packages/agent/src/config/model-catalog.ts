import type { UnavailableModel } from "@segue/assist";
import { nearest } from "@segue/assist/nearest";
import type { EditModelSettings, KeyAdvice, ModelSettings } from "@segue/models";
import { chooseFormat, formatObjection } from "@segue/models/choice";
import { sanitizeName } from "@segue/text";
import { EMBEDDED } from "../next-edit/settings.js";
import { fieldName } from "./json.js";
import type { NextEditConfiguration } from "./next-edit.js";
import type { Provider } from "./providers.js";

/** The models for chat or for next edits. */
export interface ModelCatalog<Settings = ModelSettings> {
	/** The configured models, starting with the selected one. Models that are not listed can also be chosen by name. */
	readonly names: readonly string[];
	/** Looks up a model by name. Without a name, returns the selected model. */
	choose(name: string | undefined): Settings | UnavailableModel;
}

interface CatalogSources {
	readonly providers: ReadonlyMap<string, Provider>;
	/** The chat model. */
	readonly model: string | undefined;
	readonly nextEdit: NextEditConfiguration;
	readonly configurationFile: string;
	/** Fields in the project's file that are ignored because they are not trusted, and the warnings about them. */
	readonly leftOut: readonly string[];
	readonly warnings: readonly string[];
}

/** The models for chat. */
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
				return {
					why: `${provider} only supports next edits, not chat. Choose another model, for example ollama/qwen3.`,
				};
			}
			const access = accessTo(found, configurationFile);
			if ("why" in access) return access;
			const { images = facts.images ?? false } = found.provider.models.get(found.model) ?? {};
			return { ...access, type, takesImages: images };
		},
	};
}

/** The models for next edits. `formatOf` also works for models that are unavailable, for example without a key. */
export interface EditModelCatalog extends ModelCatalog<EditModelSettings> {
	formatOf(name: string): string | undefined;
}

/**
 * The models for next edits. The chat model is listed, but used for next edits only if the user selects it, because
 * next edits are requested after every pause and send the visible code.
 */
export function editModelsOf(sources: CatalogSources): EditModelCatalog {
	const { providers, model: forChat, nextEdit, configurationFile } = sources;
	const chosen = nextEdit.model.value === EMBEDDED ? undefined : nextEdit.model.value;
	const selected = [chosen, forChat].filter((name) => name !== undefined);
	const formatFor = (name: string, { provider: { api, baseUrl, models }, model }: FoundModel) => {
		const own = name === chosen ? nextEdit.format?.value : undefined;
		return own ?? models.get(model)?.format ?? chooseFormat({ model, api, baseUrl: baseUrl?.value ?? "" });
	};
	return {
		names: [...new Set([...selected, ...configuredAt([...providers.values()])])],
		choose(name = chosen) {
			if (name === undefined) return { why: noEditModel(configurationFile) };
			const found = find(name, sources);
			if ("why" in found) return found;
			const access = accessTo(found, configurationFile);
			if ("why" in access) return access;
			const { api } = found.provider;
			const format = formatFor(name, found);
			if (format === undefined)
				return { why: `${sanitizeName(name)} does not generate text. Choose another model for next edits.` };
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

/** A model's name at its provider, and the provider. */
interface FoundModel {
	readonly provider: Provider;
	readonly model: string;
}

function find(name: string, sources: CatalogSources): FoundModel | UnavailableModel {
	const slash = name.indexOf("/");
	const [providerName, model] = [name.slice(0, slash), name.slice(slash + 1)];
	if (slash < 1 || model === "") {
		return {
			why: `Write a model as PROVIDER/MODEL, for example ollama/qwen3. Providers: ${listed(sources.providers)}.`,
		};
	}
	const provider = sources.providers.get(providerName);
	return provider === undefined ? { why: unknownProvider(providerName, sources) } : { provider, model };
}

/** The settings that every request to a model needs. */
type Access = Omit<EditModelSettings, "api" | "format" | "tellsVerdicts">;

function accessTo({ provider, model }: FoundModel, configurationFile: string): Access | UnavailableModel {
	const { name, baseUrl, headers, key, keyVariables, usesGenericVariables, needsKey, models, facts } = provider;
	if (baseUrl === undefined) {
		const setting = `providers.${name}.baseUrl in ${sanitizeName(configurationFile)}`;
		const help = usesGenericVariables ? `SEGUE_BASE_URL or ${setting}` : setting;
		return { why: `The provider ${name} has no base URL. Set ${help}, for example to http://127.0.0.1:8080/v1.` };
	}
	if (needsKey && key === undefined) {
		return { why: `There is no key for ${name}. Run: segue login ${name}, or set ${keyVariables.join(" or ")}.` };
	}
	if (key?.objection !== undefined) {
		return { why: `The key for ${name} in ${key.origin.where} is invalid. ${key.objection} Change or remove it.` };
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

/** Returns advice on how to change the key, which depends on where the current key comes from. */
function keyAdviceOf({ name, key, keyVariables }: Provider): KeyAdvice {
	const login = `run "segue login ${name}"`;
	if (key === undefined) {
		const variables = keyVariables.length === 0 ? "" : `set ${keyVariables.join(" or ")}, or `;
		return { from: undefined, next: sentence(`${variables}${login}.`) };
	}
	const { from, where = "" } = key.origin;
	if (from === "login") return { from: "segue login", next: sentence(`${login} with another key.`) };
	const place = sanitizeName(where);
	if (from === "environment") return { from: place, next: `Set ${place} to a valid key, or unset it and ${login}.` };
	return { from: place, next: "Change it there." };
}

function sentence(words: string): string {
	return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function noModel(configurationFile: string): string {
	return `No model is configured. Set SEGUE_MODEL=PROVIDER/MODEL, for example SEGUE_MODEL=ollama/qwen3 for a local model, or add "model": "PROVIDER/MODEL" to ${sanitizeName(configurationFile)}. If the provider needs a key, run: segue login PROVIDER`;
}

function noEditModel(configurationFile: string): string {
	return `No model is configured for next edits. Set SEGUE_NEXT_EDIT_MODEL=PROVIDER/MODEL, for example SEGUE_NEXT_EDIT_MODEL=ollama/qwen2.5-coder:7b, or add "nextEdit": { "model": "PROVIDER/MODEL" } to ${sanitizeName(configurationFile)}.`;
}

function unknownProvider(name: string, { providers, leftOut, warnings, configurationFile }: CatalogSources): string {
	const shown = sanitizeName(name);
	if (leftOut.some((field) => field.startsWith(`${fieldName(["providers", name])}.`))) {
		return `The provider ${shown} is defined only by the project. ${warnings.join(" ")}`;
	}
	const meant = nearest(name, providers.keys());
	const help = meant === undefined ? `Available: ${listed(providers)}.` : `Did you mean ${meant}?`;
	return `Unknown provider ${shown}. ${help} To add a provider, define providers.NAME in ${sanitizeName(configurationFile)}.`;
}

function listed(providers: ReadonlyMap<string, Provider>): string {
	return [...providers.keys()].join(", ");
}

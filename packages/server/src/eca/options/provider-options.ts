import { ApiKey } from "@segue/agent/config/api-keys";
import type { ConfigurationFile } from "@segue/agent/config/keys";
import { keyEnv } from "@segue/agent/config/schema";
import type { OptionReader } from "./option-reader.js";

type Entry = NonNullable<ConfigurationFile["providers"]>[string];

/** A provider from ECA's configuration, converted to Segue's format. */
interface ProviderOptions {
	readonly entry: Entry;
	readonly key: ApiKey | undefined;
	/** The provider's model names by ECA's names, if the two differ. */
	readonly aliases: ReadonlyMap<string, string>;
}

/** ECA's built-in providers, with the models they offer by default. */
const KNOWN: Readonly<
	Record<string, { readonly api: string; readonly url: string; readonly models: readonly string[] }>
> = {
	openai: {
		api: "openai-responses",
		url: "https://api.openai.com",
		models: ["gpt-5.2", "gpt-5", "gpt-5-mini", "gpt-4.1"],
	},
	anthropic: { api: "anthropic", url: "https://api.anthropic.com", models: ["claude-sonnet-4-6", "claude-opus-4-6"] },
	google: {
		api: "openai-chat",
		url: "https://generativelanguage.googleapis.com/v1beta/openai",
		models: ["gemini-2.5-pro"],
	},
	"github-copilot": { api: "openai-chat", url: "https://api.githubcopilot.com", models: [] },
	ollama: { api: "ollama", url: "http://localhost:11434", models: [] },
};

/**
 * ECA sends requests to `url` plus `path`, and Segue to a base URL plus `end`. Servers with OpenAI's Responses API also
 * have the older Chat Completions API, which Segue uses.
 */
const APIS: Readonly<
	Record<string, { readonly type: "openai-compatible" | "anthropic"; readonly path: string; readonly end: string }>
> = {
	"openai-chat": { type: "openai-compatible", path: "/chat/completions", end: "/chat/completions" },
	"openai-responses": { type: "openai-compatible", path: "/v1/responses", end: "/responses" },
	anthropic: { type: "anthropic", path: "/v1/messages", end: "/messages" },
	ollama: { type: "openai-compatible", path: "/v1/chat/completions", end: "/chat/completions" },
};

/** Reads a provider. Returns undefined if it cannot be used. */
export function readProvider(
	name: string,
	value: unknown,
	where: string,
	reader: OptionReader,
): ProviderOptions | undefined {
	const path = ["providers", name];
	const fields = reader.fields(path, value);
	const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
	const apiName = reader.text([...path, "api"], fields["api"]) ?? known?.api;
	const api = apiName !== undefined && Object.hasOwn(APIS, apiName) ? APIS[apiName] : undefined;
	if (apiName !== undefined && api === undefined) {
		reader.complain([...path, "api"], `must be one of ${Object.keys(APIS).join(", ")}; the provider is ignored.`);
		return undefined;
	}
	if (fields["keyRc"] !== undefined) {
		reader.complain(
			[...path, "keyRc"],
			`netrc files are not supported. Sign in to ${name}, or set its key to \${env:NAME}.`,
		);
	}
	const variable = `${name.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()}_API`;
	const legacyUrl = reader.text([...path, "urlEnv"], fields["urlEnv"]);
	const url =
		reader.text([...path, "url"], fields["url"]) ??
		reader.env[`${variable}_URL`] ??
		(legacyUrl === undefined ? undefined : reader.env[legacyUrl]) ??
		known?.url;
	const relative = reader.text([...path, "completionUrlRelativePath"], fields["completionUrlRelativePath"]);
	const baseUrl = api === undefined || url === undefined ? undefined : baseUrlOf(url, relative ?? api.path, api.end);
	if (baseUrl === null) {
		reader.complain([...path, "completionUrlRelativePath"], `must end with ${api?.end}; the provider is ignored.`);
		return undefined;
	}
	const secret = reader.text([...path, "key"], fields["key"]);
	const headers = reader.texts([...path, "extraHeaders"], fields["extraHeaders"]);
	if (name === "github-copilot" && secret === undefined && headers === undefined) {
		reader.complain(path, "ignored without a key, because Segue cannot sign in to GitHub Copilot.");
		return undefined;
	}
	const keyName = reader.text([...path, "keyEnv"], fields["keyEnv"]) ?? `${variable}_KEY`;
	const { models, aliases } = readModels(path, fields["models"], reader);
	const offered =
		fields["models"] === undefined ? Object.fromEntries((known?.models ?? []).map((id) => [id, {}])) : models;
	return {
		entry: {
			...(api !== undefined && { type: api.type }),
			...(baseUrl !== undefined && { baseUrl }),
			// Ignore a name that is not a valid variable name.
			...(keyEnv.safeParse(keyName).success && { keyEnv: keyName }),
			...(headers !== undefined && { headers }),
			models: offered,
		},
		key: secret === undefined ? undefined : new ApiKey(secret, { from: "editor", where }),
		aliases,
	};
}

/** Returns null if the URL does not end with the path that Segue uses. */
function baseUrlOf(url: string, relative: string, end: string): string | null {
	const whole = `${url.replace(/\/+$/, "")}/${relative.replace(/^\/+/, "")}`;
	if (!whole.endsWith(end)) return null;
	// Some users include /v1 in the URL, although ECA adds it.
	return whole.slice(0, -end.length).replace(/\/v1\/v1$/, "/v1");
}

function readModels(path: readonly string[], value: unknown, reader: OptionReader) {
	const models: NonNullable<Entry["models"]> = {};
	const aliases = new Map<string, string>();
	for (const [alias, each] of reader.entries([...path, "models"], value)) {
		const place = [...path, "models", alias];
		const { modelName, limit, imageInput, ...others } = reader.fields(place, each);
		const id = reader.text([...place, "modelName"], modelName) ?? alias;
		const { context } = reader.fields([...place, "limit"], limit);
		if (id !== alias) aliases.set(alias, id);
		models[id] = {
			...models[id],
			...(context !== undefined && { windowTokens: context as number }),
			...(imageInput !== undefined && { images: imageInput as boolean }),
		};
		for (const field of ["extraPayload", "extraHeaders"]) {
			if (others[field] !== undefined) reader.complain([...place, field], "not supported for a single model; ignored.");
		}
	}
	return { models, aliases };
}

/** How to reach a chat model. */
export interface ModelSettings {
	/** The name that users choose, in the form `provider/model`. */
	readonly name: string;
	/** The provider's API. */
	readonly type: "openai-compatible" | "anthropic";
	/** The provider's name for the model. */
	readonly model: string;
	/** Includes the version, for example `http://localhost:1234/v1`. Defaults to the API of OpenAI or Anthropic. */
	readonly baseUrl: string | undefined;
	/** Not needed by local servers. */
	readonly apiKey: string | undefined;
	/** Defaults to advising the user to run `segue login` or to set SEGUE_API_KEY. */
	readonly keyAdvice?: KeyAdvice;
	/** Additional headers for every request. */
	readonly headers: Readonly<Record<string, string>>;
	readonly windowTokens: number | undefined;
	readonly takesImages: boolean;
}

/** Advice for messages about a missing or rejected key. */
export interface KeyAdvice {
	/** Where the key was found, in terms that users know; undefined without a key. */
	readonly from: string | undefined;
	/** How to provide a working key, as a sentence. */
	readonly next: string;
}

/** The API of a server for next edits. */
export type Api = "openai" | "anthropic" | "ollama" | "llamacpp" | "mistral" | "inception" | "sweep";

/** How to reach a model for next edits. */
export interface EditModelSettings extends Omit<ModelSettings, "type" | "takesImages" | "baseUrl"> {
	readonly api: Api;
	/** With or without `/v1` at the end. */
	readonly baseUrl: string;
	/** Defaults to a format based on the model's name and address. */
	readonly format: string | undefined;
	/** Whether to report the outcomes of suggestions to the provider. Only Inception's API accepts such reports. */
	readonly tellsVerdicts: boolean;
}

export type AnySettings = ModelSettings | EditModelSettings;

export function baseUrlOf(settings: AnySettings): string {
	if ("api" in settings) return settings.baseUrl;
	if (settings.baseUrl !== undefined) return settings.baseUrl;
	return settings.type === "anthropic" ? "https://api.anthropic.com/v1" : "https://api.openai.com/v1";
}

export function providerOf({ name }: AnySettings): string {
	return name.split("/", 1)[0] ?? name;
}

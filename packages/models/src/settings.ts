/** Where a model is and how to ask it. */
export interface ModelSettings {
	/** As a person chooses it: the provider's name, a slash, and the model's name at that provider. */
	readonly name: string;
	/** Which of the two wires the provider speaks. */
	readonly type: "openai-compatible" | "anthropic";
	/** As the provider knows it. */
	readonly model: string;
	/** With the version at its end, as in `http://localhost:1234/v1`. Without one it is OpenAI's or Anthropic's own. */
	readonly baseUrl: string | undefined;
	/** Local servers need none. */
	readonly apiKey: string | undefined;
	/** Without it, the advice is to run `segue login` or to set SEGUE_API_KEY. */
	readonly keyAdvice?: KeyAdvice;
	/** Sent with every request, besides what the wire needs. */
	readonly headers: Readonly<Record<string, string>>;
	readonly windowTokens: number | undefined;
	readonly takesImages: boolean;
}

/** What a person is told where a server does not take the key, or wants one. */
export interface KeyAdvice {
	/** Where the key is from, as a person knows it; undefined where there is none. */
	readonly from: string | undefined;
	/** What leads to a key that is sent, as a sentence. */
	readonly next: string;
}

/** What a server that writes next edits speaks. */
export type Api = "openai" | "anthropic" | "ollama" | "llamacpp" | "mistral" | "inception" | "sweep";

/** Where a model for next edits is and how to ask it. */
export interface EditModelSettings extends Omit<ModelSettings, "type" | "takesImages" | "baseUrl"> {
	readonly api: Api;
	/** With /v1 at its end or without: both are understood. */
	readonly baseUrl: string;
	/** Chosen by the model's name and address where nobody says. */
	readonly format: string | undefined;
	/** Whether the provider may hear what became of its answers. Only Inception's takes it. */
	readonly tellsVerdicts: boolean;
}

/** The settings of whichever kind of model is asked. */
export type AnySettings = ModelSettings | EditModelSettings;

/** Where a model is asked. */
export function baseUrlOf(settings: AnySettings): string {
	if ("api" in settings) return settings.baseUrl;
	if (settings.baseUrl !== undefined) return settings.baseUrl;
	return settings.type === "anthropic" ? "https://api.anthropic.com/v1" : "https://api.openai.com/v1";
}

/** The provider's name, as a person knows it. */
export function providerOf({ name }: AnySettings): string {
	return name.split("/", 1)[0] ?? name;
}

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
	/** Sent with every request, besides what the wire needs. */
	readonly headers: Readonly<Record<string, string>>;
	readonly windowTokens: number | undefined;
	readonly takesImages: boolean;
}

/** Where a model is asked. */
export function baseUrlOf({ type, baseUrl }: ModelSettings): string {
	return baseUrl ?? (type === "anthropic" ? "https://api.anthropic.com/v1" : "https://api.openai.com/v1");
}

/** The provider's name, as a person knows it. */
export function providerOf({ name }: ModelSettings): string {
	return name.split("/", 1)[0] ?? name;
}

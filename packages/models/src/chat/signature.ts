/**
 * What a provider wants back with a thought. A thread may go on with another model, which would refuse what is not its own, so
 * a signature begins with what it is: an Anthropic signature, a thought that Anthropic shows to nobody, or the name of the
 * field that an OpenAI-compatible server wrote the thought to.
 */
export type Signature =
	| { readonly of: "anthropic"; readonly value: string }
	| { readonly of: "anthropic-redacted"; readonly value: string }
	| { readonly of: "field"; readonly value: string };

export function writeSignature({ of, value }: Signature): string {
	return `${of}:${value}`;
}

export function readSignature(text: string | undefined): Signature | undefined {
	const at = text?.indexOf(":") ?? -1;
	if (text === undefined || at === -1) return undefined;
	const of = text.slice(0, at);
	const value = text.slice(at + 1);
	return of === "anthropic" || of === "anthropic-redacted" || of === "field" ? { of, value } : undefined;
}

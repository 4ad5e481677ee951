import { controlTokensIn, endTokensIn } from "@segue/predict";
import type { ModelOutput, OffsetRange, PromptInput } from "./format.js";

/** What was said before the first of some tokens that end an answer, for servers that leave them in. */
export function outputBefore({ text, end }: ModelOutput, tokens: readonly string[]): ModelOutput {
	const ends = tokens.map((token) => text.indexOf(token)).filter((at) => at >= 0);
	return ends.length === 0 ? { text, end } : { text: text.slice(0, Math.min(...ends)), end: "stop" };
}

/** The end tokens of any models that are in an answer and not in the document, which may well be about them. */
export function endTokensOf({ text }: ModelOutput, { text: document, languageId }: PromptInput): readonly string[] {
	const said = endTokensIn(languageId).ends.filter((token) => text.includes(token));
	if (said.length === 0) return said;
	const all = document.toString();
	return said.filter((token) => !all.includes(token));
}

/**
 * What was said before the token that closes an answer: nothing follows it, or another token. One in the middle stays, for
 * the gate to see. What a window holds itself closes nothing, and what is found elsewhere in the document, or may be the
 * language's own, does so only where it is alone on the last line.
 */
export function outputToEnd(
	said: ModelOutput,
	input: PromptInput,
	window: OffsetRange,
	specialTokens: readonly string[],
): ModelOutput {
	const at = closingIn(said, input, window, specialTokens);
	if (at === undefined) return said;
	return outputToEnd({ text: said.text.slice(0, at), end: "stop" }, input, window, specialTokens);
}

function closingIn(
	said: ModelOutput,
	input: PromptInput,
	window: OffsetRange,
	specialTokens: readonly string[],
): number | undefined {
	const { text, end } = said;
	const { languageId, text: document } = input;
	const { ends, alone } = endTokensIn(languageId);
	const foreign = [...ends, ...alone].filter((token) => text.includes(token));
	if (foreign.length === 0) return undefined;
	const own = document.slice(window.from, window.to);
	const plain = endTokensOf(said, input);
	const tokens = [...controlTokensIn(languageId), ...specialTokens];
	const places = foreign.flatMap((token) => {
		if (own.includes(token)) return [];
		if (!plain.includes(token)) return aloneAtEnd(said, token);
		const first = placesOf(token, text).find((at) => {
			const rest = text.slice(at + token.length).trimStart();
			return rest === "" ? end !== undefined : tokens.some((one) => rest.startsWith(one));
		});
		return first === undefined ? [] : [first];
	});
	return places.length === 0 ? undefined : Math.min(...places);
}

/** Where the last lines begin on which a token is alone. */
function aloneAtEnd({ text, end }: ModelOutput, token: string): number[] {
	let lines = text.trimEnd();
	let at: number | undefined;
	while (end !== undefined && lines.endsWith(`\n${token}`)) {
		at = lines.length - token.length;
		lines = lines.slice(0, at).trimEnd();
	}
	return at === undefined ? [] : [at];
}

function placesOf(token: string, text: string): number[] {
	const places: number[] = [];
	for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + token.length)) places.push(at);
	return places;
}

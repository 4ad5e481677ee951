import { controlTokensIn, endTokensIn } from "@segue/predict";
import type { ModelOutput, OffsetRange, PromptInput } from "./format.js";

/** Returns the output before the first of these tokens, which some servers do not remove. */
export function outputBefore({ text, end }: ModelOutput, tokens: readonly string[]): ModelOutput {
	const ends = tokens.map((token) => text.indexOf(token)).filter((at) => at >= 0);
	return ends.length === 0 ? { text, end } : { text: text.slice(0, Math.min(...ends)), end: "stop" };
}

/**
 * Returns the end tokens from any model that are in the output but not in the document, which may itself be about such
 * tokens.
 */
export function endTokensOf({ text }: ModelOutput, { text: document, languageId }: PromptInput): readonly string[] {
	const found = endTokensIn(languageId).ends.filter((token) => text.includes(token));
	if (found.length === 0) return found;
	const all = document.toString();
	return found.filter((token) => !all.includes(token));
}

/**
 * Returns the output before its closing token: one that is followed by nothing or by another token. A token in the
 * middle is kept, and the gate then rejects the output. Tokens that occur inside the window never close the output.
 * Tokens that occur elsewhere in the document, or may belong to the language, close it only if they are alone on the
 * last line.
 */
export function outputToEnd(
	output: ModelOutput,
	input: PromptInput,
	window: OffsetRange,
	specialTokens: readonly string[],
): ModelOutput {
	const at = closingIn(output, input, window, specialTokens);
	if (at === undefined) return output;
	return outputToEnd({ text: output.text.slice(0, at), end: "stop" }, input, window, specialTokens);
}

function closingIn(
	output: ModelOutput,
	input: PromptInput,
	window: OffsetRange,
	specialTokens: readonly string[],
): number | undefined {
	const { text, end } = output;
	const { languageId, text: document } = input;
	const { ends, alone } = endTokensIn(languageId);
	const foreign = [...ends, ...alone].filter((token) => text.includes(token));
	if (foreign.length === 0) return undefined;
	const own = document.slice(window.from, window.to);
	const plain = endTokensOf(output, input);
	const tokens = [...controlTokensIn(languageId), ...specialTokens];
	const places = foreign.flatMap((token) => {
		if (own.includes(token)) return [];
		if (!plain.includes(token)) return aloneAtEnd(output, token);
		const first = placesOf(token, text).find((at) => {
			const rest = text.slice(at + token.length).trimStart();
			return rest === "" ? end !== undefined : tokens.some((one) => rest.startsWith(one));
		});
		return first === undefined ? [] : [first];
	});
	return places.length === 0 ? undefined : Math.min(...places);
}

/** Returns the offset of the first of the trailing lines that contain only the token. */
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

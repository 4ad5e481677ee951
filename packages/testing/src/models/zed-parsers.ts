import type { PromptParts } from "@segue/models/prompts";

/**
 * Returns the region after an answer, as interpreted by the editors that send these prompts, or undefined for no edit.
 * Follows the documented behaviour of the formats and shares no code with the encoders. `npm run replay:zed` compares
 * its results with recorded ones.
 */
export function regionAfter(
	format: string,
	parts: PromptParts & { readonly marks?: readonly number[]; readonly begun?: string },
	answer: string,
) {
	switch (format) {
		case "zeta-1":
			return zeta1(answer);
		case "zeta-2":
			return zeta2(answer);
		case "zeta-2.1":
			return zeta21(parts.region, parts.marks ?? [], answer);
		case "sweep": {
			const text = answer.split(/<\|file_sep\|>|<\/s>/)[0] ?? "";
			return text === "" || text === `${parts.region}\n` ? undefined : text.replace(/\n$/, "");
		}
		case "sweep-v2":
			return answer === "" ? undefined : `${parts.begun}${answer}`.replace(/\n$/, "");
		default:
			return answer === "" ? undefined : answer;
	}
}

/**
 * Returns the text between the markers, without the line end next to each marker. If a marker is missing, the text
 * extends to the start or end of the answer.
 */
function zeta1(answer: string): string {
	const [start, end] = ["<|editable_region_start|>", "<|editable_region_end|>"];
	const from = answer.indexOf(start);
	const to = answer.lastIndexOf(end);
	const begun = (from < 0 ? answer : answer.slice(from + start.length)).replace(/^\n/, "");
	return to < 0 ? begun : begun.slice(0, begun.lastIndexOf(end)).replace(/\n$/, "");
}

/** Returns all text before the end marker, which is recognized only at the very end. Removes the last line end. */
function zeta2(answer: string): string | undefined {
	if (answer === "") return undefined;
	return answer.replace(/>>>>>>> UPDATED\n$/, "").replace(/\n$/, "");
}

/** Replaces the text between two markers of the region with the text between the first and the last tag. */
function zeta21(region: string, marks: readonly number[], answer: string): string | undefined {
	const tags = [...answer.matchAll(/<\|marker_(\d+)\|>/g)];
	const [first, last] = [tags[0], tags.at(-1)];
	if (first === undefined || last === undefined || tags.length < 2) return undefined;
	const [from, to] = [marks[Number(first[1]) - 1], marks[Number(last[1]) - 1]];
	if (from === undefined || to === undefined || first[1] === last[1] || from > to) return undefined;
	const written = answer.slice(first.index, last.index).replace(/<\|marker_\d+\|>|<\|user_cursor\|>/g, "");
	return region.slice(0, from) + written + region.slice(to);
}

import type { PromptParts } from "@segue/models/prompts";

/**
 * The region after an answer, as the editors that send these prompts read it; undefined for no edit. Written from the documented
 * behaviour of the formats and compared with recorded results by `npm run replay:zed`, so it shares no code with the writers.
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

/** The text between the marks, without the line end at the inner side of each. A missing mark stands for that end of the answer. */
function zeta1(answer: string): string {
	const [start, end] = ["<|editable_region_start|>", "<|editable_region_end|>"];
	const from = answer.indexOf(start);
	const to = answer.lastIndexOf(end);
	const begun = (from < 0 ? answer : answer.slice(from + start.length)).replace(/^\n/, "");
	return to < 0 ? begun : begun.slice(0, begun.lastIndexOf(end)).replace(/\n$/, "");
}

/** All text up to the end mark, which counts only as the last bytes. The region is compared without its last line end. */
function zeta2(answer: string): string | undefined {
	if (answer === "") return undefined;
	return answer.replace(/>>>>>>> UPDATED\n$/, "").replace(/\n$/, "");
}

/** The text from the first tag to the last, in the place of what is between these marks in the region. */
function zeta21(region: string, marks: readonly number[], answer: string): string | undefined {
	const tags = [...answer.matchAll(/<\|marker_(\d+)\|>/g)];
	const [first, last] = [tags[0], tags.at(-1)];
	if (first === undefined || last === undefined || tags.length < 2) return undefined;
	const [from, to] = [marks[Number(first[1]) - 1], marks[Number(last[1]) - 1]];
	if (from === undefined || to === undefined || first[1] === last[1] || from > to) return undefined;
	const written = answer.slice(first.index, last.index).replace(/<\|marker_\d+\|>|<\|user_cursor\|>/g, "");
	return region.slice(0, from) + written + region.slice(to);
}

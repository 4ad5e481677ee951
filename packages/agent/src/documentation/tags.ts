import type { CommentForm, Subject, Topic, TopicKind, TopicText } from "./subject.js";

/** Comments with tags, as in JSDoc and Javadoc: the summary, an empty line, and a line for each topic. */
export function tagged(tags: Readonly<Partial<Record<TopicKind, string>>>): CommentForm {
	const lineOf = (topic: Topic, say: TopicText) => {
		return ` * ${[`@${tags[topic.kind]}`, topic.written ?? topic.name, say(topic)].filter((word) => word !== "").join(" ")}`;
	};
	return {
		place: "above",
		isDocumentation: (comment) => /^\/\*\*(?!\/)/.test(comment),
		linesOf: ({ topics }, say) => {
			if (topics.length === 0) return [`/** ${escaped(say())} */`];
			const lines = topics.map((topic) => escaped(lineOf(topic, say)));
			return ["/**", ` * ${escaped(say())}`, " *", ...lines, " */"];
		},
		mentions: (comment, topic, subject) => {
			const documented = documentedParameters(comment);
			if (documented.includes(topic.name)) return true;
			return topic.isInvented === true && documented.some((name) => !isParameter(name, subject));
		},
		withTopics: (lines, topics, subject, say) => {
			let renewed = opened(lines);
			for (const topic of topics) {
				const at = placeFor(topic, subject, renewed);
				const isFirst = !renewed.slice(0, at).some(isTag);
				const isApart = isFirst && /[^\s*/]/.test(renewed[at - 1] ?? "");
				renewed = renewed.toSpliced(at, 0, ...(isApart ? [" *"] : []), escaped(lineOf(topic, say)));
			}
			return renewed;
		},
	};
}

/** Escapes the end of a comment, and `\u`, which Java interprets everywhere. */
function escaped(line: string): string {
	return line.replaceAll("*/", "* /").replaceAll("\\u", "\\\\u");
}

/** The parameters that a comment has tags for. PHP allows a type before the name, and C a direction after the tag. */
function documentedParameters(comment: string): string[] {
	const tags = comment.matchAll(
		/@param(?:\[[a-z, ]*\])?\s+(?:\{(?:[^{}]|\{[^{}]*\})*\}\s*)?(?:[^\s$]+\s+(?=[&.]*\$))?\[?\s*&?(?:\.\.\.)?([\p{L}\p{N}_$.<>]+)/gu,
	);
	return [...tags].map(([, name = ""]) => name);
}

function isTag(line: string): boolean {
	return /^\s*\*?\s*@\w/.test(line);
}

function isParameter(name: string, { topics }: Subject): boolean {
	return topics.some((topic) => topic.kind === "parameter" && topic.isInvented !== true && topic.name === name);
}

/** Moves text out of the first and last line of a comment. */
function opened(lines: readonly string[]): string[] {
	const [first = "", ...rest] = lines;
	if (rest.length === 0) {
		const text = first.replace(/^\/\*\*\s*/, "").replace(/\s*\*\/$/, "");
		return ["/**", ...(text === "" ? [] : [` * ${text}`]), " */"];
	}
	const last = rest.at(-1) ?? "";
	const text = last.replace(/\s*\*\/\s*$/, "");
	const ends = /[^\s*]/.test(text) ? [text.replace(/^\s*\*?\s?/, " * "), " */"] : [" */"];
	const begins = /^\/\*\*\s*\S/.test(first) ? ["/**", first.replace(/^\/\*\*\s*/, " * ")] : ["/**"];
	return [...begins, ...rest.slice(0, -1), ...ends];
}

/**
 * The index at which to insert a topic: after the preceding parameter, or else before the first tag that follows
 * parameters.
 */
function placeFor(topic: Topic, { topics }: Subject, lines: readonly string[]): number {
	const end = lines.length - 1;
	const before = topics.slice(0, topics.indexOf(topic)).filter(({ kind }) => kind === "parameter");
	for (const { name } of before.toReversed()) {
		const at = lines.findIndex((line) => documentedParameters(line).includes(name));
		if (at < 0) continue;
		const next = lines.findIndex((line, index) => index > at && isTag(line));
		const until = next < 0 ? end : next;
		// Keep the empty lines before the next tag.
		let to = until;
		while (to > at + 1 && !/[^\s*]/.test(lines[to - 1] ?? "")) to--;
		return to;
	}
	const first = lines.findIndex((line) => isTag(line) && !/@(?:typeParam|template)\b|@param\s+</.test(line));
	return first < 0 ? end : first;
}

import type { CommentForm, Subject, Topic, TopicKind, TopicText } from "./subject.js";

/** Comments of tags, as in JSDoc and Javadoc: what it is, an empty line, and a line for each topic. */
export function tagged(tags: Readonly<Partial<Record<TopicKind, string>>>): CommentForm {
	const lineOf = (topic: Topic, say: TopicText) => {
		return ` * ${[`@${tags[topic.kind]}`, topic.written ?? topic.name, say(topic)].filter((word) => word !== "").join(" ")}`;
	};
	return {
		place: "above",
		isDocumentation: (comment) => /^\/\*\*(?!\/)/.test(comment),
		linesOf: ({ topics }, say) => {
			if (topics.length === 0) return [`/** ${harmless(say())} */`];
			const lines = topics.map((topic) => harmless(lineOf(topic, say)));
			return ["/**", ` * ${harmless(say())}`, " *", ...lines, " */"];
		},
		mentions: (comment, topic, subject) => {
			const said = saidParameters(comment);
			if (said.includes(topic.name)) return true;
			return topic.isInvented === true && said.some((name) => !isParameter(name, subject));
		},
		withTopics: (lines, topics, subject, say) => {
			let renewed = opened(lines);
			for (const topic of topics) {
				const at = placeFor(topic, subject, renewed);
				const isFirst = !renewed.slice(0, at).some(isTag);
				const isApart = isFirst && /[^\s*/]/.test(renewed[at - 1] ?? "");
				renewed = renewed.toSpliced(at, 0, ...(isApart ? [" *"] : []), harmless(lineOf(topic, say)));
			}
			return renewed;
		},
	};
}

/** What closes a comment cannot stand in it, and Java reads `\u` wherever it stands. */
function harmless(line: string): string {
	return line.replaceAll("*/", "* /").replaceAll("\\u", "\\\\u");
}

/** The parameters that a comment has tags for. In PHP, a type may stand before the name; in C, a direction behind the tag. */
function saidParameters(comment: string): string[] {
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

/** The lines of a comment, of which the first and the last say nothing. */
function opened(lines: readonly string[]): string[] {
	const [first = "", ...rest] = lines;
	if (rest.length === 0) {
		const said = first.replace(/^\/\*\*\s*/, "").replace(/\s*\*\/$/, "");
		return ["/**", ...(said === "" ? [] : [` * ${said}`]), " */"];
	}
	const last = rest.at(-1) ?? "";
	const said = last.replace(/\s*\*\/\s*$/, "");
	const ends = /[^\s*]/.test(said) ? [said.replace(/^\s*\*?\s?/, " * "), " */"] : [" */"];
	const begins = /^\/\*\*\s*\S/.test(first) ? ["/**", first.replace(/^\/\*\*\s*/, " * ")] : ["/**"];
	return [...begins, ...rest.slice(0, -1), ...ends];
}

/** Before which line a topic belongs: behind the parameter before it, else before the first tag that comes after parameters. */
function placeFor(topic: Topic, { topics }: Subject, lines: readonly string[]): number {
	const end = lines.length - 1;
	const before = topics.slice(0, topics.indexOf(topic)).filter(({ kind }) => kind === "parameter");
	for (const { name } of before.toReversed()) {
		const at = lines.findIndex((line) => saidParameters(line).includes(name));
		if (at < 0) continue;
		const next = lines.findIndex((line, index) => index > at && isTag(line));
		const until = next < 0 ? end : next;
		// Empty lines behind it part it from what follows.
		let to = until;
		while (to > at + 1 && !/[^\s*]/.test(lines[to - 1] ?? "")) to--;
		return to;
	}
	const first = lines.findIndex((line) => isTag(line) && !/@(?:typeParam|template)\b|@param\s+</.test(line));
	return first < 0 ? end : first;
}

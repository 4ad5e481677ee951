/** A story in a Markdown file. */
export interface TitledStory {
	readonly title: string;
	/** The text for `readStory`, unchanged from the file. */
	readonly source: string;
}

const FENCE = /^```(\w*)/;
const HEADING = /^#+ +(.*?) *$/;

/**
 * Reads the stories in a Markdown file. A story is a fenced block marked `story`, and the heading above it is its
 * title. Throws an Error if a story is not closed or has no heading of its own.
 */
export function readStoryFile(markdown: string): TitledStory[] {
	const stories: TitledStory[] = [];
	const lines = markdown.split("\n");
	let title: string | undefined;
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] as string;
		title = HEADING.exec(line)?.[1] ?? title;
		const [fence, language] = FENCE.exec(line) ?? [];
		if (fence === undefined) continue;
		const end = lines.indexOf("```", at + 1);
		if (end === -1) throw new Error(`line ${at + 1}: the block is not closed: \`\`\` is missing`);
		if (language === "story") {
			if (title === undefined) throw new Error(`line ${at + 1}: the story needs its own heading above it`);
			stories.push({ title, source: lines.slice(at + 1, end).join("\n") });
			title = undefined;
		}
		at = end;
	}
	return stories;
}

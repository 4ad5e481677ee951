/** A story as a Markdown file has it. */
export interface TitledStory {
	readonly title: string;
	/** What `readStory` reads, and what stands in the file as it is. */
	readonly source: string;
}

const FENCE = /^```(\w*)/;
const HEADING = /^#+ +(.*?) *$/;

/**
 * Reads the stories of a Markdown file: the fenced blocks that are marked `story`, each titled by the heading above it.
 * Throws an Error where a story has no title of its own or does not end.
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
		if (end === -1) throw new Error(`line ${at + 1}: the block does not end: \`\`\` is missing`);
		if (language === "story") {
			if (title === undefined) throw new Error(`line ${at + 1}: the story has no heading of its own above it`);
			stories.push({ title, source: lines.slice(at + 1, end).join("\n") });
			title = undefined;
		}
		at = end;
	}
	return stories;
}

import { readFileSync, writeFileSync } from "node:fs";
import { drawStory, type Story } from "../story.js";

/**
 * Replaces a story in its file with the actual story. `source` is the story's text as it appears in the test. In a
 * Markdown file, it is stored unchanged. In code, it is a template literal, in which \, ` and ${ are escaped.
 */
export function updateStory(file: string, source: string, actual: Story): void {
	const encode = file.endsWith(".md") ? (text: string) => text : escapeTemplate;
	const drawn = encode(drawStory(actual));
	const code = readFileSync(file, "utf8");
	const [before, after, ...more] = code.split(encode(source));
	if (before === undefined || after === undefined) {
		if (code.includes(drawn)) return; // a run with other settings has already updated the story
		throw new Error(`${file} does not contain this story:\n${source}`);
	}
	if (more.length > 0) throw new Error(`${file} contains this story ${more.length + 1} times:\n${source}`);
	writeFileSync(file, before + drawn + after);
}

function escapeTemplate(text: string): string {
	return text.replace(/\\|`|\$\{/g, "\\$&");
}

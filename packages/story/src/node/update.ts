import { readFileSync, writeFileSync } from "node:fs";
import { drawStory, type Story } from "../story.js";

/**
 * Rewrites a story in the file that it was read from, as it went. `source` is the story as the test has it. In Markdown
 * it stands as it is; in code it is a template literal, where \, ` and ${ are written with a backslash.
 */
export function updateStory(file: string, source: string, actual: Story): void {
	const spell = file.endsWith(".md") ? (text: string) => text : spellTemplate;
	const drawn = spell(drawStory(actual));
	const code = readFileSync(file, "utf8");
	const [before, after, ...more] = code.split(spell(source));
	if (before === undefined || after === undefined) {
		if (code.includes(drawn)) return; // a story that is played in several settings was rewritten by the first
		throw new Error(`${file} does not hold this story:\n${source}`);
	}
	if (more.length > 0) throw new Error(`${file} holds this story ${more.length + 1} times:\n${source}`);
	writeFileSync(file, before + drawn + after);
}

function spellTemplate(text: string): string {
	return text.replace(/\\|`|\$\{/g, "\\$&");
}

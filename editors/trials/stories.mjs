// The five stories that every client plays, read from stories/ and converted to steps for the drivers.
import { readFileSync } from "node:fs";
import { afterOf, readStory, readStoryFile } from "@segue/story";

const STORIES = [
	["rename", "rename", "Renames a variable everywhere"],
	["across files", "rename", "Follows an exported name into the file that imports it"],
	["repeat", "repeat", "Repeats a changed call"],
	["sibling", "sibling", "Adds a setting to the second of two equal objects"],
	["no suggestion", "rename", "A longer word that contains the name stays"],
];

/**
 * Each story has the initial `files`, the last of which is current; the user's `edits`; the `suggestions` to accept, if
 * any; and `after`, the final file contents by path. Lines count from 1. Columns count from 0, in characters.
 */
export const stories = STORIES.map(([name, file, title]) => {
	const markdown = readFileSync(new URL(`../../stories/${file}.story.md`, import.meta.url), "utf8");
	const found = readStoryFile(markdown).find((story) => story.title === title);
	if (found === undefined) throw new Error(`stories/${file}.story.md has no story "${title}"`);
	return { name, title, ...stepsOf(readStory(found.source)) };
});

function stepsOf({ steps }) {
	const files = [];
	const edits = [];
	const suggestions = [];
	const after = {};
	for (const { verb, path, picture } of steps) {
		if (verb !== "file" && verb !== "user" && verb !== "suggests") continue;
		const before = withFinalNewline(picture.before);
		const text = withFinalNewline(afterOf(picture));
		if (verb !== "suggests" && !files.some((one) => one.path === path)) files.push({ path, text: before });
		if (verb === "user") {
			if (picture.edits.length !== 1) throw new Error("A user step must be a single edit");
			edits.push({ path, ...typed(before, picture.edits[0]), text });
		}
		if (verb === "suggests") suggestions.push({ path, line: positionIn(before, picture.edits[0].from).line, text });
		after[path] = text;
	}
	return { files, edits, suggestions, after };
}

/** Adds a final newline if there is none, because several editors do so when they save. */
function withFinalNewline(text) {
	return text.endsWith("\n") ? text : `${text}\n`;
}

/** Returns the keys that type an edit. New lines are typed at the end of the line above. */
function typed(before, { from, to, insert }) {
	const isLines = from === to && insert.endsWith("\n") && (from === 0 || before[from - 1] === "\n");
	const [at, keys] = isLines ? [from - 1, `\n${insert.slice(0, -1)}`] : [from, insert];
	return { ...positionIn(before, at), remove: to - from, insert: keys };
}

function positionIn(text, offset) {
	const above = text.slice(0, offset).split("\n");
	return { line: above.length, column: [...above.at(-1)].length };
}

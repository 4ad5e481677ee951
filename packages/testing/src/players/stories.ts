import { drawStory, type Player, playStory, readStory } from "@segue/story";
import { updateStory } from "@segue/story/node";
import { expect, test } from "vitest";

/**
 * Makes the `story(title, source)` of a test file: each plays its story on a player of its own and fails with two
 * pictures where it went otherwise. With UPDATE=1 the story in the file is rewritten as it went.
 */
export function storiesOn(newPlayer: () => Player): (title: string, source: string) => void {
	return (title, source) => {
		test(title, async ({ task }) => {
			const actual = await playStory(readStory(source), newPlayer());
			if (process.env["UPDATE"] === "1") updateStory(task.file.filepath, source, actual);
			else expect(drawStory(actual)).toBe(source);
		});
	};
}

import { drawStory, type Player, playStory, readStory } from "@segue/story";
import { updateStory } from "@segue/story/node";
import { expect, test } from "vitest";

/**
 * Returns the `story(title, source)` function for a test file. It plays each story on a new player and compares the
 * result with the source. With UPDATE=1 it rewrites the story in the test file.
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

import { describe, expect, test } from "vitest";
import { readStory } from "./story.js";
import { readStoryFile } from "./story-file.js";

describe("A story file", () => {
	test("contains stories in fences, each below its title", () => {
		const markdown = [
			"# Renames continue",
			"",
			"When a name changes, its uses should, too.",
			"",
			"```story",
			"--- user main.py",
			"# a comment, not a heading",
			"‹a→b▮› = 1",
			"",
			"```",
			"",
			"## No suggestion",
			"",
			"```ts",
			"# not a story",
			"```",
			"```story",
			"--- user",
			"a",
			"```",
			"",
		].join("\n");
		const stories = readStoryFile(markdown);
		expect(stories.map(({ title }) => title)).toEqual(["Renames continue", "No suggestion"]);
		for (const { source } of stories) expect(markdown.split(source)).toHaveLength(2);
		expect(readStory(stories[0]?.source ?? "").steps).toMatchObject([
			{ verb: "user", path: "main.py", picture: { before: "# a comment, not a heading\na = 1\n" } },
		]);
	});

	test("does not need to contain a story", () => {
		expect(readStoryFile("# Some\n\ntext\n")).toEqual([]);
	});

	test("is rejected if a story is not closed or has no title", () => {
		expect(() => readStoryFile("# A\n```story\n--- user\na")).toThrow("line 2: the block is not closed");
		const untitled = "```story\n--- user\na\n```\n";
		expect(() => readStoryFile(untitled)).toThrow("line 1: the story needs its own heading");
		expect(() => readStoryFile(`# A\n${untitled}${untitled}`)).toThrow("line 6: the story needs its own heading");
	});
});

import { describe, expect, test } from "vitest";
import { readStory } from "./story.js";
import { readStoryFile } from "./story-file.js";

describe("A story file", () => {
	test("holds stories in fences, each under its title", () => {
		const markdown = [
			"# Renames go on",
			"",
			"When a name changes, its uses should.",
			"",
			"```story",
			"--- user main.py",
			"# a comment, and no heading",
			"‹a→b▮› = 1",
			"",
			"```",
			"",
			"## Nothing goes on",
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
		expect(stories.map(({ title }) => title)).toEqual(["Renames go on", "Nothing goes on"]);
		for (const { source } of stories) expect(markdown.split(source)).toHaveLength(2);
		expect(readStory(stories[0]?.source ?? "").steps).toMatchObject([
			{ verb: "user", path: "main.py", picture: { before: "# a comment, and no heading\na = 1\n" } },
		]);
	});

	test("may hold none", () => {
		expect(readStoryFile("# Some\n\ntext\n")).toEqual([]);
	});

	test("is refused where a story does not end or has no title of its own", () => {
		expect(() => readStoryFile("# A\n```story\n--- user\na")).toThrow("line 2: the block does not end");
		const untitled = "```story\n--- user\na\n```\n";
		expect(() => readStoryFile(untitled)).toThrow("line 1: the story has no heading of its own");
		expect(() => readStoryFile(`# A\n${untitled}${untitled}`)).toThrow("line 6: the story has no heading of its own");
	});
});

import { readFileSync } from "node:fs";
import { drawStory, playStory, readStory, readStoryFile } from "@segue/story";
import { inDemoPage } from "@segue/testing/plugins/demo-page";
import { DemoPlayer } from "@segue/testing/plugins/demo-player";
import { expect, test } from "vitest";

// The first story of each file is the featured one.
const FILES = [
	"rename",
	"repeat",
	"template",
	"sibling",
	"paste",
	"calls",
	"diagnostic",
	"jump",
	"silence",
	"languages",
] as const;

inDemoPage("a CodeMirror editor", (stage) => {
	test.for(FILES.flatMap((file) => (["worker", "server"] as const).map((agent) => [file, agent] as const)))(
		"plays the featured story of %s with the agent in a %s",
		async ([file, agent]) => {
			const source = featuredIn(file);
			const demo = await stage.open({ agent });
			await demo.stopTime();
			const actual = await playStory(readStory(source), new DemoPlayer(demo));
			expect(drawStory(actual)).toBe(source);
		},
	);
});

/** Returns a featured story without reasons, because the plugin has its own, for example after a dismissal. */
function featuredIn(file: string): string {
	const markdown = readFileSync(new URL(`../../../stories/${file}.story.md`, import.meta.url), "utf8");
	const [featured] = readStoryFile(markdown);
	if (featured === undefined) throw new Error(`stories/${file}.story.md has no story`);
	return featured.source.replace(/^(--- suggests nothing) \(.*\)$/gm, "$1");
}

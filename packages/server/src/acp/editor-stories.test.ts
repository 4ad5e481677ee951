import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import { memoryPair } from "@segue/rpc";
import { drawStory, playStory, readStory, readStoryFile } from "@segue/story";
import { FakeClock } from "@segue/testing/clock";
import { EditorPlayer } from "@segue/testing/players/editor-player";
import { describe, expect, test } from "vitest";
import { serveAcp } from "./acp-server.js";

// Plays every story in stories/ as a user would in an editor: by typing, pausing, and pressing Tab and Esc.

// Runs in process, so each version is parsed before the next event.
const outliner = await inProcessOutliner();

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => readStoryFile(readFileSync(path.join(folder, name), "utf8")));

describe.each(["events", "context", "both"] as const)("an editor that syncs documents with %s", (sync) => {
	test.for(stories.map((story) => [story.title, story] as const))("%s", async ([, { source }]) => {
		const clock = new FakeClock();
		const problems: string[] = [];
		const player = new EditorPlayer({
			connect: () => {
				const [ours, theirs] = memoryPair();
				const report = ({ text }: { text: string }) => problems.push(text);
				serveAcp(theirs, { version: "0.0.0", sync, outliner, now: clock.now, report });
				return ours;
			},
			clock,
		});
		const actual = await playStory(readStory(source), player);
		expect(problems).toEqual([]);
		expect(drawStory(actual)).toBe(source);
		expect(player.flickers).toEqual([]);
		await player.end();
	});
});

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import { drawStory, playStory, readStory, readStoryFile } from "@segue/story";
import { updateStory } from "@segue/story/node";
import { FakeClock } from "@segue/testing/clock";
import { AcpPlayer } from "@segue/testing/players/acp-player";
import { inTier } from "@segue/testing/setup/tier";
import { describe, expect, test } from "vitest";
import { serveAcp } from "./acp-server.js";

// Plays every story in stories/ over ACP. With `npm test -- --all`, it covers all 18 combinations of position encoding,
// kind of change and document sync; each must give the same result.

// Runs in process, so each version is parsed before the next event.
const outliner = await inProcessOutliner();

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => {
		const file = path.join(folder, name);
		return readStoryFile(readFileSync(file, "utf8")).map((story) => ({ ...story, file }));
	});

const ALL_WAYS = (["utf-8", "utf-16", "utf-32"] as const).flatMap((encoding) =>
	(["incremental", "full"] as const).flatMap((syncKind) =>
		(["events", "context", "both"] as const).map((sync) => ({ encoding, syncKind, sync })),
	),
);

// Covers each encoding, kind of change and kind of sync. Most editors use the first combination.
const USUAL_WAYS: typeof ALL_WAYS = [
	{ encoding: "utf-16", syncKind: "incremental", sync: "events" },
	{ encoding: "utf-8", syncKind: "full", sync: "context" },
	{ encoding: "utf-32", syncKind: "incremental", sync: "both" },
];

describe.each(inTier(USUAL_WAYS, ALL_WAYS))(
	"$encoding, $syncKind changes, sync with $sync",
	({ encoding, syncKind, sync }) => {
		test.for(stories.map((story) => [story.title, story] as const))("%s", async ([, { source, file }]) => {
			const clock = new FakeClock();
			const problems: string[] = [];
			const player = new AcpPlayer({
				serve: (channel) => {
					const report = ({ text }: { text: string }) => problems.push(text);
					serveAcp(channel, { version: "0.0.0", sync, outliner, now: clock.now, report });
				},
				clock,
				encoding,
				syncKind,
			});
			const actual = await playStory(readStory(source), player);
			expect(problems).toEqual([]);
			if (process.env["UPDATE"] === "1") updateStory(file, source, actual);
			else expect(drawStory(actual)).toBe(source);
		});
	},
);

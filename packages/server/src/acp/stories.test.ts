import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { drawStory, playStory, readStory, readStoryFile } from "@segue/story";
import { updateStory } from "@segue/story/node";
import { AcpPlayer } from "@segue/testing/acp-player";
import { FakeClock } from "@segue/testing/clock";
import { describe, expect, test } from "vitest";
import { outlineHere } from "../outline/here.js";
import { serveAcp } from "./door.js";

// Every story of the folder goes over ACP in every way that a client can speak it, and must end the same.

// As everywhere: names mean what a parser has seen, each version before the next event.
const outliner = await outlineHere();

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => {
		const file = path.join(folder, name);
		return readStoryFile(readFileSync(file, "utf8")).map((story) => ({ ...story, file }));
	});

const WAYS = (["utf-8", "utf-16", "utf-32"] as const).flatMap((encoding) =>
	(["incremental", "full"] as const).flatMap((syncKind) =>
		(["events", "context", "both"] as const).map((sync) => ({ encoding, syncKind, sync })),
	),
);

describe.each(WAYS)("in $encoding, with $syncKind changes, told by $sync", ({ encoding, syncKind, sync }) => {
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
});

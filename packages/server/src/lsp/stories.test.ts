import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import { drawStory, playStory, readStory, readStoryFile } from "@segue/story";
import { FakeClock } from "@segue/testing/clock";
import { LspPlayer } from "@segue/testing/players/lsp-player";
import { inTier } from "@segue/testing/setup/tier";
import { describe, expect, test } from "vitest";
import { serveLsp } from "./lsp-server.js";

// Plays every story in stories/ over LSP, as code actions. `npm test -- --all` covers all position encodings with both
// kinds of change; each must give the same result as over ACP.

const outliner = await inProcessOutliner();

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => readStoryFile(readFileSync(path.join(folder, name), "utf8")))
	// LSP does not support suggestions of the kinds rename and search.
	.filter(({ source }) => !/^--- editor can .*(?:rename|searchAndReplace)/m.test(source));

const ALL_WAYS = (["utf-8", "utf-16", "utf-32"] as const).flatMap((encoding) =>
	(["incremental", "full"] as const).map((syncKind) => ({ encoding, syncKind })),
);

const USUAL_WAYS: typeof ALL_WAYS = [
	{ encoding: "utf-16", syncKind: "incremental" },
	{ encoding: "utf-8", syncKind: "full" },
];

describe.each(inTier(USUAL_WAYS, ALL_WAYS))("$encoding, $syncKind changes", ({ encoding, syncKind }) => {
	test.for(stories.map((story) => [story.title, story] as const))("%s", async ([, { source }]) => {
		const clock = new FakeClock();
		const problems: string[] = [];
		const player = new LspPlayer({
			serve: (channel) => {
				const report = ({ text }: { text: string }) => problems.push(text);
				serveLsp(channel, { version: "0.0.0", outliner, now: clock.now, after: clock.after, report });
			},
			clock,
			encoding,
			syncKind,
		});
		const actual = await playStory(readStory(source), player);
		expect(problems).toEqual([]);
		expect(drawStory(actual)).toBe(source);
	});
});

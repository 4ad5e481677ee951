// Benchmark: the playground in Chromium: time from a keystroke to the suggestion, typing in a large file, and the size of its scripts

import { type Page, type Response, TestBrowser } from "@segue/testing/playground/browser";
import { PlayPage } from "@segue/testing/playground/play-page";
import { PlayRelay } from "@segue/testing/playground/play-relay";
import { PlayServer } from "@segue/testing/playground/play-server";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { Random, randomCode } from "../random-code.js";
import { interleave, median, percentile } from "../rounds.js";
import { instantAgent, PlainPage } from "./baselines.js";
import {
	PageTypist,
	type SuggestionTime,
	type SuggestionWatch,
	type TypingTimes,
	watchSuggestions,
} from "./page-times.js";

await using server = await PlayServer.start();
await using browser = await TestBrowser.start();
const measurements = [...(await suggesting()), ...(await typing()), ...(await loading())];
clearProgress();
report(measurements, process.argv);

/**
 * Measures the time from a manual request, which has no debounce, until the suggestion is in the document and until the
 * frame that shows it. An edit is typed right before the request, so the time includes sending it to the agent.
 */
async function suggesting(): Promise<Measurement[]> {
	const warmUpRounds = 10;
	const rounds = 40;
	await using relay = await PlayRelay.start(server, instantAgent);
	const segue = await PlayPage.open(browser, server.address);
	const instant = await PlayPage.open(browser, relay.address);
	for (const { page } of [segue, instant]) await watchSuggestions(page, "[data-segue=added]");
	const turns = { segue: () => suggestionTime(segue), instant: () => suggestionTime(instant) };
	await interleave(turns, warmUpRounds, () => showProgress("suggesting: warming up"));
	const times = await interleave(turns, rounds, (round) => showProgress(`suggesting: round ${round + 1} of ${rounds}`));
	await browser.leave();
	const figureOf = (what: "drawn" | "shown", percent: number): Measurement => ({
		figure: `key to suggestion ${what === "shown" ? "visible" : "in the page, before its frame"}, p${percent}`,
		value: percentile(
			times.segue.map((time) => time[what]),
			percent,
		),
		unit: "ms",
		against: {
			name: "an agent that answers immediately",
			value: percentile(
				times.instant.map((time) => time[what]),
				percent,
			),
		},
	});
	return [{ ...figureOf("shown", 50), target: { timesAtMost: 1.5 } }, figureOf("shown", 95), figureOf("drawn", 50)];
}

async function suggestionTime(play: PlayPage): Promise<SuggestionTime> {
	const { page } = play;
	// Switching projects resets the sample and removes the suggestion without feedback.
	await page.bringToFront();
	const line = ".cm-line:has-text('let cnt')";
	await play.pick("Project", "Python: weather station");
	await page.locator(line).waitFor({ state: "detached" });
	await play.pick("Project", "TypeScript: shop");
	await page.locator(`.cm-focused ${line}`).waitFor();
	await play.type("s");
	await play.press("Alt+\\");
	await play.added.waitFor();
	const time = await page.evaluate(() => (globalThis as unknown as SuggestionWatch).suggestion());
	const picture = await play.picture();
	if (picture !== "cnt‹→s› += 1;") throw new Error(`unexpected suggestion: ${picture}`);
	// On a busy machine an automatic request may come before the manual one. Such rounds do not count.
	return time ?? suggestionTime(play);
}

/**
 * Measures typing in the middle of 5,000 lines, with a pause after each word in which Segue requests and shows
 * suggestions.
 */
async function typing(): Promise<Measurement[]> {
	const lines = 5000;
	const warmUpRounds = 2;
	const rounds = 12;
	const code = randomCode(400_000, new Random(7)).split("\n").slice(0, lines);
	if (code.length < lines) throw new Error("the code is too short");
	server.home.write("project/large.ts", `${code.join("\n")}\n`);
	using plain = await PlainPage.build();
	const open = async (prepare: (page: Page) => Promise<void>) => {
		const page = await browser.blank(server.origin);
		await prepare(page);
		await page.goto(server.address);
		const play = new PlayPage(page);
		await page.locator(".cm-editor.cm-focused .cm-line").nth(1).waitFor();
		await play.openFolder(server.home.project, "large.ts");
		await page.keyboard.press("Control+Home");
		for (let i = 0; i < 60; i++) await page.keyboard.press("PageDown");
		return new PageTypist(page);
	};
	const segue = await open(async () => {});
	const bare = await open((page) => plain.replace(page));
	const turns = { segue: () => segue.typeWords(), bare: () => bare.typeWords() };
	await interleave(turns, warmUpRounds, () => showProgress("typing: warming up"));
	const runs = await interleave(turns, rounds, (round) => showProgress(`typing: round ${round + 1} of ${rounds}`));
	await browser.leave();
	// Other load on the machine affects only some rounds, so use the median.
	const figureOf = (figure: string, what: keyof TypingTimes, ofRounds = median): Measurement => ({
		figure: `typing in 5,000 lines: ${figure}`,
		value: ofRounds(runs.segue.map((run) => run[what])),
		unit: "ms",
		against: { name: "the same editor without Segue", value: ofRounds(runs.bare.map((run) => run[what])) },
	});
	const atMost = { target: { timesAtMost: 1.1 } };
	const long = figureOf("mean CPU time of tasks above 50 ms, for 40 keys", "longTaskMs", mean);
	return [
		{ ...figureOf("frame", "frameMs"), ...atMost },
		figureOf("slowest frame of 40 keys", "slowestFrameMs"),
		// If the baseline has no long tasks, there is no ratio.
		{ ...long, ...(long.against?.value === 0 ? { target: { valueBelow: 1 } } : atMost) },
		figureOf("CPU time of the longest task, for 40 keys", "longestTaskMs"),
		{ ...figureOf("CPU time of the main thread, for 40 keys", "busyMs"), ...atMost },
	];
}

/** Measures the size of the scripts that the page loads before its first sample is editable and highlighted. */
async function loading(): Promise<Measurement[]> {
	showProgress("loading");
	const page = await browser.blank(server.origin);
	const scripts: Promise<{ readonly whole: number; readonly sent: number }>[] = [];
	page.on("response", (response) => {
		if (response.request().resourceType() === "script") scripts.push(sizesOf(response));
	});
	await page.goto(server.address);
	await new PlayPage(page).ready();
	await page.locator(".tok-keyword").first().waitFor();
	const sizes = await Promise.all(scripts);
	await browser.leave();
	const sum = (what: "whole" | "sent") => sizes.reduce((sum, size) => sum + size[what], 0);
	return [
		{ figure: "scripts at the start", value: sum("whole"), unit: "bytes", target: { valueBelow: 600_000 } },
		{
			figure: "scripts at the start, compressed",
			value: sum("sent"),
			unit: "bytes",
			target: { valueBelow: 200_000 },
		},
	];
}

async function sizesOf(response: Response): Promise<{ whole: number; sent: number }> {
	const { length } = await response.body();
	return { whole: length, sent: (await response.request().sizes()).responseBodySize };
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

import type { PlayPage } from "@segue/testing/play-page";
import { Tasks } from "./tasks.js";
import { type FrameWatch, watchFrames } from "./watch.js";

// As somebody types who knows the keys, with a rest after each word that is long enough for a suggestion to be asked for.
const KEY_MS = 60;
const REST_MS = 250;
// What browsers call a long task.
const LONG_MS = 50;
const WORDS = ["const", "result", "values", "total", "shelf", "order", "items"] as const;

/** What typing some words did to the page. */
export interface Typed {
	/** From one frame to the next, on average. */
	readonly frameMs: number;
	readonly slowestFrameMs: number;
	/** That tasks computed which computed for more than 50 ms, all together. */
	readonly longTaskMs: number;
	readonly longestTaskMs: number;
	/** That the main thread computed, all together. */
	readonly busyMs: number;
}

/** Somebody who types at a pace of their own, however fast the page is. */
export class Pace {
	constructor(private readonly play: PlayPage) {}

	async typeWords(): Promise<Typed> {
		const { page } = this.play;
		await page.bringToFront();
		await page.keyboard.press("End");
		await page.keyboard.press("Enter");
		await watchFrames(page);
		const watched = await Tasks.watch(page);
		for (const word of WORDS) {
			await page.keyboard.type(`${word} `, { delay: KEY_MS });
			await page.waitForTimeout(REST_MS);
		}
		const tasks = await watched.end();
		const frames = await page.evaluate(() => (globalThis as unknown as FrameWatch).framesSeen());
		return {
			frameMs: sum(frames) / frames.length,
			slowestFrameMs: Math.max(...frames),
			longTaskMs: sum(tasks.filter((ms) => ms > LONG_MS)),
			longestTaskMs: Math.max(...tasks),
			busyMs: sum(tasks),
		};
	}
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}

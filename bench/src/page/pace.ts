import type { PlayPage } from "@segue/testing/play-page";
import { type FrameWatch, watchFrames } from "./watch.js";

// As somebody types who knows the keys, with a rest after each word that is long enough for a suggestion to be asked for.
const KEY_MS = 60;
const REST_MS = 250;
const WORDS = ["const", "result", "values", "total", "shelf", "order", "items"] as const;

/** What typing some words did to the page. */
export interface Typed {
	/** From one frame to the next, on average. */
	readonly frameMs: number;
	readonly slowestFrameMs: number;
	/** In tasks above 50 ms, all together. */
	readonly longTaskMs: number;
	/** That the main thread worked, all together. */
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
		const metrics = await page.context().newCDPSession(page);
		await metrics.send("Performance.enable");
		const busy = async () => {
			const { metrics: found } = await metrics.send("Performance.getMetrics");
			return (found.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
		};
		await watchFrames(page);
		const before = await busy();
		for (const word of WORDS) {
			await page.keyboard.type(`${word} `, { delay: KEY_MS });
			await page.waitForTimeout(REST_MS);
		}
		const busyMs = (await busy()) - before;
		const { frames, longTasks } = await page.evaluate(() => (globalThis as unknown as FrameWatch).framesSeen());
		await metrics.detach();
		return {
			frameMs: frames.reduce((sum, ms) => sum + ms, 0) / frames.length,
			slowestFrameMs: Math.max(...frames),
			longTaskMs: longTasks.reduce((sum, ms) => sum + ms, 0),
			busyMs,
		};
	}
}

import type { Page } from "@segue/testing/playground/browser";
import type { PlayPage } from "@segue/testing/playground/play-page";

// As somebody types who knows the keys, with a rest after each word that is long enough for a suggestion to be asked for.
const KEY_MS = 60;
const REST_MS = 250;
// What browsers call a long task.
const LONG_MS = 50;
const WORDS = ["const", "result", "values", "total", "shelf", "order", "items"] as const;

/** What typing some words did to the page. */
export interface TypingTimes {
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
export class PageTypist {
	constructor(private readonly play: PlayPage) {}

	async typeWords(): Promise<TypingTimes> {
		const { page } = this.play;
		await page.bringToFront();
		await page.keyboard.press("End");
		await page.keyboard.press("Enter");
		await watchFrames(page);
		const watched = await PageTasks.watch(page);
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

/**
 * The tasks of a page's main thread, each with the time that it computed. The time that passes meanwhile is no measure of
 * a page where other programs want the machine, too.
 */
class PageTasks {
	private readonly events: TraceEvent[] = [];

	private constructor(
		private readonly page: Page,
		private readonly session: Awaited<ReturnType<typeof sessionOf>>,
	) {
		session.on("Tracing.dataCollected", ({ value }) => this.events.push(...(value as unknown as TraceEvent[])));
	}

	/** Looks from now on. One page of a browser at a time can be looked at. */
	static async watch(page: Page): Promise<PageTasks> {
		const tasks = new PageTasks(page, await sessionOf(page));
		const includedCategories = ["toplevel", "blink.user_timing"];
		await tasks.session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
		return tasks;
	}

	/** Ends it; gives the milliseconds that each task computed. */
	async end(): Promise<number[]> {
		// Every page of the browser is in the trace, and the one that says this is ours.
		await this.page.evaluate((mark) => void performance.mark(mark), MARK);
		const isComplete = new Promise((resolve) => this.session.once("Tracing.tracingComplete", resolve));
		await this.session.send("Tracing.end");
		await isComplete;
		await this.session.detach();
		const marked = this.events.find(({ name }) => name === MARK);
		if (marked === undefined) throw new Error("the page is not in its own trace");
		return this.events
			.filter(({ name, pid, tid }) => name === TASK && pid === marked.pid && tid === marked.tid)
			.map(({ tdur = 0 }) => tdur / 1000);
	}
}

const MARK = "segue-bench";
const TASK = "ThreadControllerImpl::RunTask";

interface TraceEvent {
	readonly name: string;
	readonly pid: number;
	readonly tid: number;
	/** How long the thread computed, in microseconds. */
	readonly tdur?: number;
}

function sessionOf(page: Page) {
	return page.context().newCDPSession(page);
}

/** In the page: the next suggestion after the last press of the key that asks for one; undefined where it was there before. */
export interface SuggestionWatch {
	suggestion(): Promise<SuggestionTime | undefined>;
}

export interface SuggestionTime {
	/** Until it was in the text. */
	readonly drawn: number;
	/** Until the browser began the frame after that. */
	readonly shown: number;
}

/** In the page: how long each frame took since it began to look; ends it. */
interface FrameWatch {
	framesSeen(): number[];
}

export async function watchSuggestions(page: Page): Promise<void> {
	await page.evaluate(KEPT_NAMES);
	await page.evaluate(lookForSuggestions);
}

async function watchFrames(page: Page): Promise<void> {
	await page.evaluate(KEPT_NAMES);
	await page.evaluate(lookAtFrames);
}

// What runs TypeScript here wraps functions in calls of this, also those that are sent to a page.
const KEPT_NAMES = "globalThis.__name = (value) => value; undefined";

function lookForSuggestions(): void {
	let found: ((time: SuggestionTime) => void) | undefined;
	let time: Promise<SuggestionTime> | undefined;
	const isDrawn = () => document.querySelector("[data-segue=added]") !== null;
	let pressedAt = 0;
	document.addEventListener(
		"keydown",
		({ key, altKey, timeStamp }) => {
			if (key !== "\\" || !altKey) return;
			pressedAt = timeStamp;
			time = undefined;
			if (isDrawn()) return;
			time = new Promise((resolve) => {
				found = resolve;
			});
		},
		true,
	);
	new MutationObserver(() => {
		if (found === undefined || !isDrawn()) return;
		const drawn = performance.now() - pressedAt;
		const tell = found;
		found = undefined;
		requestAnimationFrame(() => tell({ drawn, shown: performance.now() - pressedAt }));
	}).observe(document.body, { subtree: true, childList: true });
	Object.assign(globalThis, { suggestion: () => time });
}

function lookAtFrames(): void {
	const frames: number[] = [];
	let isOver = false;
	let last = performance.now();
	const onFrame = (now: number) => {
		frames.push(now - last);
		last = now;
		if (!isOver) requestAnimationFrame(onFrame);
	};
	requestAnimationFrame(onFrame);
	Object.assign(globalThis, {
		framesSeen: () => {
			isOver = true;
			return frames;
		},
	});
}

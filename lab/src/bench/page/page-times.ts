import type { Page } from "@segue/testing/playground/browser";

// A touch typist who pauses after each word for long enough to trigger a suggestion request.
const KEY_MS = 60;
const REST_MS = 250;
// The browser's threshold for a long task.
const LONG_MS = 50;
const WORDS = ["const", "result", "values", "total", "shelf", "order", "items"] as const;

/** Measurements of the page while words are typed. */
export interface TypingTimes {
	/** Average time between frames. */
	readonly frameMs: number;
	readonly slowestFrameMs: number;
	/** Total CPU time of tasks longer than 50 ms. */
	readonly longTaskMs: number;
	readonly longestTaskMs: number;
	/** Total CPU time of the main thread. */
	readonly busyMs: number;
}

/** Types at a fixed pace, regardless of the page's speed. */
export class PageTypist {
	constructor(private readonly page: Page) {}

	async typeWords(): Promise<TypingTimes> {
		const { page } = this;
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
 * Records the CPU time of each task on a page's main thread. Wall time would depend on other programs on the machine.
 */
class PageTasks {
	private readonly events: TraceEvent[] = [];

	private constructor(
		private readonly page: Page,
		private readonly session: Awaited<ReturnType<typeof sessionOf>>,
	) {
		session.on("Tracing.dataCollected", ({ value }) => this.events.push(...(value as unknown as TraceEvent[])));
	}

	/** Starts recording. Only one page in a browser can be recorded at a time. */
	static async watch(page: Page): Promise<PageTasks> {
		const tasks = new PageTasks(page, await sessionOf(page));
		const includedCategories = ["toplevel", "blink.user_timing"];
		await tasks.session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
		return tasks;
	}

	/** Stops recording and returns the CPU time of each task in milliseconds. */
	async end(): Promise<number[]> {
		// The trace covers all pages in the browser. The mark identifies this page.
		await this.page.evaluate((mark) => void performance.mark(mark), MARK);
		const isComplete = new Promise((resolve) => this.session.once("Tracing.tracingComplete", resolve));
		await this.session.send("Tracing.end");
		await isComplete;
		await this.session.detach();
		const marked = this.events.find(({ name }) => name === MARK);
		if (marked === undefined) throw new Error("the page is missing from the trace");
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
	/** CPU time in microseconds. */
	readonly tdur?: number;
}

function sessionOf(page: Page) {
	return page.context().newCDPSession(page);
}

/**
 * In the page: the times of the suggestion for the last manual request. Undefined if the suggestion was already shown.
 */
export interface SuggestionWatch {
	suggestion(): Promise<SuggestionTime | undefined>;
}

export interface SuggestionTime {
	/** Time until the suggestion was in the document. */
	readonly drawn: number;
	/** Time until the start of the next frame. */
	readonly shown: number;
}

/** In the page: stops recording and returns the duration of each frame. */
interface FrameWatch {
	framesSeen(): number[];
}

/** Starts watching for elements that match a selector, which the page adds for each suggestion. */
export async function watchSuggestions(page: Page, selector: string): Promise<void> {
	await page.evaluate(KEPT_NAMES);
	await page.evaluate(lookForSuggestions, selector);
}

async function watchFrames(page: Page): Promise<void> {
	await page.evaluate(KEPT_NAMES);
	await page.evaluate(lookAtFrames);
}

// esbuild wraps functions in calls to `__name`, even in functions that are evaluated in a page.
const KEPT_NAMES = "globalThis.__name = (value) => value; undefined";

function lookForSuggestions(selector: string): void {
	let found: ((time: SuggestionTime) => void) | undefined;
	let time: Promise<SuggestionTime> | undefined;
	const isDrawn = () => document.querySelector(selector) !== null;
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
		const resolve = found;
		found = undefined;
		requestAnimationFrame(() => resolve({ drawn, shown: performance.now() - pressedAt }));
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

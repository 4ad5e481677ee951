import type { Page } from "@segue/testing/browser";

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
export interface FrameWatch {
	framesSeen(): number[];
}

export async function watchSuggestions(page: Page): Promise<void> {
	await page.evaluate(KEPT_NAMES);
	await page.evaluate(lookForSuggestions);
}

export async function watchFrames(page: Page): Promise<void> {
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

import { signal } from "@preact/signals";

// As many as fit in the dialog without scrolling.
const RECENT_MAX = 8;
const RECENT_KEY = "segue-recent-folders";

/** Absolute paths, most recent first. Stored in the browser. */
export const recentFolders = signal<readonly string[]>(readRecent());

/** Moves a folder to the front of the list. */
export function rememberFolder(path: string): void {
	setRecent([path, ...recentFolders.value.filter((each) => each !== path)].slice(0, RECENT_MAX));
}

export function forgetRecentFolders(): void {
	setRecent([]);
}

function setRecent(paths: readonly string[]): void {
	recentFolders.value = paths;
	try {
		localStorage.setItem(RECENT_KEY, JSON.stringify(paths));
	} catch {
		// Without storage the list lasts until the page is closed.
	}
}

function readRecent(): readonly string[] {
	try {
		const stored: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? "[]");
		return Array.isArray(stored) ? stored.filter((each) => typeof each === "string").slice(0, RECENT_MAX) : [];
	} catch {
		return [];
	}
}

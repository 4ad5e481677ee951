import { effect, signal } from "@preact/signals";

/** What can be tried out by hand. All but the first two need a new connection. */
export interface Settings {
	readonly theme: "system" | "light" | "dark";
	readonly eagerness: "low" | "medium" | "high";
	readonly encoding: "utf-8" | "utf-16" | "utf-32";
	/** How the agent learns of documents. */
	readonly sync: "events" | "context" | "both";
	/** What an event of a change tells: the edit, or the whole text. */
	readonly changes: "incremental" | "full";
	/** Kinds of suggestions besides edits and jumps. */
	readonly kinds: { readonly rename: boolean; readonly searchAndReplace: boolean };
}

const DEFAULTS: Settings = {
	theme: "system",
	eagerness: "medium",
	encoding: "utf-16",
	sync: "events",
	changes: "incremental",
	kinds: { rename: false, searchAndReplace: false },
};

const PLACE = "segue-settings";

/** The person's settings, kept in this browser: they are all that is. */
export const settings = signal<Settings>(read());

effect(() => {
	localStorage.setItem(PLACE, JSON.stringify(settings.value));
	document.documentElement.dataset["theme"] = settings.value.theme;
});

export function change(part: Partial<Settings>): void {
	settings.value = { ...settings.value, ...part };
}

function read(): Settings {
	try {
		const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
		return typeof kept === "object" && kept !== null ? { ...DEFAULTS, ...kept } : DEFAULTS;
	} catch {
		// Somebody else has written there, or nothing may be kept at all.
		return DEFAULTS;
	}
}

import { effect, signal } from "@preact/signals";
import { membersOf } from "../inspector/message-rows.js";

/** What can be tried out by hand. All but the first two need a new connection. */
export interface PageSettings {
	readonly theme: "system" | "light" | "dark";
	readonly eagerness: "low" | "medium" | "high";
	readonly encoding: "utf-8" | "utf-16" | "utf-32";
	/** Where the agent runs: in the process that serves the page, or in a worker of the page, without chat and models. */
	readonly agent: "server" | "page";
	/** How the agent learns of documents. */
	readonly sync: "events" | "context" | "both";
	/** What an event of a change tells: the edit, or the whole text. */
	readonly changes: "incremental" | "full";
	/** Kinds of suggestions besides edits. */
	readonly kinds: Readonly<Record<(typeof OPTIONAL_KINDS)[number], boolean>>;
}

/** Settings that are one of a few words. */
export type ChoiceSetting = Exclude<keyof PageSettings, "kinds">;

export const CHOICES: { readonly [Name in ChoiceSetting]: readonly PageSettings[Name][] } = {
	theme: ["system", "light", "dark"],
	eagerness: ["low", "medium", "high"],
	encoding: ["utf-8", "utf-16", "utf-32"],
	agent: ["server", "page"],
	sync: ["events", "context", "both"],
	changes: ["incremental", "full"],
};

export const OPTIONAL_KINDS = ["jump", "rename", "searchAndReplace"] as const;

const DEFAULTS: PageSettings = {
	theme: "system",
	eagerness: "medium",
	encoding: "utf-16",
	agent: "server",
	sync: "events",
	changes: "incremental",
	kinds: { jump: true, rename: false, searchAndReplace: false },
};

const PLACE = "segue-settings";

/** The person's settings, kept in this browser: they are all that is. */
export const settings = signal<PageSettings>(read());

effect(() => {
	localStorage.setItem(PLACE, JSON.stringify(settings.value));
	document.documentElement.dataset["theme"] = settings.value.theme;
});

export function changeSettings(part: Partial<PageSettings>): void {
	settings.value = { ...settings.value, ...part };
}

function read(): PageSettings {
	try {
		return settingsIn(JSON.parse(localStorage.getItem(PLACE) ?? "{}"));
	} catch {
		// Somebody else has written there, or nothing may be kept at all.
		return DEFAULTS;
	}
}

/** What was kept by another version of the page, or by somebody's hand, holds as far as it is a setting. */
function settingsIn(kept: unknown): PageSettings {
	const said = membersOf(kept);
	const kinds = membersOf(said["kinds"]);
	const choice = <Name extends ChoiceSetting>(name: Name): PageSettings[Name] => {
		return CHOICES[name].find((each) => each === said[name]) ?? DEFAULTS[name];
	};
	const isOn = (kind: (typeof OPTIONAL_KINDS)[number]) => {
		const kept = kinds[kind];
		return typeof kept === "boolean" ? kept : DEFAULTS.kinds[kind];
	};
	return {
		theme: choice("theme"),
		eagerness: choice("eagerness"),
		encoding: choice("encoding"),
		agent: choice("agent"),
		sync: choice("sync"),
		changes: choice("changes"),
		kinds: { jump: isOn("jump"), rename: isOn("rename"), searchAndReplace: isOn("searchAndReplace") },
	};
}

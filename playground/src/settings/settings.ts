import { effect, signal } from "@preact/signals";

/** The user's settings for the page. */
export interface PageSettings {
	readonly theme: "system" | "light" | "dark";
	/** False turns all suggestions off. */
	readonly enabled: boolean;
	readonly eagerness: "low" | "medium" | "high";
	/** Ids of languages without suggestions. */
	readonly languagesOff: readonly string[];
	/** The agent's name for the prediction model; empty for the agent's default. */
	readonly model: string;
	/** Kinds of suggestions in addition to edits. */
	readonly kinds: Readonly<Record<(typeof OPTIONAL_KINDS)[number], boolean>>;
	readonly encoding: "utf-8" | "utf-16" | "utf-32";
	/** Where the agent runs: on the server, or in a worker on the page, without chat or models. */
	readonly agent: "server" | "page";
	/** How the agent gets documents: by events, with each request, or both. */
	readonly sync: "events" | "context" | "both";
	/** Whether a change event contains the edits or the full text. */
	readonly changes: "incremental" | "full";
}

/** Settings with a fixed list of values. */
export type ChoiceSetting = "theme" | "eagerness" | "encoding" | "agent" | "sync" | "changes";

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
	enabled: true,
	eagerness: "medium",
	languagesOff: [],
	model: "",
	kinds: { jump: true, rename: false, searchAndReplace: false },
	encoding: "utf-16",
	agent: "server",
	sync: "events",
	changes: "incremental",
};

const KEY = "segue-settings";

/** Stored in the browser. */
export const settings = signal<PageSettings>(read());

effect(() => {
	document.documentElement.dataset["theme"] = settings.value.theme;
	try {
		localStorage.setItem(KEY, JSON.stringify(settings.value));
	} catch {
		// Without storage the settings last until the page is closed.
	}
});

export function changeSettings(part: Partial<PageSettings>): void {
	settings.value = { ...settings.value, ...part };
}

function read(): PageSettings {
	try {
		return settingsIn(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
	} catch {
		// The stored value is not valid JSON, or the browser does not allow storage.
		return DEFAULTS;
	}
}

/** Reads stored settings. Ignores invalid values, which a user or another version of the page may have written. */
function settingsIn(value: unknown): PageSettings {
	const stored = fieldsOf(value);
	const kinds = fieldsOf(stored["kinds"]);
	const { enabled, model, languagesOff } = stored;
	const choice = <Name extends ChoiceSetting>(name: Name): PageSettings[Name] => {
		return CHOICES[name].find((each) => each === stored[name]) ?? DEFAULTS[name];
	};
	const flag = (value: unknown, standard: boolean) => (typeof value === "boolean" ? value : standard);
	const kind = (name: (typeof OPTIONAL_KINDS)[number]) => flag(kinds[name], DEFAULTS.kinds[name]);
	return {
		theme: choice("theme"),
		enabled: flag(enabled, DEFAULTS.enabled),
		eagerness: choice("eagerness"),
		languagesOff: Array.isArray(languagesOff) ? languagesOff.filter((each) => typeof each === "string") : [],
		model: typeof model === "string" ? model : DEFAULTS.model,
		kinds: { jump: kind("jump"), rename: kind("rename"), searchAndReplace: kind("searchAndReplace") },
		encoding: choice("encoding"),
		agent: choice("agent"),
		sync: choice("sync"),
		changes: choice("changes"),
	};
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The name of the engine that needs no model, where models are listed. */
export const EMBEDDED = "embedded";

/**
 * The user's settings of one next-edit session. A request is *automatic* unless its trigger is "manual"; the user asks for a
 * manual one by hand.
 */
export interface Settings {
	readonly isEnabled: boolean;
	readonly eagerness: "low" | "medium" | "high";
	/** The embedded engine, or one of the models that are listed. */
	readonly model: string;
	/** Automatic requests are answered no earlier than this after the last change that the user typed. */
	readonly delayMs: number;
	/** Automatic requests get no suggestion. */
	readonly onlyWhenAsked: boolean;
	/** Automatic requests get no suggestion for this long after it is set. 0 ends the snooze, and is its value once it is over. */
	readonly snoozeMinutes: number;
	/** Language ids in which no request gets a suggestion. */
	readonly offInLanguages: readonly string[];
	/** Globs of files in which no request gets a suggestion, as `matchesFile` reads them. */
	readonly offInFiles: readonly string[];
	/** Automatic requests with the cursor in a comment or a string get no suggestion. */
	readonly offInCommentsAndStrings: boolean;
	/**
	 * After this many suggestions in a row that were ignored or rejected, automatic requests get none until the user asks by hand,
	 * accepts a suggestion or sets this again. 0 means never.
	 */
	readonly giveUpAfterIgnored: number;
}

export const DEFAULT_SETTINGS: Settings = {
	isEnabled: true,
	eagerness: "medium",
	model: EMBEDDED,
	delayMs: 0,
	onlyWhenAsked: false,
	snoozeMinutes: 0,
	offInLanguages: [],
	offInFiles: [],
	offInCommentsAndStrings: false,
	giveUpAfterIgnored: 0,
};

/** Some editors drop a request that takes longer, and users who want a longer pause can ask by hand. */
export const DELAY_MS_MAX = 5_000;
/** A day. To be quiet for longer, `onlyWhenAsked` lasts until it is changed. */
export const SNOOZE_MINUTES_MAX = 24 * 60;
/** Beyond this, a user has long found another of these settings. */
export const GIVE_UP_AFTER_MAX = 100;
/** Far more than users write by hand. All patterns are tried on each request for another file. */
export const OFF_LIST_MAX = 100;
export const OFF_PATTERN_LENGTH_MAX = 200;

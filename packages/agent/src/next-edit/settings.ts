/** The name of the built-in engine in lists of models. */
export const EMBEDDED = "embedded";

/**
 * The user's settings for a next-edit session. A request is *automatic* unless its trigger is "manual".
 */
export interface Settings {
	readonly isEnabled: boolean;
	readonly eagerness: "low" | "medium" | "high";
	/** The embedded engine, or one of the listed models. */
	readonly model: string;
	/** Minimum time between the user's last change and the response to an automatic request. */
	readonly delayMs: number;
	/** Automatic requests get no suggestion. */
	readonly onlyWhenAsked: boolean;
	/** Automatic requests get no suggestion for this many minutes after it is set. 0 ends the snooze. */
	readonly snoozeMinutes: number;
	/** Ids of languages in which no request gets a suggestion. */
	readonly offInLanguages: readonly string[];
	/** Globs of files in which no request gets a suggestion. See `matchesFile`. */
	readonly offInFiles: readonly string[];
	/** Automatic requests with the cursor in a comment or a string get no suggestion. */
	readonly offInCommentsAndStrings: boolean;
	/**
	 * After this many ignored or rejected suggestions in a row, automatic requests get none until the user makes a manual
	 * request, accepts a suggestion or sets this again. 0 means never.
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

/**
 * Some editors drop a request that takes longer, and users who want a longer pause can request suggestions manually.
 */
export const DELAY_MS_MAX = 5_000;
/** A day. For longer pauses, users can set `onlyWhenAsked`, which has no time limit. */
export const SNOOZE_MINUTES_MAX = 24 * 60;
/** Users who would ignore more suggestions than this will use another setting. */
export const GIVE_UP_AFTER_MAX = 100;
/** Far more than users write by hand. A request in a file that matches no pattern tries all of them. */
export const OFF_LIST_MAX = 100;
export const OFF_PATTERN_LENGTH_MAX = 200;

const MINUTE_MS = 60_000;

/**
 * The settings of a session. The client's settings take precedence over the configuration, which takes precedence over
 * the defaults.
 */
export class CurrentSettings {
	private configured: Partial<Settings> = {};
	private chosen: Partial<Settings> = {};
	private current: Settings = DEFAULT_SETTINGS;
	private snoozedUntilMs = Number.NEGATIVE_INFINITY;

	constructor(private readonly now: () => number) {}

	/** The current settings. `snoozeMinutes` keeps its value after the snooze has ended. */
	get value(): Settings {
		return this.current;
	}

	/** The settings to display in a client. A snooze that has ended appears as 0 minutes. */
	get shown(): Settings {
		const { current } = this;
		return current.snoozeMinutes > 0 && !this.isSnoozed ? { ...current, snoozeMinutes: 0 } : current;
	}

	/** The settings without the client's changes. */
	get initial(): Settings {
		return { ...DEFAULT_SETTINGS, ...this.configured };
	}

	get isSnoozed(): boolean {
		return this.now() < this.snoozedUntilMs;
	}

	get isTurnedOffByConfiguration(): boolean {
		return this.configured.isEnabled === false;
	}

	/**
	 * Must be called when the configuration has been loaded. Returns the settings that take effect; a snooze set by the
	 * client continues.
	 */
	configure(configured: Partial<Settings>): Partial<Settings> {
		this.configured = configured;
		const changed = this.chosen.snoozeMinutes === undefined ? configured : {};
		this.apply(changed);
		return changed;
	}

	/** Setting a snooze restarts it, even with the same number of minutes. */
	set(changed: Partial<Settings>): void {
		this.chosen = { ...this.chosen, ...changed };
		this.apply(changed);
	}

	/** Resets settings changed by the client to their initial values, and returns those values. */
	unset(names: readonly (keyof Settings)[]): Partial<Settings> {
		const { initial } = this;
		const left = Object.entries(this.chosen).filter(([name]) => !names.includes(name as keyof Settings));
		this.chosen = Object.fromEntries(left);
		const changed: Partial<Settings> = Object.fromEntries(names.map((name) => [name, initial[name]]));
		this.apply(changed);
		return changed;
	}

	private apply({ snoozeMinutes }: Partial<Settings>): void {
		this.current = { ...DEFAULT_SETTINGS, ...this.configured, ...this.chosen };
		if (snoozeMinutes !== undefined) this.snoozedUntilMs = this.now() + snoozeMinutes * MINUTE_MS;
	}
}

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

const MINUTE_MS = 60_000;

/** The settings of a session: the client's, else the configured ones, else the defaults. */
export class CurrentSettings {
	private configured: Partial<Settings> = {};
	private chosen: Partial<Settings> = {};
	private current: Settings = DEFAULT_SETTINGS;
	private snoozedUntilMs = Number.NEGATIVE_INFINITY;

	constructor(private readonly now: () => number) {}

	/** As they were set; a snooze keeps its minutes after it is over. */
	get value(): Settings {
		return this.current;
	}

	/** As a client shows them: a snooze that is over is 0 minutes. */
	get shown(): Settings {
		const { current } = this;
		return current.snoozeMinutes > 0 && !this.isSnoozed ? { ...current, snoozeMinutes: 0 } : current;
	}

	/** Those that the session began with, as far as they are known. */
	get initial(): Settings {
		return { ...DEFAULT_SETTINGS, ...this.configured };
	}

	get isSnoozed(): boolean {
		return this.now() < this.snoozedUntilMs;
	}

	get isTurnedOffByConfiguration(): boolean {
		return this.configured.isEnabled === false;
	}

	/** The configuration became known. Returns the settings that take effect; a snooze that the client has set meanwhile goes on. */
	configure(configured: Partial<Settings>): Partial<Settings> {
		this.configured = configured;
		const changed = this.chosen.snoozeMinutes === undefined ? configured : {};
		this.apply(changed);
		return changed;
	}

	/** A snooze begins when it is set, also with the same number again. */
	set(changed: Partial<Settings>): void {
		this.chosen = { ...this.chosen, ...changed };
		this.apply(changed);
	}

	/** Drops settings of the client, so that their initial values take effect. Returns these. */
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

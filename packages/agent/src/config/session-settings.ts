import { nearest } from "@segue/assist/nearest";
import { Glob, sanitizeName } from "@segue/text";
import * as z from "zod";
import {
	DEFAULT_SETTINGS,
	DELAY_MS_MAX,
	GIVE_UP_AFTER_MAX,
	OFF_LIST_MAX,
	OFF_PATTERN_LENGTH_MAX,
	type Settings,
	SNOOZE_MINUTES_MAX,
} from "../next-edit/settings.js";
import { free, freeIf, guarded, type KeyRow, must } from "./key-row.js";

const QUIETER = "applies if it can only reduce suggestions, otherwise needs trust";

// Kept separate from the other keys, so that a server that only reads editor settings need not load them.

/** The initial settings of a next-edit session. Editors can send the same keys to a session. */
export const SESSION_KEYS = {
	enabled: {
		schema: z.boolean(must("true or false")),
		default: DEFAULT_SETTINGS.isEnabled,
		layers: "last",
		trust: freeIf(false),
		help: "`false`: no suggestions",
		project: QUIETER,
	},
	eagerness: {
		schema: z.enum(["low", "medium", "high"], must("low, medium or high")),
		default: DEFAULT_SETTINGS.eagerness,
		layers: "last",
		trust: guarded,
		help: "`low`, `medium` or `high`; with `low`, only suggestions with a high confidence are shown",
		project: QUIETER,
	},
	delayMs: {
		schema: wholeNumber(DELAY_MS_MAX, "of milliseconds"),
		default: DEFAULT_SETTINGS.delayMs,
		layers: "last",
		trust: guarded,
		help: `minimum time between the last change and an automatic suggestion, at most ${DELAY_MS_MAX}`,
		project: QUIETER,
	},
	onlyWhenAsked: {
		schema: z.boolean(must("true or false")),
		default: DEFAULT_SETTINGS.onlyWhenAsked,
		layers: "last",
		trust: freeIf(true),
		help: "`true`: suggest only on request",
		project: QUIETER,
	},
	snoozeMinutes: {
		schema: wholeNumber(SNOOZE_MINUTES_MAX, "of minutes"),
		default: DEFAULT_SETTINGS.snoozeMinutes,
		layers: "last",
		trust: guarded,
		help: `no automatic suggestions in the first minutes of a session, at most ${SNOOZE_MINUTES_MAX}; editors also offer to snooze for 5, 15 or 60 minutes`,
		project: QUIETER,
	},
	offInLanguages: {
		schema: listOf(
			z.string(must("a language id, such as markdown")).min(1, must("a language id, such as markdown")),
			"language ids",
		),
		default: DEFAULT_SETTINGS.offInLanguages,
		// The lists from all layers are joined, so a project cannot re-enable what its user turned off.
		layers: "all",
		trust: free,
		help: 'ids of languages without any suggestions, not even on request: `["markdown"]`',
		project: QUIETER,
	},
	offInFiles: {
		schema: listOf(
			z.string(must("a glob, such as *.md or docs/**")).refine(isGlob, must("a glob, such as *.md or docs/**")),
			"globs",
		),
		default: DEFAULT_SETTINGS.offInFiles,
		layers: "all",
		trust: free,
		help: 'globs of files without any suggestions, not even on request: `["*.lock", "docs/**"]`',
		project: QUIETER,
	},
	offInCommentsAndStrings: {
		schema: z.boolean(must("true or false")),
		default: DEFAULT_SETTINGS.offInCommentsAndStrings,
		layers: "last",
		trust: freeIf(true),
		help: "`true`: no automatic suggestions while the cursor is in a comment or a string",
		project: QUIETER,
	},
	giveUpAfterIgnored: {
		schema: wholeNumber(GIVE_UP_AFTER_MAX, "of suggestions"),
		default: DEFAULT_SETTINGS.giveUpAfterIgnored,
		layers: "last",
		trust: guarded,
		help: `pause automatic suggestions after this many in a row were ignored or dismissed, until you request one, accept one or change the setting; \`0\` means never, at most ${GIVE_UP_AFTER_MAX}`,
		project: QUIETER,
	},
} as const satisfies Readonly<Record<string, KeyRow>>;

type SessionSection = {
	readonly [Key in keyof typeof SESSION_KEYS]?: z.output<(typeof SESSION_KEYS)[Key]["schema"]>;
};

/**
 * Reads configuration keys sent by an editor. An invalid value adds a message for the user to `problems`; the other
 * values are used. Null and missing values stay unset. Unknown keys are ignored, unless they look like a misspelled
 * key.
 */
export function readSessionSection(sent: unknown): {
	readonly section: SessionSection;
	readonly problems: readonly string[];
} {
	if (sent === undefined || sent === null) return { section: {}, problems: [] };
	if (typeof sent !== "object" || Array.isArray(sent)) {
		return { section: {}, problems: ["The next-edit settings must be an object."] };
	}
	const problems: string[] = [];
	const section: Record<string, unknown> = {};
	const known = Object.entries<KeyRow>(SESSION_KEYS);
	for (const [key, { schema }] of known) {
		const value = Object.hasOwn(sent, key) ? (sent as Record<string, unknown>)[key] : undefined;
		if (value === undefined || value === null) continue;
		const { data, error } = schema.safeParse(value);
		if (error === undefined) section[key] = data;
		else problems.push(...error.issues.map(({ path, message }) => `${nameIn(key, path)} ${message}.`));
	}
	for (const key of Object.keys(sent)) {
		const meant = known.some(([name]) => name === key) ? undefined : nearest(key, Object.keys(SESSION_KEYS));
		if (meant !== undefined) problems.push(`${sanitizeName(key)} is not a setting; did you mean ${meant}?`);
	}
	return { section, problems: problems.slice(0, PROBLEMS_MAX) };
}

/** Like `readSessionSection`, but returns settings for `NextEditSession.set`. */
export function readSessionSettings(sent: unknown): {
	readonly settings: Partial<Omit<Settings, "model">>;
	readonly problems: readonly string[];
} {
	const { section, problems } = readSessionSection(sent);
	const { enabled, ...others } = section;
	const named = { ...(enabled !== undefined && { isEnabled: enabled }), ...others };
	return { settings: named as Partial<Omit<Settings, "model">>, problems };
}

// Users fix one problem at a time, and every reported problem is shown or logged.
const PROBLEMS_MAX = 10;

function nameIn(key: string, path: readonly PropertyKey[]): string {
	return [key, ...path.map((index) => `[${String(index)}]`)].join("");
}

function wholeNumber(max: number, ofWhat: string) {
	const rule = must(`a whole number ${ofWhat} from 0 to ${max}`);
	return z.number(rule).refine((value) => Number.isInteger(value) && value >= 0 && value <= max, rule);
}

function listOf<Item extends z.ZodType<string>>(item: Item, what: string) {
	const short = must(`at most ${OFF_PATTERN_LENGTH_MAX} characters long`);
	return z
		.array(
			item.refine((text) => text.length <= OFF_PATTERN_LENGTH_MAX, short),
			must(`an array of ${what}`),
		)
		.max(OFF_LIST_MAX, must(`an array of at most ${OFF_LIST_MAX} ${what}`));
}

function isGlob(text: string): boolean {
	try {
		Glob.parse(text);
		return text.trim() !== "";
	} catch {
		return false;
	}
}

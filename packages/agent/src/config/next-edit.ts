import { nearest } from "@segue/assist/nearest";
import { plain } from "@segue/text";
import type { z } from "zod";
import { DEFAULT_SETTINGS, EMBEDDED, type Settings } from "../next-edit/settings.js";
import { BY_DEFAULT, type Layer, originIn, type Setting } from "./layer.js";
import { type ConfigurationFile, SESSION_SETTINGS } from "./shape.js";

type Section = NonNullable<ConfigurationFile["nextEdit"]>;

/** The configuration of next edits. */
export interface NextEdit {
	/** PROVIDER/MODEL, or the embedded engine. */
	readonly model: Setting<string>;
	/** The prompt format of the model, if it is configured. */
	readonly format: Setting<string> | undefined;
	/** Whether a model may be asked ahead, for the text as it is if the user accepts. */
	readonly speculate: Setting<boolean>;
	/** Whether a provider may hear what became of its answers. */
	readonly tellVerdicts: Setting<boolean>;
	readonly enabled: Setting<boolean>;
	readonly eagerness: Setting<Settings["eagerness"]>;
	readonly delayMs: Setting<number>;
	readonly onlyWhenAsked: Setting<boolean>;
	readonly snoozeMinutes: Setting<number>;
	/** A list for each layer that has one. They add up, so that a project cannot undo what its user has turned off. */
	readonly offInLanguages: readonly Setting<readonly string[]>[];
	readonly offInFiles: readonly Setting<readonly string[]>[];
	readonly offInCommentsAndStrings: Setting<boolean>;
	readonly giveUpAfterIgnored: Setting<number>;
}

/** Reads the layers. `nearer` is a model that takes precedence over all of them. */
export function nextEditOf(layers: readonly Layer[], nearer: Setting<string> | undefined): NextEdit {
	const allOf = <Field extends keyof Section>(field: Field) =>
		layers.flatMap((layer): Setting<NonNullable<Section[Field]>>[] => {
			const value = layer.value.nextEdit?.[field];
			return value === undefined ? [] : [{ value, origin: originIn(layer, ["nextEdit", field]) }];
		});
	const orDefault = <Field extends keyof Section>(field: Field, value: NonNullable<Section[Field]>) =>
		allOf(field).at(-1) ?? { value, origin: BY_DEFAULT };
	const model = nearer ?? orDefault("model", EMBEDDED);
	// A format that was written down beside one model is not that of another.
	const named = layers.findLast(({ value: { nextEdit } }) => {
		return nextEdit?.format !== undefined && (nextEdit.model ?? model.value) === model.value;
	});
	const format = named?.value.nextEdit?.format;
	return {
		model,
		format: named && format && { value: format, origin: originIn(named, ["nextEdit", "format"]) },
		speculate: orDefault("speculate", false),
		tellVerdicts: orDefault("tellVerdicts", false),
		enabled: orDefault("enabled", DEFAULT_SETTINGS.isEnabled),
		eagerness: orDefault("eagerness", DEFAULT_SETTINGS.eagerness),
		delayMs: orDefault("delayMs", DEFAULT_SETTINGS.delayMs),
		onlyWhenAsked: orDefault("onlyWhenAsked", DEFAULT_SETTINGS.onlyWhenAsked),
		snoozeMinutes: orDefault("snoozeMinutes", DEFAULT_SETTINGS.snoozeMinutes),
		offInLanguages: allOf("offInLanguages"),
		offInFiles: allOf("offInFiles"),
		offInCommentsAndStrings: orDefault("offInCommentsAndStrings", DEFAULT_SETTINGS.offInCommentsAndStrings),
		giveUpAfterIgnored: orDefault("giveUpAfterIgnored", DEFAULT_SETTINGS.giveUpAfterIgnored),
	};
}

/** The settings that a session begins with, except for the model. */
export function configuredSettings(nextEdit: NextEdit): Omit<Settings, "model"> {
	return {
		isEnabled: nextEdit.enabled.value,
		eagerness: nextEdit.eagerness.value,
		delayMs: nextEdit.delayMs.value,
		onlyWhenAsked: nextEdit.onlyWhenAsked.value,
		snoozeMinutes: nextEdit.snoozeMinutes.value,
		offInLanguages: nextEdit.offInLanguages.flatMap(({ value }) => value),
		offInFiles: nextEdit.offInFiles.flatMap(({ value }) => value),
		offInCommentsAndStrings: nextEdit.offInCommentsAndStrings.value,
		giveUpAfterIgnored: nextEdit.giveUpAfterIgnored.value,
	};
}

/** The keys of the configuration that are settings of a session. */
type SessionSection = Pick<Section, keyof typeof SESSION_SETTINGS>;

/**
 * Reads keys of the configuration that an editor sends. A value that is wrong gives a problem, a sentence for the user, and the others
 * are used. Null and missing values are not set; unknown keys are skipped, unless they look like a misspelled one.
 */
export function readSessionSection(said: unknown): {
	readonly section: SessionSection;
	readonly problems: readonly string[];
} {
	if (said === undefined || said === null) return { section: {}, problems: [] };
	if (typeof said !== "object" || Array.isArray(said)) {
		return { section: {}, problems: ["The settings of next edits must be an object."] };
	}
	const problems: string[] = [];
	const section: Record<string, unknown> = {};
	const known = Object.entries<z.ZodType>(SESSION_SETTINGS);
	for (const [key, schema] of known) {
		const value = Object.hasOwn(said, key) ? (said as Record<string, unknown>)[key] : undefined;
		if (value === undefined || value === null) continue;
		const { data, error } = schema.safeParse(value);
		if (error === undefined) section[key] = data;
		else problems.push(...error.issues.map(({ path, message }) => `${nameIn(key, path)} ${message}.`));
	}
	for (const key of Object.keys(said)) {
		const meant = known.some(([name]) => name === key) ? undefined : nearest(key, Object.keys(SESSION_SETTINGS));
		if (meant !== undefined) problems.push(`${plain(key)} is not a setting; did you mean ${meant}?`);
	}
	return { section, problems: problems.slice(0, PROBLEMS_MAX) };
}

/** The same as settings for `Session.set`. */
export function readSessionSettings(said: unknown): {
	readonly settings: Partial<Omit<Settings, "model">>;
	readonly problems: readonly string[];
} {
	const { section, problems } = readSessionSection(said);
	const { enabled, ...others } = section;
	const named = { ...(enabled !== undefined && { isEnabled: enabled }), ...others };
	return { settings: named as Partial<Omit<Settings, "model">>, problems };
}

// A user fixes one at a time, and every one is shown or logged.
const PROBLEMS_MAX = 10;

function nameIn(key: string, path: readonly PropertyKey[]): string {
	return [key, ...path.map((index) => `[${String(index)}]`)].join("");
}

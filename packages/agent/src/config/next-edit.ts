import { DEFAULT_SETTINGS, EMBEDDED, type Settings } from "../next-edit/settings.js";
import { BY_DEFAULT, type Layer, originIn, type Setting } from "./layer.js";
import type { ConfigurationFile } from "./schema.js";

type Section = NonNullable<ConfigurationFile["nextEdit"]>;

/** The configuration of next edits. */
export interface NextEditConfiguration {
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
export function nextEditOf(layers: readonly Layer[], nearer: Setting<string> | undefined): NextEditConfiguration {
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
export function configuredSettings(nextEdit: NextEditConfiguration): Omit<Settings, "model"> {
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

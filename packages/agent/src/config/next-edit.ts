import type { Settings } from "../next-edit/settings.js";
import type { Setting, SettingsOf } from "./key-row.js";
import { EDIT_MODEL_KEYS } from "./keys.js";
import { type Layer, originIn, settingsOf } from "./layer.js";
import { SESSION_KEYS } from "./session-settings.js";

/** The configuration of next edits. The model is PROVIDER/MODEL, or the embedded engine. */
export type NextEditConfiguration = SettingsOf<typeof EDIT_MODEL_KEYS> & SettingsOf<typeof SESSION_KEYS>;

/** Reads the layers. `nearer` is a model that takes precedence over all of them. */
export function nextEditOf(layers: readonly Layer[], nearer: Setting<string> | undefined): NextEditConfiguration {
	const settings = settingsOf(EDIT_MODEL_KEYS, layers, "nextEdit");
	const model = nearer ?? settings.model;
	// A format that was written down beside one model is not that of another.
	const named = layers.findLast(({ value: { nextEdit } }) => {
		return nextEdit?.format !== undefined && (nextEdit.model ?? model.value) === model.value;
	});
	const format = named?.value.nextEdit?.format;
	return {
		...settings,
		model,
		format: named && format && { value: format, origin: originIn(named, ["nextEdit", "format"]) },
		...settingsOf(SESSION_KEYS, layers, "nextEdit"),
	};
}

/** The settings that a session begins with, except for the model. */
export function configuredSettings(nextEdit: NextEditConfiguration): Omit<Settings, "model"> {
	const settings = Object.keys(SESSION_KEYS).map((key) => {
		const held: Setting<unknown> | readonly Setting<unknown>[] = nextEdit[key as keyof typeof SESSION_KEYS];
		const value = "value" in held ? held.value : held.flatMap((one) => one.value);
		return [key === "enabled" ? "isEnabled" : key, value];
	});
	return Object.fromEntries(settings) as Omit<Settings, "model">;
}

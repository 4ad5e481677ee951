import type { Settings } from "../next-edit/settings.js";
import type { Setting, SettingsOf } from "./key-row.js";
import { EDIT_MODEL_KEYS } from "./keys.js";
import { type Layer, originIn, settingsOf } from "./layer.js";
import { SESSION_KEYS } from "./session-settings.js";

/** The section `nextEdit`, merged from all layers. The model is PROVIDER/MODEL or `embedded`. */
export type NextEditConfiguration = SettingsOf<typeof EDIT_MODEL_KEYS> & SettingsOf<typeof SESSION_KEYS>;

/** Merges the layers. `nearer` is a model that takes precedence over all of them. */
export function nextEditOf(layers: readonly Layer[], nearer: Setting<string> | undefined): NextEditConfiguration {
	const settings = settingsOf(EDIT_MODEL_KEYS, layers, "nextEdit");
	const model = nearer ?? settings.model;
	// A format that was configured for one model does not apply to another.
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

/** The initial settings of a session, except for the model. */
export function configuredSettings(nextEdit: NextEditConfiguration): Omit<Settings, "model"> {
	const settings = Object.keys(SESSION_KEYS).map((key) => {
		const setting: Setting<unknown> | readonly Setting<unknown>[] = nextEdit[key as keyof typeof SESSION_KEYS];
		const value = "value" in setting ? setting.value : setting.flatMap((each) => each.value);
		return [key === "enabled" ? "isEnabled" : key, value];
	});
	return Object.fromEntries(settings) as Omit<Settings, "model">;
}

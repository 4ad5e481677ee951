import type { ApiKey } from "./api-keys.js";
import { readText } from "./file.js";
import { type JsonPath, readJson } from "./json.js";
import { BY_DEFAULT, type KeyRow, type Setting, type SettingOrigin, type SettingsOf } from "./key-row.js";
import { type ConfigurationFile, configurationFile } from "./keys.js";

/** One source of configuration: a file, possibly reduced to its trusted part, or an editor's settings. */
export interface Layer {
	readonly from: "user" | "workspace" | "editor";
	readonly value: ConfigurationFile;
	/** The file with line and column, or the name of the editor's settings. */
	readonly placeOf: (path: JsonPath) => string;
	/** All rules of the source, including those that need trust. */
	readonly approvals: readonly ApprovalEntry[];
}

export type ApprovalEntry = NonNullable<ConfigurationFile["approvals"]>[number];

/** Settings that an editor passes at startup. They are the user's own, so they need no trust. */
export interface EditorConfiguration {
	readonly value: ConfigurationFile;
	/** The model to use if none is configured, for example the first one with a key. */
	readonly firstModel: string | undefined;
	/** Keyed by provider. Stored separately from `value`, which may be printed. */
	readonly keys: ReadonlyMap<string, ApiKey>;
	/** The editor's name for these settings, used in messages. */
	readonly where: string;
}

/** Returns undefined if the file does not exist or is invalid. Adds a message for each mistake to `problems`. */
export function readLayer(from: "user" | "workspace", file: string, problems: string[]): Layer | undefined {
	const text = readText(file);
	if (text === undefined) return undefined;
	const reading = readJson(file, text, configurationFile);
	if (reading.problems === undefined) return { ...reading, from, approvals: reading.value.approvals ?? [] };
	problems.push(...reading.problems);
	return undefined;
}

export function layerOf({ value, where }: EditorConfiguration): Layer {
	return { from: "editor", value, placeOf: () => where, approvals: value.approvals ?? [] };
}

export function originIn({ from, placeOf }: Layer, field: JsonPath): SettingOrigin {
	return { from, where: placeOf(field) };
}

/** Merges the layers' values for these rows, which define the keys of a section or of the whole file. */
export function settingsOf<Rows extends Readonly<Record<string, KeyRow>>>(
	rows: Rows,
	layers: readonly Layer[],
	section?: "nextEdit",
): SettingsOf<Rows> {
	const settings = Object.entries(rows).flatMap(([key, row]): [string, unknown][] => {
		if (row.layers === "own") return [];
		const path = section === undefined ? [key] : [section, key];
		const all = layers.flatMap((layer): Setting<unknown>[] => {
			const part: Readonly<Record<string, unknown>> =
				(section === undefined ? layer.value : layer.value[section]) ?? {};
			return part[key] === undefined ? [] : [{ value: part[key], origin: originIn(layer, path) }];
		});
		if (row.layers === "all") return [[key, all]];
		const byDefault = row.default === undefined ? undefined : { value: row.default, origin: BY_DEFAULT };
		return [[key, all.at(-1) ?? byDefault]];
	});
	return Object.fromEntries(settings) as SettingsOf<Rows>;
}

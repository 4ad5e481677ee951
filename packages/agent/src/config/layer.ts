import type { ApiKey } from "./api-keys.js";
import { readText } from "./file.js";
import { type JsonPath, readJson } from "./json.js";
import { BY_DEFAULT, type KeyRow, type Setting, type SettingOrigin, type SettingsOf } from "./key-row.js";
import { type ConfigurationFile, configurationFile } from "./keys.js";

/** A file that holds, wholly or in part, or what an editor says. */
export interface Layer {
	readonly from: "user" | "workspace" | "editor";
	readonly value: ConfigurationFile;
	/** The file, with line and column, or what an editor's part is called. */
	readonly placeOf: (path: JsonPath) => string;
	/** All of its rules, whichever of them hold. */
	readonly approvals: readonly ApprovalEntry[];
}

export type ApprovalEntry = NonNullable<ConfigurationFile["approvals"]>[number];

/** What an editor says when it starts us. It is the user's own, so it needs no trust. */
export interface EditorConfiguration {
	readonly value: ConfigurationFile;
	/** The model where nobody chooses one, as the first that there is a key for. */
	readonly firstModel: string | undefined;
	/** By provider. They are beside what may be shown. */
	readonly keys: ReadonlyMap<string, ApiKey>;
	/** What the editor calls it. */
	readonly where: string;
}

/** Undefined where there is no such file, or something is wrong with it, which is then told to `problems`. */
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

/** What the layers say for some rows of the table, from a section of theirs or from the whole file. */
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

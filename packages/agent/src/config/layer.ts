import type { ApiKey } from "./api-keys.js";
import { readText } from "./file.js";
import { type JsonPath, readJson } from "./json.js";
import { type ConfigurationFile, configurationFile } from "./schema.js";

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

export interface Setting<Value> {
	readonly value: Value;
	readonly origin: SettingOrigin;
}

export interface SettingOrigin {
	readonly from: "flag" | "environment" | "editor" | "workspace" | "user" | "login" | "default";
	/** The flag, the variable, what the editor's part is called, or the file with line and column. */
	readonly where: string | undefined;
}

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

export const BY_DEFAULT: SettingOrigin = { from: "default", where: undefined };

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

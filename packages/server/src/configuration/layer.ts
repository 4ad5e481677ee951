import { readText } from "./file.js";
import { type Path, readJson } from "./json.js";
import { type ConfigurationFile, configurationFile } from "./shape.js";

/** A file that holds, wholly or in part. */
export interface Layer {
	readonly from: "user" | "workspace";
	readonly value: ConfigurationFile;
	/** The file, with line and column. */
	readonly placeOf: (path: Path) => string;
	/** All of its rules, whichever of them hold. */
	readonly approvals: readonly ApprovalRule[];
}

export type ApprovalRule = NonNullable<ConfigurationFile["approvals"]>[number];

export interface Setting<Value> {
	readonly value: Value;
	readonly origin: Origin;
}

export interface Origin {
	readonly from: "flag" | "environment" | "workspace" | "user" | "login" | "default";
	/** The flag, the variable, or the file with line and column. */
	readonly where: string | undefined;
}

export const BY_DEFAULT: Origin = { from: "default", where: undefined };

/** Undefined where there is no such file, or something is wrong with it, which is then told to `problems`. */
export function readLayer(from: Layer["from"], file: string, problems: string[]): Layer | undefined {
	const text = readText(file);
	if (text === undefined) return undefined;
	const reading = readJson(file, text, configurationFile);
	if (reading.problems === undefined) return { ...reading, from, approvals: reading.value.approvals ?? [] };
	problems.push(...reading.problems);
	return undefined;
}

export function originIn({ from, placeOf }: Layer, field: Path): Origin {
	return { from, where: placeOf(field) };
}

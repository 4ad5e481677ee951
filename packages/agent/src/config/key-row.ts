import type * as z from "zod";
import type { JsonPath } from "./json.js";

/** The definition of one configuration key. */
export interface KeyRow<Schema extends z.ZodType = z.ZodType, Default = unknown, Layers extends LayerRule = LayerRule> {
	/** Validates the key's value in a file. */
	readonly schema: Schema;
	/** The value if no layer sets the key. Undefined if there is no default. */
	readonly default: Default;
	readonly layers: Layers;
	/** Splits a value from a project's file into a part that applies immediately and a part that needs trust. */
	trust(value: z.output<Schema>, key: string): TrustSplit<z.output<Schema>>;
	/** The key's cells in docs/configuring.md: a description, and whether it applies in a project's file. */
	readonly help: string;
	readonly project: string;
}

/** How layers are merged: the last value wins, all values are kept, or `Configuration` merges them itself. */
type LayerRule = "last" | "all" | "own";

type TrustRule<Value> = (value: Value, key: string) => TrustSplit<Value>;

export interface TrustSplit<Value> {
	/** The part that applies without trust, if any. */
	readonly free?: Value | undefined;
	/** The part that needs trust, if any. */
	readonly guarded?: Value | undefined;
	/** The guarded fields, to list for the user. */
	readonly fields?: readonly JsonPath[];
}

export const free = <Value>(value: Value): TrustSplit<Value> => ({ free: value });

export const guarded = <Value>(value: Value, key: string): TrustSplit<Value> => ({ guarded: value, fields: [[key]] });

/** Splits a value according to the trust rule in its key's row. A key without a row needs trust. */
export function splitByRow(rows: Readonly<Record<string, KeyRow>>, key: string, value: unknown): TrustSplit<unknown> {
	const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
	return row === undefined ? guarded(value, key) : row.trust(value, key);
}

/** For a key with one value that is always stricter or quieter than the others. */
export const freeIf =
	<Value>(harmless: Value): TrustRule<Value> =>
	(value, key) =>
		value === harmless ? free(value) : guarded(value, key);

/** For a section in which every entry needs trust. */
export const guardedEntries = <Value extends object>(value: Value, key: string): TrustSplit<Value> => {
	const names = Object.keys(value);
	return names.length === 0 ? {} : { guarded: value, fields: names.map((name) => [key, name]) };
};

/** Error text for an invalid field. It never quotes the value, which may be an API key entered in the wrong field. */
export function must(be: string) {
	return {
		error: ({ input }: { input?: unknown }) => (input === undefined ? `is missing; it must be ${be}` : `must be ${be}`),
	};
}

/** A value and its origin. */
export interface Setting<Value> {
	readonly value: Value;
	readonly origin: SettingOrigin;
}

export interface SettingOrigin {
	readonly from: "flag" | "environment" | "editor" | "workspace" | "user" | "login" | "default";
	/** The flag, the variable, the name of the editor's settings, or the file with line and column. */
	readonly where: string | undefined;
}

export const BY_DEFAULT: SettingOrigin = { from: "default", where: undefined };

/** The merged settings by key: from the last layer or the default, from all layers, or undefined if unset. */
export type SettingsOf<Rows extends Readonly<Record<string, KeyRow>>> = {
	readonly [Key in keyof Rows as Rows[Key]["layers"] extends "own" ? never : Key]: Rows[Key]["layers"] extends "all"
		? readonly Setting<z.output<Rows[Key]["schema"]>>[]
		: Rows[Key]["default"] extends undefined
			? Setting<z.output<Rows[Key]["schema"]>> | undefined
			: Setting<z.output<Rows[Key]["schema"]>>;
};

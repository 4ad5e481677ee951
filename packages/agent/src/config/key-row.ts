import type * as z from "zod";
import type { JsonPath } from "./json.js";

/** A row of the table of keys: all that is said about one key of the configuration. */
export interface KeyRow<Schema extends z.ZodType = z.ZodType, Default = unknown, Layers extends LayerRule = LayerRule> {
	/** Of its value in a file. */
	readonly schema: Schema;
	/** Its value where no layer has one; undefined where it is then not set. */
	readonly default: Default;
	readonly layers: Layers;
	/** What of a project's file needs the user's trust. */
	trust(value: z.output<Schema>, key: string): TrustSplit<z.output<Schema>>;
	/** Its cells in the documentation: what it is, and what applies in a project's file. */
	readonly help: string;
	readonly project: string;
}

/** How layers are joined: the last value counts, the values of all layers count, or `Configuration` has its own way. */
type LayerRule = "last" | "all" | "own";

/** Splits a value of a project's file. */
type TrustRule<Value> = (value: Value, key: string) => TrustSplit<Value>;

export interface TrustSplit<Value> {
	/** What applies without trust; undefined where nothing does. */
	readonly free?: Value | undefined;
	/** What needs trust, and the fields that are named to the user. */
	readonly guarded?: Value | undefined;
	readonly fields?: readonly JsonPath[];
}

export const free = <Value>(value: Value): TrustSplit<Value> => ({ free: value });

export const guarded = <Value>(value: Value, key: string): TrustSplit<Value> => ({ guarded: value, fields: [[key]] });

/** Splits a value by the row of its key. A key without a row needs trust. */
export function splitByRow(rows: Readonly<Record<string, KeyRow>>, key: string, value: unknown): TrustSplit<unknown> {
	const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
	return row === undefined ? guarded(value, key) : row.trust(value, key);
}

/** For a key of which one value is always stricter or quieter than the others. */
export const freeIf =
	<Value>(harmless: Value): TrustRule<Value> =>
	(value, key) =>
		value === harmless ? free(value) : guarded(value, key);

/** For a section of which every entry needs trust. An empty one does nothing. */
export const guardedEntries = <Value extends object>(value: Value, key: string): TrustSplit<Value> => {
	const names = Object.keys(value);
	return names.length === 0 ? {} : { guarded: value, fields: names.map((name) => [key, name]) };
};

/** How a field is spoken of. What was written there is never repeated: it may be a key in the wrong place. */
export function must(be: string) {
	return {
		error: ({ input }: { input?: unknown }) => (input === undefined ? `is missing: it is ${be}` : `must be ${be}`),
	};
}

/** A value, and where it is from. */
export interface Setting<Value> {
	readonly value: Value;
	readonly origin: SettingOrigin;
}

export interface SettingOrigin {
	readonly from: "flag" | "environment" | "editor" | "workspace" | "user" | "login" | "default";
	/** The flag, the variable, what the editor's part is called, or the file with line and column. */
	readonly where: string | undefined;
}

export const BY_DEFAULT: SettingOrigin = { from: "default", where: undefined };

/** The settings of some rows, by key: with a default, of all layers, or undefined where it is not set. */
export type SettingsOf<Rows extends Readonly<Record<string, KeyRow>>> = {
	readonly [Key in keyof Rows as Rows[Key]["layers"] extends "own" ? never : Key]: Rows[Key]["layers"] extends "all"
		? readonly Setting<z.output<Rows[Key]["schema"]>>[]
		: Rows[Key]["default"] extends undefined
			? Setting<z.output<Rows[Key]["schema"]>> | undefined
			: Setting<z.output<Rows[Key]["schema"]>>;
};

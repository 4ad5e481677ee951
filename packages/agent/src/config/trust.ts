import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { readText, writePrivately } from "./file.js";
import { fieldName, readJson } from "./json.js";
import { splitByRow, type TrustSplit } from "./key-row.js";
import { type ConfigurationFile, KEYS } from "./keys.js";
import { UserError } from "./user-error.js";

/** A project's file, in two: what may apply at once, and what a stranger could do harm with. */
interface SplitFile {
	readonly free: ConfigurationFile;
	readonly guarded: ConfigurationFile;
}

// Commands and addresses are shown first.
const ORDER: readonly string[] = ["mcpServers", "agents", "store", "nextEdit", "approvals", "providers"];

/** Splits a file by the trust rules of its keys. */
export function splitByTrust(file: ConfigurationFile): SplitFile {
	const splits = splitsOf(file);
	const part = (side: "free" | "guarded") =>
		Object.fromEntries(splits.flatMap(([key, split]) => (split[side] === undefined ? [] : [[key, split[side]]])));
	return { free: part("free"), guarded: part("guarded") };
}

/** The fields that need trust, by name: `providers.local.baseUrl`, `mcpServers.files`, `network`. */
export function guardedFields(file: ConfigurationFile): string[] {
	return splitsOf(file).flatMap(([, { fields = [] }]) => fields.map(fieldName));
}

function splitsOf(file: ConfigurationFile): [key: string, split: TrustSplit<unknown>][] {
	const rankOf = (key: string) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
	return Object.entries(file)
		.toSorted(([a], [b]) => rankOf(a) - rankOf(b))
		.flatMap(([key, value]) => (value === undefined ? [] : [[key, splitByRow(KEYS, key, value)]]));
}

/** What is trusted: this very content of what needs trust. Undefined where nothing does. */
export function digestOf(file: ConfigurationFile): string | undefined {
	const { guarded } = splitByTrust(file);
	if (Object.keys(guarded).length === 0) return undefined;
	return createHash("sha256").update(canonical(guarded)).digest("hex");
}

/** The same text for the same value, in whatever order its fields are written. The order of a list counts. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${fields.map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`).join(",")}}`;
}

const trustFile = z.strictObject(
	{
		folders: z.record(
			z.string(),
			z.string().regex(/^[0-9a-f]{64}$/, { error: "is no digest: take it out, and trust again" }),
			{ error: "must be an object with a folder for each key" },
		),
	},
	{ error: "must be what segue trust writes: delete the file, and trust again" },
);

/** The digest that is trusted for each folder. Throws a `UserError` where the file cannot be used. */
export function readTrust(file: string): ReadonlyMap<string, string> {
	const text = readText(file);
	if (text === undefined) return new Map();
	const { value, problems } = readJson(file, text, trustFile);
	if (problems !== undefined) throw new UserError(problems.join("\n"));
	return new Map(Object.entries(value.folders));
}

export function writeTrust(file: string, trusted: ReadonlyMap<string, string>): void {
	writePrivately(file, `${JSON.stringify({ folders: Object.fromEntries(trusted) }, undefined, 2)}\n`);
}

/** A folder by the one name that it has, however it is reached: trust in a link is trust in what it leads to today. */
export function realFolder(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		// It is gone, or cannot be looked into: there is nothing in it to trust, and it can still be taken off the list.
		return path.resolve(folder);
	}
}

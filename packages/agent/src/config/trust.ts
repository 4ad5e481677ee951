import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { readText, writePrivately } from "./file.js";
import { fieldName, readJson } from "./json.js";
import { splitByRow, type TrustSplit } from "./key-row.js";
import { type ConfigurationFile, KEYS } from "./keys.js";
import { UserError } from "./user-error.js";

/** A project's file in two parts: settings that apply immediately, and settings that could do harm. */
interface SplitFile {
	readonly free: ConfigurationFile;
	readonly guarded: ConfigurationFile;
}

// Commands and URLs are listed first.
const ORDER: readonly string[] = ["mcpServers", "agents", "store", "nextEdit", "approvals", "providers"];

/** Splits a file according to the trust rules for its keys. */
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

/**
 * Hashes the parts of a file that need trust, because the user trusts their exact content. Undefined if nothing needs
 * trust.
 */
export function digestOf(file: ConfigurationFile): string | undefined {
	const { guarded } = splitByTrust(file);
	if (Object.keys(guarded).length === 0) return undefined;
	return createHash("sha256").update(canonical(guarded)).digest("hex");
}

/** Serializes equal values to equal strings, regardless of the order of their fields. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}

const trustFile = z.strictObject(
	{
		folders: z.record(
			z.string(),
			z.string().regex(/^[0-9a-f]{64}$/, { error: "is not a valid digest: remove it, and run segue trust again" }),
			{ error: "must be an object that maps folders to digests" },
		),
	},
	{ error: "was not written by segue trust: delete the file, and run segue trust again" },
);

/** Reads the trusted digest of each folder. Throws a `UserError` if the file cannot be used. */
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

/** Resolves symbolic links, so trusting a link applies only to its current target. */
export function realFolder(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		// The folder is gone or unreadable. It cannot be trusted, but it can still be removed from the list.
		return path.resolve(folder);
	}
}

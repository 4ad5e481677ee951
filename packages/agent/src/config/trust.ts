import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { readText, writePrivately } from "./file.js";
import { fieldName, type JsonPath, readJson } from "./json.js";
import type { ConfigurationFile } from "./schema.js";
import { UserError } from "./user-error.js";

/** A project's file, in two: what may hold at once, and what a stranger could do harm with. */
export interface TrustSplit {
	readonly free: ConfigurationFile;
	readonly guarded: ConfigurationFile;
}

/**
 * A project may choose a model, what is thought of it, and be stricter or quieter than its user. Commands, addresses, where a key comes
 * from and goes to, and any permission need the user's trust; so does every setting that is not named here.
 */
export function splitByTrust(file: ConfigurationFile): TrustSplit {
	const { model, effort, network, feedback, approvals = [], providers = {}, nextEdit = {}, ...rest } = file;
	const isQuieter = ([key, value]: [string, unknown]) =>
		Object.hasOwn(QUIETER, key) && (QUIETER[key] ?? value) === value;
	const quieter = Object.entries(nextEdit).filter(isQuieter);
	const others = { ...rest, nextEdit: Object.fromEntries(Object.entries(nextEdit).filter((one) => !isQuieter(one))) };
	const facts: ConfigurationFile["providers"] = {};
	const endpoints: ConfigurationFile["providers"] = {};
	for (const [name, { models, ...endpoint }] of Object.entries(providers)) {
		if (models !== undefined) facts[name] = { models };
		if (Object.keys(endpoint).length > 0) endpoints[name] = endpoint;
	}
	// Where anything is allowed, the rules that narrow it down are a part of what is trusted.
	const allowsSome = approvals.some(({ answer }) => answer === "allow");
	// An empty section does nothing, and so needs no trust.
	const sections = Object.entries(others).filter(([, section]) => Object.keys(section ?? {}).length > 0);
	return {
		free: {
			model,
			effort,
			approvals: approvals.filter(({ answer }) => answer !== "allow"),
			providers: facts,
			...(quieter.length > 0 && { nextEdit: Object.fromEntries(quieter) }),
			...(network === false && { network }),
			...(feedback === false && { feedback }),
		},
		guarded: {
			...Object.fromEntries(sections),
			...(allowsSome && { approvals }),
			...(Object.keys(endpoints).length > 0 && { providers: endpoints }),
			...(network === true && { network }),
			...(feedback === true && { feedback }),
		},
	};
}

/** Settings of next edits that can only mean fewer suggestions: with this value, or with any where it is undefined. */
const QUIETER: Readonly<Record<string, boolean | undefined>> = {
	enabled: false,
	onlyWhenAsked: true,
	offInLanguages: undefined,
	offInFiles: undefined,
	offInCommentsAndStrings: true,
};

/** The fields that need trust, by name: `providers.local.baseUrl`, `mcpServers.files`, `network`. */
export function guardedFields(file: ConfigurationFile): string[] {
	const { guarded } = splitByTrust(file);
	return Object.entries(guarded).flatMap(([field, value]) => {
		if (field === "approvals") return allowingRules(file).map(fieldName);
		if (field === "network" || field === "store" || field === "feedback") return [field];
		const names = Object.entries(value as Readonly<Record<string, object>>);
		if (field !== "providers") return names.map(([name]) => fieldName([field, name]));
		return names.flatMap(([name, endpoint]) => Object.keys(endpoint).map((part) => fieldName([field, name, part])));
	});
}

function allowingRules({ approvals = [] }: ConfigurationFile): JsonPath[] {
	return approvals.flatMap(({ answer }, i) => (answer === "allow" ? [["approvals", i]] : []));
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

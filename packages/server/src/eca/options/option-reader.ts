import { fieldName, type JsonPath } from "@segue/agent/config/json";
import { sanitizeName } from "@segue/text";
import { fillIn, type PlaceholderSources } from "./placeholders.js";

/** Limit for messages. A larger number usually has a single cause, and the user has to dismiss each message. */
const COMPLAINTS_MAX = 20;

/**
 * Reads values from ECA's configuration and collects messages about invalid values. The messages never contain values.
 */
export class OptionReader {
	readonly complaints: string[] = [];

	constructor(private readonly sources: PlaceholderSources) {}

	get env(): PlaceholderSources["env"] {
		return this.sources.env;
	}

	/** Adds a message about a field. */
	complain(path: JsonPath, why: string): void {
		if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(`${fieldName(path)}: ${why}`);
	}

	/** Returns a string with its placeholders replaced, or undefined if it is missing or empty. */
	text(path: JsonPath, value: unknown): string | undefined {
		if (value === undefined || value === null) return undefined;
		if (typeof value !== "string") {
			this.complain(path, "must be a string; ignored.");
			return undefined;
		}
		const filled = fillIn(value, this.sources);
		if ("text" in filled) return filled.text.trim() || undefined;
		this.complain(path, `${sanitizeName(filled.why)} The option is ignored.`);
		return undefined;
	}

	/** Returns an object of strings with user-defined keys, for example headers. */
	texts(path: JsonPath, value: unknown): Record<string, string> | undefined {
		const entries = this.entries(path, value).flatMap(([name, each]) => {
			const text = this.text([...path, name], each);
			return text === undefined ? [] : [[name, text] as const];
		});
		return entries.length === 0 ? undefined : Object.fromEntries(entries);
	}

	/** Returns the members of an object with user-defined keys, which stay unchanged. */
	entries(path: JsonPath, value: unknown): [string, unknown][] {
		if (value === undefined || value === null) return [];
		if (isObject(value)) return Object.entries(value);
		this.complain(path, "must be an object; ignored.");
		return [];
	}

	/**
	 * Returns the members of an object with ECA's keys, in camel case. Editors write `defaultModel` or `default-model`.
	 */
	fields(path: JsonPath, value: unknown): Readonly<Record<string, unknown>> {
		const named = this.entries(path, value).map(([name, each]) => [camel(name), each] as const);
		return Object.fromEntries(named.filter(([, each]) => each !== undefined && each !== null));
	}
}

function camel(name: string): string {
	return name.replace(/[-_]+([a-zA-Z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

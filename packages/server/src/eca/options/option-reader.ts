import { fieldName, type JsonPath } from "@segue/agent/config/json";
import { sanitizeName } from "@segue/text";
import { fillIn, type PlaceholderSources } from "./placeholders.js";

/** More of them are one slip and what follows from it, and each is a message that somebody has to put away. */
const COMPLAINTS_MAX = 20;

/** Reads values of ECA's configuration, and keeps sentences for the user about what of it does not hold. None repeats a value. */
export class OptionReader {
	readonly complaints: string[] = [];

	constructor(private readonly sources: PlaceholderSources) {}

	get env(): PlaceholderSources["env"] {
		return this.sources.env;
	}

	/** A sentence about a field. */
	complain(path: JsonPath, why: string): void {
		if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(`${fieldName(path)}: ${why}`);
	}

	/** A text with all that it names filled in; undefined where there is none, which an empty one is, too. */
	text(path: JsonPath, value: unknown): string | undefined {
		if (value === undefined || value === null) return undefined;
		if (typeof value !== "string") {
			this.complain(path, "it must be text, and does not hold.");
			return undefined;
		}
		const filled = fillIn(value, this.sources);
		if ("text" in filled) return filled.text.trim() || undefined;
		this.complain(path, `${sanitizeName(filled.why)} It does not hold.`);
		return undefined;
	}

	/** An object of texts by somebody's own names, as headers are. */
	texts(path: JsonPath, value: unknown): Record<string, string> | undefined {
		const entries = this.entries(path, value).flatMap(([name, each]) => {
			const text = this.text([...path, name], each);
			return text === undefined ? [] : [[name, text] as const];
		});
		return entries.length === 0 ? undefined : Object.fromEntries(entries);
	}

	/** What an object holds by somebody's own names, which are left as they are. */
	entries(path: JsonPath, value: unknown): [string, unknown][] {
		if (value === undefined || value === null) return [];
		if (isObject(value)) return Object.entries(value);
		this.complain(path, "it must be an object, and does not hold.");
		return [];
	}

	/** What an object holds by names of ECA's, which editors write as `defaultModel` or `default-model`. */
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

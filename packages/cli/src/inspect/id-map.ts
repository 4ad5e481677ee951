import type { JsonRpcBody } from "./recording.js";

/**
 * An agent makes up ids as it goes, so what it called something when it was recorded has another name now. Which is which is
 * found by laying a message of then beside that of now which stands in its place.
 */
export class IdMap {
	private readonly presentOf = new Map<string, string>();
	private readonly recordedOf = new Map<string, string>();
	private readonly editors = new Set<string>();

	/** Takes note of what is called otherwise in two messages that mean the same. */
	learn(recorded: unknown, present: unknown): void {
		if (Array.isArray(recorded) && Array.isArray(present)) {
			for (const [i, item] of recorded.entries()) this.learn(item, present[i]);
		} else if (isObject(recorded) && isObject(present)) {
			for (const [name, inner] of Object.entries(recorded)) {
				const other = present[name];
				if (typeof inner === "string" && typeof other === "string") this.learnMember(name, inner, other);
				else this.learn(inner, other);
			}
		}
	}

	/** What was recorded, with the ids of now; `name` is that of the member that it is. */
	inPresent<Value>(recorded: Value, name = ""): Value {
		if (typeof recorded === "string") {
			const mayBeId = /ids?$/i.test(name) || recorded.length >= TELLING_LENGTH;
			return (mayBeId ? (this.presentOf.get(recorded) ?? recorded) : recorded) as Value;
		}
		if (Array.isArray(recorded)) return recorded.map((item) => this.inPresent(item, name)) as Value;
		if (!isObject(recorded)) return recorded;
		return Object.fromEntries(
			Object.entries(recorded).map(([member, inner]) => [member, this.inPresent(inner, member)]),
		) as Value;
	}

	/** Whether a session of then may be one of now. */
	mayBe(recorded: string, present: string): boolean {
		if (recorded === "" || present === "" || recorded === present) return recorded === present;
		const known = this.presentOf.get(recorded);
		if (known !== undefined) return known === present;
		return !this.recordedOf.has(present) && !this.editors.has(recorded) && !this.editors.has(present);
	}

	/** Takes note of what the editor names before the agent has: such an id is the editor's own, and stays. */
	assume(said: unknown): void {
		if (Array.isArray(said)) for (const item of said) this.assume(item);
		else if (isObject(said)) {
			for (const [name, inner] of Object.entries(said)) {
				if (typeof inner !== "string") this.assume(inner);
				else if (MINTED.test(name) && !this.recordedOf.has(inner)) this.editors.add(inner);
			}
		}
	}

	/** The first of two that were paired keeps its pair: one id that stands for two things is a difference. */
	private learnMember(name: string, recorded: string, present: string): void {
		const isMinted = MINTED.test(name) || (name === "id" && looksMinted(recorded) && looksMinted(present));
		if (!isMinted || this.presentOf.has(recorded) || this.recordedOf.has(present)) return;
		this.presentOf.set(recorded, present);
		this.recordedOf.set(present, recorded);
	}
}

// A short id is also a word or a number that somebody has typed; a long one stands for itself wherever it is.
const TELLING_LENGTH = 12;

/** Names of ids that agents make up. Those of modes, models, options and languages are chosen by people, and mean something. */
const MINTED = /^(?:\w*(?:session|chat|thread|turn|message|call|terminal|request|suggestion|elicitation|plan)_?id)$/i;

/** A plain `id` may also be the name of a setting or a mode. */
function looksMinted(id: string): boolean {
	return /\d/.test(id);
}

/**
 * A value in the one way that counts when two are compared: without `_meta`, without times and without ids that are numbers,
 * since these count what came before.
 */
export function comparable(value: unknown): unknown {
	if (typeof value === "string") return INSTANT.test(value) ? TIME : value;
	if (Array.isArray(value)) return value.map(comparable);
	if (!isObject(value)) return value;
	const members = Object.entries(value)
		.filter(([name]) => name !== "_meta")
		.map(([name, inner]): [string, unknown] => {
			const isCount = typeof inner === "number" && (name === "id" || /Id$/.test(name));
			if (isCount) return [name, "(id)"];
			return [name, typeof inner === "number" && TIME_NAME.test(name) ? TIME : comparable(inner)];
		});
	return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const TIME = "(time)";
const TIME_NAME = /^(?:time|timestamp|date|duration|elapsed)$|(?:At|Ms|Time|Timestamp|Date|Duration|Elapsed)$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

export function isObject(value: unknown): value is JsonRpcBody {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { JsonRpcBody } from "./recording.js";

/**
 * Maps recorded ids to present ones. An agent generates new ids in every run. The map learns them by comparing recorded messages
 * with the present messages that correspond to them.
 */
export class IdMap {
	private readonly presentOf = new Map<string, string>();
	private readonly recordedOf = new Map<string, string>();
	private readonly editors = new Set<string>();

	/** Pairs the ids of two corresponding messages. */
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

	/** Replaces recorded ids with present ones. `name` is the member that contains the value. */
	inPresent<Value>(recorded: Value, name = ""): Value {
		if (typeof recorded === "string") {
			const mayBeId = /ids?$/i.test(name) || recorded.length >= UNIQUE_LENGTH;
			return (mayBeId ? (this.presentOf.get(recorded) ?? recorded) : recorded) as Value;
		}
		if (Array.isArray(recorded)) return recorded.map((item) => this.inPresent(item, name)) as Value;
		if (!isObject(recorded)) return recorded;
		return Object.fromEntries(
			Object.entries(recorded).map(([member, inner]) => [member, this.inPresent(inner, member)]),
		) as Value;
	}

	/** Whether a recorded session can be this present session. */
	mayBe(recorded: string, present: string): boolean {
		if (recorded === "" || present === "" || recorded === present) return recorded === present;
		const known = this.presentOf.get(recorded);
		if (known !== undefined) return known === present;
		return !this.recordedOf.has(present) && !this.editors.has(recorded) && !this.editors.has(present);
	}

	/** Records ids that the editor uses before the agent does. They are the editor's own and stay the same. */
	assume(params: unknown): void {
		if (Array.isArray(params)) for (const item of params) this.assume(item);
		else if (isObject(params)) {
			for (const [name, inner] of Object.entries(params)) {
				if (typeof inner !== "string") this.assume(inner);
				else if (MINTED.test(name) && !this.recordedOf.has(inner)) this.editors.add(inner);
			}
		}
	}

	/** Keeps the first pair of an id: one id for two things is a difference. */
	private learnMember(name: string, recorded: string, present: string): void {
		const isMinted = MINTED.test(name) || (name === "id" && looksMinted(recorded) && looksMinted(present));
		if (!isMinted || this.presentOf.has(recorded) || this.recordedOf.has(present)) return;
		this.presentOf.set(recorded, present);
		this.recordedOf.set(present, recorded);
	}
}

// A shorter id can also be an ordinary word or number in a text.
const UNIQUE_LENGTH = 12;

/** Members with ids that agents generate. Ids of modes, models, options and languages are fixed names. */
const MINTED = /^(?:\w*(?:session|chat|thread|turn|message|call|terminal|request|suggestion|elicitation|plan)_?id)$/i;

/** A plain `id` may also be the name of a setting or a mode. */
function looksMinted(id: string): boolean {
	return /\d/.test(id);
}

/** Normalizes a value for comparison: no `_meta`, no times and no numeric ids, which depend on earlier messages. */
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

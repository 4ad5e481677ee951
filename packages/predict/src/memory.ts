import type { Suggestion } from "./predict.js";

// A session long enough to reject more than this has forgotten the first.
const REJECTED_MAX = 200;
const RULES_MAX = 200;
const REJECTIONS_MAX = 3;

// In logarithmic odds. Two acceptances lift a chance of .5 to .73, four shrugs lower it to .27.
const RAISE = 0.5;
const RAISED_MAX = 4;
const LOWER = 0.25;
const LOWERED_MAX = 4;

/** Why a suggestion went away. Only the first says that it was wrong; no reason says nothing. */
export type Reason = "rejected" | "ignored" | "replaced" | "cancelled";

/** What the user did with suggestions in this session. A value: every answer makes another memory. */
export class Memory {
	static readonly empty = new Memory(new Set(), new Map());

	private constructor(
		private readonly rejectedKeys: ReadonlySet<string>,
		private readonly rules: ReadonlyMap<string, Answers>,
	) {}

	accepted({ rule }: Suggestion): Memory {
		return this.count(rule, "accepted", this.rejectedKeys);
	}

	rejected({ key, rule }: Suggestion, reason: Reason | undefined): Memory {
		if (reason === "ignored") return this.count(rule, "ignored", this.rejectedKeys);
		if (reason !== "rejected") return this;
		const keys = [...this.rejectedKeys].filter((one) => one !== key);
		return this.count(rule, "rejected", new Set([...keys, key].slice(-REJECTED_MAX)));
	}

	/** Whether a suggestion that writes the same in the same place was rejected. */
	isRejected(key: string): boolean {
		return this.rejectedKeys.has(key);
	}

	/** Whether a rule was rejected so often that it has no place in this session. */
	isRetired(rule: string): boolean {
		return this.answersTo(rule).rejected >= REJECTIONS_MAX;
	}

	/** How much more or less likely a rule is by what became of its other suggestions, in logarithmic odds. */
	shiftOf(rule: string): number {
		const { accepted, ignored, rejected } = this.answersTo(rule);
		return RAISE * Math.min(accepted, RAISED_MAX) - LOWER * Math.min(ignored + rejected, LOWERED_MAX);
	}

	private answersTo(rule: string): Answers {
		return this.rules.get(rule) ?? NONE;
	}

	private count(rule: string, answer: keyof Answers, rejectedKeys: ReadonlySet<string>): Memory {
		const answers = this.answersTo(rule);
		const others = [...this.rules].filter(([name]) => name !== rule);
		const rules = [...others, [rule, { ...answers, [answer]: answers[answer] + 1 }] as const];
		return new Memory(rejectedKeys, new Map(rules.slice(-RULES_MAX)));
	}
}

interface Answers {
	readonly accepted: number;
	readonly rejected: number;
	readonly ignored: number;
}

const NONE: Answers = { accepted: 0, rejected: 0, ignored: 0 };

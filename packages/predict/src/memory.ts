import type { Suggestion } from "./suggestion.js";

// Once the user has rejected more suggestions than this in a session, the oldest rejections no longer matter.
const REJECTED_MAX = 200;
const RULES_MAX = 200;
const REJECTIONS_MAX = 3;
// After this many jumps, the user has long moved on from the first targets.
const VISITED_MAX = 200;

// In log-odds. Two acceptances raise a confidence of .5 to .73; four ignored suggestions or one dismissed suggestion lower it
// to .4.
const RAISE = 0.5;
const RAISED_MAX = 4;
const LOWER = 0.1;
const LOWERED_MAX = 4;
const DISMISSED = 0.4;

/** Why a suggestion was dismissed. Only "rejected" means that it was wrong. */
export type DismissalReason = "rejected" | "ignored" | "replaced" | "cancelled";

/** The user's feedback on suggestions in this session. Immutable: each update returns a new memory. */
export class Memory {
	static readonly empty = new Memory(new Set(), new Map(), new Set());

	private constructor(
		private readonly rejectedKeys: ReadonlySet<string>,
		private readonly rules: ReadonlyMap<string, RuleFeedback>,
		/** The targets of accepted jumps, each with the rule that led to it. */
		private readonly visits: ReadonlySet<string>,
	) {}

	accepted({ kind, key, rules }: Pick<Suggestion, "kind" | "key" | "rules">): Memory {
		const fresh = kind === "jump" ? rules.map((rule) => visitOf(rule, key)) : [];
		const old = [...this.visits].filter((one) => !fresh.includes(one));
		const visits = fresh.length === 0 ? this.visits : new Set([...old, ...fresh].slice(-VISITED_MAX));
		// Following a jump is strong evidence for its rule.
		const times = kind === "jump" ? RAISED_MAX : 1;
		return this.count(rules, "accepted", this.rejectedKeys, visits, times);
	}

	rejected({ key, rules }: Pick<Suggestion, "key" | "rules">, reason: DismissalReason | undefined): Memory {
		if (reason === "ignored") return this.count(rules, "ignored", this.rejectedKeys);
		if (reason !== "rejected") return this;
		const keys = [...this.rejectedKeys].filter((one) => one !== key);
		return this.count(rules, "rejected", new Set([...keys, key].slice(-REJECTED_MAX)));
	}

	get hasRejections(): boolean {
		return this.rejectedKeys.size > 0;
	}

	/** Whether a suggestion with this key was rejected. */
	isRejected(key: string): boolean {
		return this.rejectedKeys.has(key);
	}

	/** Whether the user has already followed a jump from one of these rules to the target with this key. */
	isVisited(rules: readonly string[], key: string): boolean {
		return rules.some((rule) => this.visits.has(visitOf(rule, key)));
	}

	/** Whether a rule was rejected too often to be used again in this session. */
	isRetired(rule: string): boolean {
		return this.feedbackOn(rule).rejected >= REJECTIONS_MAX;
	}

	/**
	 * Returns the adjustment, in log-odds, that feedback on its rules makes to a suggestion's confidence. If several
	 * rules found it, the one with the best feedback counts.
	 */
	shiftOf(rules: readonly string[]): number {
		const shifts = rules.map((rule) => {
			const { accepted, ignored, rejected } = this.feedbackOn(rule);
			return RAISE * Math.min(accepted, RAISED_MAX) - LOWER * Math.min(ignored, LOWERED_MAX) - DISMISSED * rejected;
		});
		return shifts.length === 0 ? 0 : Math.max(...shifts);
	}

	private feedbackOn(rule: string): RuleFeedback {
		return this.rules.get(rule) ?? NONE;
	}

	private count(
		rules: readonly string[],
		answer: keyof RuleFeedback,
		rejectedKeys: ReadonlySet<string>,
		visits = this.visits,
		times = 1,
	): Memory {
		const counted = new Map(this.rules);
		for (const rule of rules) {
			const answers = this.feedbackOn(rule);
			counted.delete(rule);
			counted.set(rule, { ...answers, [answer]: answers[answer] + times });
		}
		return new Memory(rejectedKeys, new Map([...counted].slice(-RULES_MAX)), visits);
	}
}

function visitOf(rule: string, key: string): string {
	return JSON.stringify([rule, key]);
}

interface RuleFeedback {
	readonly accepted: number;
	readonly rejected: number;
	readonly ignored: number;
}

const NONE: RuleFeedback = { accepted: 0, rejected: 0, ignored: 0 };

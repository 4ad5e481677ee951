import type { SuggestionOutcome } from "@segue/assist";

/** How often suggestions were taken. */
export interface Figures {
	/** Those that came in time to be seen. */
	readonly shown: number;
	/** Taken as a whole, or typed just so. */
	readonly accepted: number;
	readonly partly: number;
	readonly rejected: number;
	/** The user went on without it. The rest was replaced before the user could decide, or nobody said what became of it. */
	readonly ignored: number;
	/** The share that was taken, wholly or partly, of those that the user decided on; null where there is none. */
	readonly rate: number | null;
	/** From a request to its answer. */
	readonly medianMs: number | null;
}

export interface NamedFigures extends Figures {
	readonly name: string;
}

export interface Stats {
	readonly all: Figures;
	/** By predictor; what a model wrote is under `model`. */
	readonly bySource: readonly NamedFigures[];
	/** Without what the rules found. */
	readonly byModel: readonly NamedFigures[];
	readonly byLanguage: readonly NamedFigures[];
	/** By the day in UTC, the oldest first. */
	readonly byDay: readonly NamedFigures[];
}

export function statsOf(outcomes: readonly SuggestionOutcome[]): Stats {
	const shown = outcomes.filter(({ verdict }) => verdict !== "cancelled");
	return {
		all: figuresOf(shown),
		bySource: mostShown(shown, ({ predictor }) => predictor),
		byModel: mostShown(shown, ({ model }) => model),
		byLanguage: mostShown(shown, ({ language }) => language),
		byDay: groups(shown, ({ at }) => at.slice(0, "2030-01-01".length)),
	};
}

function mostShown(outcomes: readonly SuggestionOutcome[], nameOf: (outcome: SuggestionOutcome) => string | undefined) {
	return groups(outcomes, nameOf).toSorted((a, b) => b.shown - a.shown || (a.name < b.name ? -1 : 1));
}

/** In the order in which each comes first. Those without a name are left out. */
function groups(
	outcomes: readonly SuggestionOutcome[],
	nameOf: (outcome: SuggestionOutcome) => string | undefined,
): NamedFigures[] {
	const byName = new Map<string, SuggestionOutcome[]>();
	for (const outcome of outcomes) {
		const name = nameOf(outcome);
		if (name === undefined) continue;
		const group = byName.get(name);
		if (group === undefined) byName.set(name, [outcome]);
		else group.push(outcome);
	}
	return [...byName].map(([name, group]) => ({ name, ...figuresOf(group) }));
}

function figuresOf(outcomes: readonly SuggestionOutcome[]): Figures {
	const count = (...verdicts: readonly SuggestionOutcome["verdict"][]) => {
		return outcomes.filter(({ verdict }) => verdicts.includes(verdict)).length;
	};
	const accepted = count("accepted", "typed");
	const partly = count("partly");
	const rejected = count("rejected");
	const ignored = count("ignored");
	const decided = accepted + partly + rejected + ignored;
	const latencies = outcomes.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b);
	return {
		...{ shown: outcomes.length, accepted, partly, rejected, ignored },
		rate: decided === 0 ? null : (accepted + partly) / decided,
		medianMs: latencies[Math.floor((latencies.length - 1) / 2)] ?? null,
	};
}

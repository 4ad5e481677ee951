import { existsSync } from "node:fs";
import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { readFeedbackFiles } from "@segue/agent/request-log/feedback-file";
import { type Feedback, openEmbeddedStore, openSoundStore, type SuggestionOutcome } from "@segue/assist";

/** How often suggestions were accepted. The five outcomes add up to `shown`. */
export interface Figures {
	/** Suggestions that arrived before their request was cancelled. */
	readonly shown: number;
	/** Accepted in full, or typed by the user. */
	readonly accepted: number;
	readonly partly: number;
	readonly rejected: number;
	/** The user continued without the suggestion. */
	readonly ignored: number;
	/** Replaced by a newer suggestion first, or the editor reported no outcome. */
	readonly other: number;
	/** The share that was accepted, fully or partly, of all except `other`; null if there are none. */
	readonly rate: number | null;
	/** Time from request to response. */
	readonly medianMs: number | null;
}

export interface NamedFigures extends Figures {
	readonly name: string;
}

export interface Stats {
	readonly all: Figures;
	/** By predictor. Edits written by a model count under `model`. */
	readonly bySource: readonly NamedFigures[];
	/** By model. Excludes suggestions from rules. */
	readonly byModel: readonly NamedFigures[];
	readonly byLanguage: readonly NamedFigures[];
	/** By day in UTC, oldest first. */
	readonly byDay: readonly NamedFigures[];
}

/** Returns the statistics since a given time; all zero if no feedback is stored. */
export async function readStats(
	env: EnvironmentVariables,
	since: string,
	report: (notice: string) => void,
): Promise<Stats> {
	return statsOf((await withFeedback(env, report, (feedback) => feedback.outcomes(since))) ?? []);
}

/**
 * Imports the feedback files of servers into the store, and then calls `work` with it. Returns undefined, and creates
 * nothing, if there is neither a store nor feedback. Repairs a damaged store only if there is feedback to add.
 * Otherwise the repair is left to commands that read threads.
 */
export async function withFeedback<T>(
	env: EnvironmentVariables,
	report: (notice: string) => void,
	work: (feedback: Feedback) => Promise<T>,
	whose: "ended" | "all" = "ended",
): Promise<T | undefined> {
	const { database, outcomes } = userFilesOf(env);
	const written = await readFeedbackFiles(outcomes);
	if (written === undefined && !existsSync(database)) return undefined;
	const { store, feedback, notice } =
		written === undefined
			? { ...(await openSoundStore(database)), notice: undefined }
			: await openEmbeddedStore(database, new Date());
	try {
		if (notice !== undefined) report(notice);
		if (written !== undefined) {
			await feedback.keep(written.seen, new Date());
			await written.forget(whose);
		}
		return await work(feedback);
	} finally {
		await store.close();
	}
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

/** In order of first occurrence. Outcomes without a name are skipped. */
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
		...{ shown: outcomes.length, accepted, partly, rejected, ignored, other: outcomes.length - decided },
		rate: decided === 0 ? null : (accepted + partly) / decided,
		medianMs: latencies[Math.floor((latencies.length - 1) / 2)] ?? null,
	};
}

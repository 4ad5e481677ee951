import { ModelFailure } from "@segue/models";
import { type Clock, unlessCancelled } from "@segue/text";
import type { Screen } from "../terminal/screen.js";

/** The result of one check. */
export interface CheckResult {
	/** "info" is for an optional part that is not configured. */
	readonly status: "ok" | "info" | "warning" | "failure";
	/** The finding, as a sentence for the user. */
	readonly text: string;
	/** The next step for the user, unless `text` already contains it. */
	readonly next?: string;
	/** The model's suggestion as a unified diff. */
	readonly diff?: string;
	readonly tookMs?: number;
}

/** Runs checks one after the other, reports each finding immediately, and limits the time of each check. */
export class CheckList {
	readonly findings: (CheckResult & { readonly about: string })[] = [];
	private about = "";

	constructor(
		/** Stops all checks. */
		private readonly signal: AbortSignal,
		private readonly timer: Clock,
		/** Shows progress. */
		private readonly screen: Screen,
		private readonly report: (finding: CheckResult) => void,
		private readonly begin: (about: string) => void,
	) {}

	/** Starts a section with a heading. */
	turnTo(about: string): void {
		this.about = about;
		this.begin(about);
	}

	found(...findings: readonly CheckResult[]): void {
		for (const finding of findings) {
			this.findings.push({ about: this.about, ...finding });
			this.report(finding);
		}
	}

	/**
	 * Runs a check that can be slow. `doing` describes the check while it runs. `make` receives a function that returns
	 * the elapsed time. Model failures and timeouts become findings. Resolves to the finding.
	 */
	async check(
		doing: string,
		limitMs: number,
		make: (signal: AbortSignal, tookMs: () => number) => Promise<CheckResult>,
	): Promise<CheckResult> {
		this.signal.throwIfAborted();
		const limit = new AbortController();
		const late: CheckResult = {
			status: "failure",
			text: `Timed out after ${limitMs / 1000} seconds while ${doing}.`,
			next: "Check that the server works, or choose another one.",
		};
		const startedMs = this.timer.now();
		const tookMs = () => Math.round(this.timer.now() - startedMs);
		const callOff = this.timer.after(limitMs, () => limit.abort());
		const signal = AbortSignal.any([this.signal, limit.signal]);
		this.screen.wait(() => doing);
		const made = make(signal, tookMs).catch((error: unknown): CheckResult => {
			if (!(error instanceof ModelFailure)) throw error;
			return { status: "failure", text: error.message };
		});
		try {
			const finding = await unlessCancelled(made, signal);
			const found = { ...finding, tookMs: tookMs() };
			this.found(found);
			return found;
		} catch (error) {
			this.signal.throwIfAborted();
			if (!limit.signal.aborted) throw error;
			this.found(late);
			return late;
		} finally {
			callOff();
			this.screen.rest();
			// Stop the work that a timed-out check has left running.
			limit.abort();
			made.catch(() => {});
		}
	}
}

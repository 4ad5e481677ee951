import { ModelFailure } from "@segue/models";
import { type Clock, unlessCancelled } from "@segue/text";
import type { Screen } from "../terminal/screen.js";

/** What one check has found. */
export interface CheckResult {
	readonly status: "ok" | "warning" | "failure";
	/** A sentence for a person. */
	readonly text: string;
	/** What to do next, where the sentence does not say it. */
	readonly next?: string;
	/** What the model would change, as a unified diff. */
	readonly diff?: string;
	readonly tookMs?: number;
}

/** Goes from one check to the next, reports each finding at once, and limits the time of each check. */
export class CheckList {
	readonly findings: (CheckResult & { readonly about: string })[] = [];
	private about = "";

	constructor(
		/** Ends it all. */
		private readonly signal: AbortSignal,
		private readonly timer: Clock,
		/** Where it is told what is waited for. */
		private readonly screen: Screen,
		private readonly report: (finding: CheckResult) => void,
		private readonly begin: (about: string) => void,
	) {}

	/** What the next findings are about. */
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
	 * Makes a check that can take long, and that may want to know how long it has taken. What goes wrong with a model, and what
	 * takes longer than it may, is a finding too. Gives what was found.
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
			text: `There was no answer within ${limitMs / 1000} seconds, while ${doing}.`,
			next: "Look whether the server is well, or choose another.",
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
			// What goes on behind a check that is over is of no use to anybody.
			limit.abort();
			made.catch(() => {});
		}
	}
}

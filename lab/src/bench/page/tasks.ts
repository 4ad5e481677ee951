import type { Page } from "@segue/testing/browser";

/**
 * The tasks of a page's main thread, each with the time that it computed. The time that passes meanwhile is no measure of
 * a page where other programs want the machine, too.
 */
export class Tasks {
	private readonly events: TraceEvent[] = [];

	private constructor(
		private readonly page: Page,
		private readonly session: Awaited<ReturnType<typeof sessionOf>>,
	) {
		session.on("Tracing.dataCollected", ({ value }) => this.events.push(...(value as unknown as TraceEvent[])));
	}

	/** Looks from now on. One page of a browser at a time can be looked at. */
	static async watch(page: Page): Promise<Tasks> {
		const tasks = new Tasks(page, await sessionOf(page));
		const includedCategories = ["toplevel", "blink.user_timing"];
		await tasks.session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
		return tasks;
	}

	/** Ends it; gives the milliseconds that each task computed. */
	async end(): Promise<number[]> {
		// Every page of the browser is in the trace, and the one that says this is ours.
		await this.page.evaluate((mark) => void performance.mark(mark), MARK);
		const isComplete = new Promise((resolve) => this.session.once("Tracing.tracingComplete", resolve));
		await this.session.send("Tracing.end");
		await isComplete;
		await this.session.detach();
		const marked = this.events.find(({ name }) => name === MARK);
		if (marked === undefined) throw new Error("the page is not in its own trace");
		return this.events
			.filter(({ name, pid, tid }) => name === TASK && pid === marked.pid && tid === marked.tid)
			.map(({ tdur = 0 }) => tdur / 1000);
	}
}

const MARK = "segue-bench";
const TASK = "ThreadControllerImpl::RunTask";

interface TraceEvent {
	readonly name: string;
	readonly pid: number;
	readonly tid: number;
	/** How long the thread computed, in microseconds. */
	readonly tdur?: number;
}

function sessionOf(page: Page) {
	return page.context().newCDPSession(page);
}

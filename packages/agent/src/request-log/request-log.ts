import type { Workspace } from "@segue/predict";
import { type Clock, errorText, startBackgroundTimer } from "@segue/text";
import type { HostProcess } from "../host-process.js";
import type { RequestObserver } from "../next-edit/observer.js";
import { type FeedbackStore, RENEWAL_MS, RequestLogEntry, type RequestLogOutput } from "./request-log-entry.js";

// As many as somebody who wonders about the last minute goes through.
const RECENT_MAX = 50;
// What writes is loaded and writes when nothing was asked for so long: to load it stops this process for some 50 ms, and nobody
// should wait for an answer meanwhile.
const QUIET_MS = 1_000;
// Who never pauses is written about all the same.
const DELAY_MS_MAX = 10_000;
// Those of more than ten seconds at the highest pace. Where it is more, the oldest are not kept.
const UNSTORED_MAX = 1_000;
// What failed may work again when another program is done or there is room on the disk. Nobody waits for it.
const RETRY_MS = 60_000;
interface RequestLogOptions {
	readonly clock: RequestLogClock;
	/** Opened when there is something to write for the first time. */
	readonly openFile: () => Promise<RequestLogOutput>;
	/** The same for the first suggestion that was shown. */
	readonly openFeedbackStore: () => Promise<FeedbackStore>;
	/** Told, once for each of the two, why it cannot be written. Both are tried again all the same. */
	readonly notify: (text: string) => void;
}

/** `now` is the time of day. */
interface RequestLogClock extends Clock {
	/** A time in milliseconds with fractions, which only ever grows. */
	elapsed(): number;
}

/** Logs the requests of a process, and writes them while no request waits. Its failures never reach an editor. */
export class RequestLog implements RequestObserver {
	private readonly recent: RequestLogEntry[] = [];
	/** Those with suggestions that are to be kept, or kept otherwise. */
	private unstored = new Set<RequestLogEntry>();
	private isFileDue = false;
	private count = 0;
	private firstMs = 0;
	private lastMs = 0;
	private callOff: (() => void) | undefined;
	private isClosed = false;
	private callOffRenewal: (() => void) | undefined;
	private readonly file: Outlet<RequestLogOutput>;
	private readonly feedbackStore: Outlet<FeedbackStore>;

	constructor(private readonly options: RequestLogOptions) {
		const { openFile, openFeedbackStore, clock, notify } = options;
		this.file = new Outlet(openFile, clock, (why) => notify(`segue why will not know of these requests: ${why}`));
		this.feedbackStore = new Outlet(openFeedbackStore, clock, (why) =>
			notify(`what becomes of suggestions is not kept for segue stats: ${why}`),
		);
	}

	begin(workspace: Workspace): RequestLogEntry {
		const { clock } = this.options;
		const startMs = clock.elapsed();
		this.lastMs = startMs;
		const elapsedMs = () => clock.elapsed() - startMs;
		return new RequestLogEntry(++this.count, new Date(clock.now()), workspace, elapsedMs, this.changed);
	}

	/** Writes what is not written yet. */
	async flush(): Promise<void> {
		this.callOff?.();
		this.callOff = undefined;
		if (this.isFileDue) {
			this.isFileDue = false;
			this.renewLater();
			await this.file.use((logFile) => logFile.write([...this.recent]));
		}
		if (this.unstored.size > 0) await this.feedbackStore.use((store) => this.storeIn(store));
	}

	/**
	 * Keeps what is to be kept. Nobody asks why of a process that has ended; and who ends it may lose patience with what
	 * keeps, so the log file goes first.
	 */
	async close(): Promise<void> {
		this.isClosed = true;
		this.callOffRenewal?.();
		this.isFileDue = false;
		this.feedbackStore.retry();
		await Promise.all([this.file.close(), this.flush().then(() => this.feedbackStore.close())]);
	}

	private readonly changed = (entry: RequestLogEntry): void => {
		// The log file is gone, and must not come back.
		if (this.isClosed) return;
		// A verdict on a request that was forgotten meanwhile makes nothing newer of it.
		const isNew = entry.outcomes.size === 0 && !this.recent.includes(entry);
		if (isNew) {
			this.recent.push(entry);
			if (this.recent.length > RECENT_MAX) this.recent.shift()?.condense();
		}
		this.isFileDue = true;
		if (entry.offers.length > 0) this.unstored.add(entry);
		this.dropOldest();
		if (this.callOff !== undefined) return;
		this.firstMs = this.options.clock.elapsed();
		this.wait(QUIET_MS);
	};

	private wait(delayMs: number): void {
		const { clock } = this.options;
		this.callOff = clock.after(delayMs, () => {
			const nowMs = clock.elapsed();
			const quietMs = nowMs - this.lastMs;
			if (quietMs < QUIET_MS && nowMs - this.firstMs < DELAY_MS_MAX) this.wait(QUIET_MS - quietMs);
			else void this.flush();
		});
	}

	private renewLater(): void {
		this.callOffRenewal?.();
		this.callOffRenewal = this.options.clock.after(RENEWAL_MS, () => {
			this.isFileDue = true;
			void this.flush();
		});
	}

	/** What cannot be kept is to be kept another time. */
	private async storeIn(store: FeedbackStore): Promise<void> {
		const { unstored } = this;
		this.unstored = new Set();
		try {
			await store.add([...unstored]);
		} catch (error) {
			this.unstored = new Set([...unstored, ...this.unstored]);
			this.dropOldest();
			throw error;
		}
	}

	private dropOldest(): void {
		for (const entry of this.unstored) {
			if (this.unstored.size <= UNSTORED_MAX) return;
			this.unstored.delete(entry);
		}
	}
}

/** Something that is written to, one thing after the other, from the first time that there is anything. */
class Outlet<Opened extends { close(): Promise<void> }> {
	private opened: Opened | undefined;
	private using: Promise<void> = Promise.resolve();
	/** When it failed last. */
	private failedMs = Number.NEGATIVE_INFINITY;
	private hasNotified = false;

	constructor(
		private readonly open: () => Promise<Opened>,
		private readonly clock: Pick<RequestLogClock, "elapsed">,
		private readonly notify: (why: string) => void,
	) {}

	/** Nothing is done soon after it has failed. */
	use(work: (opened: Opened) => Promise<void>): Promise<void> {
		return this.next(async () => {
			if (this.clock.elapsed() - this.failedMs < RETRY_MS) return;
			this.opened ??= await this.open();
			await work(this.opened);
		});
	}

	/** Has it tried again at once. */
	retry(): void {
		this.failedMs = Number.NEGATIVE_INFINITY;
	}

	close(): Promise<void> {
		return this.next(async () => this.opened?.close());
	}

	private next(work: () => Promise<void>): Promise<void> {
		this.using = this.using.then(work).catch((error: unknown) => {
			this.failedMs = this.clock.elapsed();
			if (!this.hasNotified) this.notify(errorText(error));
			this.hasNotified = true;
		});
		return this.using;
	}
}

/** The request log of this process. What it writes with is loaded when there is something to write. */
export function openRequestLog(
	withCode: boolean,
	notify: (text: string) => void,
	{ env, cwd }: HostProcess,
): RequestLog {
	const startedAt = new Date();
	return new RequestLog({
		clock: {
			now: Date.now,
			elapsed: () => performance.now(),
			// A process that is done does not wait for it.
			after: startBackgroundTimer,
		},
		openFile: async () => {
			const [{ RequestLogFile }, { userFilesOf }] = await Promise.all([
				import("../request-log/request-log-file.js"),
				import("../config/user-files.js"),
			]);
			const { requests: folder } = userFilesOf(env);
			return RequestLogFile.open({ folder, pid: process.pid, startedAt, withCode });
		},
		openFeedbackStore: async () => {
			const { FeedbackFile } = await import("../request-log/feedback-file.js");
			return new FeedbackFile({ folder: cwd(), env, pid: process.pid });
		},
		notify,
	});
}

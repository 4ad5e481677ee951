import type { Workspace } from "@segue/predict";
import { type Clock, errorText, startBackgroundTimer } from "@segue/text";
import type { HostProcess } from "../host-process.js";
import type { RequestObserver } from "../next-edit/observer.js";
import { type FeedbackStore, RENEWAL_MS, RequestLogEntry, type RequestLogOutput } from "./request-log-entry.js";

// Enough to investigate the last minute.
const RECENT_MAX = 50;
// Writing starts after this long without a request, because loading the writers blocks the process for about 50 ms.
const QUIET_MS = 1_000;
// Maximum delay if requests never pause.
const DELAY_MS_MAX = 10_000;
// More than ten seconds of requests at the highest rate. Beyond that, the oldest are dropped.
const UNSTORED_MAX = 1_000;
// A failure may be temporary: another program has locked the file, or the disk is full.
const RETRY_MS = 60_000;

interface RequestLogOptions {
	readonly clock: RequestLogClock;
	/** Called before the first write. */
	readonly openFile: () => Promise<RequestLogOutput>;
	/** Called before the first suggestion is stored. */
	readonly openFeedbackStore: () => Promise<FeedbackStore>;
	/** Called at most once for each of the two outputs, when writing fails. Writing is retried later. */
	readonly notify: (text: string) => void;
}

/** `now` returns the wall-clock time. */
interface RequestLogClock extends Clock {
	/** Returns monotonic time in fractional milliseconds. */
	elapsed(): number;
}

/** Logs the requests in a process, and writes the log while no request is pending. Failures don't affect editors. */
export class RequestLog implements RequestObserver {
	private readonly recent: RequestLogEntry[] = [];
	/** Entries with suggestions whose outcomes are new or have changed. */
	private unstored = new Set<RequestLogEntry>();
	private isFileDue = false;
	private count = 0;
	private firstMs = 0;
	private lastMs = 0;
	private cancelFlush: (() => void) | undefined;
	private isClosed = false;
	private cancelRenewal: (() => void) | undefined;
	private readonly file: Outlet<RequestLogOutput>;
	private readonly feedbackStore: Outlet<FeedbackStore>;

	constructor(private readonly options: RequestLogOptions) {
		const { openFile, openFeedbackStore, clock, notify } = options;
		this.file = new Outlet(openFile, clock, (why) => notify(`segue why will not show these requests: ${why}`));
		this.feedbackStore = new Outlet(openFeedbackStore, clock, (why) =>
			notify(`segue stats will not include these suggestions: ${why}`),
		);
	}

	begin(workspace: Workspace): RequestLogEntry {
		const { clock } = this.options;
		const startMs = clock.elapsed();
		this.lastMs = startMs;
		const elapsedMs = () => clock.elapsed() - startMs;
		return new RequestLogEntry(++this.count, new Date(clock.now()), workspace, elapsedMs, this.changed);
	}

	/** Writes pending entries. */
	async flush(): Promise<void> {
		this.cancelFlush?.();
		this.cancelFlush = undefined;
		if (this.isFileDue) {
			this.isFileDue = false;
			this.renewLater();
			await this.file.use((logFile) => logFile.write([...this.recent]));
		}
		if (this.unstored.size > 0) await this.feedbackStore.use((store) => this.storeIn(store));
	}

	/**
	 * Deletes the log file, which is only for running processes, and stores pending outcomes. The file is deleted first,
	 * because storing may be slow and the process may be killed meanwhile.
	 */
	async close(): Promise<void> {
		this.isClosed = true;
		this.cancelRenewal?.();
		this.isFileDue = false;
		this.feedbackStore.retry();
		await Promise.all([this.file.close(), this.flush().then(() => this.feedbackStore.close())]);
	}

	private readonly changed = (entry: RequestLogEntry): void => {
		// The log file was deleted and must not be created again.
		if (this.isClosed) return;
		// A late verdict must not add an evicted request again.
		const isNew = entry.outcomes.size === 0 && !this.recent.includes(entry);
		if (isNew) {
			this.recent.push(entry);
			if (this.recent.length > RECENT_MAX) this.recent.shift()?.condense();
		}
		this.isFileDue = true;
		if (entry.offers.length > 0) this.unstored.add(entry);
		this.dropOldest();
		if (this.cancelFlush !== undefined) return;
		this.firstMs = this.options.clock.elapsed();
		this.wait(QUIET_MS);
	};

	private wait(delayMs: number): void {
		const { clock } = this.options;
		this.cancelFlush = clock.after(delayMs, () => {
			const nowMs = clock.elapsed();
			const quietMs = nowMs - this.lastMs;
			if (quietMs < QUIET_MS && nowMs - this.firstMs < DELAY_MS_MAX) this.wait(QUIET_MS - quietMs);
			else void this.flush();
		});
	}

	private renewLater(): void {
		this.cancelRenewal?.();
		this.cancelRenewal = this.options.clock.after(RENEWAL_MS, () => {
			this.isFileDue = true;
			void this.flush();
		});
	}

	/** If storing fails, keeps the entries for a retry. */
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

/** A lazily opened output with sequential writes. */
class Outlet<Opened extends { close(): Promise<void> }> {
	private opened: Opened | undefined;
	private using: Promise<void> = Promise.resolve();
	/** The time of the last failure. */
	private failedMs = Number.NEGATIVE_INFINITY;
	private hasNotified = false;

	constructor(
		private readonly open: () => Promise<Opened>,
		private readonly clock: Pick<RequestLogClock, "elapsed">,
		private readonly notify: (why: string) => void,
	) {}

	/** Does nothing for a while after a failure. */
	use(work: (opened: Opened) => Promise<void>): Promise<void> {
		return this.next(async () => {
			if (this.clock.elapsed() - this.failedMs < RETRY_MS) return;
			this.opened ??= await this.open();
			await work(this.opened);
		});
	}

	/** Allows the next use to retry immediately. */
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

/** Creates the request log for this process. The writers are loaded on first use. */
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
			// The timers must not keep the process alive.
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

import type { Witness } from "../witness.js";
import { RequestAccount } from "./account.js";

// As many as somebody who wonders about the last minute goes through.
const RECENT_MAX = 50;
// What writes is loaded and writes when nothing was asked for so long: to load it stops this process for some 50 ms, and nobody
// should wait for an answer meanwhile.
const QUIET_MS = 1_000;
// Who never pauses is written about all the same.
const DELAY_MS_MAX = 10_000;
// Those of more than ten seconds at the highest pace. Where it is more, the oldest are not kept.
const UNKEPT_MAX = 1_000;

export interface WitnessOptions {
	readonly clock: WitnessClock;
	/** Opened when there is something to write for the first time. */
	readonly openRing: () => Promise<Ring>;
	/** The same for the first suggestion that was shown. */
	readonly openKeeper: () => Promise<Keeper>;
	/** Told, once for each of the two, why it cannot be written. */
	readonly tell: (text: string) => void;
}

interface WitnessClock {
	/** The time of day. */
	now(): number;
	/** A time in milliseconds with fractions, which only ever grows. */
	elapsed(): number;
	after(delayMs: number, run: () => void): () => void;
}

/** Where the last requests are read by `segue why`. */
export interface Ring {
	write(recent: readonly RequestAccount[]): Promise<void>;
	close(): Promise<void>;
}

/** What keeps what became of suggestions. */
export interface Keeper {
	keep(accounts: readonly RequestAccount[]): Promise<void>;
	close(): Promise<void>;
}

/** Witnesses the requests of a process, and writes them down when nobody waits. What fails here never reaches an editor. */
export class ProcessWitness implements Witness {
	private recent: RequestAccount[] = [];
	/** Those with suggestions that are to be kept, or kept otherwise. */
	private unkept = new Set<RequestAccount>();
	private isRingDue = false;
	private count = 0;
	private firstMs = 0;
	private lastMs = 0;
	private callOff: (() => void) | undefined;
	private writing: Promise<void> = Promise.resolve();
	private readonly ring: Outlet<Ring>;
	private readonly keeper: Outlet<Keeper>;

	constructor(private readonly options: WitnessOptions) {
		const { openRing, openKeeper, tell } = options;
		this.ring = new Outlet(openRing, (why) => tell(`segue why will not know of these requests: ${why}`));
		this.keeper = new Outlet(openKeeper, (why) =>
			tell(`what becomes of suggestions is not kept for segue stats: ${why}`),
		);
	}

	asked(): RequestAccount {
		const { clock } = this.options;
		const startMs = clock.elapsed();
		this.lastMs = startMs;
		return new RequestAccount(++this.count, new Date(clock.now()), () => clock.elapsed() - startMs, this.changed);
	}

	/** Writes what is not written yet. */
	flush(): Promise<void> {
		this.callOff?.();
		this.callOff = undefined;
		this.writing = this.writing.then(() => this.write());
		return this.writing;
	}

	/** Keeps what is to be kept. Nobody asks why of a process that has ended. */
	async close(): Promise<void> {
		this.isRingDue = false;
		await this.flush();
		await Promise.all([this.ring.close(), this.keeper.close()]);
	}

	private readonly changed = (account: RequestAccount): void => {
		// A verdict on a request that was forgotten meanwhile makes nothing newer of it.
		const isNew = account.verdicts.size === 0 && !this.recent.includes(account);
		if (isNew) this.recent = [...this.recent, account].slice(-RECENT_MAX);
		this.isRingDue = true;
		if (account.offers.length > 0) this.unkept.add(account);
		const [oldest] = this.unkept;
		if (this.unkept.size > UNKEPT_MAX && oldest !== undefined) this.unkept.delete(oldest);
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

	private async write(): Promise<void> {
		const { recent, unkept } = this;
		if (this.isRingDue) {
			this.isRingDue = false;
			await this.ring.use((ring) => ring.write(recent));
		}
		if (unkept.size > 0) {
			this.unkept = new Set();
			await this.keeper.use((keeper) => keeper.keep([...unkept]));
		}
	}
}

/** Something that is written to, from the first time that there is anything until it fails. */
class Outlet<Opened extends { close(): Promise<void> }> {
	private opened: Promise<Opened> | undefined;
	private hasFailed = false;

	constructor(
		private readonly open: () => Promise<Opened>,
		private readonly tell: (why: string) => void,
	) {}

	async use(work: (opened: Opened) => Promise<void>): Promise<void> {
		if (this.hasFailed) return;
		try {
			this.opened ??= this.open();
			await work(await this.opened);
		} catch (error) {
			this.hasFailed = true;
			this.tell(error instanceof Error ? error.message : String(error));
		}
	}

	async close(): Promise<void> {
		if (this.opened !== undefined) await this.use((opened) => opened.close());
	}
}

import type { Channel } from "@segue/rpc";
import { Link, type LinkOptions, messageOf } from "./link.js";
import type { Session } from "./session.js";
import { Told } from "./told.js";

// One second is short enough to go unnoticed after a crash, and one minute long enough to cost nothing.
const BACK_OFF_MS_MIN = 1000;
const BACK_OFF_MS_MAX = 60_000;
// Who has lived this long did not die of being started. It is longer than a start can take.
const STEADY_MS = 60_000;

export interface AgentOptions extends LinkOptions {
	/** Starts an agent, or dials one, and returns the channel to it. Called again when it died. */
	readonly connect: () => Channel | Promise<Channel>;
}

/**
 * Keeps one session of next edits with an agent alive: connects, signs in, begins the session, and does it all again when
 * the agent dies. What stands in its way is told to the user, once.
 */
export class Agent {
	private readonly told: Told;
	private link: Link | undefined;
	private isStarted = false;
	private isClosed = false;
	/** Ends the wait for the next attempt. */
	private hurry: () => void = () => {};

	constructor(private readonly options: AgentOptions) {
		this.told = new Told(options.host);
	}

	start(): void {
		if (this.isStarted || this.isClosed) return;
		this.isStarted = true;
		void this.keepAlive();
	}

	get session(): Session | undefined {
		return this.link?.session;
	}

	/** The workspace may have changed. If it has, the session ends and another begins. */
	async renew(): Promise<void> {
		await this.link?.renew();
	}

	/** The user wants suggestions now: what was given up is tried again, and they may be asked to sign in again. */
	retry(): void {
		if (this.session !== undefined || this.link?.isBusy) return;
		this.told.forget();
		this.link?.retry();
		this.hurry();
	}

	/** A session answered as it should. */
	worked(session: Session): void {
		this.link?.worked(session);
	}

	/** A request of a session failed. Whether that means another session, signing in, or only a note is decided here. */
	failed(session: Session, error: unknown): void {
		this.link?.failed(session, error);
	}

	/** Ends the session and the connection, for good. */
	async close(): Promise<void> {
		this.isClosed = true;
		this.told.isOver = true;
		this.hurry();
		await this.link?.close();
	}

	private async keepAlive(): Promise<void> {
		let delayMs = BACK_OFF_MS_MIN;
		for (;;) {
			const { reason, livedMs } = await this.live();
			if (this.isClosed) return;
			if (livedMs >= STEADY_MS) {
				delayMs = BACK_OFF_MS_MIN;
				this.told.forget();
			}
			this.told.tell("agent", reason);
			await this.pause(delayMs);
			if (this.isClosed) return;
			delayMs = Math.min(2 * delayMs, BACK_OFF_MS_MAX);
		}
	}

	/** One connection, from its beginning to its end. */
	private async live(): Promise<{ readonly reason: string; readonly livedMs: number }> {
		try {
			const channel = await this.options.connect();
			if (this.isClosed) {
				channel.drop();
				return { reason: "", livedMs: 0 };
			}
			const bornMs = this.options.clock.now();
			this.link = new Link(channel, this.options, this.told);
			const reason = await this.link.over;
			return { reason, livedMs: this.options.clock.now() - bornMs };
		} catch (error) {
			return { reason: messageOf(error), livedMs: 0 };
		} finally {
			this.link = undefined;
		}
	}

	private pause(delayMs: number): Promise<void> {
		return new Promise((resolve) => {
			const callOff = this.options.clock.after(delayMs, resolve);
			this.hurry = () => {
				callOff();
				resolve();
			};
		});
	}
}

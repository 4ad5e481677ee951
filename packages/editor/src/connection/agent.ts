import type { Channel } from "@segue/rpc";
import { AgentConnection, type AgentConnectionOptions, type Session } from "./agent-connection.js";
import { BackOff } from "./back-off.js";
import { messageOf, Notifier } from "./notifier.js";
import { SignIn } from "./sign-in.js";

// Who has lived this long did not die of being started. It is longer than a start can take.
const STEADY_MS = 60_000;

export interface AgentOptions extends AgentConnectionOptions {
	/** Starts an agent, or dials one, and returns the channel to it. Called again when it died. */
	readonly connect: () => Channel | Promise<Channel>;
}

/**
 * Keeps one session of next edits with an agent alive: connects, signs in, begins the session, and does it all again when
 * the agent dies. What stands in its way is told to the user, once.
 */
export class Agent {
	private readonly notifier: Notifier;
	private readonly signIn: SignIn;
	private readonly backOff: BackOff;
	private connection: AgentConnection | undefined;
	private isStarted = false;
	private isClosed = false;

	constructor(private readonly options: AgentOptions) {
		const { host, clock } = options;
		this.notifier = new Notifier(host);
		this.signIn = new SignIn(host, clock, this.notifier);
		this.backOff = new BackOff(clock);
	}

	start(): void {
		if (this.isStarted || this.isClosed) return;
		this.isStarted = true;
		void this.keepAlive();
	}

	get session(): Session | undefined {
		return this.connection?.session;
	}

	/** The workspace may have changed. If it has, the session ends and another begins. */
	async renew(): Promise<void> {
		await this.connection?.renew();
	}

	/** The user wants suggestions now: what was given up is tried again, and they may be asked to sign in again. */
	retry(): void {
		if (this.session !== undefined || this.connection?.isBusy) return;
		this.notifier.forget();
		this.signIn.forget();
		this.connection?.retry();
		this.backOff.hurry();
	}

	/** A session answered as it should. */
	worked(session: Session): void {
		this.connection?.worked(session);
	}

	/** A request of a session failed. Whether that means another session, signing in, or only a note is decided here. */
	failed(session: Session, error: unknown): void {
		this.connection?.failed(session, error);
	}

	/** A request of a session has no answer, long after it should. An agent that never answers is given up. */
	unanswered(session: Session): void {
		this.connection?.unanswered(session);
	}

	/** Ends the session and the connection, for good. */
	async close(): Promise<void> {
		this.isClosed = true;
		this.notifier.isOver = true;
		this.signIn.close();
		this.backOff.hurry();
		await this.connection?.close();
	}

	private async keepAlive(): Promise<void> {
		while (!this.isClosed) {
			const { reason, isSteady } = await this.live();
			if (this.isClosed) return;
			if (isSteady) {
				this.backOff.reset();
				this.notifier.forget();
				this.signIn.forget();
			}
			this.notifier.report("agent", reason);
			await new Promise<void>((resolve) => this.backOff.wait(resolve));
		}
	}

	/** One connection, from its beginning to its end. */
	private async live(): Promise<{ readonly reason: string; readonly isSteady: boolean }> {
		const { clock, connect } = this.options;
		let channel: Channel | undefined;
		let settle = () => {};
		try {
			channel = await connect();
			if (this.isClosed) {
				channel.drop();
				return { reason: "", isSteady: false };
			}
			const bornMs = clock.now();
			const connection = new AgentConnection(channel, this.options, this.notifier, this.signIn);
			this.connection = connection;
			settle = clock.after(STEADY_MS, () => this.signIn.forget());
			const reason = await connection.over;
			// An agent that was given up did not do well, however long that took.
			return { reason, isSteady: !connection.isGivenUp && clock.now() - bornMs >= STEADY_MS };
		} catch (error) {
			channel?.drop();
			return { reason: messageOf(error), isSteady: false };
		} finally {
			settle();
			this.connection = undefined;
		}
	}
}

import type { Channel } from "@segue/rpc";
import { AgentConnection, type AgentConnectionOptions, type Session } from "./agent-connection.js";
import { BackOff } from "./back-off.js";
import { messageOf, Notifier } from "./notifier.js";
import { SignIn } from "./sign-in.js";

// An agent this old did not crash on startup. Longer than any startup takes.
const STEADY_MS = 60_000;

export interface AgentOptions extends AgentConnectionOptions {
	/**
	 * Starts or connects to an agent and returns the channel to it. Called again after the agent exits or disconnects.
	 */
	readonly connect: () => Channel | Promise<Channel>;
}

/**
 * Keeps one next-edit session with an agent alive: connects, signs in, starts the session, and repeats this when the
 * agent dies. Each problem is reported to the user once.
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

	/** Tells the user why there is no session. Returns false if no problem is known, so that one is starting. */
	explain(): boolean {
		return this.session === undefined && this.notifier.explain();
	}

	/** Replaces the session if the workspace has changed. */
	async renew(): Promise<void> {
		await this.connection?.renew();
	}

	/** Replaces the session. */
	async restart(): Promise<void> {
		await this.connection?.restart();
	}

	/**
	 * Retries immediately after a failure, because the user requested a suggestion. May ask the user to sign in again.
	 */
	retry(): void {
		if (this.session !== undefined || this.connection?.isBusy) return;
		this.notifier.forget();
		this.signIn.forget();
		this.connection?.retry();
		this.backOff.hurry();
	}

	/** Called when a request in the session has succeeded. */
	worked(session: Session): void {
		this.connection?.worked(session);
	}

	/**
	 * Called when a request in the session has failed. Depending on the error, replaces the session, signs in, or only
	 * reports it.
	 */
	failed(session: Session, error: unknown): void {
		this.connection?.failed(session, error);
	}

	/** Called when a request in the session has timed out. After several in a row, the agent is restarted. */
	unanswered(session: Session): void {
		this.connection?.unanswered(session);
	}

	/** Closes the session and the connection permanently. */
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

	/** Runs one connection until it closes. */
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
			// A connection that this side gave up on does not count as steady, however long it lasted.
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

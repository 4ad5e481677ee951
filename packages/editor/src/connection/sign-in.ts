import type { Clock } from "@segue/text";
import type { Host, SignInMethod } from "../host.js";
import { messageOf, type Notifier } from "./notifier.js";

// The user goes to a browser, finds a password, and comes back. Later than that, they have forgotten it.
export const SIGN_IN_MS_MAX = 600_000;

/**
 * How the user wants to sign in. It outlives a connection: an answer that comes after the agent died is good for its next
 * process, and nobody has to choose, or to decline, again for every process of an agent that keeps dying.
 */
export class SignIn {
	/** The method that was tried last and that the agent has not refused. */
	chosen: string | undefined;
	private isDeclined = false;
	/** What the user is asked, or has answered without anybody there to use it. */
	private prompt: Promise<string | undefined> | undefined;
	/** Stops waiting for the user. */
	private dismiss: () => void = () => {};

	constructor(
		private readonly host: Pick<Host, "signIn">,
		private readonly clock: Clock,
		private readonly notifier: Notifier,
	) {}

	/** The user's choice. They are asked unless they are being asked already, or said no. */
	async ask(methods: readonly SignInMethod[]): Promise<string | undefined> {
		if (methods.length === 0 || this.host.signIn === undefined) {
			this.notifier.report("sign-in", "the agent asks to sign in");
			return undefined;
		}
		if (this.isDeclined) return undefined;
		this.prompt ??= this.askUser(methods);
		return this.prompt;
	}

	/** A method is tried with an agent: from now on it is one that may be tried again. */
	used(methodId: string): void {
		this.prompt = undefined;
		this.chosen = methodId;
	}

	/** Signing in came to nothing. The user is told why, and not asked again. */
	decline(reason: string): void {
		this.prompt = undefined;
		this.chosen = undefined;
		this.isDeclined = true;
		this.notifier.report("sign-in", reason);
	}

	/** The user may be asked again. What they are being asked stands. */
	forget(): void {
		this.chosen = undefined;
		this.isDeclined = false;
	}

	close(): void {
		this.dismiss();
	}

	private async askUser(methods: readonly SignInMethod[]): Promise<string | undefined> {
		const dismissed = new Promise<undefined>((resolve) => {
			this.dismiss = () => resolve(undefined);
		});
		const callOff = this.clock.after(SIGN_IN_MS_MAX, this.dismiss);
		// What throws at once must not be over before it is known that the user is being asked.
		const answered = (async () => this.host.signIn?.(methods))();
		try {
			const methodId = await Promise.race([answered, dismissed]);
			if (methodId === undefined) this.decline("there are no suggestions without signing in");
			return methodId;
		} catch (error) {
			this.decline(`signing in failed: ${messageOf(error)}`);
			return undefined;
		} finally {
			callOff();
		}
	}
}

import type { Clock } from "@segue/text";
import type { Host, SignInMethod } from "../host.js";
import { messageOf, type Notifier } from "./notifier.js";

// Enough time to switch to a browser, find a password and come back.
export const SIGN_IN_MS_MAX = 600_000;

/**
 * The user's choice of sign-in method. Outlives connections: a choice made after the agent died is used for its next
 * process, and an agent that keeps crashing does not prompt the user again after every restart.
 */
export class SignIn {
	/** The last method tried, unless the agent refused it. */
	chosen: string | undefined;
	private isDeclined = false;
	/** The prompt in progress, or its answer if no connection has used it yet. */
	private prompt: Promise<string | undefined> | undefined;
	/** Stops waiting for the user's answer. */
	private dismiss: () => void = () => {};

	constructor(
		private readonly host: Pick<Host, "signIn">,
		private readonly clock: Clock,
		private readonly notifier: Notifier,
	) {}

	/** Resolves to the user's choice. Prompts unless a prompt is open or the user has already declined. */
	async ask(methods: readonly SignInMethod[]): Promise<string | undefined> {
		if (methods.length === 0 || this.host.signIn === undefined) {
			this.notifier.report("sign-in", "the agent requires signing in");
			return undefined;
		}
		if (this.isDeclined) return undefined;
		this.prompt ??= this.askUser(methods);
		return this.prompt;
	}

	/** Records that a method is being tried, so that it can be tried again. */
	used(methodId: string): void {
		this.prompt = undefined;
		this.chosen = methodId;
	}

	/** Called when signing in failed or was declined. Reports the reason and stops prompting. */
	decline(reason: string): void {
		this.prompt = undefined;
		this.chosen = undefined;
		this.isDeclined = true;
		this.notifier.report("sign-in", reason);
	}

	/** Allows prompting again. An open prompt stays open. */
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
		// Async, so that a synchronous throw does not reset `prompt` before it is assigned.
		const answered = (async () => this.host.signIn?.(methods))();
		try {
			const methodId = await Promise.race([answered, dismissed]);
			if (methodId === undefined) this.decline("sign in to get suggestions");
			return methodId;
		} catch (error) {
			this.decline(`signing in failed: ${messageOf(error)}`);
			return undefined;
		} finally {
			callOff();
		}
	}
}

import type { EndReason, OtherAgentSession } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import type * as eca from "@segue/protocol/eca";
import { RpcError } from "@segue/rpc";
import type { PromptProblem } from "../encoding/eca-version.js";
import { chooseWith } from "../selection.js";

/** Another agent that handles the prompts of one chat. Tracks its choices and whether the user has to sign in. */
export class DelegatedAgent {
	private its: OtherAgentSession | undefined;
	/** Whether the last turn failed because the user has to sign in. */
	private needsSignIn = false;
	/** The choices last sent to the editor, as JSON. */
	private offered = "";

	constructor(
		/** Opens the agent's session for the chat. Rejects with an RpcError if the user has to fix something. */
		private readonly open: () => Promise<OtherAgentSession>,
		/** Sends the chat's choices to the editor. */
		private readonly announce: () => Promise<void>,
	) {}

	get windowTokens(): number | undefined {
		return this.its?.windowTokens;
	}

	async session(): Promise<OtherAgentSession> {
		this.its = await this.open();
		return this.its;
	}

	/** Returns why the agent cannot handle a prompt, if that is known in advance. */
	async problem(): Promise<PromptProblem | undefined> {
		// The user may have signed in since.
		return this.needsSignIn ? await this.signInProblem() : undefined;
	}

	/** Applies the choices of a prompt, if the agent offers them. */
	async instruct(its: OtherAgentSession, params: eca.PromptParams, signal: AbortSignal): Promise<void> {
		this.its = its;
		const { model, variant, agent, behavior } = params;
		try {
			for (const wish of [{ model }, { variant }, { agent: agent ?? behavior }]) {
				await chooseWith(its, wish, its.agentName, signal);
			}
		} catch (error) {
			if (!(error instanceof RpcError)) throw error;
		}
		await this.announceOffered();
	}

	/**
	 * Called after a turn. A prompt's response can precede the agent's start, so it relies on the outcome of the previous
	 * turn.
	 */
	async ended(reason: EndReason): Promise<void> {
		this.needsSignIn = reason === "failed" && (await this.signInProblem()) !== undefined;
		await this.announceOffered();
	}

	/** Returns a problem if the user has to sign in. The turn reports all other problems. */
	private async signInProblem(): Promise<PromptProblem | undefined> {
		try {
			await this.session();
			return undefined;
		} catch (error) {
			if (!(error instanceof RpcError || error instanceof StoreError)) throw error;
			// Loaded lazily to keep it out of the server's startup.
			const acp = await import("@segue/protocol/acp");
			const isSignIn = error instanceof RpcError && error.code === acp.ErrorCode.authRequired;
			return isSignIn ? { kind: "login", why: error.message } : undefined;
		}
	}

	/** Sends the agent's choices to the editor if they have changed. */
	private async announceOffered(): Promise<void> {
		const { its } = this;
		if (its?.isOpen !== true) return;
		const offered = JSON.stringify((["mode", "model", "effort"] as const).map((kind) => its.choice(kind)));
		if (offered === this.offered) return;
		this.offered = offered;
		await this.announce();
	}
}

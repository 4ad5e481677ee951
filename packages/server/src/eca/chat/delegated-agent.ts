import type { EndReason, OtherAgentSession } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import type * as eca from "@segue/protocol/eca";
import { RpcError } from "@segue/rpc";
import type { PromptProblem } from "../encoding/eca-version.js";
import { chooseWith } from "../selection.js";

/**
 * An external agent that handles one chat's prompts. Tracks the agent's choices and whether the user has to sign in.
 */
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
		// The user may have signed in since then.
		return this.needsSignIn ? await this.signInProblem() : undefined;
	}

	/** Applies the model, variant and agent chosen in a prompt, if the external agent offers them. */
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
	 * Called after a turn. Records whether the user has to sign in, because the response to the next prompt may be sent
	 * before the agent starts.
	 */
	async ended(reason: EndReason): Promise<void> {
		this.needsSignIn = reason === "failed" && (await this.signInProblem()) !== undefined;
		await this.announceOffered();
	}

	/** Returns a problem if the user has to sign in. Other problems are reported by the turn. */
	private async signInProblem(): Promise<PromptProblem | undefined> {
		try {
			await this.session();
			return undefined;
		} catch (error) {
			if (!(error instanceof RpcError || error instanceof StoreError)) throw error;
			// Loaded lazily to keep the server's startup fast.
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

import type { EndReason, OtherAgentSession } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import type * as eca from "@segue/protocol/eca";
import { RpcError } from "@segue/rpc";
import type { PromptProblem } from "../encoding/eca-version.js";
import { chooseWith } from "../selection.js";

/** Another agent that answers in one chat: the choices that it offers there, and whether the user has to sign in to it. */
export class DelegatedAgent {
	private its: OtherAgentSession | undefined;
	/** Whether the last turn failed because the user has to sign in. */
	private isSignInWanted = false;
	/** The choices that the editor was last sent, as JSON. */
	private offered = "";

	constructor(
		/** Opens its session for the chat. Rejects with an RpcError if the user has to fix something. */
		private readonly open: () => Promise<OtherAgentSession>,
		/** Sends the editor the choices of the chat. */
		private readonly announce: () => Promise<void>,
	) {}

	get windowTokens(): number | undefined {
		return this.its?.windowTokens;
	}

	async session(): Promise<OtherAgentSession> {
		this.its = await this.open();
		return this.its;
	}

	/** Why it will not answer a prompt, as far as that is known before it gets it. */
	async problem(): Promise<PromptProblem | undefined> {
		// Somebody may have signed in meanwhile.
		return this.isSignInWanted ? await this.signInFor() : undefined;
	}

	/** Sets the choices that a prompt names, if the agent offers them. */
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

	/** Its turn is over. A prompt is answered before the agent may have started, so the next one goes by what became of this one. */
	async ended(reason: EndReason): Promise<void> {
		this.isSignInWanted = reason === "failed" && (await this.signInFor()) !== undefined;
		await this.announceOffered();
	}

	/** Whether it wants somebody to sign in. Why else it does not answer was told by the turn. */
	private async signInFor(): Promise<PromptProblem | undefined> {
		try {
			await this.session();
			return undefined;
		} catch (error) {
			if (!(error instanceof RpcError || error instanceof StoreError)) throw error;
			// Loaded with the agent, because the server starts before that.
			const acp = await import("@segue/protocol/acp");
			const isWanted = error instanceof RpcError && error.code === acp.ErrorCode.authRequired;
			return isWanted ? { kind: "login", why: error.message } : undefined;
		}
	}

	/** Sends the editor the agent's choices if they have changed. */
	private async announceOffered(): Promise<void> {
		const { its } = this;
		if (its?.isOpen !== true) return;
		const offered = JSON.stringify((["mode", "model", "effort"] as const).map((kind) => its.choice(kind)));
		if (offered === this.offered) return;
		this.offered = offered;
		await this.announce();
	}
}

import type { AgentSession, EndReason } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import type { PromptParams } from "@segue/protocol/eca";
import { RpcError } from "@segue/rpc";
import type { Trouble } from "./dialect.js";
import { chooseWith } from "./selection.js";

/** Another agent, as one that answers in a chat: what it offers there, and whether it wants somebody to sign in. */
export class OtherAgent {
	private its: AgentSession | undefined;
	/** Whether it did not answer the last time because it wants somebody to sign in. */
	private isSignInWanted = false;
	/** What it offers, as the editor was last told. */
	private offered = "";

	constructor(
		/** Gives its session for the chat. Rejects with an RpcError for what the user has to mend. */
		private readonly open: () => Promise<AgentSession>,
		/** Tells the editor what can be chosen in the chat. */
		private readonly announce: () => Promise<void>,
	) {}

	get windowTokens(): number | undefined {
		return this.its?.windowTokens;
	}

	async meet(): Promise<AgentSession> {
		this.its = await this.open();
		return this.its;
	}

	/** Why it will not answer a prompt, as far as that is known before it gets it. */
	async trouble(): Promise<Trouble | undefined> {
		// Somebody may have signed in meanwhile.
		return this.isSignInWanted ? await this.signInFor() : undefined;
	}

	/** Has it take up what a prompt says, as far as it has that. */
	async instruct(its: AgentSession, params: PromptParams, signal: AbortSignal): Promise<void> {
		this.its = its;
		const { model, variant, agent, behavior } = params;
		const { name } = its.agent.setting.command;
		try {
			for (const wish of [{ model }, { variant }, { agent: agent ?? behavior }]) {
				await chooseWith(its, wish, name, signal);
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
	private async signInFor(): Promise<Trouble | undefined> {
		try {
			await this.meet();
			return undefined;
		} catch (error) {
			if (!(error instanceof RpcError || error instanceof StoreError)) throw error;
			// With the agent it is loaded, and the door is to be open before that.
			const { AcpErrorCode } = await import("@segue/protocol/acp");
			const isWanted = error instanceof RpcError && error.code === AcpErrorCode.authRequired;
			return isWanted ? { kind: "login", why: error.message } : undefined;
		}
	}

	/** Tells the editor what it offers, where that is something else than before. */
	private async announceOffered(): Promise<void> {
		if (this.its?.isOpen !== true) return;
		const offered = JSON.stringify([this.its.modes, this.its.configOptions]);
		if (offered === this.offered) return;
		this.offered = offered;
		await this.announce();
	}
}

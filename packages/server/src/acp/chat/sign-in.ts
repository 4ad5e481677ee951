import type { Chat } from "@segue/agent/chat/chat";
import { type AgentDescription, acpAgent, type VerbatimAgent } from "@segue/assist/acp";
import * as acp from "@segue/protocol/acp";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../../engine-error.js";
import type { Introduction } from "../chat-server.js";

/** How a client signs in: to the agent behind Segue, or to a model, by a key that somebody types in a terminal. */
export class ChatSignIn {
	/** The methods for models that the client was told of. */
	private offered: readonly acp.AuthMethod[] = [];
	/** The methods of the agent behind Segue: those of its cached description until it was started. */
	private agentMethods: readonly acp.AuthMethod[] | undefined;

	constructor(private readonly chat: Chat) {}

	/**
	 * Undefined if chat has nothing to add to the initialize response. Starts the agent behind Segue and resolves at once if it
	 * was started before. Rejects, or calls `failed` after that, if it does not start.
	 */
	introduce(client: acp.ClientCapabilities, failed: (error: unknown) => void): Promise<Introduction> | undefined {
		const { agent, missingKey } = this.chat;
		if (agent !== undefined) {
			return this.withAgent(async (other) => {
				const introduced = other.introduce(agent.folder, client).then((description) => {
					const introduction = introductionOf(description);
					this.agentMethods = introduction.authMethods;
					return introduction;
				});
				const last = other.lastDescription(client);
				if (last === undefined) return introduced;
				introduced.catch(failed);
				const introduction = introductionOf(last);
				this.agentMethods ??= introduction.authMethods;
				return introduction;
			});
		}
		if (missingKey === undefined || client.auth?.terminal !== true) return undefined;
		return this.keyMethods().then((authMethods) => {
			this.offered = authMethods;
			return { authMethods, capabilities: {} };
		});
	}

	/** Undefined if there is nothing to sign in to. */
	authenticate(params: ParamsOf<typeof acp.authenticate>): Promise<ResultOf<typeof acp.authenticate>> | undefined {
		if (this.chat.agent !== undefined) return this.withAgent((agent) => agent.authenticate(params));
		return this.chat.missingKey && this.checkKey(params.methodId).then(() => ({}));
	}

	logout(params: ParamsOf<typeof acp.logout>): Promise<ResultOf<typeof acp.logout>> | undefined {
		return this.chat.agent && this.withAgent((agent) => agent.logout(params));
	}

	/**
	 * An error for the client. If the agent behind Segue wants the user to sign in, it has the agent's methods in its data: the
	 * response to `initialize` may have come before they were known.
	 */
	withMethods(error: unknown): unknown {
		const { agentMethods: authMethods } = this;
		if (!(error instanceof RpcError) || error.code !== acp.ErrorCode.authRequired || !authMethods) return error;
		return new RpcError(error.code, error.message, { ...(error.data as object | undefined), authMethods });
	}

	private async withAgent<T>(ask: (agent: VerbatimAgent) => Promise<T>): Promise<T> {
		try {
			const agent = await this.chat.agent?.open();
			if (agent === undefined) throw new Error("no agent was named");
			return await ask(acpAgent(agent));
		} catch (error) {
			return rejectForPeer(error);
		}
	}

	/** The key was typed in a terminal, by another process. */
	private async checkKey(methodId: string): Promise<void> {
		if (!this.offered.some(({ id }) => id === methodId)) {
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.methodId: there is no such method");
		}
		const missing = await this.keyMethods();
		if (missing.some(({ id }) => id === methodId)) {
			const how = "run the agent in a terminal with the method's args, and type the key there";
			throw new RpcError(acp.ErrorCode.authRequired, `There is no key yet: ${how}`, { reason: "auth_failed" });
		}
		await this.chat.keysChanged?.();
	}

	/** An editor runs this command once more in a terminal, with these arguments behind its own. */
	private async keyMethods(): Promise<acp.AuthMethod[]> {
		const provider = await this.chat.missingKey?.();
		if (provider === undefined) return [];
		const description = `Stores a key for ${provider}, as segue login ${provider} does.`;
		const method = { id: `login-${provider}`, name: `Key for ${provider}`, description };
		return [{ ...method, type: "terminal", args: ["--login", provider], env: {} }];
	}
}

function introductionOf({ capabilities, authMethods }: AgentDescription): Introduction {
	const { promptCapabilities: takes, mcpCapabilities: reaches, auth } = capabilities;
	return {
		authMethods: authMethods.map((method) => {
			if (method.type !== "terminal") return method;
			// The editor runs Segue in the terminal, and Segue runs the agent.
			return { ...method, args: ["--sign-in", JSON.stringify(method.args ?? [])] };
		}),
		capabilities: {
			// Embedded text is sent as text to an agent that does not accept it.
			promptCapabilities: { image: takes?.image === true, audio: takes?.audio === true, embeddedContext: true },
			mcpCapabilities: { http: reaches?.http === true, sse: false },
			...(auth?.logout != null && { auth: { logout: {} } }),
		},
	};
}

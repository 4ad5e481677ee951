import type { Chat } from "@segue/agent/chat/chat";
import { type AgentDescription, acpAgent, type VerbatimAgent } from "@segue/assist/acp";
import * as acp from "@segue/protocol/acp";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../../engine-error.js";
import type { Introduction } from "../chat-server.js";

/** Signs clients in to the external agent, or to a model provider with a key that the user enters in a terminal. */
export class ChatSignIn {
	/** Sign-in methods for models, as sent to the client. */
	private offered: readonly acp.AuthMethod[] = [];
	/** The external agent's sign-in methods, taken from its cached description until the agent has started. */
	private agentMethods: readonly acp.AuthMethod[] | undefined;

	constructor(private readonly chat: Chat) {}

	/**
	 * Starts the external agent. Returns undefined if chat has nothing to add to the initialize response. If the agent's
	 * description is cached, resolves with it immediately and calls `failed` if the agent does not start. Otherwise waits
	 * for the agent, and rejects if it does not start.
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

	/** Returns undefined if there is nothing to sign in to. */
	authenticate(params: ParamsOf<typeof acp.authenticate>): Promise<ResultOf<typeof acp.authenticate>> | undefined {
		if (this.chat.agent !== undefined) return this.withAgent((agent) => agent.authenticate(params));
		return this.chat.missingKey && this.checkKey(params.methodId).then(() => ({}));
	}

	logout(params: ParamsOf<typeof acp.logout>): Promise<ResultOf<typeof acp.logout>> | undefined {
		return this.chat.agent && this.withAgent((agent) => agent.logout(params));
	}

	/**
	 * Adds the external agent's sign-in methods to an error that requires authentication, because the methods may not
	 * have been available for the response to `initialize`. Returns other errors unchanged.
	 */
	withMethods(error: unknown): unknown {
		const { agentMethods: authMethods } = this;
		if (!(error instanceof RpcError) || error.code !== acp.ErrorCode.authRequired || !authMethods) return error;
		return new RpcError(error.code, error.message, { ...(error.data as object | undefined), authMethods });
	}

	private async withAgent<T>(ask: (agent: VerbatimAgent) => Promise<T>): Promise<T> {
		try {
			const agent = await this.chat.agent?.open();
			if (agent === undefined) throw new Error("no external agent is configured");
			return await ask(acpAgent(agent));
		} catch (error) {
			return rejectForPeer(error);
		}
	}

	/** Checks that the user has entered the key in a terminal, where another process saves it. */
	private async checkKey(methodId: string): Promise<void> {
		if (!this.offered.some(({ id }) => id === methodId)) {
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.methodId: unknown method");
		}
		const missing = await this.keyMethods();
		if (missing.some(({ id }) => id === methodId)) {
			const how = "Run the agent in a terminal with the method's args and enter the key there.";
			throw new RpcError(acp.ErrorCode.authRequired, `No key found. ${how}`, { reason: "auth_failed" });
		}
		await this.chat.keysChanged?.();
	}

	/** Returns sign-in methods for which the editor runs this program in a terminal with additional arguments. */
	private async keyMethods(): Promise<acp.AuthMethod[]> {
		const provider = await this.chat.missingKey?.();
		if (provider === undefined) return [];
		const description = `Saves a key for ${provider}, like segue login ${provider}.`;
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
			// If the agent does not accept embedded resources, their content is sent as plain text.
			promptCapabilities: { image: takes?.image === true, audio: takes?.audio === true, embeddedContext: true },
			mcpCapabilities: { http: reaches?.http === true, sse: false },
			...(auth?.logout != null && { auth: { logout: {} } }),
		},
	};
}

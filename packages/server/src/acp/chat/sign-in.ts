import type { Chat } from "@segue/agent/chat/chat";
import { type AgentDescription, acpAgent, type VerbatimAgent } from "@segue/assist/acp";
import { AcpErrorCode, type AuthMethod, type acp, type ClientCapabilities } from "@segue/protocol/acp";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../../engine-error.js";
import type { Introduction } from "../chat-server.js";

/** How a client signs in: to the agent behind Segue, or to a model, by a key that somebody types in a terminal. */
export class ChatSignIn {
	/** The methods for models that the client was told of. */
	private offered: readonly AuthMethod[] = [];

	constructor(private readonly chat: Chat) {}

	/** Undefined if chat has nothing to add to the initialize response. Rejects if the other agent does not start. */
	introduce(client: ClientCapabilities): Promise<Introduction> | undefined {
		const { agent, missingKey } = this.chat;
		if (agent !== undefined) {
			return this.withAgent(async (other) => introductionOf(await other.introduce(agent.folder, client)));
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
			throw new RpcError(AcpErrorCode.authRequired, `There is no key yet: ${how}`, { reason: "auth_failed" });
		}
		await this.chat.keysChanged?.();
	}

	/** An editor runs this command once more in a terminal, with these arguments behind its own. */
	private async keyMethods(): Promise<AuthMethod[]> {
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

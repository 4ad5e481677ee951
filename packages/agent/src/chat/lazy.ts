import { AcpErrorCode, type AuthMethod, type ClientCapabilities } from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";
import type { HostProcess } from "../host-process.js";
import type { Chat, Introduction, SignIn } from "./chat.js";
import type { ChatEngines } from "./engines.js";

/** Chat for an editor that may never chat: nothing of it is loaded before the first session, or another agent is named. */
export class LazyChat implements Chat {
	readonly clock = {
		after: (delayMs: number, run: () => void) => {
			const timer = setTimeout(run, delayMs);
			return () => clearTimeout(timer);
		},
	};
	readonly agent: SignIn | undefined;
	private engines: Promise<ChatEngines> | undefined;
	/** How somebody can sign in to a model. */
	private offered: readonly AuthMethod[] = [];

	constructor(
		private readonly said: string | undefined,
		private readonly tell: (text: string) => void,
		private readonly process: HostProcess,
	) {
		if (said === undefined) return;
		this.agent = {
			authenticate: async (params) => (await this.loaded()).authenticate(params),
			logout: async (params) => (await this.loaded()).logout(params),
		};
	}

	introduce(capabilities: ClientCapabilities): Promise<Introduction> | undefined {
		if (this.said !== undefined) return this.loaded().then((engines) => engines.introduce(capabilities));
		return capabilities.auth?.terminal === true ? this.introduceModels() : undefined;
	}

	async signIn(methodId: string): Promise<void> {
		const method = this.offered.find(({ id }) => id === methodId);
		if (method === undefined) {
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.methodId: there is no such method");
		}
		const missing = await this.signIns();
		if (missing.some(({ id }) => id === methodId)) {
			const how = "run the agent in a terminal with the method's args, and type the key there";
			throw new RpcError(AcpErrorCode.authRequired, `There is no key yet: ${how}`, { reason: "auth_failed" });
		}
		await (await this.engines)?.keysChanged();
	}

	async engineFor(folder: string | undefined) {
		return (await this.loaded()).engineFor(folder);
	}

	async close(): Promise<void> {
		await (await this.engines)?.close();
	}

	/** A model that wants a key can be had by an editor that runs us in a terminal, where somebody types it. */
	private async introduceModels(): Promise<Introduction> {
		this.offered = await this.signIns();
		return { authMethods: this.offered, capabilities: {} };
	}

	private loaded(): Promise<ChatEngines> {
		this.engines ??= import("./engines.js").then(({ ChatEngines }) => {
			const { env, cwd, startAgent } = this.process;
			return new ChatEngines({ env, folder: cwd(), agent: this.said, tell: this.tell, startAgent });
		});
		return this.engines;
	}

	private async signIns(): Promise<AuthMethod[]> {
		const { signInsFor } = await import("../config/sign-in.js");
		return signInsFor({ folder: this.process.cwd(), env: this.process.env });
	}
}

import type { ClientCapabilities } from "@segue/protocol/acp";
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

	constructor(
		private readonly said: string | undefined,
		private readonly tell: (text: string) => void,
	) {
		if (said === undefined) return;
		this.agent = {
			authenticate: async (params) => (await this.loaded()).authenticate(params),
			logout: async (params) => (await this.loaded()).logout(params),
		};
	}

	introduce(capabilities: ClientCapabilities): Promise<Introduction> | undefined {
		if (this.said !== undefined) return this.loaded().then((engines) => engines.introduce(capabilities));
		return capabilities.auth?.terminal === true ? introduceModels() : undefined;
	}

	async engineFor(folder: string | undefined) {
		return (await this.loaded()).engineFor(folder);
	}

	async close(): Promise<void> {
		await (await this.engines)?.close();
	}

	private loaded(): Promise<ChatEngines> {
		this.engines ??= import("./engines.js").then(({ ChatEngines }) => {
			return new ChatEngines(process.env, process.cwd(), this.said, this.tell);
		});
		return this.engines;
	}
}

/** A model that wants a key can be had by an editor that runs us in a terminal, where somebody types it. */
async function introduceModels(): Promise<Introduction> {
	const { signInsFor } = await import("../configuration/sign-in.js");
	return { authMethods: signInsFor({ folder: process.cwd(), env: process.env }), capabilities: {} };
}

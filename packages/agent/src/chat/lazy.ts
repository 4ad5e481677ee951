import type { HostProcess } from "../host-process.js";
import type { Chat, NamedAgent } from "./chat.js";
import type { ChatEngines } from "./engines.js";

/** Chat for an editor that may never chat: nothing of it is loaded before the first session, or another agent is named. */
export class LazyChat implements Chat {
	readonly clock = {
		after: (delayMs: number, run: () => void) => {
			const timer = setTimeout(run, delayMs);
			return () => clearTimeout(timer);
		},
	};
	readonly agent: NamedAgent | undefined;
	private engines: Promise<ChatEngines> | undefined;

	constructor(
		private readonly said: string | undefined,
		private readonly tell: (text: string) => void,
		private readonly process: HostProcess,
	) {
		if (said === undefined) return;
		this.agent = { folder: process.cwd(), open: async () => (await this.loaded()).otherAgent() };
	}

	async engineFor(folder: string | undefined) {
		return (await this.loaded()).engineFor(folder);
	}

	readonly missingKey = async (): Promise<string | undefined> => {
		const { providerWithoutKey } = await import("../config/configuration.js");
		return providerWithoutKey({ folder: this.process.cwd(), env: this.process.env });
	};

	readonly keysChanged = async (): Promise<void> => {
		await (await this.engines)?.keysChanged();
	};

	async close(): Promise<void> {
		await (await this.engines)?.close();
	}

	private loaded(): Promise<ChatEngines> {
		this.engines ??= import("./engines.js").then(({ ChatEngines }) => {
			const { env, cwd, startAgent } = this.process;
			return new ChatEngines({ env, folder: cwd(), agent: this.said, tell: this.tell, startAgent });
		});
		return this.engines;
	}
}

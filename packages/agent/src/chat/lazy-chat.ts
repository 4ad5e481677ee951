import { startTimer } from "@segue/text";
import type { HostProcess } from "../host-process.js";
import type { Chat, NamedAgent } from "./chat.js";
import type { EnginePool } from "./engine-pool.js";

/** Loads chat on first use, because an editor may never need it. */
export class LazyChat implements Chat {
	readonly clock = { after: startTimer };
	readonly agent: NamedAgent | undefined;
	private engines: Promise<EnginePool> | undefined;

	constructor(
		private readonly agentName: string | undefined,
		private readonly notify: (text: string) => void,
		private readonly process: HostProcess,
	) {
		if (agentName === undefined) return;
		this.agent = { folder: process.cwd(), open: async () => (await this.loaded()).otherAgent() };
	}

	async acquireEngine(folder: string | undefined) {
		return (await this.loaded()).acquire(folder);
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

	private loaded(): Promise<EnginePool> {
		this.engines ??= import("./engine-pool.js").then(({ EnginePool }) => {
			const { env, cwd, startAgent } = this.process;
			return new EnginePool({ env, folder: cwd(), agent: this.agentName, notify: this.notify, startAgent });
		});
		return this.engines;
	}
}

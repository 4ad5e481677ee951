import type { Chat } from "./chat.js";
import type { ChatEngines } from "./engines.js";

/** Chat for an editor that may never chat: nothing of it is loaded before the first session. */
export class LazyChat implements Chat {
	readonly clock = {
		after: (delayMs: number, run: () => void) => {
			const timer = setTimeout(run, delayMs);
			return () => clearTimeout(timer);
		},
	};
	private engines: Promise<ChatEngines> | undefined;

	constructor(
		private readonly agent: string | undefined,
		private readonly tell: (text: string) => void,
	) {}

	async engineFor(folder: string | undefined) {
		this.engines ??= import("./engines.js").then(({ ChatEngines }) => {
			return new ChatEngines(process.env, process.cwd(), this.agent, this.tell);
		});
		return (await this.engines).engineFor(folder);
	}

	async close(): Promise<void> {
		await (await this.engines)?.close();
	}
}

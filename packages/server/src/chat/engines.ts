import { type OpenedStore, StoreError } from "@segue/assist";
import { ErrorCode, RpcError } from "@segue/rpc";
import { readConfiguration } from "../configuration/configuration.js";
import { Refusal } from "../configuration/refusal.js";
import { type Engine, openEngine, openStore } from "./engine.js";

// Far more folders than anybody works in at a time.
const ENGINES_MAX = 64;

/** The chat engines of one process, one for each folder, since each may be configured otherwise. All use one store. */
export class ChatEngines {
	private readonly engines = new Map<string, Promise<Engine>>();
	private store: Promise<OpenedStore> | undefined;

	constructor(
		private readonly env: NodeJS.ProcessEnv,
		/** The folder whose configuration says where threads are kept. */
		private readonly home: string,
		private readonly agent: string | undefined,
		private readonly tell: (notice: string) => void,
	) {}

	/** Rejects with an RpcError that says what the user has to mend; when that is done, the next try succeeds. */
	async engineFor(folder: string = this.home): Promise<Engine> {
		const known = this.engines.get(folder);
		if (known !== undefined) return known;
		if (this.engines.size >= ENGINES_MAX) {
			throw new RpcError(ErrorCode.busy, `Busy: ${ENGINES_MAX} folders are in use; start another agent`);
		}
		const opening = this.open(folder);
		this.engines.set(folder, opening);
		opening.catch(() => this.engines.delete(folder));
		return opening;
	}

	async close(): Promise<void> {
		const engines = await Promise.allSettled(this.engines.values());
		await Promise.all(engines.map((engine) => engine.status === "fulfilled" && engine.value.close()));
		const store = await this.store?.catch(() => undefined);
		await store?.store.close();
	}

	private async open(workspace: string): Promise<Engine> {
		const { env } = this;
		try {
			const store = await this.openedStore();
			const engine = await openEngine({
				...{ workspace, env, store, agent: this.agent, report: this.tell },
				...{ model: undefined, effort: undefined, mode: undefined, rules: [] },
			});
			for (const notice of engine.notices) this.tell(notice);
			return engine;
		} catch (error) {
			if (!(error instanceof Refusal || error instanceof StoreError)) throw error;
			throw new RpcError(ErrorCode.internal, error.message);
		}
	}

	private openedStore(): Promise<OpenedStore> {
		this.store ??= openStore(readConfiguration({ folder: this.home, env: this.env, flags: {} }));
		this.store.catch(() => {
			this.store = undefined;
		});
		return this.store;
	}
}

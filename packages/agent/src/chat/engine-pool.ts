import { type AgentMemory, agentProcesses, type OpenedStore, type OtherAgent, type StartAgent } from "@segue/assist";
import * as z from "zod";
import { readConfiguration } from "../config/configuration.js";
import { readPrivateText, writePrivately } from "../config/file.js";
import type { EditorConfiguration } from "../config/layer.js";
import { userFilesOf } from "../config/user-files.js";
import { type AcquiredEngine, EnginePoolFull } from "./chat.js";
import { type Engine, openEngine, openStore } from "./engine.js";

// Far more folders than a user works in at the same time.
const ENGINES_MAX = 64;
// More notices than a user's configuration files can cause. Beyond that, a notice may be sent again.
const NOTICES_MAX = 100;

export interface EnginePoolSettings {
	readonly env: NodeJS.ProcessEnv;
	/** The default folder. Its configuration determines the store. */
	readonly folder: string;
	/** The name or command line of another agent, used instead of a model. */
	readonly agent: string | undefined;
	/** Receives notices about the configuration, and log lines from other agents. */
	readonly notify: (notice: string) => void;
	readonly editor?: EditorConfiguration | undefined;
	readonly startAgent?: StartAgent | undefined;
}

/**
 * The chat engines in one process: one for each folder in use, because each folder has its own configuration. They
 * share one store, which stays open.
 */
export class EnginePool {
	/** Keyed by folder. */
	private readonly engines = new Map<string, PooledEngine>();
	/**
	 * Engines that are closing, by folder. The folder's next engine waits for them, because both would use the same agent
	 * sessions.
	 */
	private readonly closing = new Map<string, Promise<void>>();
	private readonly notified = new Set<string>();
	private store: Promise<OpenedStore> | undefined;
	private readonly processes = agentProcesses();
	private named: Promise<AcquiredEngine> | undefined;

	constructor(private readonly settings: EnginePoolSettings) {}

	/** Rejects with a `UserError` or `StoreError` that explains what to fix. */
	async acquire(folder: string = this.settings.folder): Promise<AcquiredEngine & { readonly engine: Engine }> {
		const known = this.engines.get(folder);
		const pooled = known ?? this.add(folder);
		pooled.count++;
		const engine = await pooled.engine;
		if (known !== undefined) engine.reload();
		let isOut = true;
		const release = () => {
			if (isOut) this.releaseEngine(folder, pooled, engine);
			isOut = false;
		};
		return { engine, release };
	}

	/** Returns the agent that the user selected. It comes from the default folder's engine, which then stays open. */
	async otherAgent(): Promise<OtherAgent> {
		this.named ??= this.acquire();
		this.named.catch(() => {
			this.named = undefined;
		});
		const { otherAgent } = (await this.named).engine.assist;
		if (otherAgent === undefined) throw new Error("no other agent is configured");
		return otherAgent;
	}

	/** Reloads all engines after a key has changed. Running turns are not affected. */
	async keysChanged(): Promise<void> {
		const engines = await Promise.allSettled([...this.engines.values()].map(({ engine }) => engine));
		for (const engine of engines) if (engine.status === "fulfilled") engine.value.reload();
	}

	/** Closes all engines, even those in use. */
	async close(): Promise<void> {
		const engines = await Promise.allSettled([...this.engines.values()].map(({ engine }) => engine));
		this.engines.clear();
		const closed = engines.map((engine) => engine.status === "fulfilled" && engine.value.close());
		// Other agents have been asked to cancel their turns. Don't wait for their responses.
		await Promise.all([...closed, ...this.closing.values(), this.processes.close()]);
		const store = await this.store?.catch(() => undefined);
		await store?.store.close();
	}

	private add(folder: string): PooledEngine {
		if (this.engines.size >= ENGINES_MAX) {
			throw new EnginePoolFull(`Busy: ${ENGINES_MAX} folders are in use; close a session in one of them`);
		}
		const pooled: PooledEngine = { engine: this.open(folder), count: 0 };
		this.engines.set(folder, pooled);
		pooled.engine.catch(() => this.engines.delete(folder));
		return pooled;
	}

	private releaseEngine(folder: string, pooled: PooledEngine, engine: Engine): void {
		pooled.count--;
		if (pooled.count > 0 || this.engines.get(folder) !== pooled) return;
		this.engines.delete(folder);
		const closed = engine.close().finally(() => this.closing.delete(folder));
		this.closing.set(folder, closed);
	}

	private async open(workspace: string): Promise<Engine> {
		const { env, editor, agent, notify: report, startAgent } = this.settings;
		await this.closing.get(workspace);
		const store = await this.openedStore();
		const engine = await openEngine({
			...{ workspace, env, editor, store, agent, report, startAgent, processes: this.processes },
			memory: new AgentDescriptionFile(userFilesOf(env).agents, report),
			...{ model: undefined, effort: undefined, mode: undefined, rules: [] },
		});
		this.notifyOnce(engine.notices);
		return engine;
	}

	/** Listing sessions can open an engine each time, so each notice is sent only once. */
	private notifyOnce(notices: readonly string[]): void {
		for (const notice of notices) {
			if (this.notified.has(notice)) continue;
			if (this.notified.size >= NOTICES_MAX) this.notified.clear();
			this.notified.add(notice);
			this.settings.notify(notice);
		}
	}

	private openedStore(): Promise<OpenedStore> {
		const { folder, env } = this.settings;
		this.store ??= openStore(readConfiguration({ folder, env, flags: {} }));
		this.store.catch(() => {
			this.store = undefined;
		});
		return this.store;
	}
}

interface PooledEngine {
	readonly engine: Promise<Engine>;
	/** Reference count. */
	count: number;
}

/** More agents than any user has. The oldest entry is evicted. */
const ENTRIES_MAX = 32;

const entries = z.array(z.tuple([z.string(), z.string()]));

/** A file that caches other agents' descriptions of themselves. An unreadable file counts as empty. */
export class AgentDescriptionFile implements AgentMemory {
	constructor(
		private readonly file: string,
		private readonly report: (line: string) => void,
	) {}

	recall(key: string): string | undefined {
		return this.read().find(([each]) => each === key)?.[1];
	}

	/** If another process writes at the same time, one entry is lost. It is stored again on that agent's next start. */
	store(key: string, text: string): void {
		const kept = this.read().filter(([each]) => each !== key);
		try {
			writePrivately(this.file, JSON.stringify([...kept, [key, text]].slice(-ENTRIES_MAX)));
		} catch (error) {
			this.report((error as Error).message);
		}
	}

	private read(): z.output<typeof entries> {
		try {
			return entries.parse(JSON.parse(readPrivateText(this.file) ?? "[]"));
		} catch {
			return [];
		}
	}
}

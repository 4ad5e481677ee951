import { type AgentMemory, agentProcesses, type OpenedStore, type OtherAgent, type StartAgent } from "@segue/assist";
import * as z from "zod";
import { readConfiguration } from "../config/configuration.js";
import { readPrivateText, writePrivately } from "../config/file.js";
import type { EditorConfiguration } from "../config/layer.js";
import { userFilesOf } from "../config/user-files.js";
import { type AcquiredEngine, EnginePoolFull } from "./chat.js";
import { type Engine, openEngine, openStore } from "./engine.js";

// Far more folders than anybody works in at a time.
const ENGINES_MAX = 64;
// More than all configuration files of a person have mistakes at once. Beyond that, one is told again.
const NOTICES_MAX = 100;

export interface EnginePoolSettings {
	readonly env: NodeJS.ProcessEnv;
	/** The usual folder. Its configuration says where threads are stored. */
	readonly folder: string;
	/** Another agent that answers instead of a model: its name, or its command line. */
	readonly agent: string | undefined;
	/** Receives notices about the configuration, and log lines of other agents. */
	readonly notify: (notice: string) => void;
	readonly editor?: EditorConfiguration | undefined;
	readonly startAgent?: StartAgent | undefined;
}

/**
 * The chat engines of one process, one for each folder that somebody works in, since each may be configured otherwise. All use
 * one store, which stays open.
 */
export class EnginePool {
	/** By folder. */
	private readonly engines = new Map<string, PooledEngine>();
	/** Engines that are ending, by folder: the next one of the folder waits, since both would have the same agent's sessions. */
	private readonly ending = new Map<string, Promise<void>>();
	private readonly notified = new Set<string>();
	private store: Promise<OpenedStore> | undefined;
	private readonly processes = agentProcesses();
	private named: Promise<AcquiredEngine> | undefined;

	constructor(private readonly settings: EnginePoolSettings) {}

	/** Rejects with a `UserError` or a `StoreError` that says what the user has to fix; then the next call succeeds. */
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

	/** The agent that the user named, in the engine of the usual folder, which is kept from then on. */
	async otherAgent(): Promise<OtherAgent> {
		this.named ??= this.acquire();
		this.named.catch(() => {
			this.named = undefined;
		});
		const { otherAgent } = (await this.named).engine.assist;
		if (otherAgent === undefined) throw new Error("no agent was named");
		return otherAgent;
	}

	/** A key is another than before: all engines know of it, and turns that are under way go on as they are. */
	async keysChanged(): Promise<void> {
		const engines = await Promise.allSettled([...this.engines.values()].map(({ engine }) => engine));
		for (const engine of engines) if (engine.status === "fulfilled") engine.value.reload();
	}

	/** Ends all of them, whoever has them. */
	async close(): Promise<void> {
		const engines = await Promise.allSettled([...this.engines.values()].map(({ engine }) => engine));
		this.engines.clear();
		const ended = engines.map((engine) => engine.status === "fulfilled" && engine.value.close());
		// By now, other agents were told that their turns are cancelled; what they make of that nobody waits for.
		await Promise.all([...ended, ...this.ending.values(), this.processes.close()]);
		const store = await this.store?.catch(() => undefined);
		await store?.store.close();
	}

	private add(folder: string): PooledEngine {
		if (this.engines.size >= ENGINES_MAX) {
			throw new EnginePoolFull(`Busy: ${ENGINES_MAX} folders are in use; start another agent`);
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
		const ended = engine.close().finally(() => this.ending.delete(folder));
		this.ending.set(folder, ended);
	}

	private async open(workspace: string): Promise<Engine> {
		const { env, editor, agent, notify: report, startAgent } = this.settings;
		await this.ending.get(workspace);
		const store = await this.openedStore();
		const engine = await openEngine({
			...{ workspace, env, editor, store, agent, report, startAgent, processes: this.processes },
			memory: new AgentDescriptionFile(userFilesOf(env).agents, report),
			...{ model: undefined, effort: undefined, mode: undefined, rules: [] },
		});
		this.notifyOnce(engine.notices);
		return engine;
	}

	/** Each list of sessions may make an engine, and nobody wants to read the same each time. */
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

/** Command lines of agents that somebody uses. The one that was stored first is dropped for another. */
const ENTRIES_MAX = 32;

const entries = z.array(z.tuple([z.string(), z.string()]));

/** A file with what other agents said of themselves. It is a cache: one that cannot be read counts as empty. */
export class AgentDescriptionFile implements AgentMemory {
	constructor(
		private readonly file: string,
		private readonly report: (line: string) => void,
	) {}

	recall(key: string): string | undefined {
		return this.read().find(([each]) => each === key)?.[1];
	}

	/** Another process may write at the same time: then its entry or this one is stored again at the next start. */
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

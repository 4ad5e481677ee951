import { agentProcesses, type OpenedStore, type OtherAgent, type StartAgent } from "@segue/assist";
import { readConfiguration } from "../config/configuration.js";
import type { EditorConfiguration } from "../config/layer.js";
import { placesOf } from "../config/places.js";
import { AgentFile } from "./agent-file.js";
import { Busy, type Lease } from "./chat.js";
import { type Engine, openEngine, openStore } from "./engine.js";

// Far more folders than anybody works in at a time.
const ENGINES_MAX = 64;
// More than all configuration files of a person have mistakes at once. Beyond that, one is told again.
const TOLD_MAX = 100;

export interface EnginesSettings {
	readonly env: NodeJS.ProcessEnv;
	/** The usual folder. Its configuration says where threads are stored. */
	readonly folder: string;
	/** Another agent that answers instead of a model: its name, or its command line. */
	readonly agent: string | undefined;
	/** Receives notices about the configuration, and log lines of other agents. */
	readonly tell: (notice: string) => void;
	readonly editor?: EditorConfiguration | undefined;
	readonly startAgent?: StartAgent | undefined;
}

/**
 * The chat engines of one process, one for each folder that somebody works in, since each may be configured otherwise. All use
 * one store, which stays open.
 */
export class ChatEngines {
	/** By folder. */
	private readonly lent = new Map<string, Lent>();
	/** Engines that are ending, by folder: the next one of the folder waits, since both would have the same agent's sessions. */
	private readonly ending = new Map<string, Promise<void>>();
	private readonly told = new Set<string>();
	private store: Promise<OpenedStore> | undefined;
	private readonly processes = agentProcesses();
	private introduced: Promise<Lease> | undefined;

	constructor(private readonly settings: EnginesSettings) {}

	/** Rejects with a `Refusal` or a `StoreError` that says what the user has to fix; then the next call succeeds. */
	async engineFor(folder: string = this.settings.folder): Promise<Lease & { readonly engine: Engine }> {
		const known = this.lent.get(folder);
		const lent = known ?? this.make(folder);
		lent.count++;
		const engine = await lent.engine;
		if (known !== undefined) engine.reread();
		let isOut = true;
		const release = () => {
			if (isOut) this.takeBack(folder, lent, engine);
			isOut = false;
		};
		return { engine, release };
	}

	/** The agent that the user named, in the engine of the usual folder, which is kept from then on. */
	async otherAgent(): Promise<OtherAgent> {
		this.introduced ??= this.engineFor();
		this.introduced.catch(() => {
			this.introduced = undefined;
		});
		const { otherAgent } = (await this.introduced).engine.assist;
		if (otherAgent === undefined) throw new Error("no agent was named");
		return otherAgent;
	}

	/** A key is another than before: all engines know of it, and turns that are under way go on as they are. */
	async keysChanged(): Promise<void> {
		const engines = await Promise.allSettled([...this.lent.values()].map(({ engine }) => engine));
		for (const engine of engines) if (engine.status === "fulfilled") engine.value.reread();
	}

	/** Ends all of them, whoever has them. */
	async close(): Promise<void> {
		const engines = await Promise.allSettled([...this.lent.values()].map(({ engine }) => engine));
		this.lent.clear();
		const ended = engines.map((engine) => engine.status === "fulfilled" && engine.value.close());
		// By now, other agents were told that their turns are cancelled; what they make of that nobody waits for.
		await Promise.all([...ended, ...this.ending.values(), this.processes.close()]);
		const store = await this.store?.catch(() => undefined);
		await store?.store.close();
	}

	private make(folder: string): Lent {
		if (this.lent.size >= ENGINES_MAX) {
			throw new Busy(`Busy: ${ENGINES_MAX} folders are in use; start another agent`);
		}
		const lent: Lent = { engine: this.open(folder), count: 0 };
		this.lent.set(folder, lent);
		lent.engine.catch(() => this.lent.delete(folder));
		return lent;
	}

	private takeBack(folder: string, lent: Lent, engine: Engine): void {
		lent.count--;
		if (lent.count > 0 || this.lent.get(folder) !== lent) return;
		this.lent.delete(folder);
		const ended = engine.close().finally(() => this.ending.delete(folder));
		this.ending.set(folder, ended);
	}

	private async open(workspace: string): Promise<Engine> {
		const { env, editor, agent, tell: report, startAgent } = this.settings;
		await this.ending.get(workspace);
		const store = await this.openedStore();
		const engine = await openEngine({
			...{ workspace, env, editor, store, agent, report, startAgent, processes: this.processes },
			memory: new AgentFile(placesOf(env).agents, report),
			...{ model: undefined, effort: undefined, mode: undefined, rules: [] },
		});
		this.tellOnce(engine.notices);
		return engine;
	}

	/** Each list of sessions may make an engine, and nobody wants to read the same each time. */
	private tellOnce(notices: readonly string[]): void {
		for (const notice of notices) {
			if (this.told.has(notice)) continue;
			if (this.told.size >= TOLD_MAX) this.told.clear();
			this.told.add(notice);
			this.settings.tell(notice);
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

interface Lent {
	readonly engine: Promise<Engine>;
	/** How many have it. */
	count: number;
}

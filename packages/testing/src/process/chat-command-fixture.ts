import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Body, openEmbeddedStore, type Store } from "@segue/assist";
import { type ModelServer, startModelServer } from "../models/model-server.js";
import type { RunningSegue, SegueOptions } from "./running-segue.js";
import { type RunSegue, SegueInMemory } from "./segue-in-memory.js";
import { SegueProcess } from "./segue-process.js";

/** Runs `segue chat` in memory or as a process, with a model server, a folder and a store on disk. */
export class ChatCommandFixture {
	/** A key in the environment of every process. It must never be written anywhere. */
	readonly key = "sk-test-5f3a9c0d7e1b4482";
	readonly folder: string;
	/** The folder that contains the configuration and the store. */
	readonly home: string;
	private readonly started: RunningSegue[] = [];

	private constructor(
		private readonly root: string,
		readonly server: ModelServer,
		private readonly segue: RunSegue,
	) {
		this.folder = path.join(root, "shop");
		this.home = path.join(root, "home");
		mkdirSync(this.folder);
		mkdirSync(this.home);
	}

	static async open(segue: RunSegue): Promise<ChatCommandFixture> {
		const root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-chat-")));
		return new ChatCommandFixture(root, await startModelServer([]), segue);
	}

	/** Stops running commands and deletes all files. */
	async close(): Promise<void> {
		await Promise.all(this.started.map((each) => each.stop()));
		await this.server.stop();
		rmSync(this.root, { recursive: true });
	}

	/** Starts `segue chat` in this thread. Uses the model server unless `env` overrides it. */
	start(args: readonly string[], options?: Partial<SegueOptions>): RunningSegue {
		return this.keep(new SegueInMemory(this.segue, ["chat", ...args], this.optionsFor(options)));
	}

	/** Like `start`, but in a child process. */
	startProcess(args: readonly string[], options?: Partial<SegueOptions>): RunningSegue {
		return this.keep(new SegueProcess(["chat", ...args], this.optionsFor(options)));
	}

	/** Runs `segue chat` until it exits. */
	async run(args: readonly string[], options?: Partial<SegueOptions>) {
		return ended(this.start(args, options));
	}

	/** Like `run`, but in a child process. */
	async runProcess(args: readonly string[], options?: Partial<SegueOptions>) {
		return ended(this.startProcess(args, options));
	}

	write(name: string, text: string): void {
		const file = path.join(this.folder, name);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, text);
	}

	read(name: string): string {
		return readFileSync(path.join(this.folder, name), "utf8");
	}

	/** Opens the store for a callback. Throws if the store reports a problem. */
	async inStore<T>(look: (store: Store) => Promise<T>): Promise<T> {
		const { store, notice } = await openEmbeddedStore(path.join(this.home, "segue.db"), new Date());
		try {
			if (notice !== undefined) throw new Error(notice);
			return await look(store);
		} finally {
			await store.close();
		}
	}

	/** Returns the entries of a thread, without usage entries. The newest thread is the default. */
	async bodies(id?: string): Promise<Body[]> {
		return this.inStore(async (store) => {
			const [newest] = await store.list({ limit: 1 });
			const entries = await store.entries(id ?? newest?.id ?? "");
			return entries.map(({ body }) => body).filter(({ type }) => type !== "usage");
		});
	}

	/** Returns the files and outputs that contain the key. */
	leaks(): string[] {
		const files = readdirSync(this.root, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => path.join(entry.parentPath, entry.name));
		const printed = this.started.map(({ stdout, stderr }) => stdout + stderr);
		return [
			...files.filter((file) => readFileSync(file, "latin1").includes(this.key)),
			...printed.filter((text) => text.includes(this.key)),
		];
	}

	private optionsFor({ env = {}, ...rest }: Partial<SegueOptions> = {}): SegueOptions {
		const { folder, home, server, key } = this;
		const model = { SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: server.url, SEGUE_API_KEY: key };
		return { folder, env: { SEGUE_HOME: home, ...model, ...env }, ...rest };
	}

	private keep(started: RunningSegue): RunningSegue {
		this.started.push(started);
		return started;
	}
}

async function ended(started: RunningSegue) {
	const code = await started.ended;
	return { code, stdout: started.stdout, stderr: started.stderr };
}

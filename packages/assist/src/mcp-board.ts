import { isSameServer, type McpServer, type McpServers, type ServerLife } from "./mcp.js";

/** A configured server as a person sees it. */
export interface ServerState {
	readonly server: McpServer;
	/** One that no turn has needed yet is stopped. */
	readonly status: "stopped" | "starting" | "running" | "failed" | "disabled";
	/** By the server's own names. Empty unless it runs. */
	readonly tools: ServerLife["tools"];
	/** Of one that failed: a sentence for a person, without keys. */
	readonly why: string | undefined;
}

/**
 * The configured MCP servers as a person sees and controls them. A server runs once for each folder; here it is one: running
 * where it does in any. Methods that name a server throw a `RangeError` where none is configured by that name.
 */
export class McpBoard {
	/** By name, those that the person does not want to run. */
	private readonly off = new Map<string, "stopped" | "disabled">();
	/** By name and folder. */
	private readonly lives = new Map<string, Map<string, ServerLife>>();
	private readonly listeners = new Set<(state: ServerState) => void>();

	constructor(
		private readonly servers: McpServers,
		private readonly configured: readonly McpServer[],
	) {
		servers.watch((server, folder, life) => this.take(server, folder, life));
	}

	states(): readonly ServerState[] {
		return this.configured.map((server) => this.stateOf(server));
	}

	/** The listener is told how a server is whenever anything of that changes. Returns how to end that. */
	watch(listener: (state: ServerState) => void): () => void {
		this.listeners.add(listener);
		return () => void this.listeners.delete(listener);
	}

	/** What turns may use. */
	get offered(): readonly McpServer[] {
		return this.configured.filter(({ name }) => !this.off.has(name));
	}

	/** Returns when it runs or has failed, which its state tells. */
	async start(name: string, folder: string): Promise<void> {
		const server = this.named(name);
		this.off.delete(name);
		await this.servers.start(server, folder);
	}

	/** It offers nothing until it is started or enabled. */
	async stop(name: string): Promise<void> {
		await this.turnOff(name, "stopped");
	}

	/** The next turn starts it where nobody does before. */
	enable(name: string): void {
		const server = this.named(name);
		if (this.off.delete(name)) this.tell(server);
	}

	async disable(name: string): Promise<void> {
		await this.turnOff(name, "disabled");
	}

	private async turnOff(name: string, how: "stopped" | "disabled"): Promise<void> {
		const server = this.named(name);
		this.off.set(name, how);
		this.lives.delete(name);
		this.tell(server);
		await this.servers.stop(server);
	}

	private named(name: string): McpServer {
		const server = this.configured.find((each) => each.name === name);
		if (server === undefined) throw new RangeError(`There is no MCP server ${name}.`);
		return server;
	}

	private take(started: McpServer, folder: string, life: ServerLife): void {
		const server = this.configured.find((each) => isSameServer(each, started));
		// A session's own servers are its client's business, and one that is off has nothing more to say.
		if (server === undefined || this.off.has(server.name)) return;
		const lives = this.lives.get(server.name) ?? new Map<string, ServerLife>();
		this.lives.set(server.name, lives);
		// What was told last comes first.
		lives.delete(folder);
		lives.set(folder, life);
		this.tell(server);
	}

	private tell(server: McpServer): void {
		const state = this.stateOf(server);
		for (const listener of this.listeners) listener(state);
	}

	private stateOf(server: McpServer): ServerState {
		const off = this.off.get(server.name);
		if (off !== undefined) return { server, status: off, tools: [], why: undefined };
		const lives = [...(this.lives.get(server.name)?.values() ?? [])].reverse();
		const life = ORDER.map((status) => lives.find((each) => each.status === status)).find((each) => each !== undefined);
		return { server, status: life?.status ?? "stopped", tools: life?.tools ?? [], why: life?.why };
	}
}

/** Of a server's lives in several folders, the first of these is shown. */
const ORDER: readonly ServerLife["status"][] = ["running", "starting", "failed"];

import { ToolError } from "../failures.js";
import type { Permission, PromptPart, Thread } from "../threads/thread.js";
import type { McpServer } from "./server.js";
import { isSameServer, type McpServers, permissionOf, type ServerStatus } from "./servers.js";

/** The state of a configured server, for users. */
export interface ServerState {
	readonly server: McpServer;
	/** A server is stopped until a turn needs it. A removed server is reported once and not listed. */
	readonly status: "stopped" | "starting" | "running" | "failed" | "disabled" | "removed";
	/**
	 * Tools, with the names that the server gave them. Like `prompts` and `resources`, empty unless the server is
	 * running.
	 */
	readonly tools: ServerStatus["tools"];
	readonly prompts: ServerStatus["prompts"];
	readonly resources: ServerStatus["resources"];
	/** Why the server failed, for the user, with keys masked. */
	readonly why: string | undefined;
}

/**
 * Shows and controls the configured MCP servers. A server that runs in several folders appears only once, as running if
 * it runs in any of them. Methods that take a name throw a `RangeError` for an unknown server.
 */
export class McpStatus {
	/** Servers that the user turned off, by name. */
	private readonly off = new Map<string, "stopped" | "disabled">();
	/** Statuses by name and folder. */
	private readonly statuses = new Map<string, Map<string, ServerStatus>>();
	private readonly listeners = new Set<(state: ServerState) => void>();

	constructor(
		private readonly servers: McpServers,
		private configured: readonly McpServer[],
	) {
		servers.watch((server, folder, status) => this.update(server, folder, status));
	}

	states(): readonly ServerState[] {
		return this.configured.map((server) => this.stateOf(server));
	}

	/** Calls the listener whenever the state of a server changes. Returns a function that removes the listener. */
	watch(listener: (state: ServerState) => void): () => void {
		this.listeners.add(listener);
		return () => void this.listeners.delete(listener);
	}

	/** The servers that turns can use. */
	get offered(): readonly McpServer[] {
		return this.configured.filter(({ name }) => !this.off.has(name));
	}

	/** Resolves once the server is running or has failed; see its state. */
	async start(name: string, folder: string): Promise<void> {
		const server = this.named(name);
		this.off.delete(name);
		await this.servers.start(server, folder);
	}

	/** Stops a server until it is started or enabled. */
	async stop(name: string): Promise<void> {
		await this.turnOff(name, "stopped");
	}

	/** Enables a server. The next turn starts it. */
	enable(name: string): void {
		const server = this.named(name);
		if (this.off.delete(name)) this.notify(server);
	}

	async disable(name: string): Promise<void> {
		await this.turnOff(name, "disabled");
	}

	/** Adds a server, replacing any with the same name. */
	async replace(server: McpServer): Promise<void> {
		const before = this.configured.find(({ name }) => name === server.name);
		if (before === undefined) this.configured = [...this.configured, server];
		else {
			this.configured = this.configured.map((each) => (each === before ? server : each));
			this.statuses.delete(server.name);
		}
		this.notify(server);
		if (before !== undefined) await this.servers.stop(before);
	}

	/** Ends a server and removes it. */
	async remove(name: string): Promise<void> {
		const server = this.named(name);
		this.configured = this.configured.filter((each) => each !== server);
		this.off.delete(name);
		this.statuses.delete(name);
		for (const listener of this.listeners) listener({ server, status: "removed", ...EMPTY });
		await this.servers.stop(server);
	}

	/** Returns the prompts of running servers as commands. */
	commands(): readonly PromptCommand[] {
		return this.states().flatMap(({ server, prompts }) => {
			return prompts.map((prompt) => ({
				...prompt,
				name: commandName(server, prompt.name),
				server,
				prompt: prompt.name,
			}));
		});
	}

	/**
	 * Finds the prompt for a command. Starts its server if turns can use it. Throws a `ToolError` if a rule denies the
	 * prompt.
	 */
	async command(
		name: string,
		folder: string,
		isDenied: (permission: Permission) => boolean,
	): Promise<PromptCommand | undefined> {
		const refuseDenied = (server: McpServer, prompt: string) => {
			if (isDenied(permissionOf(server, prompt))) throw new ToolError(`A rule denies the use of ${server.name}.`);
		};
		const named = () => this.commands().find((each) => each.name === name);
		if (named() === undefined) {
			const server = this.offered.find((each) => name.startsWith(commandName(each, "")));
			if (server === undefined) return undefined;
			// Only the command's name is known until the server is running.
			refuseDenied(server, name.slice(commandName(server, "").length));
			if (this.stateOf(server).status === "stopped") await this.servers.start(server, folder);
			else await this.servers.listed(server, folder);
		}
		const prompt = named();
		if (prompt !== undefined) refuseDenied(prompt.server, prompt.prompt);
		return prompt;
	}

	/** Reads the content of a resource. Throws a `ToolError`. */
	async read(
		name: string,
		uri: string,
		thread: Pick<Thread, "id" | "workspace">,
		isDenied: (permission: Permission) => boolean,
		signal: AbortSignal,
	): Promise<readonly PromptPart[]> {
		const server = this.offered.find((each) => each.name === name);
		if (server === undefined) throw new ToolError(`the MCP server ${name} is turned off or not configured.`);
		if (isDenied(permissionOf(server, uri))) throw new ToolError(`a rule denies the use of ${name}.`);
		return this.servers.resource(server, thread, uri, signal);
	}

	private async turnOff(name: string, how: "stopped" | "disabled"): Promise<void> {
		const server = this.named(name);
		this.off.set(name, how);
		this.statuses.delete(name);
		this.notify(server);
		await this.servers.stop(server);
	}

	private named(name: string): McpServer {
		const server = this.configured.find((each) => each.name === name);
		if (server === undefined) throw new RangeError(`Unknown MCP server ${name}.`);
		return server;
	}

	private update(started: McpServer, folder: string, status: ServerStatus): void {
		const server = this.configured.find((each) => isSameServer(each, started));
		// Ignore servers that a client sent, and servers that are turned off.
		if (server === undefined || this.off.has(server.name)) return;
		const statuses = this.statuses.get(server.name) ?? new Map<string, ServerStatus>();
		this.statuses.set(server.name, statuses);
		// Move the folder to the end, because later entries take precedence.
		statuses.delete(folder);
		statuses.set(folder, status);
		this.notify(server);
	}

	private notify(server: McpServer): void {
		const state = this.stateOf(server);
		for (const listener of this.listeners) listener(state);
	}

	private stateOf(server: McpServer): ServerState {
		const off = this.off.get(server.name);
		if (off !== undefined) return { server, status: off, ...EMPTY };
		const statuses = [...(this.statuses.get(server.name)?.values() ?? [])].reverse();
		const shown = ORDER.map((status) => statuses.find((each) => each.status === status)).find(
			(each) => each !== undefined,
		);
		return { server, ...EMPTY, status: "stopped", ...shown };
	}
}

const EMPTY = { tools: [], prompts: [], resources: [], why: undefined } as const;

/** A server's prompt as a command. */
export interface PromptCommand {
	/** `server:prompt`, limited to the characters allowed in command names. */
	readonly name: string;
	readonly description: string;
	readonly arguments: ServerStatus["prompts"][number]["arguments"];
	readonly server: McpServer;
	readonly prompt: string;
}

function commandName({ name }: McpServer, prompt: string): string {
	return `${name}:${prompt}`.replace(/[^A-Za-z0-9_:-]/g, "_");
}

/** If a server's status differs between folders, the first of these is shown. */
const ORDER: readonly ServerStatus["status"][] = ["running", "starting", "failed"];

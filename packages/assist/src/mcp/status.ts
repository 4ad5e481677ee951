import { ToolError } from "../failures.js";
import type { Permission, PromptPart, Thread } from "../threads/thread.js";
import type { McpServer } from "./server.js";
import { isSameServer, type McpServers, permissionOf, type ServerStatus } from "./servers.js";

/** A configured server as a person sees it. */
export interface ServerState {
	readonly server: McpServer;
	/** One that no turn has needed yet is stopped. A removed server is reported once and is not listed. */
	readonly status: "stopped" | "starting" | "running" | "failed" | "disabled" | "removed";
	/** By the server's own names. Empty unless it runs, like prompts and resources. */
	readonly tools: ServerStatus["tools"];
	readonly prompts: ServerStatus["prompts"];
	readonly resources: ServerStatus["resources"];
	/** Of one that failed: a sentence for a person, without keys. */
	readonly why: string | undefined;
}

/**
 * The configured MCP servers as a person sees and controls them. A server runs once for each folder; here it is one: running
 * where it does in any. Methods that name a server throw a `RangeError` where none is configured by that name.
 */
export class McpStatus {
	/** By name, those that the person does not want to run. */
	private readonly off = new Map<string, "stopped" | "disabled">();
	/** By name and folder. */
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
		if (this.off.delete(name)) this.notify(server);
	}

	async disable(name: string): Promise<void> {
		await this.turnOff(name, "disabled");
	}

	/** Adds a server, or replaces the one of the same name. */
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

	/** Ends a server and knows it no longer. */
	async remove(name: string): Promise<void> {
		const server = this.named(name);
		this.configured = this.configured.filter((each) => each !== server);
		this.off.delete(name);
		this.statuses.delete(name);
		for (const listener of this.listeners) listener({ server, status: "removed", ...EMPTY });
		await this.servers.stop(server);
	}

	/** The prompts of running servers, as commands. */
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
	 * The prompt that a command names. Starts the server that the name begins with, if turns may use it. Throws a `ToolError` if a
	 * rule denies the prompt.
	 */
	async command(
		name: string,
		folder: string,
		isDenied: (permission: Permission) => boolean,
	): Promise<PromptCommand | undefined> {
		const refuseDenied = (server: McpServer, prompt: string) => {
			if (isDenied(permissionOf(server, prompt))) throw new ToolError(`A rule forbids the use of ${server.name}.`);
		};
		const named = () => this.commands().find((each) => each.name === name);
		if (named() === undefined) {
			const server = this.offered.find((each) => name.startsWith(commandName(each, "")));
			if (server === undefined) return undefined;
			// Until the server runs, the prompt is known only by the name of the command.
			refuseDenied(server, name.slice(commandName(server, "").length));
			if (this.stateOf(server).status === "stopped") await this.servers.start(server, folder);
			else await this.servers.listed(server, folder);
		}
		const prompt = named();
		if (prompt !== undefined) refuseDenied(prompt.server, prompt.prompt);
		return prompt;
	}

	/** The content of a resource. Throws a `ToolError`. */
	async read(
		name: string,
		uri: string,
		thread: Pick<Thread, "id" | "workspace">,
		isDenied: (permission: Permission) => boolean,
		signal: AbortSignal,
	): Promise<readonly PromptPart[]> {
		const server = this.offered.find((each) => each.name === name);
		if (server === undefined) throw new ToolError(`the MCP server ${name} is turned off or not configured.`);
		if (isDenied(permissionOf(server, uri))) throw new ToolError(`a rule forbids the use of ${name}.`);
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
		if (server === undefined) throw new RangeError(`There is no MCP server ${name}.`);
		return server;
	}

	private update(started: McpServer, folder: string, status: ServerStatus): void {
		const server = this.configured.find((each) => isSameServer(each, started));
		// A session's own servers are its client's business, and one that is off has nothing more to say.
		if (server === undefined || this.off.has(server.name)) return;
		const statuses = this.statuses.get(server.name) ?? new Map<string, ServerStatus>();
		this.statuses.set(server.name, statuses);
		// What was told last comes first.
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

/** A prompt of a server, as a command. */
export interface PromptCommand {
	/** `server:prompt`, in the characters that a command's name has. */
	readonly name: string;
	readonly description: string;
	readonly arguments: ServerStatus["prompts"][number]["arguments"];
	readonly server: McpServer;
	readonly prompt: string;
}

function commandName({ name }: McpServer, prompt: string): string {
	return `${name}:${prompt}`.replace(/[^A-Za-z0-9_:-]/g, "_");
}

/** Of a server's lives in several folders, the first of these is shown. */
const ORDER: readonly ServerStatus["status"][] = ["running", "starting", "failed"];

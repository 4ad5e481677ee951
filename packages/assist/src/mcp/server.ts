import type { Client, Prompt as McpPrompt, Tool as McpTool, Resource, Transport } from "@modelcontextprotocol/client";
import { VERSION } from "../version.js";

/** Starts a stdio MCP server in a folder. */
export type StartMcpServer = (server: McpServer & { readonly type: "stdio" }, folder: string) => Promise<Transport>;

/** A running server in one folder. */
export class RunningServer {
	/** Resolves once its tools are known. */
	readonly ready: Promise<Client>;
	/** Resolves once its prompts and resources are known or listing them has failed. Never rejects. */
	readonly listed: Promise<void>;
	/** The tools in the server's latest list. */
	offered: readonly McpTool[] = [];
	prompts: readonly McpPrompt[] = [];
	resources: readonly Resource[] = [];
	private transport: Transport | undefined;
	private isReady = false;
	/** The reason passed to `end`. */
	private endReason: string | undefined;

	constructor(
		readonly server: McpServer,
		readonly folder: string,
		/** The timeout for starting the server, and separately for listing its tools. */
		private readonly startMs: number,
		/** Called when the server is ready, when its lists change, and when a ready server ends. */
		private readonly changed: (what: "running" | "ended") => void,
		private readonly startServer: StartMcpServer = startProcess,
	) {
		this.ready = this.start();
		this.listed = this.ready.then(
			(client) => this.listOthers(client),
			() => {},
		);
	}

	/** Ends the server and its children. If it is still starting, it ends as soon as it has started. */
	async end(why: string): Promise<void> {
		this.endReason ??= why;
		await this.transport?.close();
	}

	/** Whether `end` was called. */
	get isEnding(): boolean {
		return this.endReason !== undefined;
	}

	private async start(): Promise<Client> {
		try {
			const { Client: McpClient } = await import("@modelcontextprotocol/client");
			const { server, folder } = this;
			const transport = await (server.type === "http" ? connectTo(server) : this.startServer(server, folder));
			this.throwIfEnding();
			this.transport = transport;
			// If listing fails, keep the previous list.
			const whenListed = <Item>(take: (items: readonly Item[]) => void) => ({
				onChanged: (_error: unknown, items: Item[] | null) => {
					if (items === null) return;
					take(items);
					if (this.isReady) this.changed("running");
				},
			});
			const listChanged = {
				tools: whenListed<McpTool>((tools) => {
					this.offered = tools;
				}),
				prompts: whenListed<McpPrompt>((prompts) => {
					this.prompts = prompts;
				}),
				resources: whenListed<Resource>((resources) => {
					this.resources = resources;
				}),
			};
			const client = new McpClient({ name: "segue", version: VERSION }, { listChanged });
			client.onclose = () => {
				if (this.isReady) this.changed("ended");
			};
			await client.connect(transport, { timeout: this.startMs });
			this.throwIfEnding();
			// For a server without tools, the client library would print a warning to standard output, which is reserved for
			// our own protocol.
			const has = client.getServerCapabilities() ?? {};
			if (has.tools !== undefined) {
				this.offered = (await client.listTools(undefined, { timeout: this.startMs })).tools;
			}
			this.throwIfEnding();
			this.isReady = true;
			this.changed("running");
			return client;
		} catch (error) {
			await this.transport?.close();
			this.throwIfEnding();
			throw error;
		}
	}

	/** Lists prompts and resources. Turns don't wait for this, and a failure does not affect the tools. */
	private async listOthers(client: Client): Promise<void> {
		const has = client.getServerCapabilities() ?? {};
		const limit = { timeout: this.startMs };
		await Promise.all([
			has.prompts &&
				this.take(client.listPrompts(undefined, limit), (all) => {
					this.prompts = all.prompts;
				}),
			has.resources &&
				this.take(client.listResources(undefined, limit), (all) => {
					this.resources = all.resources;
				}),
		]);
	}

	private async take<Result>(listing: Promise<Result>, keep: (result: Result) => void): Promise<void> {
		try {
			keep(await listing);
		} catch {
			return;
		}
		if (!this.isEnding) this.changed("running");
	}

	private throwIfEnding(): void {
		if (this.endReason !== undefined) throw new Error(this.endReason);
	}
}

async function connectTo({ url, headers }: McpServer & { readonly type: "http" }): Promise<Transport> {
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
	return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
}

const startProcess: StartMcpServer = async ({ command, args, env }, folder) => {
	if (process.platform === "win32") {
		// Windows has no process groups, and its launchers are scripts, which this transport can start.
		const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
		return new StdioClientTransport({ command, args: [...args], env: { ...env }, cwd: folder, stderr: "ignore" });
	}
	const { McpProcess } = await import("./process.js");
	return new McpProcess(command, args, env, folder);
};

/** A Model Context Protocol server. Models get its tools in addition to the built-in ones. */
export type McpServer =
	| {
			readonly name: string;
			readonly type: "stdio";
			readonly command: string;
			readonly args: readonly string[];
			readonly env: Readonly<Record<string, string>>;
	  }
	| {
			readonly name: string;
			readonly type: "http";
			readonly url: string;
			readonly headers: Readonly<Record<string, string>>;
	  };

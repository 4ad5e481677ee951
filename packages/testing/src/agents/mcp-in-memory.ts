import { existsSync } from "node:fs";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import type { McpServer } from "@modelcontextprotocol/server";
import type { StartMcpServer } from "@segue/assist";

/** What an MCP server in memory knows of itself, in place of its process. */
export interface McpSetting {
	readonly args: readonly string[];
	readonly folder: string;
	/** Tells one start of a server from the next. */
	readonly instance: number;
	/** Ends the server, as `process.exit` does. */
	exit(): Promise<void>;
}

/** Starts MCP servers in this thread instead of child processes. */
export class McpInMemory {
	/** For each server started, in order, whether it is still running. */
	readonly running: boolean[] = [];

	constructor(private readonly make: (setting: McpSetting) => McpServer) {}

	readonly start: StartMcpServer = async ({ args }, folder) => {
		// A process does not start there either.
		if (!existsSync(folder)) throw new Error(`ENOENT: ${folder}`);
		const [client, server] = InMemoryTransport.createLinkedPair();
		const instance = this.running.push(true) - 1;
		const made = this.make({ args, folder, instance, exit: () => server.close() });
		made.server.onclose = () => {
			this.running[instance] = false;
		};
		await made.connect(server);
		return client;
	};
}

import { existsSync } from "node:fs";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import type { McpServer } from "@modelcontextprotocol/server";
import type { StartMcpServer } from "@segue/assist";

/** The environment of an MCP server that runs in memory instead of in a process. */
export interface McpSetting {
	readonly args: readonly string[];
	readonly folder: string;
	/** Number of the instance, counted from 0. */
	readonly instance: number;
	/** Stops the server, like `process.exit`. */
	exit(): Promise<void>;
}

/** Starts MCP servers in this thread instead of in child processes. */
export class McpInMemory {
	/** For each server started, in order, whether it is still running. */
	readonly running: boolean[] = [];

	constructor(private readonly make: (setting: McpSetting) => McpServer) {}

	readonly start: StartMcpServer = async ({ args }, folder) => {
		// Starting a child process in a missing folder would fail too.
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

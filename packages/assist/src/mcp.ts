import { createHash } from "node:crypto";
import type { CallToolResult, Client, Tool as McpTool, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { unlessCancelled } from "./cancel.js";
import { cutTo } from "./context.js";
import type { Permission } from "./thread.js";
import { type Outcome, type Tool, ToolError } from "./tool.js";

/** A server of the Model Context Protocol, whose tools a model is offered beside ours. */
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

/** What servers are told. It is that of this package, whose manifest lies outside of what is compiled. */
const VERSION = "0.1.0";
/** For one call. Somebody who waits can cancel; this is for when nobody watches. */
const CALL_MS = 10 * 60_000;
/** Of one server. Models choose badly among more, and all are paid for with each request. */
const TOOLS_MAX = 100;
/** Of what a server says of one tool. */
const DESCRIPTION_CHARS_MAX = 4_000;
/** Of one result: about 12,000 tokens. */
const OUTPUT_CHARS_MAX = 50_000;
/** What the strictest provider takes as a name of a tool. */
const NAME_CHARS_MAX = 64;
/** Shorter ones are no secrets, and hiding them would make a sentence unreadable. */
const SECRET_CHARS_MIN = 6;

/** The servers that run, each started when a turn first has it and kept until all are closed. */
export class McpServers {
	/** By what they were started with. */
	private readonly running = new Map<string, Promise<Running>>();
	private readonly transports = new Set<Transport>();
	private isClosed = false;

	/** How long a server may take to start, and again to tell its tools. */
	constructor(private readonly startMs: number) {}

	/** What the servers offer. One that fails is left out, and a sentence says why. */
	async toolsOf(
		servers: readonly McpServer[],
		folder: string,
		signal: AbortSignal,
	): Promise<{ tools: readonly Tool[]; problems: readonly string[] }> {
		const started = await Promise.allSettled(
			servers.map((server) => unlessCancelled(this.serverOf(server, folder), signal)),
		);
		signal.throwIfAborted();
		const tools: Tool[] = [];
		const problems: string[] = [];
		const names = new Set<string>();
		for (const [i, result] of started.entries()) {
			const server = servers[i] as McpServer;
			if (result.status === "rejected") {
				const why = withoutSecrets(server, inWords(result.reason));
				problems.push(`The MCP server ${server.name} did not start: ${why}`);
				continue;
			}
			const { client, offered } = result.value;
			if (offered.length > TOOLS_MAX) {
				problems.push(`The MCP server ${server.name} has ${offered.length} tools; the first ${TOOLS_MAX} are offered.`);
			}
			for (const tool of offered.slice(0, TOOLS_MAX)) {
				const name = nameFor(server.name, tool.name, names);
				names.add(name);
				tools.push(toolOf(name, server, tool, client));
			}
		}
		return { tools, problems };
	}

	/** Ends them all, with everything that they started. One that is just being started ends as soon as it has. */
	async close(): Promise<void> {
		this.isClosed = true;
		await Promise.allSettled([...this.transports].map((transport) => transport.close()));
		this.running.clear();
	}

	private serverOf(server: McpServer, folder: string): Promise<Running> {
		const key = JSON.stringify([server, folder]);
		const known = this.running.get(key);
		if (known !== undefined) return known;
		const started = this.start(server, folder, () => this.running.delete(key));
		this.running.set(key, started);
		return started;
	}

	/** `forget` is called when it has ended, or could not be started: the next turn tries again. */
	private async start(server: McpServer, folder: string, forget: () => void): Promise<Running> {
		let transport: Transport | undefined;
		try {
			const { Client: McpClient } = await import("@modelcontextprotocol/client");
			const opened = await transportTo(server, folder);
			this.refuseClosed();
			transport = opened;
			this.transports.add(opened);
			const client = new McpClient({ name: "segue", version: VERSION });
			client.onclose = () => {
				this.transports.delete(opened);
				forget();
			};
			await client.connect(opened, { timeout: this.startMs });
			this.refuseClosed();
			// Where there are none, the client would say so on our standard output, which is not ours to write to.
			const hasTools = client.getServerCapabilities()?.tools !== undefined;
			const { tools } = hasTools ? await client.listTools(undefined, { timeout: this.startMs }) : { tools: [] };
			return { client, offered: tools };
		} catch (error) {
			forget();
			if (transport !== undefined) this.transports.delete(transport);
			await transport?.close();
			throw error;
		}
	}

	private refuseClosed(): void {
		if (this.isClosed) throw new Error("the engine was closed");
	}
}

interface Running {
	readonly client: Client;
	readonly offered: readonly McpTool[];
}

async function transportTo(server: McpServer, folder: string): Promise<Transport> {
	if (server.type === "http") {
		const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
		return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { ...server.headers } } });
	}
	const { command, args, env } = server;
	if (process.platform === "win32") {
		// There are no groups of processes there, and launchers are scripts, which this one knows how to start.
		const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
		return new StdioClientTransport({ command, args: [...args], env: { ...env }, cwd: folder, stderr: "ignore" });
	}
	const { McpProcess } = await import("./mcp-process.js");
	return new McpProcess(command, args, env, folder);
}

function toolOf(name: string, server: McpServer, tool: McpTool, client: Client): Tool<Record<string, unknown>> {
	return {
		name,
		description: cutTo(tool.description ?? tool.title ?? tool.name, DESCRIPTION_CHARS_MAX),
		kind: "other",
		input: z.record(z.string(), z.unknown()),
		schema: tool.inputSchema,
		prepare: async (input) => ({
			title: `${server.name}: ${tool.title ?? tool.name}`,
			locations: [],
			diffs: [],
			permissions: [permissionOf(server, tool.name)],
			run: async (signal, progress) => {
				const onprogress = ({ message }: { message?: string | undefined }) => {
					if (message !== undefined) progress(`${message}\n`);
				};
				try {
					const call = { name: tool.name, arguments: input };
					const outcome = outcomeOf(await client.callTool(call, { signal, timeout: CALL_MS, onprogress }));
					return outcome.failed ? { ...outcome, output: withoutSecrets(server, outcome.output) } : outcome;
				} catch (error) {
					throw new ToolError(withoutSecrets(server, inWords(error)));
				}
			},
		}),
	};
}

/** The parts of the subject cannot be taken for others: a slash in one is written otherwise. */
function permissionOf(server: McpServer, tool: string): Permission {
	const subject = [server.name, tool].map((part) => part.replace(/[%/]/g, encodeURIComponent)).join("/");
	const what = server.type === "http" ? [server.url] : [server.command, ...server.args];
	return { kind: "mcp", subject, server: createHash("sha256").update(JSON.stringify(what)).digest("base64url") };
}

function outcomeOf({ content, structuredContent, isError }: CallToolResult): Outcome {
	const texts = content.map(textOf);
	if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
	return { output: cutTo(texts.join("\n"), OUTPUT_CHARS_MAX), read: [], failed: isError === true };
}

/** What is no text is named, so that the model knows of it. */
function textOf(block: CallToolResult["content"][number]): string {
	switch (block.type) {
		case "text":
			return block.text;
		case "image":
		case "audio":
			return `(${block.type}, ${block.mimeType}, which cannot be shown here)`;
		case "resource_link":
			return `${block.name}: ${block.uri}`;
		case "resource":
			if ("text" in block.resource) return `${block.resource.uri}:\n${block.resource.text}`;
			return `(${block.resource.uri}, which is not text)`;
	}
}

/** In the alphabet that all providers take, and different from the others. */
function nameFor(server: string, tool: string, taken: ReadonlySet<string>): string {
	const whole = `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_");
	for (let i = 1; ; i++) {
		const end = i === 1 ? "" : `_${i}`;
		const name = whole.slice(0, NAME_CHARS_MAX - end.length) + end;
		if (!taken.has(name)) return name;
	}
}

/** A failure may quote what was sent, and keys are sent in headers, addresses, arguments and the environment. */
function withoutSecrets(server: McpServer, text: string): string {
	const secrets = secretsOf(server).filter((secret) => secret.length >= SECRET_CHARS_MIN);
	// The longest first: a shorter one may be a part of it.
	secrets.sort((a, b) => b.length - a.length);
	return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}

function secretsOf(server: McpServer): string[] {
	if (server.type === "http") {
		// A server may quote a key without the scheme before it.
		const inHeaders = Object.values(server.headers).flatMap((value) => [value, value.replace(/^\w+ /, "")]);
		if (!URL.canParse(server.url)) return [...inHeaders, server.url];
		const { username, password, pathname, search, searchParams } = new URL(server.url);
		const inUrl = [username, password, ...pathname.split("/"), ...search.split(/[?&=]/), ...searchParams.values()];
		return [...inHeaders, ...inUrl];
	}
	// As in `--key=…` and `Authorization: Bearer …`. What is a path is worth more to be read.
	const words = server.args.flatMap((arg) => arg.split(/[\s=:]+/)).filter((word) => !/^[@./~\\]/.test(word));
	return [...Object.values(server.env), ...words];
}

function inWords(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

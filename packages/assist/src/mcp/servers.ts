import { createHash } from "node:crypto";
import type {
	CallToolResult,
	Client,
	GetPromptResult,
	Tool as McpTool,
	ReadResourceResult,
} from "@modelcontextprotocol/client";
import { errorText, maskSecrets, unlessCancelled } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { IMAGE_CHARS_MAX } from "../threads/attachments.js";
import type { Permission, PromptPart, Thread } from "../threads/thread.js";
import type { Tool, ToolOutcome } from "../tools/tool.js";
import { cutTo } from "../tools/truncate.js";
import { type McpServer, RunningServer, type StartMcpServer } from "./server.js";

/** Timeout for a call. Matters only for unattended turns, because users can cancel earlier. */
const CALL_MS = 10 * 60_000;
/** Maximum tools per server. Models choose poorly among more, and each request includes all of them. */
const TOOLS_MAX = 100;
/** Maximum prompts listed per server, and maximum resources. Users don't scroll through more. */
const LISTED_MAX = 200;
const DESCRIPTION_CHARS_MAX = 4_000;
/** Limits one result to about 12,000 tokens. */
const OUTPUT_CHARS_MAX = 50_000;
/**
 * Limits for a prompt or resource: the number of parts, and the total characters of text and of images. Models accept
 * only a few images.
 */
const PARTS_MAX = 100;
const PARTS_CHARS_MAX = 4 * OUTPUT_CHARS_MAX;
const IMAGES_CHARS_MAX = 2 * IMAGE_CHARS_MAX;
/** The strictest provider's limit on the length of tool names. */
const NAME_CHARS_MAX = 64;
/** Shorter values are not secrets, and masking them would make text unreadable. */
const SECRET_CHARS_MIN = 6;

/** The status of a server in one folder. */
export interface ServerStatus {
	readonly status: "stopped" | "starting" | "running" | "failed";
	/** Tools, with the names that the server gave them. */
	readonly tools: readonly {
		readonly name: string;
		readonly description: string;
		readonly schema: Readonly<Record<string, unknown>>;
	}[];
	/** Prompt templates that users request by name. */
	readonly prompts: readonly {
		readonly name: string;
		readonly description: string;
		readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
	}[];
	/** Documents that users add to a prompt. */
	readonly resources: readonly {
		readonly uri: string;
		readonly name: string;
		readonly description: string;
		readonly mimeType: string;
	}[];
	/** Why the server failed, for the user, with keys masked. */
	readonly why: string | undefined;
}

/** The thread id for servers that were started manually. It is never released, so they run until they are stopped. */
const BY_HAND = "";

type StatusListener = (server: McpServer, folder: string, status: ServerStatus) => void;

/**
 * The running servers. A server starts when a turn first needs it, and runs until it is stopped or every thread that
 * used it is released.
 */
export class McpServers {
	/** Servers by configuration and folder. */
	private readonly running = new Map<string, RunningServer>();
	/** The ids of the threads that use each server, including `BY_HAND`, with the same keys. */
	private readonly users = new Map<string, Set<string>>();
	private readonly listeners: StatusListener[] = [];
	private isClosed = false;

	constructor(
		/** The timeout for starting a server, and separately for listing its tools. */
		private readonly startMs: number,
		/** Starts servers, by default as child processes. */
		private readonly startServer?: StartMcpServer,
	) {}

	/** Calls the listener whenever the status of a server changes. */
	watch(listener: StatusListener): void {
		this.listeners.push(listener);
	}

	/** Resolves with the servers' tools, and messages for the user about servers that failed. */
	async toolsOf(
		servers: readonly McpServer[],
		thread: Pick<Thread, "id" | "workspace">,
		signal: AbortSignal,
	): Promise<{ tools: readonly Tool[]; problems: readonly string[] }> {
		const running = servers.map((server) => this.serverFor(server, thread));
		const ready = await Promise.allSettled(running.map((each) => unlessCancelled(each.ready, signal)));
		signal.throwIfAborted();
		const tools: Tool[] = [];
		const problems: string[] = [];
		const names = new Set<string>();
		for (const [i, result] of ready.entries()) {
			const { server, offered } = running[i] as RunningServer;
			if (result.status === "rejected") {
				problems.push(`The MCP server ${server.name} did not start: ${whyOf(server, result.reason)}`);
				continue;
			}
			if (offered.length > TOOLS_MAX) {
				problems.push(
					`The MCP server ${server.name} has ${offered.length} tools; only the first ${TOOLS_MAX} are used.`,
				);
			}
			for (const tool of offered.slice(0, TOOLS_MAX)) {
				const name = nameFor(server.name, tool.name, names);
				names.add(name);
				tools.push(toolOf(name, server, tool, result.value));
			}
		}
		return { tools, problems };
	}

	/** Resolves once the server has listed what it offers, or has failed. Listeners get the status. */
	async start(server: McpServer, folder: string): Promise<void> {
		const { ready, listed } = this.serverFor(server, { id: BY_HAND, workspace: folder });
		await ready.then(
			() => listed,
			() => {},
		);
	}

	/** Resolves once a started server has listed what it offers, or has failed. */
	async listed(server: McpServer, folder: string): Promise<void> {
		await this.running.get(keyOf(server, folder))?.listed;
	}

	/** Gets the messages of a server's prompt. Throws a `ToolError`. */
	async prompt(
		server: McpServer,
		thread: Pick<Thread, "id" | "workspace">,
		call: { readonly name: string; readonly arguments: Record<string, string> },
		signal: AbortSignal,
	): Promise<readonly PromptPart[]> {
		return this.request(server, thread, signal, async (client) => {
			return messagePartsOf(await client.getPrompt(call, { signal, timeout: CALL_MS }));
		});
	}

	/** Reads the content of a server's resource. Throws a `ToolError`. */
	async resource(
		server: McpServer,
		thread: Pick<Thread, "id" | "workspace">,
		uri: string,
		signal: AbortSignal,
	): Promise<readonly PromptPart[]> {
		return this.request(server, thread, signal, async (client) => {
			const label = `The resource ${uri} from the MCP server ${server.name}`;
			return resourcePartsOf(await client.readResource({ uri }, { signal, timeout: CALL_MS }), label);
		});
	}

	private async request<Result>(
		server: McpServer,
		thread: Pick<Thread, "id" | "workspace">,
		signal: AbortSignal,
		act: (client: Client) => Promise<Result>,
	): Promise<Result> {
		try {
			return await act(await unlessCancelled(this.serverFor(server, thread).ready, signal));
		} catch (error) {
			signal.throwIfAborted();
			throw new ToolError(`The MCP server ${server.name}: ${whyOf(server, error)}`);
		}
	}

	/** Ends a server in all folders. The server starts again when needed. */
	async stop(server: McpServer): Promise<void> {
		const all = [...this.running].filter(([, each]) => isSameServer(each.server, server));
		for (const [key] of all) this.users.delete(key);
		await Promise.allSettled(all.map(([, each]) => each.end("it was stopped")));
	}

	/** Releases a thread, and ends servers that no other thread uses. */
	release(threadId: string): void {
		for (const [key, threads] of this.users) {
			if (!threads.delete(threadId) || threads.size > 0) continue;
			this.users.delete(key);
			void this.running.get(key)?.end("it is no longer used");
		}
	}

	/** Ends all servers and their children. */
	async close(): Promise<void> {
		this.isClosed = true;
		await Promise.allSettled([...this.running.values()].map((each) => each.end(CLOSED)));
	}

	private serverFor(server: McpServer, { id, workspace }: Pick<Thread, "id" | "workspace">): RunningServer {
		const key = keyOf(server, workspace);
		const users = this.users.get(key) ?? new Set();
		this.users.set(key, users.add(id));
		return this.serverOf(server, workspace);
	}

	private serverOf(server: McpServer, folder: string): RunningServer {
		const key = keyOf(server, folder);
		const known = this.running.get(key);
		if (known?.isEnding === false) return known;
		const report = (status: ServerStatus) => {
			// Ignore a server that has been replaced.
			if (this.running.get(key) !== running) return;
			if (status.status === "failed" || status.status === "stopped") this.running.delete(key);
			for (const listener of this.listeners) listener(server, folder, status);
		};
		const changed = (what: "running" | "ended") => {
			if (what === "running")
				report({
					status: "running",
					tools: running.offered.slice(0, TOOLS_MAX).map(shown),
					prompts: running.prompts.slice(0, LISTED_MAX).map(shownPrompt),
					resources: running.resources.slice(0, LISTED_MAX).map(shownResource),
					why: undefined,
				});
			else if (running.isEnding) report({ ...NOTHING, status: "stopped" });
			else report({ ...NOTHING, status: "failed", why: "It ended unexpectedly." });
		};
		const running: RunningServer = new RunningServer(server, folder, this.startMs, changed, this.startServer);
		this.running.set(key, running);
		if (this.isClosed) void running.end(CLOSED);
		report({ ...NOTHING, status: "starting" });
		running.ready.catch((error) => {
			if (running.isEnding) report({ ...NOTHING, status: "stopped" });
			else report({ ...NOTHING, status: "failed", why: whyOf(server, error) });
		});
		return running;
	}
}

/**
 * Whether two servers have the same configuration, so that a server that is configured and also sent by a client is
 * started only once.
 */
export function isSameServer(a: McpServer, b: McpServer): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}

const CLOSED = "the engine was closed";
const NOTHING = { tools: [], prompts: [], resources: [], why: undefined } as const;

function shown({ name, title, description, inputSchema }: McpTool): ServerStatus["tools"][number] {
	return { name, description: cutTo(description ?? title ?? name, DESCRIPTION_CHARS_MAX), schema: inputSchema };
}

function shownPrompt(prompt: RunningServer["prompts"][number]): ServerStatus["prompts"][number] {
	const { name, title, description, arguments: all = [] } = prompt;
	return {
		name,
		description: cutTo(description ?? title ?? name, DESCRIPTION_CHARS_MAX),
		arguments: all.map((each) => ({
			name: each.name,
			description: cutTo(each.description ?? each.name, DESCRIPTION_CHARS_MAX),
			required: each.required === true,
		})),
	};
}

function shownResource(resource: RunningServer["resources"][number]): ServerStatus["resources"][number] {
	const { uri, name, title, description, mimeType } = resource;
	return {
		uri,
		name: title ?? name,
		description: cutTo(description ?? title ?? name, DESCRIPTION_CHARS_MAX),
		mimeType: mimeType ?? "text/plain",
	};
}

/** The user requested the prompt by name, so its messages count as the user's. */
function messagePartsOf({ messages }: GetPromptResult): PromptPart[] {
	return boundedParts(messages, ({ role, content }) => {
		if (content.type === "image") return { type: "image", mediaType: content.mimeType, base64: content.data };
		const text = cutTo(textOf(content), OUTPUT_CHARS_MAX);
		return { type: "text", text: role === "user" ? text : `(As the assistant:)\n${text}` };
	});
}

function resourcePartsOf({ contents }: ReadResourceResult, label: string): PromptPart[] {
	return boundedParts(contents, (content) => {
		if ("text" in content) return { type: "excerpt", label, content: cutTo(content.text, OUTPUT_CHARS_MAX) };
		const { mimeType = "unknown type", blob } = content;
		if (mimeType.startsWith("image/")) return { type: "image", mediaType: mimeType, base64: blob };
		return { type: "excerpt", label, content: `(${mimeType}, which cannot be shown here)` };
	});
}

/** Limits the number and size of the parts in a server's response, and adds a note about omitted ones. */
function boundedParts<Item>(items: readonly Item[], partOf: (item: Item) => PromptPart): PromptPart[] {
	const parts: PromptPart[] = [];
	let chars = 0;
	let imageChars = 0;
	for (const item of items.slice(0, PARTS_MAX)) {
		const part = partOf(item);
		if (part.type === "image") imageChars += part.base64.length;
		else if (part.type === "text") chars += part.text.length;
		else if (part.type === "excerpt") chars += part.content.length;
		if (chars > PARTS_CHARS_MAX || imageChars > IMAGES_CHARS_MAX) break;
		parts.push(part);
	}
	const left = items.length - parts.length;
	return left === 0 ? parts : [...parts, { type: "text", text: `(${left} more parts omitted)` }];
}

function keyOf(server: McpServer, folder: string): string {
	return JSON.stringify([server, folder]);
}

function toolOf(name: string, server: McpServer, tool: McpTool, client: Client): Tool<Record<string, unknown>> {
	return {
		name,
		description: shown(tool).description,
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
					throw new ToolError(whyOf(server, error));
				}
			},
		}),
	};
}

/**
 * Returns the permission for a server's tool or resource. Slashes in the parts of the subject are encoded, which keeps
 * it unambiguous.
 */
export function permissionOf(server: McpServer, tool: string): Permission {
	const subject = [server.name, tool].map((part) => part.replace(/[%/]/g, encodeURIComponent)).join("/");
	const what = server.type === "http" ? [server.url] : [server.command, ...server.args];
	return { kind: "mcp", subject, server: createHash("sha256").update(JSON.stringify(what)).digest("base64url") };
}

function outcomeOf({ content, structuredContent, isError }: CallToolResult): ToolOutcome {
	const texts = content.map(textOf);
	if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
	return { output: cutTo(texts.join("\n"), OUTPUT_CHARS_MAX), read: [], failed: isError === true };
}

/** Converts content to text. Describes other kinds of content, so that the model knows they exist. */
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

/** Returns a unique name with only characters that all providers accept. */
function nameFor(server: string, tool: string, taken: ReadonlySet<string>): string {
	const whole = `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_");
	for (let i = 1; ; i++) {
		const end = i === 1 ? "" : `_${i}`;
		const name = whole.slice(0, NAME_CHARS_MAX - end.length) + end;
		if (!taken.has(name)) return name;
	}
}

/** Masks keys, because an error can quote headers, URLs, arguments or the environment. */
function withoutSecrets(server: McpServer, text: string): string {
	return maskSecrets(text, secretsOf(server), SECRET_CHARS_MIN);
}

function secretsOf(server: McpServer): string[] {
	if (server.type === "http") {
		// A server can quote a key without its scheme, for example without "Bearer".
		const inHeaders = Object.values(server.headers).flatMap((value) => [value, value.replace(/^\w+ /, "")]);
		if (!URL.canParse(server.url)) return [...inHeaders, server.url];
		const { username, password, pathname, search, searchParams } = new URL(server.url);
		const inUrl = [username, password, ...pathname.split("/"), ...search.split(/[?&=]/), ...searchParams.values()];
		return [...inHeaders, ...inUrl];
	}
	// Matches `--key=…` and `Authorization: Bearer …`. Paths stay readable.
	const words = server.args.flatMap((arg) => arg.split(/[\s=:]+/)).filter((word) => !/^[@./~\\]/.test(word));
	return [...Object.values(server.env), ...words];
}

function whyOf(server: McpServer, error: unknown): string {
	return withoutSecrets(server, errorText(error));
}

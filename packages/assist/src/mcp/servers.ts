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

/** For one call. Somebody who waits can cancel; this is for when nobody watches. */
const CALL_MS = 10 * 60_000;
/** Of one server. Models choose badly among more, and all are paid for with each request. */
const TOOLS_MAX = 100;
/** Prompts and resources listed for one server, each. Users do not scroll through more. */
const LISTED_MAX = 200;
/** Of what a server says of one tool. */
const DESCRIPTION_CHARS_MAX = 4_000;
/** Of one result: about 12,000 tokens. */
const OUTPUT_CHARS_MAX = 50_000;
/** Parts of a prompt or resource, and the characters of their texts and images. Models take few images, and no book. */
const PARTS_MAX = 100;
const PARTS_CHARS_MAX = 4 * OUTPUT_CHARS_MAX;
const IMAGES_CHARS_MAX = 2 * IMAGE_CHARS_MAX;
/** What the strictest provider takes as a name of a tool. */
const NAME_CHARS_MAX = 64;
/** Shorter ones are no secrets, and hiding them would make a sentence unreadable. */
const SECRET_CHARS_MIN = 6;

/** How a server is in one folder. */
export interface ServerStatus {
	readonly status: "stopped" | "starting" | "running" | "failed";
	/** By the server's own names. */
	readonly tools: readonly {
		readonly name: string;
		readonly description: string;
		readonly schema: Readonly<Record<string, unknown>>;
	}[];
	/** Templates of prompts that users ask for by name. */
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
	/** Of one that failed: a sentence for a person, without keys. */
	readonly why: string | undefined;
}

/** No thread has this id, so what was started by hand is kept until it is stopped. */
const BY_HAND = "";

type StatusListener = (server: McpServer, folder: string, status: ServerStatus) => void;

/**
 * The servers that run, each started when a turn first has it and kept as long as somebody works on a thread that had it, or
 * until it is stopped.
 */
export class McpServers {
	/** By what they were started with. */
	private readonly running = new Map<string, RunningServer>();
	/** Who has had each, by the same: threads, or the person who started it by hand. */
	private readonly users = new Map<string, Set<string>>();
	private readonly listeners: StatusListener[] = [];
	private isClosed = false;

	constructor(
		/** How long a server may take to start, and again to tell its tools. */
		private readonly startMs: number,
		/** Replaces the child processes that servers are by default. */
		private readonly startServer?: StartMcpServer,
	) {}

	/** Tells how each server is, whenever that changes. */
	watch(listener: StatusListener): void {
		this.listeners.push(listener);
	}

	/** What the servers offer. One that fails is left out, and a sentence says why. */
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
				problems.push(`The MCP server ${server.name} has ${offered.length} tools; the first ${TOOLS_MAX} are offered.`);
			}
			for (const tool of offered.slice(0, TOOLS_MAX)) {
				const name = nameFor(server.name, tool.name, names);
				names.add(name);
				tools.push(toolOf(name, server, tool, result.value));
			}
		}
		return { tools, problems };
	}

	/** Resolves when the server has listed what it offers, or has failed, of which watchers are notified. */
	async start(server: McpServer, folder: string): Promise<void> {
		const { ready, listed } = this.serverFor(server, { id: BY_HAND, workspace: folder });
		await ready.then(
			() => listed,
			() => {},
		);
	}

	/** Resolves when a server that was started has listed what it offers, or has failed. */
	async listed(server: McpServer, folder: string): Promise<void> {
		await this.running.get(keyOf(server, folder))?.listed;
	}

	/** The messages of a prompt of a server. Throws a `ToolError`. */
	async prompt(
		server: McpServer,
		thread: Pick<Thread, "id" | "workspace">,
		call: { readonly name: string; readonly arguments: Record<string, string> },
		signal: AbortSignal,
	): Promise<readonly PromptPart[]> {
		return this.ask(server, thread, signal, async (client) => {
			return messagePartsOf(await client.getPrompt(call, { signal, timeout: CALL_MS }));
		});
	}

	/** The content of a resource of a server. Throws a `ToolError`. */
	async resource(
		server: McpServer,
		thread: Pick<Thread, "id" | "workspace">,
		uri: string,
		signal: AbortSignal,
	): Promise<readonly PromptPart[]> {
		return this.ask(server, thread, signal, async (client) => {
			const label = `The resource ${uri} of the MCP server ${server.name}`;
			return resourcePartsOf(await client.readResource({ uri }, { signal, timeout: CALL_MS }), label);
		});
	}

	private async ask<Result>(
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

	/** Ends a server wherever it runs. What needs it next starts it again. */
	async stop(server: McpServer): Promise<void> {
		const all = [...this.running].filter(([, each]) => isSameServer(each.server, server));
		for (const [key] of all) this.users.delete(key);
		await Promise.allSettled(all.map(([, each]) => each.end("it was stopped")));
	}

	/** Nobody works on the thread for now: those that no other has had end, one that is just being started when it has. */
	release(threadId: string): void {
		for (const [key, threads] of this.users) {
			if (!threads.delete(threadId) || threads.size > 0) continue;
			this.users.delete(key);
			void this.running.get(key)?.end("nobody works with it any more");
		}
	}

	/** Ends them all, with everything that they started. */
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
			// What another one has taken the place of has nothing more to say.
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
			else report({ ...NOTHING, status: "failed", why: "It ended by itself." });
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

/** Clients may name a server that is configured, too. It is then started once. */
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

/** The user asked for these by name, so they are the user's own words. */
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

/** The parts of a server's answer, up to where they are too many or too long, with a remark of how many are left out. */
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
	return left === 0 ? parts : [...parts, { type: "text", text: `(${left} more parts were left out.)` }];
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
 * The permission for a tool or resource of a server. The parts of the subject cannot be taken for others: a slash in one is
 * encoded.
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
	return maskSecrets(text, secretsOf(server), SECRET_CHARS_MIN);
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

function whyOf(server: McpServer, error: unknown): string {
	return withoutSecrets(server, errorText(error));
}

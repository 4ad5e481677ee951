import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as eca from "@segue/protocol/eca";
import { type Channel, contentLength } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { type ModelAnswer, startModelServer } from "../models/model-server.js";
import { Home } from "../process/home.js";
import type { CapturedLine, CapturedMessage, Run } from "./capture.js";
import { ConversationState } from "./conversation-state.js";

export type ReplayOutcome =
	| { readonly served: true; readonly sent: number; readonly notes: readonly string[] }
	| { readonly served: false; readonly line: number; readonly why: string };

/**
 * Replays the editor's side of a recorded session against `segue eca`, with a model whose turns resemble the recorded
 * ones. Ids assigned by the recorded server are replaced with those of this server. Before sending a message, waits up
 * to `stepMs` for each message that preceded it in the recording.
 */
export async function replayCapture(run: Run, launcher: string, stepMs: number): Promise<ReplayOutcome> {
	using home = new Home(filesFor(run));
	const model = await startModelServer(answersFor(run));
	const child = spawn(process.execPath, [launcher, "eca", ...run.args], {
		cwd: home.project,
		env: {
			...{ PATH: process.env["PATH"], HOME: home.project, SEGUE_HOME: home.home, SEGUE_API_KEY: "sk-replay" },
			...{ SEGUE_MODEL: "openai-compatible/replayed", SEGUE_BASE_URL: model.url },
		},
		stdio: ["pipe", "pipe", "pipe"],
	});
	let log = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		log += text;
	});
	// `close` is emitted after all output has been read.
	const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
	const player = new CapturePlayer(run, overStreams(child.stdout, child.stdin, contentLength), home.project, stepMs);
	let why: string | undefined;
	try {
		await player.play();
		child.stdin.end();
		const [code] = await player.inTime(closed, "the process to exit");
		if (code !== 0) throw new Stopped(`the process exited with code ${code}`);
	} catch (error) {
		if (!(error instanceof Stopped)) throw error;
		why = error.message;
	} finally {
		child.kill("SIGKILL");
		await closed;
		await model.stop();
	}
	if (why === undefined) return { served: true, sent: player.sent, notes: player.notes };
	const serverLog = log.trim() === "" ? "" : `\nServer log:\n${log.trim()}`;
	return { served: false, line: player.line, why: why + serverLog };
}

/** Thrown if the replay cannot continue. */
class Stopped extends Error {}

class CapturePlayer {
	/** The current line in the recording. */
	line = 0;
	sent = 0;
	readonly notes: string[] = [];
	private readonly recorded = new ConversationState();
	private readonly ours = new ConversationState();
	private readonly root: string | undefined;
	/** The editor's recorded responses, by the method of the server's request. */
	private readonly answers: ReadonlyMap<string, CapturedMessage>;
	private readonly methods = new Map<string | number, string>();
	/** Methods of the requests that the server has sent. */
	private readonly requested = new Set<string>();
	private wake: () => void = () => {};
	private problem: string | undefined;

	constructor(
		private readonly run: Run,
		private readonly channel: Channel,
		private readonly folder: string,
		private readonly stepMs: number,
	) {
		this.root = rootOf(run);
		this.answers = answersIn(run);
		channel.open(
			{
				message: (text) => this.take(JSON.parse(text)),
				unreadable: (error) => this.fail(`the server sent an unreadable message: ${error.message}`),
				closed: (reason) => this.fail(reason),
			},
			Number.POSITIVE_INFINITY,
		);
	}

	async play(): Promise<void> {
		for (const { line, from, message } of this.run.messages) {
			this.line = line;
			if (from === "editor" && message.method !== undefined) {
				await this.until(() => this.missing());
				this.send(this.translated(message));
			}
			this.recorded.take(from, message);
		}
		// The recording may end before the last responses. Wait for them anyway.
		await this.until(() => this.unanswered());
		for (const method of this.answers.keys()) {
			if (!this.requested.has(method)) this.notes.push(`the server did not request ${method}`);
		}
	}

	async inTime<T>(happening: Promise<T>, what: string): Promise<T> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_resolve, reject) => {
			const why = `waited ${this.stepMs} ms for ${what}`;
			timer = setTimeout(() => reject(new Stopped(why)), this.stepMs);
		});
		try {
			return await Promise.race([happening, late]);
		} finally {
			clearTimeout(timer);
		}
	}

	/** Waits until `missing` returns undefined. It returns a description of the awaited event. */
	private async until(missing: () => string | undefined): Promise<void> {
		for (;;) {
			const what = missing();
			if (what === undefined) return;
			if (this.problem !== undefined) throw new Stopped(`${this.problem}, while waiting for ${what}`);
			const next = new Promise<void>((resolve) => {
				this.wake = resolve;
			});
			await this.inTime(next, what);
		}
	}

	/** Returns an event that the recorded editor had received at this point and this editor has not. */
	private missing(): string | undefined {
		const { recorded, ours } = this;
		for (const [id, method] of this.methods) {
			if (recorded.answered.has(id) && !ours.answered.has(id)) return `the answer to ${method}`;
		}
		for (const method of ANNOUNCED) {
			if (recorded.announced.has(method) && !ours.announced.has(method)) return method;
		}
		for (const id of recorded.rewritten) if (!ours.rewritten.has(id)) return "the end of a rewrite";
		for (const [theirs, id] of this.chats()) {
			const [was, is] = [recorded.chat(theirs), ours.chat(id)];
			if (!was.isOpen && is.isOpen) return "the end of a turn";
			if (was.waiting.length > 0 && is.waiting.length === 0) return "a call that needs approval";
		}
		return undefined;
	}

	private unanswered(): string | undefined {
		const open = [...this.methods].find(([id]) => !this.ours.answered.has(id));
		return open && `the answer to ${open[1]}`;
	}

	/** Pairs of a recorded chat id and the id used here, whether the editor or the server chose it. */
	private chats(): (readonly [string | number, string | number])[] {
		const named = this.run.messages.flatMap(({ line, from, message }) => {
			const id = (message.params as { chatId?: string | number } | null | undefined)?.chatId;
			return line < this.line && from === "editor" && id !== undefined ? [id] : [];
		});
		const minted = this.recorded.minted.flatMap((id, at) => {
			const our = this.ours.minted[at];
			return our === undefined ? [] : [[id, our] as const];
		});
		const known = new Map(minted);
		return [...new Map([...named.map((id) => [id, known.get(id) ?? id] as const), ...minted])];
	}

	private send(message: CapturedMessage): void {
		if (message.id !== undefined && message.method !== undefined) this.methods.set(message.id, message.method);
		this.ours.take("editor", message);
		this.sent++;
		this.channel.send(JSON.stringify(message));
	}

	/** Replaces the recorded process id, folder, and ids of chats, calls and contents with those used here. */
	private translated(message: CapturedMessage): CapturedMessage {
		const text = JSON.stringify(message);
		const moved = JSON.parse(
			this.root === undefined ? text : text.replaceAll(this.root, this.folder),
		) as CapturedMessage;
		if (typeof moved.params !== "object" || moved.params === null) return moved;
		const params = { ...moved.params } as Record<string, unknown>;
		if (message.method === "initialize" && typeof params["processId"] === "number") params["processId"] = process.pid;
		const theirs = params["chatId"] as string | number | undefined;
		if (theirs === undefined) return { ...moved, params: Array.isArray(moved.params) ? moved.params : params };
		const id = new Map(this.chats()).get(theirs) ?? theirs;
		const [was, is] = [this.recorded.chat(theirs), this.ours.chat(id)];
		params["chatId"] = id;
		if ("toolCallId" in params) params["toolCallId"] = is.waiting[0] ?? params["toolCallId"];
		if ("contentId" in params) params["contentId"] = is.contentIds[was.contentIds.indexOf(`${params["contentId"]}`)];
		return { ...moved, params };
	}

	private take(message: CapturedMessage): void {
		const { id, method, error } = message;
		const requested = id === undefined || method !== undefined ? undefined : this.methods.get(id);
		if (error !== undefined) this.fail(`${requested ?? "a message"} failed with ${JSON.stringify(error)}`);
		const wrong = wrongIn(message, requested);
		if (wrong !== undefined) this.fail(wrong);
		else this.ours.take("server", message);
		if (id !== undefined && method !== undefined) this.answer(id, method);
		this.wake();
	}

	/** Sends the recorded response, or "Method not found" if there is none. */
	private answer(id: string | number, method: string): void {
		this.requested.add(method);
		const { result, error } = this.answers.get(method) ?? { error: { code: -32601, message: "Method not found" } };
		this.channel.send(JSON.stringify({ jsonrpc: "2.0", id, ...(error === undefined ? { result } : { error }) }));
	}

	private fail(why: string): void {
		this.problem ??= why;
		this.wake();
	}
}

/** Notifications that a server sends when it starts, before the user can do anything. */
const ANNOUNCED = ["config/updated", "tool/serverUpdated"];

/** Returns why a message from the server violates the protocol. */
function wrongIn({ method, params, result }: CapturedMessage, requested: string | undefined): string | undefined {
	const name = method ?? requested;
	const known = Object.values(eca.messages).find((each) => each.method === name);
	if (known === undefined) return name === undefined ? undefined : `${name} is not part of the protocol`;
	const schema = method !== undefined ? known.params : "result" in known ? known.result : undefined;
	const read = schema?.["~standard"].validate(method !== undefined ? params : result);
	if (read === undefined || read instanceof Promise || read.issues === undefined) return undefined;
	return `${name} is not valid: ${JSON.stringify(read.issues)}`;
}

/** Returns the folder that was open in the recorded editor. */
function rootOf({ messages }: Run): string | undefined {
	const first = messages.find(({ message }) => message.method === "initialize")?.message.params;
	const uri = (first as { workspaceFolders?: { uri: string }[] } | undefined)?.workspaceFolders?.[0]?.uri;
	if (uri === undefined) return undefined;
	return uri.startsWith("file:") ? fileURLToPath(uri).replace(/\/$/, "") : uri;
}

/**
 * Returns the files that the recorded editor refers to, and an ignored file that the model may read only with approval.
 */
function filesFor(run: Run): Record<string, string> {
	const root = rootOf(run);
	const sent = run.messages.filter(({ from }) => from === "editor").map(({ message }) => JSON.stringify(message));
	const named =
		root === undefined ? [] : [...sent.join("\n").matchAll(/"path":"([^"]*)"/g)].map(([, file]) => file ?? "");
	const inside = named.filter((file) => root !== undefined && file.startsWith(`${root}/`));
	const files = inside.map((file) => [`project/${path.relative(root ?? "", file)}`, "hello\n"] as const);
	return { "project/.gitignore": `${PRIVATE}\n`, [`project/${PRIVATE}`]: "mine\n", ...Object.fromEntries(files) };
}

const PRIVATE = "private.txt";

/** Returns the recorded editor's responses, by the method of the server's request. */
function answersIn({ messages }: Run): Map<string, CapturedMessage> {
	const requested = new Map<string | number, string>();
	const answers = new Map<string, CapturedMessage>();
	for (const { from, message } of messages) {
		const { id, method } = message;
		if (id === undefined) continue;
		if (from === "server" && method !== undefined) requested.set(id, method);
		const name = requested.get(id);
		if (from === "editor" && method === undefined && name !== undefined) answers.set(name, message);
	}
	return answers;
}

/** More requests than the model receives in one session. */
const ANSWERS_MAX = 1_000;

/** Answers from a model whose turns need approval exactly where the recorded turns did. */
function answersFor({ messages }: Run): ModelAnswer[] {
	const turns = turnsIn(messages);
	let calls = 0;
	return Array.from({ length: ANSWERS_MAX }, () => ({ body }) => {
		const { tools = [], messages: history = [] } = body as { tools?: ModelTool[]; messages?: { role: string }[] };
		// Requests without tools are rewrites or completions. After a tool result, the answer only has to end the turn.
		if (tools.length === 0) return ["REWRITTEN"];
		if (history.at(-1)?.role === "tool") return ["Done."];
		const words = [{ thought: "Let me see…" }, "Hel", "lo ", "wörld"] as const;
		if (turns.shift() !== "call") return words;
		const id = `call-${++calls}`;
		const has = (name: string) => tools.some((tool) => tool.function.name === name);
		const look = has("diagnostics") ? [{ call: "diagnostics", id: `look-${calls}`, input: ["{}"] }] : [];
		const call = has("write_file")
			? { call: "write_file", id, input: [`{"path":"note-${calls}.txt",`, '"content":"hi\\n"}'] }
			: { call: "read_file", id, input: [`{"path":"${PRIVATE}"}`] };
		return [...words, ...look, call];
	});
}

interface ModelTool {
	readonly function: { readonly name: string };
}

/** Returns, for each prompt, whether its turn needed approval. */
function turnsIn(messages: readonly CapturedLine[]): ("call" | "words")[] {
	const turns: ("call" | "words")[] = [];
	const state = new ConversationState();
	for (const { from, message } of messages) {
		const { method, params } = message;
		if (from === "editor" && method === "chat/prompt") turns.push("words");
		state.take(from, message);
		const id = (params as { chatId?: string | number } | null | undefined)?.chatId;
		if (id !== undefined && state.chat(id).waiting.length > 0) turns[turns.length - 1] = "call";
	}
	return turns;
}

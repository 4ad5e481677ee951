import type { ChatEngine } from "@segue/agent/chat/chat";
import type { Buffers, Client, EndReason, PermissionAnswer, Update } from "@segue/assist";
import { NoSuchThread, StoreError } from "@segue/assist/failures";
import * as threads from "@segue/protocol/threads";
import { ErrorCode, RpcError } from "@segue/rpc";
import { ChunkStream } from "./chunk-stream.js";
import { noSuchThread, type OpenThreads } from "./open-threads.js";
import type { ThreadsPeer } from "./threads-peer.js";
import { TurnText } from "./turn-text.js";

// More than a user runs at a time, but few enough to limit processes and memory.
const TURNS_MAX = 16;
// Longer than any message that a user types or pastes.
const MESSAGE_CHARACTERS_MAX = 2 ** 20;

/** Runs the turns on one connection, one at a time per thread, and collects streamed messages. */
export class ThreadTurns {
	/** The message being streamed by the editor. The message is complete when another request follows. */
	private gathered: { readonly threadId: string; readonly pieces: Set<{ readonly text: string }> } | undefined;
	private readonly running = new Set<Promise<void>>();
	/** The last queued or running turn in each thread. */
	private readonly latest = new Map<string, Promise<void>>();
	private readonly closing = new AbortController();

	constructor(
		private readonly open: OpenThreads,
		private readonly peer: ThreadsPeer,
		/** Reports an unexpected error in a turn that no request is waiting for. */
		private readonly report: (error: unknown) => void,
	) {}

	/** Adds a chunk to the streamed message. Returns a function that removes the chunk again if its request fails. */
	gather(threadId: string, text: string): () => void {
		if (this.gathered?.threadId !== threadId) {
			this.finish();
			this.gathered = { threadId, pieces: new Set() };
		}
		if (this.gatheredFor(threadId).length + text.length > MESSAGE_CHARACTERS_MAX) {
			const why = `a message must not exceed ${MESSAGE_CHARACTERS_MAX} characters`;
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.chunk: ${why}`);
		}
		const { pieces } = this.gathered;
		const piece = { text };
		pieces.add(piece);
		return () => pieces.delete(piece);
	}

	/** Returns the part of a thread's streamed message that has been received so far. */
	gatheredFor(threadId: string): string {
		if (this.gathered?.threadId !== threadId) return "";
		return [...this.gathered.pieces].map(({ text }) => text).join("");
	}

	/** Starts a turn with the streamed message after the thread's running turn. No request waits for the new turn. */
	finish(): void {
		if (this.gathered === undefined) return;
		this.checkRoom();
		const { threadId } = this.gathered;
		const text = this.gatheredFor(threadId);
		this.gathered = undefined;
		if (text.trim() === "") return;
		this.take(threadId, text, this.closing.signal).catch((error) => {
			if (!(error instanceof RpcError)) this.report(error);
		});
	}

	/**
	 * Runs a turn with the user's text, appended to the streamed message if any. Resolves once the whole turn has been
	 * sent.
	 */
	async send(threadId: string, text: string, signal: AbortSignal): Promise<void> {
		this.checkFree(threadId);
		if (this.gathered?.threadId !== threadId) this.finish();
		this.checkRoom();
		const whole = this.gatheredFor(threadId) + text;
		this.gathered = undefined;
		if (whole.trim() === "") {
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.message.chunks: the message is empty");
		}
		return this.take(threadId, whole, signal);
	}

	/**
	 * Cancels all turns after the editor has disconnected. Stores an unfinished streamed message, because its chunks
	 * were accepted.
	 */
	async end(): Promise<void> {
		this.closing.abort(new Error("the editor has disconnected"));
		await Promise.allSettled(this.running);
		if (this.gathered === undefined) return;
		const { threadId } = this.gathered;
		const text = this.gatheredFor(threadId);
		if (text.trim() === "") return;
		await this.open.withEngine(undefined, ({ assist }) => assist.recordPrompt(threadId, [{ type: "text", text }]));
	}

	private take(threadId: string, text: string, signal: AbortSignal): Promise<void> {
		const run = () => this.run(threadId, text, signal);
		const before = this.latest.get(threadId);
		const turn = before === undefined ? run() : before.then(run, run);
		this.running.add(turn);
		this.latest.set(threadId, turn);
		const ended = () => {
			this.running.delete(turn);
			if (this.latest.get(threadId) === turn) this.latest.delete(threadId);
		};
		turn.then(ended, ended);
		return turn;
	}

	private run(threadId: string, text: string, signal: AbortSignal): Promise<void> {
		const stream = new ChunkStream(this.peer, threadId);
		const client = new ThreadsClient(this.peer, threadId, stream);
		return this.open.work(threadId, async (acquired) => {
			let reason: EndReason;
			try {
				const engine = await acquired;
				// The draft has no settings, so these were chosen with another protocol.
				const settings = await engine.assist.settings(threadId);
				reason = await engine.prompt(threadId, [{ type: "text", text }], client, { ...settings, signal });
				await this.remember(threadId, client.chosen, engine);
			} catch (error) {
				throw failureIn(error, client);
			} finally {
				await stream.end();
			}
			if (reason === "failed") throw new RpcError(ErrorCode.internal, client.failure);
		});
	}

	/** Saves a model chosen by a command with the thread, so it applies in all protocols. */
	private async remember(threadId: string, model: string | undefined, { assist }: ChatEngine): Promise<void> {
		if (model !== undefined) await assist.saveSettings(threadId, { ...(await assist.settings(threadId)), model });
	}

	private checkFree(threadId: string): void {
		if (!this.latest.has(threadId)) return;
		const why = "a turn is running in this thread; wait for it to end, or stream the message to queue it";
		throw new RpcError(ErrorCode.invalidRequest, `Invalid request: ${why}`);
	}

	private checkRoom(): void {
		if (this.running.size < TURNS_MAX) return;
		throw new RpcError(ErrorCode.busy, `Busy: ${TURNS_MAX} turns are running; wait for one to end`);
	}
}

/** Converts an error that prevented a turn. Also shows it in the thread if the user has to fix it. */
function failureIn(error: unknown, client: ThreadsClient): unknown {
	if (error instanceof NoSuchThread) return noSuchThread();
	if (error instanceof RpcError && error.code === ErrorCode.invalidParams) return error;
	if (!(error instanceof RpcError || error instanceof StoreError)) return error;
	client.fail(error.message);
	return error instanceof RpcError ? error : new RpcError(ErrorCode.internal, error.message);
}

/** Represents the editor to the chat engine. Each turn has its own instance. */
class ThreadsClient implements Client {
	readonly editor = {};
	readonly buffers: Buffers;
	/** The failed turn's error message. */
	failure = "The turn failed";
	/** The model chosen by a command. */
	chosen: string | undefined;
	private readonly text = new TurnText();

	constructor(
		peer: ThreadsPeer,
		threadId: string,
		private readonly stream: ChunkStream,
	) {
		this.buffers = {
			// Falls back to the disk if the editor does not have the file or does not serve files.
			read: async (path) => {
				const response = await peer.ask(threads.readTextFile, { threadId, path });
				return response.outcome === "done" ? response.result.content : undefined;
			},
			write: async () => false, // not in the draft
		};
	}

	update(update: Update): void {
		const body = update.type === "entry" ? update.entry.body : undefined;
		if (body?.type === "notice" && body.level !== "info") this.failure = body.text;
		this.write(this.text.add(update));
	}

	modelChosen(name: string): void {
		this.chosen = name;
	}

	async approve(): Promise<PermissionAnswer> {
		throw new Error("the thread draft cannot request permission");
	}

	/** Shows why the turn could not start. */
	fail(why: string): void {
		this.write(this.text.failure(why));
	}

	private write(text: string): void {
		if (text !== "") this.stream.write(text);
	}
}

import type { ChatEngine } from "@segue/agent/chat/chat";
import type { Buffers, Client, EndReason, PermissionAnswer, Update } from "@segue/assist";
import { NoSuchThread, StoreError } from "@segue/assist/failures";
import * as threads from "@segue/protocol/threads";
import { ErrorCode, RpcError } from "@segue/rpc";
import { ChunkStream } from "./chunk-stream.js";
import { noSuchThread, type OpenThreads } from "./open-threads.js";
import type { ThreadsPeer } from "./threads-peer.js";
import { TurnText } from "./turn-text.js";

// More than anybody talks in at a time, and few enough that their processes and their memory stay small.
const TURNS_MAX = 16;
// Longer than what anybody writes or pastes as one message.
const MESSAGE_CHARACTERS_MAX = 2 ** 20;

/** The turns of one connection, one at a time in each thread, and what the user says piece by piece before one begins. */
export class ThreadTurns {
	/** What was streamed to us, as far as it has come. A message is whole when something else follows. */
	private gathered: { readonly threadId: string; readonly pieces: Set<{ readonly text: string }> } | undefined;
	private readonly running = new Set<Promise<void>>();
	/** The turn of each thread that began last, as long as it is under way. */
	private readonly latest = new Map<string, Promise<void>>();
	private readonly closing = new AbortController();

	constructor(
		private readonly open: OpenThreads,
		private readonly peer: ThreadsPeer,
		/** Told of a bug in a turn that nobody waits for. */
		private readonly report: (error: unknown) => void,
	) {}

	/** A piece of what the user says. Returns how to take it back, for one that turns out not to be taken. */
	gather(threadId: string, text: string): () => void {
		if (this.gathered?.threadId !== threadId) {
			this.finish();
			this.gathered = { threadId, pieces: new Set() };
		}
		if (this.gatheredFor(threadId).length + text.length > MESSAGE_CHARACTERS_MAX) {
			const why = `a message has at most ${MESSAGE_CHARACTERS_MAX} characters`;
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.chunk: ${why}`);
		}
		const { pieces } = this.gathered;
		const piece = { text };
		pieces.add(piece);
		return () => pieces.delete(piece);
	}

	/** What of a message for a thread has come so far. */
	gatheredFor(threadId: string): string {
		if (this.gathered?.threadId !== threadId) return "";
		return [...this.gathered.pieces].map(({ text }) => text).join("");
	}

	/** What was gathered is whole: takes a turn with it, behind one that is under way. Nobody waits for it. */
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

	/** Takes a turn with what the user says, behind what was gathered of it. Returns when everything of the turn is sent. */
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

	/** Cancels all of them: the other end is gone. What it said and never finished is kept, since it was told that it is. */
	async end(): Promise<void> {
		this.closing.abort(new Error("the editor is gone"));
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
				// The draft has no words for these: they are as somebody chose them over another wire.
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

	/** What was chosen by a command is the thread's, over every wire. */
	private async remember(threadId: string, model: string | undefined, { assist }: ChatEngine): Promise<void> {
		if (model !== undefined) await assist.saveSettings(threadId, { ...(await assist.settings(threadId)), model });
	}

	private checkFree(threadId: string): void {
		if (!this.latest.has(threadId)) return;
		const why = "a turn is under way in this thread; wait for its end, or stream the message for the turn behind it";
		throw new RpcError(ErrorCode.invalidRequest, `Invalid request: ${why}`);
	}

	private checkRoom(): void {
		if (this.running.size < TURNS_MAX) return;
		throw new RpcError(ErrorCode.busy, `Busy: ${TURNS_MAX} turns are under way; wait for one to end`);
	}
}

/** What kept a turn from being taken. What a person has to mend is told in the thread as well. */
function failureIn(error: unknown, client: ThreadsClient): unknown {
	if (error instanceof NoSuchThread) return noSuchThread();
	if (error instanceof RpcError && error.code === ErrorCode.invalidParams) return error;
	if (!(error instanceof RpcError || error instanceof StoreError)) return error;
	client.fail(error.message);
	return error instanceof RpcError ? error : new RpcError(ErrorCode.internal, error.message);
}

/** An editor at the other end of the thread draft, as the chat engine sees it. One for each turn. */
class ThreadsClient implements Client {
	readonly editor = {};
	readonly buffers: Buffers;
	/** Why the turn failed, if it did. */
	failure = "The turn failed";
	/** The model that a command chose, if one did. */
	chosen: string | undefined;
	private readonly text = new TurnText();

	constructor(
		peer: ThreadsPeer,
		threadId: string,
		private readonly stream: ChunkStream,
	) {
		this.buffers = {
			// One that has no such file, or serves none, leaves it to the disk.
			read: async (path) => {
				const answer = await peer.ask(threads.readTextFile, { threadId, path });
				return answer.outcome === "done" ? answer.result.content : undefined;
			},
			write: async () => false, // the draft has no way to
		};
	}

	update(update: Update): void {
		const body = update.type === "entry" ? update.entry.body : undefined;
		if (body?.type === "notice" && body.level !== "info") this.failure = body.text;
		this.say(this.text.add(update));
	}

	modelChosen(name: string): void {
		this.chosen = name;
	}

	async approve(): Promise<PermissionAnswer> {
		throw new Error("the draft has no way to ask a person");
	}

	/** Why there was no turn. */
	fail(why: string): void {
		this.say(this.text.failure(why));
	}

	private say(text: string): void {
		if (text !== "") this.stream.write(text);
	}
}

import type { EndReason } from "@segue/assist";
import { NoSuchThread, StoreError } from "@segue/assist/failures";
import { ErrorCode, RpcError } from "@segue/rpc";
import { ThreadsClient } from "./client.js";
import { noSuchThread, type OpenThreads } from "./open-threads.js";
import type { Peer } from "./peer.js";
import { ChunkStream } from "./stream.js";

// More than anybody talks in at a time, and few enough that their processes and their memory stay small.
const TURNS_MAX = 16;
// Longer than what anybody writes or pastes as one message.
const MESSAGE_CHARACTERS_MAX = 2 ** 20;

/** The turns of one connection, one at a time in each thread, and what the user says piece by piece before one begins. */
export class Turns {
	/** What was streamed to us, as far as it has come. A message is whole when something else follows. */
	private gathered: { readonly threadId: string; text: string } | undefined;
	private readonly running = new Set<Promise<void>>();
	private readonly closing = new AbortController();

	constructor(
		private readonly open: OpenThreads,
		private readonly peer: Peer,
		/** Told of a bug in a turn that nobody waits for. */
		private readonly report: (error: unknown) => void,
	) {}

	/** A piece of what the user says. */
	gather(threadId: string, text: string): void {
		this.checkFree(threadId);
		if (this.gathered?.threadId !== threadId) {
			this.finish();
			this.gathered = { threadId, text: "" };
		}
		if (this.gathered.text.length + text.length > MESSAGE_CHARACTERS_MAX) {
			const why = `a message has at most ${MESSAGE_CHARACTERS_MAX} characters`;
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.chunk: ${why}`);
		}
		this.gathered.text += text;
	}

	/** Forgets what was gathered for a thread that turned out not to be there. */
	forget(threadId: string): void {
		if (this.gathered?.threadId === threadId) this.gathered = undefined;
	}

	/** What was gathered is whole: takes a turn with it, which nobody waits for. */
	finish(): void {
		const whole = this.gathered;
		if (whole === undefined) return;
		this.checkRoom();
		this.gathered = undefined;
		if (whole.text.trim() === "") return;
		this.take(whole.threadId, whole.text, this.closing.signal).catch((error) => {
			if (!(error instanceof RpcError)) this.report(error);
		});
	}

	/** Takes a turn with what the user says, behind what was gathered of it. Returns when everything of the turn is sent. */
	async send(threadId: string, text: string, signal: AbortSignal): Promise<void> {
		this.checkFree(threadId);
		if (this.gathered?.threadId !== threadId) this.finish();
		this.checkRoom();
		const whole = (this.gathered?.text ?? "") + text;
		this.gathered = undefined;
		if (whole.trim() === "") {
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.message.chunks: the message is empty");
		}
		return this.take(threadId, whole, signal);
	}

	/** Cancels all of them: the other end is gone. */
	async end(): Promise<void> {
		this.closing.abort(new Error("the editor is gone"));
		await Promise.allSettled(this.running);
	}

	private take(threadId: string, text: string, signal: AbortSignal): Promise<void> {
		const turn = this.run(threadId, text, signal);
		this.running.add(turn);
		const ended = () => this.running.delete(turn);
		turn.then(ended, ended);
		return turn;
	}

	private run(threadId: string, text: string, signal: AbortSignal): Promise<void> {
		const stream = new ChunkStream(this.peer, threadId);
		const client = new ThreadsClient(this.peer, threadId, stream);
		return this.open.work(threadId, async (lent) => {
			let reason: EndReason;
			try {
				const engine = await lent;
				reason = await engine.prompt(threadId, [{ type: "text", text }], client, { signal });
			} catch (error) {
				throw failureIn(error, client);
			} finally {
				await stream.end();
			}
			if (reason === "failed") throw new RpcError(ErrorCode.internal, client.failure);
		});
	}

	private checkFree(threadId: string): void {
		if (!this.open.isBusy(threadId)) return;
		const why = "a turn is under way in this thread; wait for the answer to its sendMessage";
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

import { COMMANDS } from "@segue/assist";
import * as threads from "@segue/protocol/threads";
import { Connection, type Handler, memoryPair, on, PeerError, type Problem } from "@segue/rpc";
import { type ServedThreads, serveThreads } from "@segue/server";
import { ChatFixture, type ChatFixtureOptions } from "../chat/chat-fixture.js";
import { FakeClock } from "../clock.js";

/** A client for the thread protocol. The server behind it uses the engine and a scripted model. */
export class ThreadsFixture {
	readonly connection: Connection<"client">;
	readonly clock = new FakeClock();
	/** Text chunks from the agent. */
	readonly chunks: string[] = [];
	/** Summaries of all messages received, in order. */
	readonly transcript: string[] = [];
	readonly problems: Problem[] = [];
	/** Number of acquired engines. */
	engineCount = 0;
	private readonly served: ServedThreads;

	constructor(
		readonly conversation: ChatFixture,
		handlers: readonly Handler<"either">[],
	) {
		const [ours, theirs] = memoryPair();
		const { assist, model, tools } = conversation;
		const report = (problem: Problem) => this.problems.push(problem);
		const choose = () => model;
		const engine = { assist, models: { names: [], choose }, commands: COMMANDS, prompt: assist.prompt.bind(assist) };
		const engineFor = async () => {
			this.engineCount++;
			let isOut = true;
			const release = () => {
				if (isOut) this.engineCount--;
				isOut = false;
			};
			return { engine, release };
		};
		this.served = serveThreads(theirs, {
			chat: { acquireEngine: engineFor, clock: this.clock },
			folder: tools.root,
			report,
		});
		const own = handlers.map(({ message }) => message.method);
		const usual = this.usualHandlers().filter(({ message }) => !own.includes(message.method));
		this.connection = new Connection<"client">(ours, {
			dialect: threads.dialect,
			report,
			handlers: [...usual, ...handlers],
		});
		this.connection.tap(({ direction, phase, text }) => {
			if (direction !== "in" || phase !== "before") return;
			const { id, method, params, result, error } = JSON.parse(text);
			if (method === threads.streamMessageChunk.method) this.transcript.push(`chunk ${params.chunk.chunk}`);
			else if (method !== undefined) this.transcript.push(method);
			else this.transcript.push(error === undefined ? `result ${id} ${JSON.stringify(result)}` : `error ${error.code}`);
		});
	}

	/** Opens a client that accepts chunks. Other requests are accepted only if they have a handler. */
	static async open(
		options: ChatFixtureOptions = {},
		handlers: readonly Handler<"either">[] = [],
	): Promise<ThreadsFixture> {
		return new ThreadsFixture(await ChatFixture.begin(options), handlers);
	}

	async create(): Promise<string> {
		return (await this.connection.request(threads.createThread, null)).threadId;
	}

	send(threadId: string, text: string, role: threads.Message["role"] = "user"): Promise<null> {
		const message = { role, chunks: [{ type: "text" as const, chunk: text }] };
		return this.connection.request(threads.sendMessage, { threadId, message });
	}

	/** Streams a user message, which the draft allows as an alternative to `sendMessage`. */
	stream(threadId: string, text: string): Promise<null> {
		return this.connection.request(threads.streamMessageChunk, { threadId, chunk: { type: "text", chunk: text } });
	}

	async entries(threadId: string): Promise<string[]> {
		const { entries } = await this.connection.request(threads.getThreadEntries, { threadId });
		return entries.map((entry) => {
			if (entry.type === "readFile") return `read ${this.short(entry.path)}: ${entry.content}`;
			return `${entry.role}: ${entry.chunks.map(({ chunk }) => chunk).join("|")}`;
		});
	}

	/** All text from the agent. */
	get agentText(): string {
		return this.chunks.join("");
	}

	/** Returns the code and message of a failed request. */
	async errorOf(request: Promise<unknown>): Promise<string> {
		try {
			return `no error: ${JSON.stringify(await request)}`;
		} catch (error) {
			if (error instanceof PeerError) return `${error.code} ${this.short(error.message)}`;
			throw error;
		}
	}

	/** Disconnects and waits for the agent to finish. */
	async leave(): Promise<void> {
		this.connection.close();
		await Promise.all([this.connection.closed, this.served.over]);
	}

	short(text: string): string {
		return text.replaceAll(this.conversation.tools.root, "ROOT");
	}

	private usualHandlers(): Handler<"either">[] {
		return [
			on(threads.streamMessageChunk, ({ chunk }) => {
				this.chunks.push(chunk.chunk);
				return null;
			}),
		];
	}
}

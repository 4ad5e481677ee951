import type { Answer, Buffers, Client, Update } from "@segue/assist";
import { threads } from "@segue/protocol/threads";
import type { Peer } from "./peer.js";
import type { ChunkStream } from "./stream.js";
import { TurnText } from "./text.js";

/** An editor at the other end of the thread draft, as the chat engine sees it. One for each turn. */
export class ThreadsClient implements Client {
	readonly editor = {};
	readonly buffers: Buffers;
	/** Why the turn failed, if it did. */
	failure = "The turn failed";
	/** The model that a command chose, if one did. */
	chosen: string | undefined;
	private readonly text = new TurnText();

	constructor(
		peer: Peer,
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

	async approve(): Promise<Answer> {
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

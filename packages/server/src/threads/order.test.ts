import * as threads from "@segue/protocol/threads";
import { type Handler, on, RpcError } from "@segue/rpc";
import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { ThreadsFixture } from "@segue/testing/editors/threads-fixture";
import { HOLD, type ScriptedAnswer } from "@segue/testing/models/scripted-model";
import { settled } from "@segue/testing/rpc/peers";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";

// What an editor of the draft depends on, whatever it, the model and the user do at whatever moment. For 10,000 schedules that
// can be had again: FUZZ_RUNS=40000 FUZZ_SEED=1 npx vitest run packages/server/src/threads/order.test.ts

/** Letters that the model says and nobody else, one for each piece of its text. */
const LETTERS = { first: 0xe000, count: 0x1900 };
const isLetter = (letter: string) => {
	const place = (letter.codePointAt(0) ?? 0) - LETTERS.first;
	return place >= 0 && place < LETTERS.count;
};

const answers = fc.array(
	fc.array(
		fc.constantFrom(
			HOLD,
			{ type: "text", text: "" } as const,
			{ type: "thought", text: "t", signature: undefined } as const,
			{ type: "call", id: "c", tool: "read_file", input: '{"path":"a.txt"}' } as const,
			{ type: "call", id: "d", tool: "delete_file", input: '{"path":"a.txt"}' } as const,
		),
		{ maxLength: 6 },
	),
	{ maxLength: 5 },
);

const steps = fc.array(
	fc.record({
		does: fc.constantFrom("send", "send", "stream", "open", "list", "go on", "go on", "answer", "answer", "settle"),
		at: fc.nat(2),
	}),
	{ maxLength: 20 },
);

/** How the editor takes chunks. */
const manners = fc.constantFrom("at once", "when it likes", "with an error", "not at all", "not at all, late");

test("every chunk of a turn comes before its answer, all of it comes, and never too much at once", async () => {
	const conversation = await ChatFixture.begin({ files: { "a.txt": "a\n" } });
	let script: Extract<ScriptedAnswer, readonly unknown[]>[] = [];
	const next = (): ScriptedAnswer => {
		conversation.model.add(next);
		const [answer = [], ...later] = script;
		script = later;
		return answer.map((part) => ("type" in part && part.type === "text" ? lettered() : part));
	};
	let count = 0;
	const lettered = () => {
		const text = String.fromCodePoint(LETTERS.first + (count++ % LETTERS.count));
		return { type: "text", text } as const;
	};
	conversation.model.add(next);
	await fc.assert(
		fc.asyncProperty(steps, answers, manners, async (walk, said, manner) => {
			script = [...said];
			const editor = await Editor.open(conversation, manner);
			for (const { does, at } of walk) await editor.take(does, at);
			await editor.finish();
			expect(editor.broken).toEqual([]);
			expect(editor.stage.problems).toEqual([]);
		}),
		{ numRuns: runs(250) },
	);
});

/** Talks in two threads, and streams to a third. */
class Editor {
	/** Which rules were broken, in words. */
	readonly broken: string[] = [];
	private readonly sent = new Map<string, Promise<unknown>>();
	/** What was said in each thread. */
	private readonly heard = new Map<string, string>();
	private readonly answering: { readonly threadId: string; readonly answer: () => void }[] = [];
	private isLeaving = false;

	private constructor(
		readonly stage: ThreadsFixture,
		private readonly ids: readonly string[],
	) {}

	static async open(conversation: ChatFixture, manner: string): Promise<Editor> {
		let editor: Editor | undefined;
		const handlers: Handler<"either">[] = [
			on(threads.streamMessageChunk, ({ threadId, chunk }) => {
				const isUnknown = manner.startsWith("not at all");
				editor?.hears(threadId, isUnknown ? "" : chunk.chunk);
				const unknown = new RpcError(-32601, "no such method");
				if (manner === "with an error") throw new RpcError(-32602, "no");
				if (manner === "not at all") throw unknown;
				if (isUnknown) return editor?.answerLater(threadId, unknown) ?? Promise.reject(unknown);
				return manner === "at once" ? null : (editor?.answerLater(threadId) ?? null);
			}),
			on(threads.sendMessage, ({ threadId, message }) => {
				editor?.hears(threadId, message.chunks.map(({ chunk }) => chunk).join(""));
				return null;
			}),
		];
		const stage = new ThreadsFixture(conversation, handlers);
		editor = new Editor(stage, [await stage.create(), await stage.create(), await stage.create()]);
		return editor;
	}

	async take(does: string, at: number): Promise<void> {
		const threadId = this.ids[at] as string;
		const { stage } = this;
		const isStreamed = at === 2;
		if (does === "settle") await settled();
		else if (does === "go on") void stage.conversation.model.release();
		else if (does === "answer") this.answering.shift()?.answer();
		else if (does === "list") await stage.connection.request(threads.getThreads, null);
		else if (does === "open") await stage.connection.request(threads.openThread, { threadId });
		else if (does === "stream") await stage.stream(this.ids[2] as string, "Go").catch(() => {});
		else if (!isStreamed && !this.sent.has(threadId)) this.sent.set(threadId, this.send(threadId));
	}

	/** Lets everything come to its end, and sees that all was told. */
	async finish(): Promise<void> {
		this.isLeaving = true;
		for (const { answer } of this.answering.splice(0)) answer();
		const { conversation } = this.stage;
		const turns = Promise.all(this.sent.values());
		let isOver = false;
		void turns.then(() => {
			isOver = true;
		});
		while (!isOver) {
			void conversation.model.release();
			await settled();
		}
		for (const threadId of this.ids.slice(0, 2)) {
			const entries = await conversation.store.entries(threadId);
			const told = entries.map(({ body }) => (body.type === "text" ? body.text : "")).join("");
			const heard = [...(this.heard.get(threadId) ?? "")].filter(isLetter).join("");
			if (heard !== told) this.broken.push(`heard ${codes(heard)} of ${codes(told)}`);
		}
		await this.stage.leave();
	}

	private async send(threadId: string): Promise<void> {
		await this.stage.send(threadId, "Go").catch((error: Error) => {
			// A turn may fail, and says so in words.
			if (!this.heard.get(threadId)?.includes(error.message)) this.broken.push(error.message);
		});
		this.sent.delete(threadId);
	}

	private hears(threadId: string, text: string): void {
		if (threadId !== this.ids[2] && !this.sent.has(threadId)) this.broken.push("something outside of a turn");
		this.heard.set(threadId, (this.heard.get(threadId) ?? "") + text);
	}

	private answerLater(threadId: string, error?: RpcError): Promise<null> | null {
		if (this.isLeaving) return null;
		return new Promise((resolve, reject) => {
			this.answering.push({ threadId, answer: () => (error === undefined ? resolve(null) : reject(error)) });
			if (this.answering.filter((each) => each.threadId === threadId).length > 4) this.broken.push("too many at once");
		});
	}
}

/** Letters that have no shape, as numbers. */
function codes(letters: string): string {
	return [...letters].map((letter) => (letter.codePointAt(0) ?? 0) - LETTERS.first).join(" ");
}

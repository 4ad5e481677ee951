import * as threads from "@segue/protocol/threads";
import { type Handler, on, RpcError } from "@segue/rpc";
import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { ThreadsFixture } from "@segue/testing/editors/threads-fixture";
import { HOLD, type ScriptedAnswer } from "@segue/testing/models/scripted-model";
import { settled } from "@segue/testing/rpc/peers";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";

// Checks the message order that editors depend on, with random actions by the editor, the model and the user. To run
// 10,000 schedules from a fixed seed: FUZZ_RUNS=40000 FUZZ_SEED=1 npx vitest run
// packages/server/src/threads/order.test.ts

/** Letters that only the model writes, one for each piece of its text. */
const LETTERS = { first: 0xe000, count: 0x1900 };
const isLetter = (letter: string) => {
	const index = (letter.codePointAt(0) ?? 0) - LETTERS.first;
	return index >= 0 && index < LETTERS.count;
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
		action: fc.constantFrom(
			...["send", "send", "stream", "open", "list", "release", "release", "respond", "respond", "settle"],
		),
		at: fc.nat(2),
	}),
	{ maxLength: 20 },
);

/** The ways in which the editor responds to chunks. */
const behaviors = fc.constantFrom("at once", "late", "with an error", "unsupported", "unsupported, late");

test("all chunks of a turn precede its response, with a limited number pending", async () => {
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
		fc.asyncProperty(steps, answers, behaviors, async (walk, replies, behavior) => {
			script = [...replies];
			const editor = await Editor.open(conversation, behavior);
			for (const { action, at } of walk) await editor.take(action, at);
			await editor.finish();
			expect(editor.broken).toEqual([]);
			expect(editor.stage.problems).toEqual([]);
		}),
		{ numRuns: runs(250) },
	);
});

/** Sends messages to two threads and streams to a third. */
class Editor {
	/** Descriptions of broken rules. */
	readonly broken: string[] = [];
	private readonly sent = new Map<string, Promise<unknown>>();
	/** The text received in each thread. */
	private readonly texts = new Map<string, string>();
	private readonly pending: { readonly threadId: string; readonly respond: () => void }[] = [];
	private isFinishing = false;

	private constructor(
		readonly stage: ThreadsFixture,
		private readonly ids: readonly string[],
	) {}

	static async open(conversation: ChatFixture, behavior: string): Promise<Editor> {
		let editor: Editor | undefined;
		const handlers: Handler<"either">[] = [
			on(threads.streamMessageChunk, ({ threadId, chunk }) => {
				const isUnsupported = behavior.startsWith("unsupported");
				editor?.addText(threadId, isUnsupported ? "" : chunk.chunk);
				const unsupported = new RpcError(-32601, "no such method");
				if (behavior === "with an error") throw new RpcError(-32602, "no");
				if (behavior === "unsupported") throw unsupported;
				if (isUnsupported) return editor?.respondLater(threadId, unsupported) ?? Promise.reject(unsupported);
				return behavior === "at once" ? null : (editor?.respondLater(threadId) ?? null);
			}),
			on(threads.sendMessage, ({ threadId, message }) => {
				editor?.addText(threadId, message.chunks.map(({ chunk }) => chunk).join(""));
				return null;
			}),
		];
		const stage = new ThreadsFixture(conversation, handlers);
		editor = new Editor(stage, [await stage.create(), await stage.create(), await stage.create()]);
		return editor;
	}

	async take(action: string, at: number): Promise<void> {
		const threadId = this.ids[at] as string;
		const { stage } = this;
		const isStreamed = at === 2;
		if (action === "settle") await settled();
		else if (action === "release") void stage.conversation.model.release();
		else if (action === "respond") this.pending.shift()?.respond();
		else if (action === "list") await stage.connection.request(threads.getThreads, null);
		else if (action === "open") await stage.connection.request(threads.openThread, { threadId });
		else if (action === "stream") await stage.stream(this.ids[2] as string, "Go").catch(() => {});
		else if (!isStreamed && !this.sent.has(threadId)) this.sent.set(threadId, this.send(threadId));
	}

	/** Waits until everything has ended, and checks that all text was received. */
	async finish(): Promise<void> {
		this.isFinishing = true;
		for (const { respond } of this.pending.splice(0)) respond();
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
			const stored = entries.map(({ body }) => (body.type === "text" ? body.text : "")).join("");
			const received = [...(this.texts.get(threadId) ?? "")].filter(isLetter).join("");
			if (received !== stored) this.broken.push(`received ${codes(received)} of ${codes(stored)}`);
		}
		await this.stage.leave();
	}

	private async send(threadId: string): Promise<void> {
		await this.stage.send(threadId, "Go").catch((error: Error) => {
			// A failed turn shows the error in its text.
			if (!this.texts.get(threadId)?.includes(error.message)) this.broken.push(error.message);
		});
		this.sent.delete(threadId);
	}

	private addText(threadId: string, text: string): void {
		if (threadId !== this.ids[2] && !this.sent.has(threadId)) this.broken.push("text outside a turn");
		this.texts.set(threadId, (this.texts.get(threadId) ?? "") + text);
	}

	private respondLater(threadId: string, error?: RpcError): Promise<null> | null {
		if (this.isFinishing) return null;
		return new Promise((resolve, reject) => {
			this.pending.push({ threadId, respond: () => (error === undefined ? resolve(null) : reject(error)) });
			if (this.pending.filter((each) => each.threadId === threadId).length > 4) this.broken.push("too many pending");
		});
	}
}

/** Returns private-use characters as numbers, because the characters have no glyphs. */
function codes(letters: string): string {
	return [...letters].map((letter) => (letter.codePointAt(0) ?? 0) - LETTERS.first).join(" ");
}

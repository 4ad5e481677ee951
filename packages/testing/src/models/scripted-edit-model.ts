import { type EditModel, type EditReply, type PromptInput, Window } from "@segue/models";
import type { ModelHunk } from "@segue/predict";
import type { Edit } from "@segue/text";

/** An in-memory next-edit model that answers when a test tells it to, and records its requests. */
export class ScriptedEditModel implements EditModel {
	readonly name = "scripted/edits";
	readonly format = "scripted";
	readonly specialTokens = ["<|mark|>"];
	pendingMax = 2;
	/** Requests received, in order. */
	readonly requests: ScriptedEditRequest[] = [];
	/** Feedback on answers, in the form `ID OUTCOME`. */
	readonly feedback: string[] = [];

	/** `onRequest` is called with each request. */
	constructor(private readonly onRequest: (request: ScriptedEditRequest) => void = () => {}) {}

	ask(input: PromptInput, signal: AbortSignal): AsyncIterable<EditReply> {
		const open = this.open;
		if (open.length >= this.pendingMax) open[0]?.fails(new DOMException("superseded", "AbortError"));
		const request = new ScriptedEditRequest(input, signal, `answer_${this.requests.length + 1}`);
		this.requests.push(request);
		this.onRequest(request);
		return request.answers();
	}

	sendFeedback(id: string, verdict: string): void {
		this.feedback.push(`${id} ${verdict}`);
	}

	/** Unfinished requests, oldest first. */
	get open(): ScriptedEditRequest[] {
		return this.requests.filter(({ isOver }) => !isOver);
	}
}

/** A request to the model, with methods that send its answer. */
export class ScriptedEditRequest {
	private readonly replies: (EditReply | { readonly error: unknown })[] = [];
	/** Spans the whole document. */
	private readonly window: Window;
	private wake = () => {};
	private over = false;

	constructor(
		readonly input: PromptInput,
		signal: AbortSignal,
		private readonly id: string,
	) {
		const { text, cursor } = input;
		this.window = Window.ofLines(text, cursor, text.lineCount, text.lineCount);
		signal.addEventListener("abort", () => this.fails(signal.reason), { once: true });
	}

	get isOver(): boolean {
		return this.over;
	}

	/** Answers with a new text for the whole document, and ends the answer. */
	writes(text: string): void {
		this.reply({ hunks: this.window.hunksOf({ text, end: "stop" }) }, true);
	}

	/** Sends a partial answer: the first `places` hunks of the diff to `text`. */
	settles(text: string, places: number): void {
		this.reply({ hunks: this.window.hunksOf({ text, end: "stop" }).slice(0, places) }, false);
	}

	/** Answers with these edits, one per hunk. A diff might place them differently between equal lines. */
	edits(edits: readonly Edit[], isWhole: boolean): void {
		this.reply({ hunks: edits.map((edit) => ({ edits: [edit], isCut: false })) }, isWhole);
	}

	/** Answers without an edit, or with an unreadable answer. */
	writesNothing(nothing: "no-edit" | "unreadable-answer"): void {
		this.reply({ nothing }, true);
	}

	fails(error: unknown): void {
		if (this.over) return;
		this.over = true;
		this.replies.push({ error });
		this.wake();
	}

	async *answers(): AsyncGenerator<EditReply> {
		for (let i = 0; ; i++) {
			while (this.replies.length <= i) {
				await new Promise<void>((resolve) => {
					this.wake = resolve;
				});
			}
			const reply = this.replies[i] as (typeof this.replies)[number];
			if ("error" in reply) throw reply.error;
			yield reply;
			if (reply.isWhole) return;
		}
	}

	private reply(
		reading: { hunks: readonly ModelHunk[] } | { nothing: "no-edit" | "unreadable-answer" },
		isWhole: boolean,
	) {
		if (this.over) return;
		this.over = isWhole;
		const { from, to } = this.window;
		this.replies.push({ ...reading, window: { from, to }, isWhole, id: this.id });
		this.wake();
	}
}

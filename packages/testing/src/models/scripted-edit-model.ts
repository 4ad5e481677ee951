import { type EditModel, type EditReply, type PromptInput, Window } from "@segue/models";
import type { ModelHunk } from "@segue/predict";
import type { Edit } from "@segue/text";

/** A model of next edits without a wire. It answers when a test says so, and remembers what it was asked. */
export class ScriptedEditModel implements EditModel {
	readonly name = "scripted/edits";
	readonly format = "scripted";
	readonly specialTokens = ["<|mark|>"];
	pendingMax = 2;
	/** What it was asked, in order. */
	readonly requests: ScriptedEditRequest[] = [];
	/** What it was told of its answers. */
	readonly feedback: string[] = [];

	/** Hears of each question, so that it need not be looked for. */
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

	/** What it has not answered to the end, the oldest first. */
	get open(): ScriptedEditRequest[] {
		return this.requests.filter(({ isOver }) => !isOver);
	}
}

/** Something that the model was asked. */
export class ScriptedEditRequest {
	private readonly replies: (EditReply | { readonly error: unknown })[] = [];
	/** All of the text. */
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

	/** Writes another text in place of the document's, to the end. */
	writes(text: string): void {
		this.reply({ hunks: this.window.hunksOf({ text, end: "stop" }) }, true);
	}

	/** Has come so far that so many of the places are settled at which another text differs. */
	settles(text: string, places: number): void {
		this.reply({ hunks: this.window.hunksOf({ text, end: "stop" }).slice(0, places) }, false);
	}

	/** Writes edits of the document, each a hunk of its own: where lines are alike, a diff may tell another story. */
	edits(edits: readonly Edit[], isWhole: boolean): void {
		this.reply({ hunks: edits.map((edit) => ({ edits: [edit], isCut: false })) }, isWhole);
	}

	/** Says that there is nothing to write, or nothing that can be read. */
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

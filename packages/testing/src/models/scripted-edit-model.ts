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
	readonly asked: ScriptedEditRequest[] = [];
	/** What it was told of its answers. */
	readonly told: string[] = [];

	/** Hears of each question, so that it need not be looked for. */
	constructor(private readonly heard: (asked: ScriptedEditRequest) => void = () => {}) {}

	ask(brief: PromptInput, signal: AbortSignal): AsyncIterable<EditReply> {
		const open = this.open;
		if (open.length >= this.pendingMax) open[0]?.fails(new DOMException("superseded", "AbortError"));
		const asked = new ScriptedEditRequest(brief, signal, `answer_${this.asked.length + 1}`);
		this.asked.push(asked);
		this.heard(asked);
		return asked.answers();
	}

	sendFeedback(id: string, verdict: string): void {
		this.told.push(`${id} ${verdict}`);
	}

	/** What it has not answered to the end, the oldest first. */
	get open(): ScriptedEditRequest[] {
		return this.asked.filter(({ isOver }) => !isOver);
	}
}

/** Something that the model was asked. */
export class ScriptedEditRequest {
	private readonly said: (EditReply | { readonly error: unknown })[] = [];
	/** All of the text. */
	private readonly window: Window;
	private wake = () => {};
	private over = false;

	constructor(
		readonly brief: PromptInput,
		signal: AbortSignal,
		private readonly id: string,
	) {
		const { text, cursor } = brief;
		this.window = Window.ofLines(text, cursor, text.lineCount, text.lineCount);
		signal.addEventListener("abort", () => this.fails(signal.reason), { once: true });
	}

	get isOver(): boolean {
		return this.over;
	}

	/** Writes another text in place of the document's, to the end. */
	writes(text: string): void {
		this.say({ hunks: this.window.hunksOf({ text, end: "stop" }) }, true);
	}

	/** Has come so far that so many of the places are settled at which another text differs. */
	settles(text: string, places: number): void {
		this.say({ hunks: this.window.hunksOf({ text, end: "stop" }).slice(0, places) }, false);
	}

	/** Writes edits of the document, each a hunk of its own: where lines are alike, a diff may tell another story. */
	edits(edits: readonly Edit[], isWhole: boolean): void {
		this.say({ hunks: edits.map((edit) => ({ edits: [edit], isCut: false })) }, isWhole);
	}

	/** Says that there is nothing to write, or nothing that can be read. */
	writesNothing(nothing: "no-edit" | "unreadable-answer"): void {
		this.say({ nothing }, true);
	}

	fails(error: unknown): void {
		if (this.over) return;
		this.over = true;
		this.said.push({ error });
		this.wake();
	}

	async *answers(): AsyncGenerator<EditReply> {
		for (let i = 0; ; i++) {
			while (this.said.length <= i) {
				await new Promise<void>((resolve) => {
					this.wake = resolve;
				});
			}
			const said = this.said[i] as (typeof this.said)[number];
			if ("error" in said) throw said.error;
			yield said;
			if (said.isWhole) return;
		}
	}

	private say(
		reading: { hunks: readonly ModelHunk[] } | { nothing: "no-edit" | "unreadable-answer" },
		isWhole: boolean,
	) {
		if (this.over) return;
		this.over = isWhole;
		const { from, to } = this.window;
		this.said.push({ ...reading, window: { from, to }, isWhole, id: this.id });
		this.wake();
	}
}

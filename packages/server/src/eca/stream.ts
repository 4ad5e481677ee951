import type { Call, Update } from "@segue/assist";
import type { Narrator } from "./content.js";
import type { Telling } from "./dialect.js";
import type { Piece } from "./session.js";

/** What an editor sees of one turn, in the order that editors know. */
export class TurnStream {
	private hasBegun = false;
	private progress: string | undefined;

	constructor(
		private readonly narrator: Narrator,
		private readonly telling: Telling,
		/** Called once, when the editor has seen what the turn is about. */
		private readonly begun: () => void,
		/** Whether the thread has a title; it gets one right behind its first prompt. */
		private readonly isNamed: boolean,
		/** What the person should know of what went with the prompt. */
		private readonly notices: readonly string[],
	) {}

	hear(update: Update): void {
		for (const piece of this.narrator.piecesOf(update)) this.say(piece);
	}

	ask(call: Call): void {
		for (const piece of this.narrator.asks(call)) this.say(piece);
	}

	/** Tells the person why there is no answer, or no more of it. */
	fail(why: string): void {
		this.say({ role: "system", content: { type: "text", text: `Error: ${why}\n` } });
	}

	end(): void {
		for (const piece of this.narrator.end()) this.say(piece);
		this.begin();
		this.telling.complete();
	}

	private say(piece: Piece): void {
		const { type } = piece.content;
		if (this.hasBegun || (piece.role !== "user" && type !== "metadata")) {
			this.begin();
			if (piece.role === "assistant" && GENERATED.includes(type)) this.make(GENERATING);
			this.telling.tell(piece);
			if (type === "toolCallRunning") this.make(CALLING);
			return;
		}
		this.telling.tell(piece);
		if (this.isNamed || type === "metadata") this.begin();
	}

	private begin(): void {
		if (this.hasBegun) return;
		this.hasBegun = true;
		this.begun();
		this.make(WAITING);
		for (const text of this.notices) {
			this.telling.tell({ role: "system", content: { type: "text", text: `${text}\n` } });
		}
	}

	private make(progress: string): void {
		if (this.progress === progress) return;
		this.progress = progress;
		this.telling.tell({ role: "system", content: { type: "progress", state: "running", text: progress } });
	}
}

// As the server of the protocol's makers says it.
const WAITING = "Waiting model";
const GENERATING = "Generating";
const CALLING = "Calling tool";

/** What a model has just written. */
const GENERATED: readonly Piece["content"]["type"][] = ["text", "reasonStarted", "toolCallPrepare"];

import type { Update } from "@segue/assist";
import type { ContentItem } from "../eca-session.js";
import type { Encoder } from "../encoding/encoder.js";
import type { ContentBuilder } from "../to-wire.js";

/** What an editor sees of one turn, in the order that editors know. */
export class TurnStream {
	/** What was told, as few pieces as say it: an editor that opens the chat anew is told it again. */
	readonly told: ContentItem[] = [];
	/** The number of the turn's first entry, once the editor has heard of it. */
	first: number | undefined;
	/** Settles when it has, or the turn is over. */
	readonly heard: Promise<void>;
	private isHeard: () => void = () => {};
	private hasBegun = false;
	private progress: string | undefined;
	/** What the person should know once the turn has begun. */
	private notices: readonly string[] = [];

	constructor(
		private readonly narrator: ContentBuilder,
		private readonly telling: Encoder,
		/** Called once, when the editor has seen what the turn is about. */
		private readonly begun: () => void,
		/** Whether the thread has a title; it gets one right behind its first prompt. */
		private readonly isNamed: boolean,
	) {
		this.heard = new Promise((resolve) => {
			this.isHeard = resolve;
		});
	}

	hear(update: Update): void {
		if (update.type === "entry") {
			this.first ??= update.entry.number;
			this.isHeard();
		}
		for (const piece of this.narrator.itemsOf(update)) this.say(piece);
	}

	/** Tells the person what they should know of what went with the prompt. */
	notice(texts: readonly string[]): void {
		this.notices = [...this.notices, ...texts];
		if (this.hasBegun) this.tellNotices();
	}

	/** Tells the person why there is no answer, or no more of it. */
	fail(why: string): void {
		this.say({ role: "system", content: { type: "text", text: `Error: ${why}\n` } });
	}

	end(): void {
		for (const piece of this.narrator.end()) this.say(piece);
		this.begin();
		this.telling.complete();
		this.isHeard();
	}

	say(piece: ContentItem): void {
		const { type } = piece.content;
		if (this.hasBegun || (piece.role !== "user" && type !== "metadata")) {
			this.begin();
			if (piece.role === "assistant" && GENERATED.includes(type)) this.make(GENERATING);
			this.tell(piece);
			if (type === "toolCallRunning") this.make(CALLING);
			return;
		}
		this.tell(piece);
		if (this.isNamed || type === "metadata") this.begin();
	}

	private begin(): void {
		if (this.hasBegun) return;
		this.hasBegun = true;
		this.begun();
		this.make(WAITING);
		this.tellNotices();
	}

	private tellNotices(): void {
		for (const text of this.notices) {
			this.tell({ role: "system", content: { type: "text", text: `${text}\n` } });
		}
		this.notices = [];
	}

	private make(progress: string): void {
		if (this.progress === progress) return;
		this.progress = progress;
		this.tell({ role: "system", content: { type: "progress", state: "running", text: progress } });
	}

	private tell(piece: ContentItem): void {
		const last = this.told.at(-1);
		const joined = last && joinedIn(last, piece);
		if (joined === undefined) this.told.push(piece);
		else this.told[this.told.length - 1] = joined;
		this.telling.tell(piece);
	}
}

/** Two pieces of the assistant's as one, where the second goes on with the first. */
function joinedIn({ role, content }: ContentItem, { content: next }: ContentItem): ContentItem | undefined {
	if (content.type === "text" && next.type === "text" && role === "assistant") {
		return { role, content: { ...content, text: content.text + next.text } };
	}
	if (content.type === "reasonText" && next.type === "reasonText" && content.id === next.id) {
		return { role, content: { ...content, text: content.text + next.text } };
	}
	return undefined;
}

// As the server of the protocol's makers says it.
const WAITING = "Waiting model";
const GENERATING = "Generating";
const CALLING = "Calling tool";

/** What a model has just written. */
const GENERATED: readonly ContentItem["content"]["type"][] = [
	"text",
	"image",
	"url",
	"reasonStarted",
	"toolCallPrepare",
];

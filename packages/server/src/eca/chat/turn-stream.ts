import type { Update } from "@segue/assist";
import type { ContentBuilder } from "../encoding/content-builder.js";
import type { ContentItem, Encoder } from "../encoding/encoder.js";

/** The content of one turn, sent in the order that editors expect. */
export class TurnStream {
	/** The items that were sent, joined where possible. They are sent again to an editor that opens the chat again. */
	readonly sent: ContentItem[] = [];
	/** The number of the turn's first entry, once it was sent. */
	first: number | undefined;
	/** Resolves when it was, or the turn is over. */
	readonly started: Promise<void>;
	private resolveStarted: () => void = () => {};
	private hasBegun = false;
	private progress: string | undefined;
	/** Shown once the turn has begun. */
	private notices: readonly string[] = [];

	constructor(
		readonly builder: ContentBuilder,
		private readonly encoder: Encoder,
		/** Called once, when the editor has seen what the turn is about. */
		private readonly shown: () => void,
		/** Whether the thread has a title; otherwise it gets one right after its first prompt. */
		private readonly isNamed: boolean,
	) {
		this.started = new Promise((resolve) => {
			this.resolveStarted = resolve;
		});
	}

	update(update: Update): void {
		if (update.type === "entry") {
			this.first ??= update.entry.number;
			this.resolveStarted();
		}
		for (const item of this.builder.itemsOf(update)) this.send(item);
	}

	/** Shows the user notices about the contexts of the prompt. */
	notice(texts: readonly string[]): void {
		this.notices = [...this.notices, ...texts];
		if (this.hasBegun) this.sendNotices();
	}

	/** Shows the user why there is no answer, or no more of it. */
	fail(why: string): void {
		this.send({ role: "system", content: { type: "text", text: `Error: ${why}\n` } });
	}

	end(): void {
		for (const item of this.builder.end()) this.send(item);
		this.begin();
		this.encoder.complete();
		this.resolveStarted();
	}

	send(item: ContentItem): void {
		const { type } = item.content;
		if (this.hasBegun || (item.role !== "user" && type !== "metadata")) {
			this.begin();
			if (item.role === "assistant" && GENERATED.includes(type)) this.show(GENERATING);
			this.sendNow(item);
			if (type === "toolCallRunning") this.show(CALLING);
			return;
		}
		this.sendNow(item);
		if (this.isNamed || type === "metadata") this.begin();
	}

	private begin(): void {
		if (this.hasBegun) return;
		this.hasBegun = true;
		this.shown();
		this.show(WAITING);
		this.sendNotices();
	}

	private sendNotices(): void {
		for (const text of this.notices) {
			this.sendNow({ role: "system", content: { type: "text", text: `${text}\n` } });
		}
		this.notices = [];
	}

	private show(progress: string): void {
		if (this.progress === progress) return;
		this.progress = progress;
		this.sendNow({ role: "system", content: { type: "progress", state: "running", text: progress } });
	}

	private sendNow(item: ContentItem): void {
		const last = this.sent.at(-1);
		const joined = last && joinedIn(last, item);
		if (joined === undefined) this.sent.push(item);
		else this.sent[this.sent.length - 1] = joined;
		this.encoder.sendInTurn(item);
	}
}

/** Two items of the assistant as one, if the second continues the first. */
function joinedIn({ role, content }: ContentItem, { content: next }: ContentItem): ContentItem | undefined {
	if (content.type === "text" && next.type === "text" && role === "assistant") {
		return { role, content: { ...content, text: content.text + next.text } };
	}
	if (content.type === "reasonText" && next.type === "reasonText" && content.id === next.id) {
		return { role, content: { ...content, text: content.text + next.text } };
	}
	return undefined;
}

// In the words of the protocol's own server.
const WAITING = "Waiting model";
const GENERATING = "Generating";
const CALLING = "Calling tool";

/** Content that a model generates. */
const GENERATED: readonly ContentItem["content"]["type"][] = [
	"text",
	"image",
	"url",
	"reasonStarted",
	"toolCallPrepare",
];

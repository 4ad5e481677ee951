import type { ChatEnd } from "@segue/models";
import type { ModelRequest, Refusal } from "./model-server.js";
import { openAiError, REFUSALS, Sending, type Wire } from "./model-wire.js";

/** An answer on a wire that has nothing but text. */
abstract class TextSending extends Sending {
	protected thought(): void {
		throw new Error("this wire has no thoughts");
	}

	protected call(): void {
		throw new Error("this wire has no calls");
	}

	/** None of them tells what is worth reading. */
	protected usage(): void {}

	protected fail(refusal: Refusal): void {
		this.write(JSON.stringify(openAiError(refusal, "")));
	}
}

/** Pieces with choices, whose text is in a place that differs from wire to wire. */
class ChoicesSending extends TextSending {
	constructor(private readonly choiceOf: (text: string) => object) {
		super(undefined);
	}

	protected text(text: string): void {
		this.chunk(this.choiceOf(text), null);
	}

	protected finish(reason: ChatEnd): void {
		this.chunk(this.choiceOf(""), finishOf(reason));
		this.write("[DONE]");
	}

	private chunk(choice: object, finish_reason: string | null): void {
		this.write(JSON.stringify({ id: "cmpl-1", choices: [{ index: 0, ...choice, finish_reason }] }));
	}
}

/** Ollama's lines, whose text is in a place that differs from wire to wire. */
class LinesSending extends TextSending {
	override readonly mediaType = "application/x-ndjson";

	constructor(
		model: unknown,
		private readonly lineOf: (text: string) => object,
	) {
		super(model);
	}

	protected text(text: string): void {
		this.write(JSON.stringify({ model: this.model, ...this.lineOf(text), done: false }));
	}

	protected finish(reason: ChatEnd): void {
		const done_reason = reason === "length" ? "length" : "stop";
		this.write(JSON.stringify({ model: this.model, ...this.lineOf(""), done: true, done_reason }));
	}

	protected override write(data: string): void {
		this.put(`${data}\n`);
	}
}

/** The events of llama.cpp, which has no last word. */
class ContentSending extends TextSending {
	protected text(content: string): void {
		this.write(JSON.stringify({ index: 0, content, stop: false }));
	}

	protected finish(reason: ChatEnd): void {
		const stop_type = reason === "length" ? "limit" : "eos";
		this.write(JSON.stringify({ index: 0, content: "", stop: true, stop_type }));
	}
}

/** One JSON in the end, made of all the text. */
class WholeSending extends TextSending {
	override readonly mediaType = "application/json";
	private whole = "";
	/** Something else was sent in place of the answer. */
	private isOver = false;

	constructor(private readonly bodyOf: (text: string, reason: ChatEnd) => object) {
		super(undefined);
	}

	protected text(text: string): void {
		this.whole += text;
	}

	protected finish(reason: ChatEnd): void {
		if (!this.isOver) this.put(JSON.stringify(this.bodyOf(this.whole, reason)));
	}

	protected override write(data: string): void {
		this.isOver = true;
		this.put(data);
	}
}

function finishOf(reason: ChatEnd): string {
	return { done: "stop", calls: "tool_calls", length: "length", refused: "content_filter" }[reason];
}

/** What careless servers add to what they complain of: the key and the model of the request. */
function echoOf({ headers, body }: ModelRequest): string {
	return `${headers["authorization"] ?? ""} ${body["model"] ?? ""}`;
}

function wire(begin: Wire["begin"], errorOf: (refusal: Refusal, echo: string) => unknown = openAiError): Wire {
	return {
		begin,
		refusal: (refusal, request) => ({
			status: REFUSALS[refusal].openai.status,
			body: errorOf(refusal, echoOf(request)),
		}),
	};
}

function ollamaWire(lineOf: (text: string) => object): Wire {
	return wire(
		({ body }) => new LinesSending(body["model"], lineOf),
		(refusal, echo) => ({ error: `${REFUSALS[refusal].openai.message} ${echo}` }),
	);
}

/** The server writes the text into the place of the whole file, in the units that the request asks for. */
function sweepAnswer(text: string, { body }: ModelRequest): object {
	const contents = String(body["file_contents"] ?? "");
	const end = body["use_bytes"] === true ? Buffer.byteLength(contents) : contents.length;
	return { autocomplete_id: "sweep-1", start_index: 0, end_index: end, completion: text, confidence: 1 };
}

/** The wires that are only for next edits, and where verdicts go, by the path of their requests. */
export const EDIT_WIRES: Readonly<Record<string, Wire>> = {
	"/v1/completions": wire(() => new ChoicesSending((text) => ({ text }))),
	"/v1/fim/completions": wire(() => new ChoicesSending((content) => ({ delta: { content } }))),
	"/api/generate": ollamaWire((response) => ({ response })),
	"/api/chat": ollamaWire((content) => ({ message: { role: "assistant", content } })),
	"/completion": wire(() => new ContentSending(undefined)),
	"/infill": wire(() => new ContentSending(undefined)),
	"/v1/edit/completions": wire(
		() =>
			new WholeSending((content, reason) => ({
				id: "edit-1",
				choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finishOf(reason) }],
			})),
	),
	"/backend/next_edit_autocomplete": wire(
		(request) => new WholeSending((text) => sweepAnswer(text, request)),
		(refusal, echo) => ({ detail: `${REFUSALS[refusal].openai.message} ${echo}` }),
	),
	"/feedback": wire(() => new WholeSending(() => ({}))),
};

import type { ChatEnd } from "@segue/models";
import {
	type ModelRefusal,
	type ModelRequest,
	openAiError,
	PROVIDER_ERRORS,
	ResponseWriter,
	type ScriptedApi,
} from "./chat-apis.js";

/** Writes answers for a text-only API. */
abstract class TextWriter extends ResponseWriter {
	protected thought(): void {
		throw new Error("this API does not support reasoning");
	}

	protected call(): void {
		throw new Error("this API does not support tool calls");
	}

	/** None of these APIs reports usage that Segue reads. */
	protected usage(): void {}

	protected fail(refusal: ModelRefusal): void {
		this.write(JSON.stringify(openAiError(refusal, "")));
	}
}

/** Chunks with `choices`. APIs differ in which member contains the text. */
class ChoicesWriter extends TextWriter {
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

/** Ollama's JSON lines. APIs differ in which member contains the text. */
class LinesWriter extends TextWriter {
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

/** The events of llama.cpp, which sends no `[DONE]`. */
class ContentWriter extends TextWriter {
	protected text(content: string): void {
		this.write(JSON.stringify({ index: 0, content, stop: false }));
	}

	protected finish(reason: ChatEnd): void {
		const stop_type = reason === "length" ? "limit" : "eos";
		this.write(JSON.stringify({ index: 0, content: "", stop: true, stop_type }));
	}
}

/** A single JSON response that contains the whole text. */
class WholeWriter extends TextWriter {
	override readonly mediaType = "application/json";
	private whole = "";
	/** Whether raw data or an error was sent instead of the answer. */
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

/** Returns the request's key and model, which some servers echo in error messages. */
function echoOf({ headers, body }: ModelRequest): string {
	return `${headers["authorization"] ?? ""} ${body["model"] ?? ""}`;
}

function textApi(
	begin: ScriptedApi["begin"],
	errorOf: (refusal: ModelRefusal, echo: string) => unknown = openAiError,
): ScriptedApi {
	return {
		begin,
		refusal: (refusal, request) => ({
			status: PROVIDER_ERRORS[refusal].openai.status,
			body: errorOf(refusal, echoOf(request)),
		}),
	};
}

function ollamaApi(lineOf: (text: string) => object): ScriptedApi {
	return textApi(
		({ body }) => new LinesWriter(body["model"], lineOf),
		(refusal, echo) => ({ error: `${PROVIDER_ERRORS[refusal].openai.message} ${echo}` }),
	);
}

/** Returns an answer that replaces the whole file. Indices are in the units that the request specifies. */
function sweepAnswer(text: string, { body }: ModelRequest): object {
	const contents = String(body["file_contents"] ?? "");
	const end = body["use_bytes"] === true ? Buffer.byteLength(contents) : contents.length;
	return { autocomplete_id: "sweep-1", start_index: 0, end_index: end, completion: text, confidence: 1 };
}

/** The next-edit APIs and the feedback API by request path. */
export const SCRIPTED_EDIT_APIS: Readonly<Record<string, ScriptedApi>> = {
	"/v1/completions": textApi(() => new ChoicesWriter((text) => ({ text }))),
	"/v1/fim/completions": textApi(() => new ChoicesWriter((content) => ({ delta: { content } }))),
	"/api/generate": ollamaApi((response) => ({ response })),
	"/api/chat": ollamaApi((content) => ({ message: { role: "assistant", content } })),
	"/completion": textApi(() => new ContentWriter(undefined)),
	"/infill": textApi(() => new ContentWriter(undefined)),
	"/v1/edit/completions": textApi(
		() =>
			new WholeWriter((content, reason) => ({
				id: "edit-1",
				choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finishOf(reason) }],
			})),
	),
	"/backend/next_edit_autocomplete": textApi(
		(request) => new WholeWriter((text) => sweepAnswer(text, request)),
		(refusal, echo) => ({ detail: `${PROVIDER_ERRORS[refusal].openai.message} ${echo}` }),
	),
	"/feedback": textApi(() => new WholeWriter(() => ({}))),
};

import { randomUUID } from "node:crypto";
import type { ChatEnd, EventBuffer, Usage } from "../events.js";
import { numberOf, type ReplyReader, textOf } from "../framing.js";
import { ThinkTagReader, writeSignature } from "./thoughts.js";

/** Reads a reply from an OpenAI-compatible server, streamed or as one message. */
export class OpenAiReader implements ReplyReader {
	isWhole = false;
	private readonly text: ThinkTagReader;
	private readonly calls: CallBeingRead[] = [];
	/** The field in which the current thought arrives. This API does not mark the end of a thought. */
	private thoughtField: string | undefined;
	private finish: string | undefined;
	private usage: Usage | undefined;

	constructor(private readonly buffer: EventBuffer) {
		this.text = new ThinkTagReader(buffer);
	}

	read(data: string): unknown {
		if (data === "[DONE]") {
			this.end(this.finish ?? "stop");
			return undefined;
		}
		const chunk: Chunk | null = JSON.parse(data);
		if (chunk?.error != null) return chunk.error;
		if (chunk?.usage != null) this.usage = usageOf(chunk.usage);
		const choice = chunk?.choices?.[0];
		const delta = choice?.delta ?? choice?.message;
		if (delta != null) this.readDelta(delta);
		const finish = textOf(choice?.finish_reason);
		if (finish !== "") this.finish = finish;
		// A complete message needs no finish reason.
		else if (choice?.message != null) this.finish ??= "stop";
		return undefined;
	}

	/** Some servers send a finish reason and then close the connection without sending `[DONE]`. */
	close(): void {
		if (!this.isWhole && this.finish !== undefined) this.end(this.finish);
	}

	private readDelta(delta: Delta): void {
		this.readThought("reasoning_content", delta.reasoning_content);
		// Servers that fill both fields send the same text in each.
		if (!delta.reasoning_content) this.readThought("reasoning", delta.reasoning);
		const content = contentOf(delta.content);
		if (content !== "") {
			this.endThought();
			this.text.add(content);
		}
		if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) this.readCall(call);
	}

	private readThought(field: string, value: unknown): void {
		const thought = textOf(value);
		if (thought === "") return;
		this.thoughtField = field;
		this.buffer.thought(thought);
	}

	private endThought(): void {
		if (this.thoughtField === undefined) return;
		this.buffer.sign(writeSignature({ of: "field", value: this.thoughtField }));
		this.thoughtField = undefined;
	}

	private readCall(delta: CallDelta | null): void {
		this.endThought();
		this.text.end();
		const id = textOf(delta?.id);
		const tool = textOf(delta?.function?.name);
		const call = this.calls.findLast((one) => continuesCall(one, numberOf(delta?.index), id, tool)) ?? {
			id: id || `call_${randomUUID()}`,
			index: numberOf(delta?.index),
			tool: "",
			input: "",
		};
		if (!this.calls.includes(call)) this.calls.push(call);
		call.input += textOf(delta?.function?.arguments);
		if (tool === "" || call.tool !== "") return;
		call.tool = tool;
		this.buffer.add({ type: "call-begun", id: call.id, tool });
	}

	private end(finish: string): void {
		this.isWhole = true;
		this.endThought();
		this.text.end();
		for (const { id, tool, input } of this.calls) {
			this.buffer.add({ type: "call", id, tool, input: input.trim() === "" ? "{}" : input });
		}
		if (this.usage !== undefined) this.buffer.add({ type: "usage", usage: this.usage });
		this.buffer.add({
			type: "end",
			reason: this.calls.length > 0 ? endOf("tool_calls", finish) : endOf(finish, finish),
		});
	}
}

/** Returns the text of a message, which some servers send as a list of parts. */
function contentOf(content: unknown): string {
	if (!Array.isArray(content)) return textOf(content);
	return content.map((part: { readonly text?: unknown } | null) => textOf(part?.text)).join("");
}

interface CallBeingRead {
	readonly id: string;
	readonly index: number | undefined;
	tool: string;
	input: string;
}

/**
 * Whether a delta continues the call. The deltas of a call share its index, but some servers omit the index or use the
 * same index for every call. On those servers, a new name, or a new id with a name, starts another call. If both the
 * index and the id are missing, any name starts another call.
 */
function continuesCall(call: CallBeingRead, index: number | undefined, id: string, tool: string): boolean {
	if (call.index !== index) return false;
	if (tool === "" || call.tool === "") return true;
	if (tool !== call.tool) return false;
	return id === "" ? index !== undefined : id === call.id;
}

/**
 * Some servers finish with "stop" after tool calls. If the reply was truncated or filtered, that takes precedence over
 * its calls.
 */
function endOf(finish: string, sent: string): ChatEnd {
	if (sent === "length") return "length";
	if (sent === "content_filter") return "refused";
	return finish === "tool_calls" || finish === "function_call" ? "calls" : "done";
}

function usageOf(usage: UsageChunk): Usage {
	return {
		inputTokens: numberOf(usage.prompt_tokens) ?? 0,
		outputTokens: numberOf(usage.completion_tokens) ?? 0,
		cachedTokens: numberOf(usage.prompt_tokens_details?.cached_tokens),
		costUsd: numberOf(usage.cost),
	};
}

// Servers are not trusted: every field may be missing or have the wrong type.
interface Chunk {
	readonly error?: unknown;
	readonly usage?: UsageChunk | null;
	readonly choices?: readonly (Choice | null)[] | null;
}

interface Choice {
	readonly delta?: Delta | null;
	/** Replaces `delta` in a reply that is not streamed. */
	readonly message?: Delta | null;
	readonly finish_reason?: unknown;
}

interface Delta {
	readonly content?: unknown;
	readonly reasoning_content?: unknown;
	readonly reasoning?: unknown;
	readonly tool_calls?: unknown;
}

interface CallDelta {
	readonly index?: unknown;
	readonly id?: unknown;
	readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

interface UsageChunk {
	readonly prompt_tokens?: unknown;
	readonly completion_tokens?: unknown;
	readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null;
	/** In US dollars; sent by OpenRouter. */
	readonly cost?: unknown;
}

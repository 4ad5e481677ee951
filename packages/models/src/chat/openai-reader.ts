import { randomUUID } from "node:crypto";
import type { ChatEnd, EventBuffer, Usage } from "../events.js";
import { numberOf, type ReplyReader, textOf } from "../framing.js";
import { ThinkTagReader, writeSignature } from "./thoughts.js";

/** Reads an answer of an OpenAI-compatible server, chunk by chunk. */
export class OpenAiReader implements ReplyReader {
	isWhole = false;
	private readonly text: ThinkTagReader;
	private readonly calls: CallBeingRead[] = [];
	/** The field of the thought that goes on, which has no end of its own on this wire. */
	private thoughtField: string | undefined;
	private finish: string | undefined;
	private usage: Usage | undefined;

	constructor(private readonly gathering: EventBuffer) {
		this.text = new ThinkTagReader(gathering);
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
		// A whole answer has ended, whether it says why or not.
		else if (choice?.message != null) this.finish ??= "stop";
		return undefined;
	}

	/** Servers exist that say why they finished, and then close without the last word. */
	close(): void {
		if (!this.isWhole && this.finish !== undefined) this.end(this.finish);
	}

	private readDelta(delta: Delta): void {
		this.readThought("reasoning_content", delta.reasoning_content);
		// A server that sends both sends the same in both.
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
		this.gathering.thought(thought);
	}

	private endThought(): void {
		if (this.thoughtField === undefined) return;
		this.gathering.sign(writeSignature({ of: "field", value: this.thoughtField }));
		this.thoughtField = undefined;
	}

	private readCall(delta: CallDelta | null): void {
		this.endThought();
		this.text.end();
		const id = textOf(delta?.id);
		const tool = textOf(delta?.function?.name);
		const call = this.calls.findLast((one) => isMeant(one, numberOf(delta?.index), id, tool)) ?? {
			id: id || `call_${randomUUID()}`,
			index: numberOf(delta?.index),
			tool: "",
			input: "",
		};
		if (!this.calls.includes(call)) this.calls.push(call);
		call.input += textOf(delta?.function?.arguments);
		if (tool === "" || call.tool !== "") return;
		call.tool = tool;
		this.gathering.add({ type: "call-begun", id: call.id, tool });
	}

	private end(finish: string): void {
		this.isWhole = true;
		this.endThought();
		this.text.end();
		for (const { id, tool, input } of this.calls) {
			this.gathering.add({ type: "call", id, tool, input: input.trim() === "" ? "{}" : input });
		}
		if (this.usage !== undefined) this.gathering.add({ type: "usage", usage: this.usage });
		this.gathering.add({
			type: "end",
			reason: this.calls.length > 0 ? endOf("tool_calls", finish) : endOf(finish, finish),
		});
	}
}

/** What is said, which some servers send as a list of parts. */
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
 * Pieces of a call share its index. There are servers that leave the index out, and some that give every call the same
 * one; another id together with a name, or another name, is then a new call, and so is any name where there is nothing else.
 */
function isMeant(call: CallBeingRead, index: number | undefined, id: string, tool: string): boolean {
	if (call.index !== index) return false;
	if (tool === "" || call.tool === "") return true;
	if (tool !== call.tool) return false;
	return id === "" ? index !== undefined : id === call.id;
}

/** Servers exist that finish with "stop" after calls. An answer that was cut short or filtered is not one with calls. */
function endOf(finish: string, said: string): ChatEnd {
	if (said === "length") return "length";
	if (said === "content_filter") return "refused";
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

// What a chunk holds if it holds anything: any server may send anything, and every value is looked at before it is believed.
interface Chunk {
	readonly error?: unknown;
	readonly usage?: UsageChunk | null;
	readonly choices?: readonly (Choice | null)[] | null;
}

interface Choice {
	readonly delta?: Delta | null;
	/** In place of a delta, where the answer is in one piece. */
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
	/** In US dollars, as OpenRouter tells it. */
	readonly cost?: unknown;
}

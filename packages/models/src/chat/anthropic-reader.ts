import type { ChatEnd, EventBuffer } from "../events.js";
import { numberOf, type ReplyReader, textOf } from "../framing.js";
import { writeSignature } from "./thoughts.js";

/** Reads a reply from Anthropic's Messages API, streamed or as one message. */
export class AnthropicReader implements ReplyReader {
	isWhole = false;
	/** Tool calls whose blocks are still open, by block index. */
	private readonly calls = new Map<unknown, CallBeingRead>();
	/** Whether any content has arrived. */
	private hasBegun = false;
	private stopReason = "";
	private inputTokens = 0;
	private outputTokens = 0;
	private cachedTokens: number | undefined;

	constructor(private readonly buffer: EventBuffer) {}

	read(data: string): unknown {
		const event: Event | null = JSON.parse(data);
		switch (event?.type) {
			case "content_block_delta":
				if (event.delta != null) this.readDelta(event.index, event.delta);
				return undefined;
			case "content_block_start":
				if (event.content_block != null) this.beginBlock(event.index, event.content_block);
				return undefined;
			case "content_block_stop":
				this.endBlock(event.index);
				return undefined;
			case "message_start":
				this.readUsage(event.message?.usage);
				return undefined;
			case "message_delta":
				this.stopReason = textOf(event.delta?.stop_reason) || this.stopReason;
				this.readUsage(event.usage);
				return undefined;
			case "message_stop":
				this.end();
				return undefined;
			case "message":
				if (event.error == null && Array.isArray(event.content)) this.readWhole(event, event.content);
				return event.error ?? undefined;
			case "error":
				return event.error ?? event;
			default:
				return event?.error ?? undefined;
		}
	}

	/** A reply without its last event is incomplete, even if it has a stop reason. Its tokens still count. */
	close(): void {
		if (!this.isWhole && this.hasBegun) this.emitUsage();
	}

	/** Reads a complete message from a server that does not stream. */
	private readWhole({ stop_reason, usage }: Event, blocks: readonly (Block | null)[]): void {
		for (const [index, block] of blocks.entries()) {
			if (block === null) continue;
			this.beginBlock(index, block);
			const signature = textOf(block.signature);
			if (signature !== "") this.buffer.sign(writeSignature({ of: "anthropic", value: signature }));
			this.endBlock(index);
		}
		this.stopReason = textOf(stop_reason);
		this.readUsage(usage);
		this.end();
	}

	private readDelta(index: unknown, delta: Delta): void {
		this.hasBegun = true;
		switch (delta.type) {
			case "text_delta":
				this.buffer.text(textOf(delta.text));
				return;
			case "thinking_delta":
				this.buffer.thought(textOf(delta.thinking));
				return;
			case "signature_delta":
				this.buffer.sign(writeSignature({ of: "anthropic", value: textOf(delta.signature) }));
				return;
			case "input_json_delta": {
				const call = this.calls.get(index);
				if (call !== undefined) call.input += textOf(delta.partial_json);
				return;
			}
		}
	}

	private beginBlock(index: unknown, block: Block): void {
		switch (block.type) {
			case "text":
				this.buffer.text(textOf(block.text));
				return;
			case "thinking":
				this.buffer.thought(textOf(block.thinking));
				return;
			case "redacted_thinking":
				this.buffer.sign(writeSignature({ of: "anthropic-redacted", value: textOf(block.data) }));
				return;
			case "tool_use": {
				const call = { id: textOf(block.id), tool: textOf(block.name), whole: block.input, input: "" };
				this.calls.set(index, call);
				this.buffer.add({ type: "call-begun", id: call.id, tool: call.tool });
				return;
			}
		}
	}

	private endBlock(index: unknown): void {
		const call = this.calls.get(index);
		if (call === undefined) return;
		this.calls.delete(index);
		// The input arrives in deltas, but some compatible servers send it in the start event.
		const input = call.input || JSON.stringify(call.whole ?? {});
		this.buffer.add({ type: "call", id: call.id, tool: call.tool, input });
	}

	/** Token counts are cumulative: later events replace earlier ones. */
	private readUsage(usage: UsageEvent | null | undefined): void {
		const input = numberOf(usage?.input_tokens);
		if (input !== undefined) {
			const read = numberOf(usage?.cache_read_input_tokens);
			const written = numberOf(usage?.cache_creation_input_tokens);
			this.inputTokens = input + (read ?? 0) + (written ?? 0);
			this.cachedTokens = read;
		}
		this.outputTokens = numberOf(usage?.output_tokens) ?? this.outputTokens;
	}

	private end(): void {
		this.isWhole = true;
		this.emitUsage();
		this.buffer.add({ type: "end", reason: endOf(this.stopReason) });
	}

	private emitUsage(): void {
		const { inputTokens, outputTokens, cachedTokens } = this;
		if (inputTokens === 0 && outputTokens === 0) return;
		const usage = { inputTokens, outputTokens, cachedTokens, costUsd: undefined };
		this.buffer.add({ type: "usage", usage });
	}
}

interface CallBeingRead {
	readonly id: string;
	readonly tool: string;
	/** The input from the start event, usually empty. */
	readonly whole: unknown;
	input: string;
}

function endOf(stopReason: string): ChatEnd {
	switch (stopReason) {
		case "tool_use":
			return "calls";
		case "max_tokens":
		case "model_context_window_exceeded":
			return "length";
		case "refusal":
			return "refused";
		default:
			return "done";
	}
}

// Servers are not trusted: every field may be missing or have the wrong type.
interface Event {
	readonly type?: unknown;
	readonly index?: unknown;
	readonly delta?: Delta | null;
	readonly content_block?: Block | null;
	readonly message?: { readonly usage?: UsageEvent | null } | null;
	readonly usage?: UsageEvent | null;
	/** Only in a complete message. */
	readonly content?: unknown;
	readonly stop_reason?: unknown;
	readonly error?: unknown;
}

interface Delta {
	readonly type?: unknown;
	readonly text?: unknown;
	readonly thinking?: unknown;
	readonly signature?: unknown;
	readonly partial_json?: unknown;
	readonly stop_reason?: unknown;
}

interface Block {
	readonly type?: unknown;
	readonly text?: unknown;
	readonly thinking?: unknown;
	/** Only in a complete message; streams send it as a delta. */
	readonly signature?: unknown;
	readonly data?: unknown;
	readonly id?: unknown;
	readonly name?: unknown;
	readonly input?: unknown;
}

interface UsageEvent {
	readonly input_tokens?: unknown;
	readonly output_tokens?: unknown;
	readonly cache_read_input_tokens?: unknown;
	readonly cache_creation_input_tokens?: unknown;
}

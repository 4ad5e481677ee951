import type { CallPart, ChatMessage, ImagePart, TextPart, ThoughtPart, ToolResult } from "@segue/models";
import { maskKeys } from "@segue/text";
import { promptForModel } from "./attachments.js";
import { isCommandPrompt } from "./slash-command.js";
import type { Body, EndReason, Entry, ToolCall } from "./thread.js";

/** The model that receives the messages. */
interface TargetModel {
	readonly model: string;
	readonly takesImages: boolean;
}

/**
 * Converts a thread to messages for a model. Turns are in the order in which they started, and each is contiguous even
 * if two processes interleaved them. `turn` is the id of the running turn; any other turn without an end was
 * interrupted.
 */
export function messagesOf(entries: readonly Entry[], turn: string, target: TargetModel): ChatMessage[] {
	const messages = new Messages();
	const last = entries.findLastIndex((entry) => entry.body.type === "summary");
	const summary = entries[last];
	if (summary?.body.type === "summary") {
		messages.user([{ type: "text", text: `Summary of the conversation so far:\n\n${summary.body.text}` }]);
	}
	// The summary does not include turns in other processes that ran concurrently with its own turn.
	const first = entries.findIndex((entry) => entry.turn === summary?.turn);
	const concurrent = new Set(entries.slice(first).map((entry) => entry.turn));
	const kept = entries.filter((entry, index) => {
		if (index > last) return true;
		return entry.turn === summary?.turn ? entry.body.type === "prompt" : concurrent.has(entry.turn);
	});
	const turns = new Map<string, Entry[]>();
	for (const entry of kept) {
		const group = turns.get(entry.turn);
		if (group === undefined) turns.set(entry.turn, [entry]);
		else group.push(entry);
	}
	for (const [id, group] of turns) {
		const prompt = group.find((entry) => entry.body.type === "prompt")?.body;
		if (prompt !== undefined && isCommandPrompt(prompt)) continue;
		addTurn(messages, group, id === turn, target);
	}
	return messages.list;
}

function addTurn(messages: Messages, entries: readonly Entry[], isRunning: boolean, target: TargetModel): void {
	let model: string | undefined;
	let end: EndReason | undefined;
	for (const { body } of entries) {
		switch (body.type) {
			case "prompt":
				model = body.model;
				messages.user(promptForModel(body.parts, target.takesImages));
				break;
			case "text":
				if (body.text !== "") messages.assistant({ type: "text", text: body.text });
				break;
			// No provider accepts an image in an assistant message.
			case "image":
				messages.assistant({ type: "text", text: "(an image)" });
				break;
			case "link":
				messages.assistant({ type: "text", text: `[${body.name}](${body.uri})` });
				break;
			case "thought":
				// Providers accept thoughts only if they are signed and come from the same model.
				if (body.signature !== undefined && model === target.model) messages.assistant(thoughtOf(body));
				break;
			case "call":
				messages.call(body.call);
				break;
			case "end":
				end = body.reason;
				break;
			case "usage":
				// Usage is the last entry in a reply.
				messages.endStep();
				break;
			case "approval":
			case "file":
			case "plan":
			case "summary":
			case "notice":
				break;
		}
	}
	messages.endStep();
	const remark = isRunning ? undefined : end === undefined ? CUT_OFF : REMARKS[end];
	if (remark !== undefined) messages.user([{ type: "text", text: remark }]);
}

const CUT_OFF = "(This turn was interrupted. Its work may be partly done.)";

/** Remarks for the model about how an earlier turn ended, if the messages don't show it. */
const REMARKS: Readonly<Partial<Record<EndReason, string>>> = {
	cancelled: "(The user stopped this turn. Its work may be partly done.)",
	failed: "(This turn failed.)",
	steps: "(This turn was stopped because it took too many steps.)",
	length: "(This answer was cut off because it became too long.)",
};

function thoughtOf(body: Extract<Body, { type: "thought" }>): ThoughtPart {
	return { type: "thought", text: body.text, signature: body.signature };
}

/**
 * Builds messages in an order that all providers accept: user and assistant messages alternate, and results directly
 * follow the message with the calls.
 */
class Messages {
	readonly list: ChatMessage[] = [];
	private parts: (TextPart | ThoughtPart | CallPart)[] = [];
	private results: ToolResult[] = [];

	user(parts: readonly (TextPart | ImagePart)[]): void {
		this.endStep();
		const last = this.list.at(-1);
		if (last?.role === "user") this.list[this.list.length - 1] = { role: "user", parts: [...last.parts, ...parts] };
		else if (parts.length > 0) this.list.push({ role: "user", parts });
	}

	assistant(part: TextPart | ThoughtPart): void {
		this.parts.push(part);
	}

	call(call: ToolCall): void {
		const { id, tool, input } = call;
		const isOver = call.status === "done" || call.status === "failed";
		this.parts.push({ type: "call", id, tool, input });
		// The output of a command or an MCP server can contain a key.
		const output = isOver ? maskKeys(call.output) : NEVER_ENDED;
		this.results.push({ id, tool, output, failed: call.status !== "done" });
	}

	/** Completes a reply from the model, along with the results of its calls. */
	endStep(): void {
		const { parts, results } = this;
		this.parts = [];
		this.results = [];
		// Providers reject a message that has only thoughts.
		if (parts.every((part) => part.type === "thought")) return;
		this.list.push({ role: "assistant", parts });
		if (results.length > 0) this.list.push({ role: "tool", results });
	}
}

const NEVER_ENDED = "Interrupted. This may or may not have been done.";

import type { CallPart, ChatMessage, ImagePart, TextPart, ThoughtPart, ToolResult } from "@segue/models";
import { maskKeys } from "@segue/text";
import { promptForModel } from "./attachments.js";
import { isCommandPrompt } from "./slash-command.js";
import type { Body, EndReason, Entry, ToolCall } from "./thread.js";

/** Who is told of a thread. */
interface TargetModel {
	readonly model: string;
	readonly takesImages: boolean;
}

/**
 * What a model is told of a thread: its turns in the order in which they began, each whole, even where two processes mixed
 * theirs. `turn` is the one that goes on now; any other that has no end was cut off.
 */
export function messagesOf(entries: readonly Entry[], turn: string, listener: TargetModel): ChatMessage[] {
	const messages = new Messages();
	const last = entries.findLastIndex((entry) => entry.body.type === "summary");
	const summary = entries[last];
	if (summary?.body.type === "summary") {
		messages.user([{ type: "text", text: `What was said and done before, in short:\n\n${summary.body.text}` }]);
	}
	// What came beside the turn that has the summary, from another process, is not in it.
	const first = entries.findIndex((entry) => entry.turn === summary?.turn);
	const beside = new Set(entries.slice(first).map((entry) => entry.turn));
	const kept = entries.filter((entry, index) => {
		if (index > last) return true;
		return entry.turn === summary?.turn ? entry.body.type === "prompt" : beside.has(entry.turn);
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
		addTurn(messages, group, id === turn, listener);
	}
	return messages.list;
}

function addTurn(messages: Messages, entries: readonly Entry[], isGoingOn: boolean, listener: TargetModel): void {
	let model: string | undefined;
	let end: EndReason | undefined;
	for (const { body } of entries) {
		switch (body.type) {
			case "prompt":
				model = body.model;
				messages.user(promptForModel(body.parts, listener.takesImages));
				break;
			case "text":
				if (body.text !== "") messages.assistant({ type: "text", text: body.text });
				break;
			// What another agent showed is told in words: no provider takes a picture back as an answer.
			case "image":
				messages.assistant({ type: "text", text: "(an image)" });
				break;
			case "link":
				messages.assistant({ type: "text", text: `[${body.name}](${body.uri})` });
				break;
			case "thought":
				// A provider takes back only what its own model thought, and only if it can tell that it did.
				if (body.signature !== undefined && model === listener.model) messages.assistant(thoughtOf(body));
				break;
			case "call":
				messages.call(body.call);
				break;
			case "end":
				end = body.reason;
				break;
			case "usage":
				// It comes after all else of an answer.
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
	const remark = isGoingOn ? undefined : end === undefined ? CUT_OFF : REMARKS[end];
	if (remark !== undefined) messages.user([{ type: "text", text: remark }]);
}

const CUT_OFF = "(This turn was cut off before it ended. What it was doing may be half done.)";

/** What a model should know of how an earlier turn ended, where it cannot see that from the turn itself. */
const REMARKS: Readonly<Partial<Record<EndReason, string>>> = {
	cancelled: "(The user stopped this turn. What it was doing may be half done.)",
	failed: "(This turn failed before it was done.)",
	steps: "(This turn was ended because it took too many steps.)",
	length: "(This answer was cut because it became too long.)",
};

function thoughtOf(body: Extract<Body, { type: "thought" }>): ThoughtPart {
	return { type: "thought", text: body.text, signature: body.signature };
}

/**
 * Messages in the order that all providers accept: user and assistant in turns, and every call answered right after the
 * message that has it.
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
		// A command or an MCP server may print a key, too.
		const output = isOver ? maskKeys(call.output) : NEVER_ENDED;
		this.results.push({ id, tool, output, failed: call.status !== "done" });
	}

	/** What the model wrote in one answer is whole, and its calls have been answered. */
	endStep(): void {
		const { parts, results } = this;
		this.parts = [];
		this.results = [];
		// A thought that nothing came of cannot be told alone.
		if (parts.every((part) => part.type === "thought")) return;
		this.list.push({ role: "assistant", parts });
		if (results.length > 0) this.list.push({ role: "tool", results });
	}
}

const NEVER_ENDED = "Interrupted: it is not known whether this was done.";

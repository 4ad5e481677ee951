import path from "node:path";
import { pathToFileURL } from "node:url";
import type { EndReason, Entry, FileDiff, PlanStep, PromptPart, Thread, ToolCall, Update } from "@segue/assist";
import type * as acp from "@segue/protocol/acp";
import { showInvisibleIn } from "@segue/text";

/** A client's optional display features. */
export interface DisplayCapabilities {
	readonly notices: boolean;
	readonly compaction: boolean;
	/** The model's context window, if known. Used for stored usage entries that don't include it. */
	readonly windowTokens: number | undefined;
}

/** Converts a thread update. Omits prompts, which the client already shows. Only a replay includes them. */
export function updatesOf(update: Update, shown: DisplayCapabilities): acp.SessionUpdate[] {
	switch (update.type) {
		case "entry":
			return update.entry.body.type === "prompt" ? [] : updatesOfEntry(update.entry, shown);
		case "more":
			return [chunk(update.of, update.text, update.number)];
		case "call":
			return [{ sessionUpdate: "tool_call_update", ...toolCallOf(update.call) }];
		case "thread":
			return [infoOf(update.thread)];
	}
}

/** Converts the entries of an idle thread for a client that loads it. */
export function replayOf(entries: readonly Entry[], shown: DisplayCapabilities): acp.SessionUpdate[] {
	return entries.flatMap((entry): acp.SessionUpdate[] => {
		const { body, number } = entry;
		if (body.type === "call") {
			// An unfinished call was interrupted when its process exited. Terminals don't outlive their session.
			const isOpen = body.call.status === "pending" || body.call.status === "running";
			const status = isOpen ? "failed" : body.call.status;
			const call = { ...body.call, status, terminal: undefined };
			return updatesOfEntry({ ...entry, body: { type: "call", call } }, shown);
		}
		if (body.type !== "prompt") return updatesOfEntry(entry, shown);
		return body.parts.map((part) => {
			return { sessionUpdate: "user_message_chunk", content: contentOf(part), messageId: `${number}` };
		});
	});
}

/** Returns the complete current state of a tool call. */
export function toolCallOf(call: ToolCall): acp.ToolCallUpdate & { title: string } {
	const { id, tool, kind, title, status, input, output, diffs, locations, rawOutput, terminal } = call;
	const printed = terminal === undefined ? textsOf(output) : [{ type: "terminal" as const, terminalId: terminal }];
	return {
		toolCallId: id,
		title,
		name: tool,
		kind,
		status: STATUS[status],
		content: [...diffs.map(diffOf), ...printed],
		locations: locations.map(({ path, line }) => ({ path, ...(line !== undefined && { line }) })),
		// An edit's input contains file text, which is shown unchanged.
		rawInput: kind === "edit" ? parsed(input) : showInvisibleIn(parsed(input)),
		...(rawOutput !== undefined && { rawOutput: parsed(rawOutput) }),
	};
}

/** ACP has no stop reason for a failure, so a notice before the end of the turn reports it. */
export const STOP_REASONS: Readonly<Record<EndReason, acp.StopReason>> = {
	done: "end_turn",
	cancelled: "cancelled",
	length: "max_tokens",
	steps: "max_turn_requests",
	refused: "refusal",
	failed: "end_turn",
};

const STATUS = { pending: "pending", running: "in_progress", done: "completed", failed: "failed" } as const;

function updatesOfEntry({ number, body }: Entry, shown: DisplayCapabilities): acp.SessionUpdate[] {
	switch (body.type) {
		case "text":
		case "thought":
			return body.text === "" ? [] : [chunk(body.type, body.text, number)];
		case "image":
			return [messageChunk({ type: "image", data: body.base64, mimeType: body.mediaType }, number)];
		case "link":
			return [messageChunk({ type: "resource_link", name: body.name, uri: body.uri }, number)];
		case "call":
			return [{ sessionUpdate: "tool_call", ...toolCallOf(body.call) }];
		case "plan":
			return [{ sessionUpdate: "plan", entries: body.steps.map(planEntryOf) }];
		case "usage": {
			const { inputTokens, outputTokens, costUsd } = body.usage;
			const size = body.windowTokens ?? shown.windowTokens;
			if (size === undefined) return [];
			const cost = costUsd === undefined ? {} : { cost: { amount: costUsd, currency: "USD" } };
			return [{ sessionUpdate: "usage_update", used: inputTokens + outputTokens, size, ...cost }];
		}
		case "summary": {
			const summary = [{ type: "text" as const, text: body.text }];
			const update = { compactionId: `${number}`, status: "completed", summary };
			return shown.compaction ? [{ sessionUpdate: "compaction_update", ...update }] : [];
		}
		case "notice":
			// The output of a command (level "info") is always sent as an assistant message.
			return shown.notices && body.level !== "info"
				? [{ sessionUpdate: "notice", severity: body.level, title: body.text }]
				: [chunk("text", `${body.text}\n`, number)];
		// Sent elsewhere: files in tool calls, approvals in permission requests, the end of the turn in the response.
		case "prompt":
		case "file":
		case "approval":
		case "agent":
		case "end":
			return [];
	}
}

function messageChunk(content: acp.ContentBlock, number: number): acp.SessionUpdate {
	return { sessionUpdate: "agent_message_chunk", content, messageId: `${number}` };
}

function chunk(of: "text" | "thought", text: string, number: number): acp.SessionUpdate {
	const sessionUpdate = of === "text" ? "agent_message_chunk" : "agent_thought_chunk";
	return { sessionUpdate, content: { type: "text", text }, messageId: `${number}` };
}

function contentOf(part: PromptPart): acp.ContentBlock {
	switch (part.type) {
		case "text":
			return { type: "text", text: part.text };
		case "image":
			return { type: "image", data: part.base64, mimeType: part.mediaType };
		case "file": {
			const name = part.path.split(/[\\/]/).at(-1) ?? part.path;
			const lines = part.lines === undefined ? "" : `#L${part.lines.first}-L${part.lines.last}`;
			// A path is relative only if the client sent it instead of a URI.
			const uri = `${path.isAbsolute(part.path) ? pathToFileURL(part.path).href : part.path}${lines}`;
			if (part.isEmbedded !== true || part.content === undefined) return { type: "resource_link", uri, name };
			return { type: "resource", resource: { uri, text: part.content } };
		}
		case "excerpt":
			// A resource that is not a file has its URI as its label. Excerpts stored with other protocols have other
			// labels.
			return URL.canParse(part.label)
				? { type: "resource", resource: { uri: part.label, text: part.content } }
				: { type: "text", text: `${part.label}\n${part.content}` };
	}
}

function diffOf({ path, before, after }: FileDiff): acp.ToolCallContent {
	return { type: "diff", path, ...(before !== undefined && { oldText: before }), newText: after ?? "" };
}

function textsOf(text: string): acp.ToolCallContent[] {
	return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}

function planEntryOf({ text, status, priority = "medium" }: PlanStep) {
	const STEP = { pending: "pending", running: "in_progress", done: "completed" } as const;
	return { content: text, priority, status: STEP[status] };
}

function infoOf({ title, modifiedAt }: Thread): acp.SessionUpdate {
	return { sessionUpdate: "session_info_update", title, updatedAt: modifiedAt };
}

/** Falls back to the string if the model wrote invalid JSON. */
function parsed(input: string): unknown {
	try {
		return JSON.parse(input);
	} catch {
		return input;
	}
}

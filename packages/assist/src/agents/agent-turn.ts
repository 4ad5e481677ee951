import type * as acp from "@segue/protocol/acp";
import type { VerbatimRelay } from "../acp.js";
import { IMAGE_CHARS_MAX } from "../threads/attachments.js";
import type { TurnRecord } from "../threads/record.js";
import type { Body, ToolCall, ToolKind } from "../threads/thread.js";
import { type Arguments, callAfter, newCall, toolArguments, visible } from "./agent-call.js";

/**
 * Records another agent's turn like a model's. A client that speaks ACP gets the agent's own messages, in order, after
 * they are stored.
 */
export class AgentTurn {
	/** Rejects if the store fails. */
	readonly failed: Promise<never>;
	/** Calls by the agent's id, which can repeat in later turns. */
	private readonly calls = new Map<string, KnownCall>();
	/** The ids of Segue's own calls, which show approval requests that don't belong to any of the agent's calls. */
	private readonly ours = new Set<string>();
	private usage: Extract<Body, { type: "usage" }> | undefined;
	private fail: (error: unknown) => void = () => {};

	constructor(
		readonly record: TurnRecord,
		readonly signal: AbortSignal,
		private readonly relay: VerbatimRelay | undefined,
		/** Called when the agent sets the title of the thread. */
		private readonly rename: (title: string) => Promise<void>,
		/** The ids of earlier calls in the thread. */
		private readonly callIds: ReadonlySet<string>,
		/** Returns the output of one of Segue's terminals. */
		private readonly shownIn: (terminalId: string) => string | undefined,
		/** The part of the session's cost that is already stored. */
		private countedUsd: number,
	) {
		this.failed = new Promise((_, reject) => {
			this.fail = reject;
		});
		this.failed.catch(() => {});
	}

	/** Handles an update from the agent, even after the end of the turn. */
	take(update: acp.SessionUpdate): void {
		this.write(update);
		this.relayUpdate(this.forRelay(update));
	}

	/**
	 * Returns the call for a permission request, as the user should see it: with the request's content or, if it has
	 * none, the call's own. The request's status and text do not become part of the call.
	 */
	callOf({ status, content, ...about }: acp.ToolCallUpdate): PermissionCall {
		const sent = this.calls.get(about.toolCallId)?.content ?? [];
		const diffs = content?.filter((each) => each.type === "diff");
		const call = this.change(diffs?.length ? { ...about, content: diffs } : about);
		const shown = content?.length ? content : sent;
		const args = toolArguments(call, [...shown, ...sent]);
		const question = {
			...about,
			...(shown.length > 0 && { content: [...shown] }),
			...(call.input === "" && { rawInput: args }),
		};
		return { call: callAfter(call, question, this.shownIn), args, content: shown };
	}

	/** Passes on a notification that is not part of the protocol, in order with the updates. */
	note(method: string, params: Readonly<Record<string, unknown>>): void {
		const { relay } = this;
		if (relay !== undefined) this.record.relay(() => relay.notify(method, params));
	}

	/** Returns the agent's latest open call of a kind. */
	openCall(kind: ToolKind): ToolCall | undefined {
		return this.openOf(kind)?.[1].call;
	}

	/**
	 * Returns the call for one of Segue's approval requests: the agent's latest open call of this kind, or else a new
	 * call of our own, which is first announced to the client. The caller must end it.
	 */
	begin(call: ToolCall): PendingCall {
		const open = this.openOf(call.kind);
		if (open !== undefined) {
			const [toolCallId, { call: its }] = open;
			const shown = { ...call, id: this.relay === undefined ? its.id : toolCallId };
			return { id: its.id, shown, end: () => {} };
		}
		const { id } = newCall({ toolCallId: `segue-${this.ours.size + 1}` }, this.callIds);
		const shown = { ...call, id };
		this.ours.add(id);
		this.put(id, shown);
		this.relayUpdate({ sessionUpdate: "tool_call", toolCallId: id, ...aboutOf(shown), status: "pending" });
		const end = (status: "done" | "failed") => {
			this.put(id, { ...shown, status });
			this.relayUpdate({ sessionUpdate: "tool_call_update", toolCallId: id, status: ACP_STATUS[status] });
		};
		return { id, shown, end };
	}

	/** Ends the turn: marks open calls as failed and stores the usage. Updates can still arrive later. */
	async end(remark: string): Promise<void> {
		for (const [toolCallId, { call }] of this.calls) {
			if (!isOpen(call)) continue;
			const output = call.output === "" ? remark : `${call.output}\n${remark}`;
			this.put(toolCallId, { ...call, status: "failed", output });
			this.relayUpdate({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
		}
		if (this.usage !== undefined) this.track(this.record.add(this.counted(this.usage)));
		this.usage = undefined;
		await this.settle();
	}

	/** Resolves once everything so far is stored and sent to the client. */
	async settle(): Promise<void> {
		await Promise.race([this.record.flush(), this.failed]);
	}

	private write(update: acp.SessionUpdate): void {
		switch (update.sessionUpdate) {
			case "agent_message_chunk": {
				const { content } = update;
				const shown = imageOrLink(content);
				if (shown === undefined) this.piece("text", textOf(content));
				else this.track(this.record.add(shown));
				return;
			}
			case "agent_thought_chunk":
				this.piece("thought", textOf(update.content));
				return;
			case "tool_call":
			case "tool_call_update":
				this.change(update);
				return;
			case "plan": {
				const steps = update.entries.map(({ content, status, priority }) => ({
					text: content,
					status: STEPS[status] ?? "pending",
					priority: PRIORITIES.find((each) => each === priority),
				}));
				this.track(this.record.add({ type: "plan", steps }));
				return;
			}
			case "usage_update": {
				const { used, size, cost } = update;
				const costUsd = cost?.currency === "USD" ? cost.amount : undefined;
				// Some agents report usage after each step. Only the last report is stored.
				const usage = { inputTokens: used, outputTokens: 0, cachedTokens: undefined, costUsd };
				this.usage = { type: "usage", usage, windowTokens: size };
				return;
			}
			case "session_info_update":
				if (update.title) this.track(this.rename(update.title));
				return;
			default:
			// Other updates add nothing to the conversation: modes, settings, commands, and the user's own messages.
		}
	}

	/**
	 * Agents report the cost of the whole session, so a turn is charged the increase. If the cost has decreased, the
	 * agent was restarted and counts from zero.
	 */
	private counted({ usage, ...about }: Extract<Body, { type: "usage" }>): Body {
		const { costUsd: sum } = usage;
		if (sum === undefined) return { usage, ...about };
		const costUsd = sum < this.countedUsd ? sum : sum - this.countedUsd;
		this.countedUsd = sum;
		return { ...about, usage: { ...usage, costUsd } };
	}

	private relayUpdate(update: acp.SessionUpdate): void {
		const { relay } = this;
		if (relay !== undefined) this.record.relay(() => relay.update(update));
	}

	private piece(type: "text" | "thought", text: string): void {
		if (text === "") return;
		try {
			this.record.write(type, text);
		} catch (error) {
			this.fail(error);
		}
	}

	private openOf(kind: ToolKind) {
		// Moving a file counts as editing it.
		const isOfKind = (call: ToolCall) => call.kind === kind || (kind === "edit" && call.kind === "move");
		return [...this.calls].findLast(([id, { call }]) => isOfKind(call) && isOpen(call) && !this.ours.has(id));
	}

	private change(update: acp.ToolCallUpdate): ToolCall {
		const before = this.calls.get(update.toolCallId);
		const call = callAfter(before?.call ?? newCall(update, this.callIds), update, this.shownIn);
		this.put(update.toolCallId, call);
		const known = this.calls.get(update.toolCallId);
		if (known !== undefined && update.content) known.content = update.content;
		// The content can be large and is not needed after the call.
		if (known !== undefined && !isOpen(call)) known.content = undefined;
		return call;
	}

	private put(id: string, call: ToolCall): void {
		const known = this.calls.get(id);
		if (known === undefined) {
			const entry = this.record.add({ type: "call", call });
			this.calls.set(id, { entry, call, content: undefined });
			this.track(entry);
		} else {
			known.call = call;
			this.track(this.record.change(known.entry, call));
		}
	}

	private track(written: Promise<unknown>): void {
		written.catch((error) => this.fail(error));
	}

	/**
	 * Replaces Segue's terminals with their text, because the client cannot show them, and makes invisible characters
	 * visible.
	 */
	private forRelay(update: acp.SessionUpdate): acp.SessionUpdate {
		if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return update;
		const shown = visible(update, this.calls.get(update.toolCallId)?.call.kind ?? "other");
		if (!shown.content?.some((each) => each.type === "terminal")) return shown;
		const content = shown.content.map((each) => {
			const text = each.type === "terminal" ? this.shownIn(each.terminalId) : undefined;
			return text === undefined ? each : { type: "content" as const, content: { type: "text" as const, text } };
		});
		return { ...shown, content };
	}
}

interface KnownCall {
	readonly entry: Promise<number>;
	call: ToolCall;
	/** The latest content from the agent, while the call is open. */
	content: readonly acp.ToolCallContent[] | undefined;
}

/** The call for a permission request. */
export interface PermissionCall {
	readonly call: ToolCall;
	/** The arguments of the tool, if the agent sent them. */
	readonly args: Arguments | undefined;
	/** The content of the request or, if it has none, of the call. */
	readonly content: readonly acp.ToolCallContent[];
}

/**
 * Begins one of Segue's own calls before the first turn. The call has no entry, and only clients that speak ACP can
 * show it.
 */
export function beginBeforeTurns(call: ToolCall, id: string, relay: VerbatimRelay | undefined): PendingCall {
	const shown = { ...call, id };
	relay?.update({ sessionUpdate: "tool_call", toolCallId: id, ...aboutOf(shown), status: "pending" });
	const end = (status: "done" | "failed") => {
		relay?.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: ACP_STATUS[status] });
	};
	return { id, shown, end };
}

/** Returns the entry for an image or a link; undefined for content that is stored as text. */
function imageOrLink(content: acp.ContentBlock): Body | undefined {
	if (content.type === "image" && content.data.length <= IMAGE_CHARS_MAX) {
		return { type: "image", mediaType: content.mimeType, base64: content.data };
	}
	if (content.type !== "resource_link") return undefined;
	return { type: "link", name: content.title || content.name, uri: content.uri };
}

function textOf(content: acp.ContentBlock): string {
	return content.type === "text" ? content.text : `(${content.type})`;
}

/** A call that waits for approval. */
export interface PendingCall {
	/** The id in the thread. */
	readonly id: string;
	/** The call with the id that the client knows. */
	readonly shown: ToolCall;
	end(status: "done" | "failed"): void;
}

/** Returns the ACP fields for one of Segue's own calls. */
function aboutOf({ title, kind, diffs, locations }: ToolCall) {
	const content = diffs.map(({ path, before, after }) => {
		return { type: "diff" as const, path, ...(before !== undefined && { oldText: before }), newText: after ?? "" };
	});
	return { title, kind, content, locations: locations.map(({ path }) => ({ path })) };
}

const ACP_STATUS = { done: "completed", failed: "failed" } as const;

const STEPS: Readonly<Record<string, "pending" | "running" | "done">> = {
	pending: "pending",
	in_progress: "running",
	completed: "done",
};

const PRIORITIES = ["high", "medium", "low"] as const;

function isOpen({ status }: ToolCall): boolean {
	return status === "pending" || status === "running";
}

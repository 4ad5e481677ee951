import type * as acp from "@segue/protocol/acp";
import type { VerbatimRelay } from "../acp.js";
import { IMAGE_CHARS_MAX } from "../threads/attachments.js";
import type { TurnRecord } from "../threads/record.js";
import type { Body, ToolCall, ToolKind } from "../threads/thread.js";
import { type Arguments, callAfter, newCall, toolArguments, visible } from "./agent-call.js";

/**
 * A turn that an agent takes, written down as if it were ours. A client that speaks ACP is told the agent's own words, in the
 * same order and after they are written.
 */
export class AgentTurn {
	/** Rejects when the store does. */
	readonly failed: Promise<never>;
	/** By the id that the agent gives them, which need not be another in every turn. */
	private readonly calls = new Map<string, KnownCall>();
	/** Those of them that are ours: what is asked for on behalf of the agent and belongs to no call of its own. */
	private readonly ours = new Set<string>();
	private usage: Extract<Body, { type: "usage" }> | undefined;
	private fail: (error: unknown) => void = () => {};

	constructor(
		readonly record: TurnRecord,
		readonly signal: AbortSignal,
		private readonly relay: VerbatimRelay | undefined,
		/** The agent calls the thread so. */
		private readonly rename: (title: string) => Promise<void>,
		/** Of the calls in the thread before this turn. */
		private readonly callIds: ReadonlySet<string>,
		/** What a terminal of ours shows. */
		private readonly shownIn: (terminalId: string) => string | undefined,
		/** What the session has cost by what is written. */
		private countedUsd: number,
	) {
		this.failed = new Promise((_, reject) => {
			this.fail = reject;
		});
		this.failed.catch(() => {});
	}

	/** What the agent says, even after the end of the turn. */
	take(update: acp.SessionUpdate): void {
		this.write(update);
		this.relayUpdate(this.forRelay(update));
	}

	/**
	 * The call that a permission request is about, as the user should see it: with the content of the request, or else of the
	 * call. The status and the text of the request do not become part of the call.
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

	/** What the agent says in a way that is none of the protocol's, among what it says otherwise. */
	note(method: string, params: Readonly<Record<string, unknown>>): void {
		const { relay } = this;
		if (relay !== undefined) this.record.relay(() => relay.notify(method, params));
	}

	/** The agent's newest call of a kind that has not ended. */
	openCall(kind: ToolKind): ToolCall | undefined {
		return this.openOf(kind)?.[1].call;
	}

	/**
	 * The call that a question of ours belongs to, by an id that whoever is asked knows: the agent's newest of that kind, or
	 * else one of ours, which is told of first. What is ours is ended by whoever has begun it.
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
			this.relayUpdate({ sessionUpdate: "tool_call_update", toolCallId: id, status: TOLD[status] });
		};
		return { id, shown, end };
	}

	/** The agent has answered, or never will: what it left open is ended, because nobody else will. More may still come. */
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

	/** Everything that was said is written, and the client was told. */
	async settle(): Promise<void> {
		await Promise.race([this.record.flush(), this.failed]);
	}

	private write(update: acp.SessionUpdate): void {
		switch (update.sessionUpdate) {
			case "agent_message_chunk": {
				const { content } = update;
				const shown = shownIn(content);
				if (shown === undefined) this.piece("text", wordsOf(content));
				else this.track(this.record.add(shown));
				return;
			}
			case "agent_thought_chunk":
				this.piece("thought", wordsOf(update.content));
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
				// Some tell it with each step. Only how it ends is worth keeping.
				const usage = { inputTokens: used, outputTokens: 0, cachedTokens: undefined, costUsd };
				this.usage = { type: "usage", usage, windowTokens: size };
				return;
			}
			case "session_info_update":
				if (update.title) this.track(this.rename(update.title));
				return;
			default:
			// The rest is about the session and no part of what was said: modes, settings, commands, what the user wrote.
		}
	}

	/** Agents tell what all of the session has cost, and each turn has its own share. One that has begun anew tells less. */
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
		// Whoever moves a file writes it.
		const isOfKind = (call: ToolCall) => call.kind === kind || (kind === "edit" && call.kind === "move");
		return [...this.calls].findLast(([id, { call }]) => isOfKind(call) && isOpen(call) && !this.ours.has(id));
	}

	private change(update: acp.ToolCallUpdate): ToolCall {
		const before = this.calls.get(update.toolCallId);
		const call = callAfter(before?.call ?? newCall(update, this.callIds), update, this.shownIn);
		this.put(update.toolCallId, call);
		const known = this.calls.get(update.toolCallId);
		if (known !== undefined && update.content) known.content = update.content;
		// Nothing more is asked about a call that is over, and its content can be large.
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

	/** The client cannot show one of our terminals, so the update carries its text. Invisible characters are shown. */
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
	/** As the agent sent it last, while the call is open. */
	content: readonly acp.ToolCallContent[] | undefined;
}

/** The call that a permission request is about. */
export interface PermissionCall {
	readonly call: ToolCall;
	/** Of its tool, if the agent sent them. */
	readonly args: Arguments | undefined;
	/** Of the request, or else of the call. */
	readonly content: readonly acp.ToolCallContent[];
}

/** A call of ours before the first turn, of which there can be no entry. Only a client that speaks ACP can be told of it. */
export function beginBeforeTurns(call: ToolCall, id: string, relay: VerbatimRelay | undefined): PendingCall {
	const shown = { ...call, id };
	relay?.update({ sessionUpdate: "tool_call", toolCallId: id, ...aboutOf(shown), status: "pending" });
	const end = (status: "done" | "failed") => {
		relay?.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: TOLD[status] });
	};
	return { id, shown, end };
}

/** What an agent says that is no text; undefined for what can only be told in words. */
function shownIn(content: acp.ContentBlock): Body | undefined {
	if (content.type === "image" && content.data.length <= IMAGE_CHARS_MAX) {
		return { type: "image", mediaType: content.mimeType, base64: content.data };
	}
	if (content.type !== "resource_link") return undefined;
	return { type: "link", name: content.title || content.name, uri: content.uri };
}

function wordsOf(content: acp.ContentBlock): string {
	return content.type === "text" ? content.text : `(${content.type})`;
}

/** A call that something is asked for in. */
export interface PendingCall {
	/** In the thread. */
	readonly id: string;
	/** As whoever is asked knows it. */
	readonly shown: ToolCall;
	end(status: "done" | "failed"): void;
}

/** What an editor shows of a call of ours. */
function aboutOf({ title, kind, diffs, locations }: ToolCall) {
	const content = diffs.map(({ path, before, after }) => {
		return { type: "diff" as const, path, ...(before !== undefined && { oldText: before }), newText: after ?? "" };
	});
	return { title, kind, content, locations: locations.map(({ path }) => ({ path })) };
}

const TOLD = { done: "completed", failed: "failed" } as const;

const STEPS: Readonly<Record<string, "pending" | "running" | "done">> = {
	pending: "pending",
	in_progress: "running",
	completed: "done",
};

const PRIORITIES = ["high", "medium", "low"] as const;

function isOpen({ status }: ToolCall): boolean {
	return status === "pending" || status === "running";
}

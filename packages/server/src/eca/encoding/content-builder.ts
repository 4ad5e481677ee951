import type {
	Approval,
	Entry,
	FileDiff,
	Flag,
	PermissionAnswer,
	PlanStep,
	PromptPart,
	ToolCall,
	Update,
} from "@segue/assist";
import type { Usage } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import {
	approvalTextOf,
	callArgumentsOf,
	callNameOf,
	fileChangeOf,
	NATIVE,
	PLAN_TOOL,
	shellCommandOf,
	shownArguments,
	shownDiff,
	TASK_TOOL,
	tasksOf,
	truncated,
} from "../to-wire.js";
import type { ContentItem, FileChange } from "./encoder.js";

/**
 * Builds chat content from thread updates, in the current version of the protocol. Each turn or replay has its own
 * builder.
 */
export class ContentBuilder {
	private readonly calls = new Map<string, CallProgress>();
	/** Reasons for rejected calls, by call id. */
	private readonly rejected = new Map<string, RejectionReason>();
	/** The thought being streamed. */
	private thought: { readonly id: string; readonly sinceMs: number } | undefined;
	/** The last plan. Cleared when its call has ended. */
	private plan: eca.Details | undefined;

	constructor(
		private readonly now: () => number,
		/** The model's context window, if known. */
		private readonly windowTokens: () => number | undefined,
		/** The thread's cost so far. */
		private costUsd = 0,
	) {}

	/**
	 * Whether the turn was stopped. Calls that had not started by then are reported as stopped, not as rejected by the
	 * user.
	 */
	isStopped = false;

	itemsOf(update: Update): ContentItem[] {
		switch (update.type) {
			case "entry":
				return this.entry(update.entry);
			case "more":
				return update.of === "text" ? this.text(update.text) : this.think(update.number, update.text);
			case "call":
				return [...this.endThought(), ...this.call(update.call)];
			case "thread":
				return [system({ type: "metadata", title: update.thread.title })];
		}
	}

	/** Whether a call has been shown, so its approval can be requested. */
	knows(callId: string): boolean {
		return this.calls.has(callId);
	}

	/** Whether an approval can be requested for the call itself. Editors ask once per call, before it runs. */
	isAskable(callId: string): boolean {
		return this.calls.get(callId)?.stage === "prepared";
	}

	/** Returns the items that ask the user to approve a call. */
	requestApproval(call: ToolCall): ContentItem[] {
		return this.call(call, true).map((item) => {
			return item.content.type === "toolCallRun"
				? { ...item, request: approvalTextOf(call, item.changes ?? []) }
				: item;
		});
	}

	/** Ends a call that only represents a request. If `answer` is undefined, the request was withdrawn. */
	answered(call: ToolCall, answer: PermissionAnswer | undefined): ContentItem[] {
		if (answer === undefined || answer === "no") {
			this.rejected.set(call.id, REJECTION_REASONS[answer === undefined ? "nobody" : "person"]);
			return this.call({ ...call, status: "failed" });
		}
		return this.call({ ...call, status: "done" });
	}

	/** Ends an open thought at the end of the turn. */
	end(): ContentItem[] {
		return this.endThought();
	}

	private entry({ number, body }: Entry): ContentItem[] {
		switch (body.type) {
			case "text":
				return this.text(body.text);
			case "image": {
				const { mediaType, base64 } = body;
				return [...this.endThought(), assistant({ type: "image", mediaType, base64 })];
			}
			case "link":
				return [...this.endThought(), assistant({ type: "url", title: body.name, url: body.uri })];
			case "thought":
				return this.think(number, body.text);
			case "prompt":
				return [...this.endThought(), ...echoOf(body.parts, number)];
			case "call":
				return [...this.endThought(), ...this.call(body.call)];
			case "approval":
				if (body.approval.answer === "no") this.rejected.set(body.approval.callId, REJECTION_REASONS[body.approval.by]);
				return [];
			case "plan":
				return [...this.endThought(), ...this.planned(body.steps, number)];
			case "usage":
				return [...this.endThought(), ...this.usage(body.usage)];
			case "notice": {
				const text = body.level === "error" ? `Error: ${body.text}` : body.text;
				return [...this.endThought(), system({ type: "text", text: `${text}\n` })];
			}
			// Tool calls already show the files they read, and the turn stream sends the end of the turn.
			case "file":
			case "summary":
			case "agent":
			case "end":
				return [];
		}
	}

	private text(text: string): ContentItem[] {
		return text === "" ? [] : [...this.endThought(), assistant({ type: "text", text })];
	}

	private think(number: number, text: string): ContentItem[] {
		const id = `${number}`;
		if (text === "") return [];
		const item = assistant({ type: "reasonText", id, text });
		if (this.thought?.id === id) return [item];
		const before = this.endThought();
		this.thought = { id, sinceMs: this.now() };
		return [...before, assistant({ type: "reasonStarted", id }), item];
	}

	private endThought(): ContentItem[] {
		const { thought } = this;
		if (thought === undefined) return [];
		this.thought = undefined;
		return [assistant({ type: "reasonFinished", id: thought.id, totalTimeMs: this.now() - thought.sinceMs })];
	}

	/** Returns the stages of a call that have not been sent yet. Editors expect each stage only once. */
	private call(call: ToolCall, isAsked = false): ContentItem[] {
		const { id, status, input } = call;
		const progress = this.calls.get(id) ?? new CallProgress(this.now(), call.tool === PLAN_TOOL);
		const isNew = !this.calls.has(id);
		this.calls.set(id, progress);
		const items: ContentItem[] = [];
		const changes = this.changesOf(call, progress);
		const add = (content: eca.ChatContent) => {
			items.push({ ...assistant(content), ...(changes.length > 0 && { changes }) });
		};
		if (progress.stage === "over") return [];
		const isOver = status === "done" || status === "failed";
		const more = input.startsWith(progress.input) ? input.slice(progress.input.length) : "";
		if (isNew || (more !== "" && progress.stage === "prepared")) {
			add({ type: "toolCallPrepare", ...callNameOf(call), argumentsText: more });
			progress.input = input;
		}
		const whole = {
			...callNameOf(call),
			...this.detailsFor(call, changes),
			arguments: shownArguments(callArgumentsOf(input)),
		};
		if (progress.stage === "prepared" && (isAsked || status !== "pending")) {
			progress.stage = "run";
			add({ type: "toolCallRun", ...whole, manualApproval: isAsked });
		}
		const rejection = status !== "failed" ? undefined : this.rejectionOf(id, progress);
		if (progress.stage === "run" && (status === "running" || isOver) && rejection === undefined) {
			progress.stage = "running";
			progress.sinceMs = this.now();
			if (status !== "failed") add({ type: "toolCallRunning", ...whole });
		}
		if (!isOver) return items;
		progress.stage = "over";
		if (rejection !== undefined) add({ type: "toolCallRejected", ...whole, reason: rejection });
		else {
			const outputs = call.output === "" ? [] : [{ type: "text" as const, text: truncated(call.output) }];
			const totalTimeMs = this.now() - progress.sinceMs;
			add({ type: "toolCalled", ...whole, error: status === "failed", outputs, totalTimeMs });
		}
		if (call.tool === PLAN_TOOL) this.plan = undefined;
		return items;
	}

	private rejectionOf(callId: string, { stage }: CallProgress): RejectionReason | undefined {
		const hasBegun = stage === "running";
		return this.rejected.get(callId) ?? (this.isStopped && !hasBegun ? "userPromptStop" : undefined);
	}

	private changesOf({ diffs }: ToolCall, progress: CallProgress): readonly FileChange[] {
		if (progress.diffs !== diffs) {
			progress.diffs = diffs;
			progress.changes = diffs.map(fileChangeOf);
		}
		return progress.changes;
	}

	private detailsFor(call: ToolCall, [first]: readonly FileChange[]): { details?: eca.Details } {
		const change = first && { ...first, diff: shownDiff(first.diff) };
		const details = call.tool === PLAN_TOOL ? this.plan : (shellCommandOf(call) ?? change);
		return details === undefined ? {} : { details };
	}

	/**
	 * Returns the items for a plan. With our own models, a plan belongs to a tool call and is shown with it. External
	 * agents send plans without a call.
	 */
	private planned(steps: readonly PlanStep[], number: number): ContentItem[] {
		const details = tasksOf(steps);
		const isCalled = [...this.calls.values()].some(({ stage, isPlan }) => isPlan && stage !== "over");
		this.plan = details;
		if (isCalled) return [];
		const about = { origin: "native" as const, id: `plan-${number}`, name: TASK_TOOL, server: NATIVE, summary: "Plan" };
		const whole = { ...about, details, arguments: {} };
		return [
			assistant({ type: "toolCallPrepare", ...about, argumentsText: "" }),
			assistant({ type: "toolCallRun", ...whole, manualApproval: false }),
			assistant({ type: "toolCallRunning", ...whole }),
			assistant({ type: "toolCalled", ...whole, error: false, outputs: [], totalTimeMs: 0 }),
		];
	}

	private usage({ inputTokens, outputTokens, costUsd }: Usage): ContentItem[] {
		const sessionTokens = inputTokens + outputTokens;
		if (sessionTokens === 0) return [];
		this.costUsd += costUsd ?? 0;
		const context = this.windowTokens();
		return [
			system({
				type: "usage",
				sessionTokens,
				...(costUsd !== undefined && { lastMessageCost: dollars(costUsd), sessionCost: dollars(this.costUsd) }),
				// The model's output limit is unknown, but it cannot exceed the context window.
				...(context !== undefined && { limit: { context, output: context } }),
			}),
		];
	}
}

/** Returns the content of stored entries, with their flags. */
export function replayItems(
	entries: readonly Entry[],
	flags: readonly Flag[],
	now: () => number,
): readonly ContentItem[] {
	const builder = new ContentBuilder(now, () => undefined);
	// A rejected call is stored as failed before the answer that contains the reason, so process all answers first.
	const answers = entries.filter(({ body }) => body.type === "approval");
	for (const entry of answers) builder.itemsOf({ type: "entry", entry });
	const items = entries.flatMap((entry) => {
		const flagged = flags.filter(({ after }) => after === entry.number).map(flagItem);
		const built = builder.itemsOf({ type: "entry", entry: settledIn(entry) });
		return flagged.length === 0 ? built : [...built, ...builder.end(), ...flagged];
	});
	return [...items, ...builder.end()];
}

/** Marks a call without a result as failed, because its process exited during the call. */
function settledIn(entry: Entry): Entry {
	const { body } = entry;
	if (body.type !== "call" || body.call.status === "done" || body.call.status === "failed") return entry;
	return { ...entry, body: { type: "call", call: { ...body.call, status: "failed" } } };
}

export function flagItem({ id, text }: Flag): ContentItem {
	return system({ type: "flag", text, contentId: id });
}

/** Returns the id that editors use to refer to an entry, or undefined if they cannot refer to it. */
export function contentIdOf({ number, body }: Entry): string | undefined {
	switch (body.type) {
		case "prompt":
		case "thought":
			return `${number}`;
		case "call":
			return body.call.id;
		case "plan":
			return `plan-${number}`;
		default:
			return undefined;
	}
}

type RejectionReason = Extract<eca.ChatContent, { type: "toolCallRejected" }>["reason"];

/** The protocol's reasons for a rejected call, depending on who rejected the call. */
const REJECTION_REASONS: Readonly<Record<Approval["by"], RejectionReason>> = {
	person: "userChoiceDeny",
	rule: "userConfigDeny",
	nobody: "userPromptStop",
};

/** The progress of a call that has been sent. */
class CallProgress {
	stage: "prepared" | "run" | "running" | "over" = "prepared";
	input = "";
	diffs: readonly FileDiff[] = [];
	changes: readonly FileChange[] = [];

	constructor(
		/**
		 * The time when the model began to write the call's arguments or, once the call is running, when the call
		 * started.
		 */
		public sinceMs: number,
		readonly isPlan: boolean,
	) {}
}

/** Returns a prompt as shown in the chat. Editors show its contexts themselves. */
function echoOf(parts: readonly PromptPart[], number: number): ContentItem[] {
	const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
	const images = parts.flatMap((part): ContentItem[] => {
		if (part.type !== "image") return [];
		const { mediaType, base64 } = part;
		return [{ role: "user", content: { type: "image", mediaType, base64 } }];
	});
	return [{ role: "user", content: { type: "text", text: `${text}\n`, contentId: `${number}` } }, ...images];
}

/** Formats small amounts with two significant digits. */
function dollars(amount: number): string {
	return amount === 0 || amount >= 0.1 ? amount.toFixed(2) : `${Number(amount.toPrecision(2))}`;
}

function assistant(content: eca.ChatContent): ContentItem {
	return { role: "assistant", content };
}

function system(content: eca.ChatContent): ContentItem {
	return { role: "system", content };
}

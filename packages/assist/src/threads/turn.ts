import {
	type ChatEnd,
	type ChatMessage,
	type ChatModel,
	type ChatRequest,
	ModelFailure,
	type ToolDescription,
	type Usage,
} from "@segue/models";
import { eachUnlessCancelled } from "@segue/text";
import { schemaOf, type Tool } from "../tools/tool.js";
import { toolsIn } from "../tools/tools.js";
import { planTool } from "../tools/user.js";
import { readAttachments } from "./attachments.js";
import { summarise } from "./compaction.js";
import { messagesOf } from "./history.js";
import { adviceIn, instructionsFor } from "./instructions.js";
import { steeringPrompt } from "./steering.js";
import type { EndReason, Entry, ToolCall } from "./thread.js";
import { OpenCall, runToolCall, type ToolCallResult } from "./tool-calls.js";
import type { TurnContext } from "./turn-context.js";

/** Maximum model requests in a turn. Long tasks take dozens; more than this is a loop. */
const STEPS_MAX = 100;
/** How many times in a row a call may fail in the same way. A model that fails this often does not recover. */
const SAME_FAILURES_MAX = 3;
/**
 * After a denial, the model can continue: it often finds another way, or can answer without the call. If it requests
 * the same permission again, the turn ends, because users should not have to decline repeatedly.
 */
const SAME_DECLINES_MAX = 2;

/** Runs a turn with a model. Calls `begin` once the prompt is stored, before it is sent to the model. */
export async function runModelTurn(context: TurnContext, begin: () => Promise<void>): Promise<EndReason> {
	const { thread, parts, record, store, mode, folders, now, signal } = context;
	const before = await store.entries(thread.id);
	const model = context.models.choose(context.modelName);
	const prompt = await readAttachments(parts, "why" in model ? false : model.takesImages, context);
	if ("why" in model) {
		await record.add({ type: "prompt", parts: prompt.parts });
		await begin();
		await record.add({ type: "notice", level: "warning", text: model.why });
		return "failed";
	}
	await record.add({ type: "prompt", parts: prompt.parts, model: model.name });
	await begin();
	for (const text of prompt.notices) await record.add({ type: "notice", level: "warning", text });
	signal.throwIfAborted();
	const turn = new ModelTurn(context, {
		model,
		instructions: instructionsFor({ folders, mode, today: now(), platform: process.platform }),
		advice: await adviceIn(context),
		tools: await toolsOf(context),
		before,
	});
	return turn.run();
}

/** Resolves with the built-in tools, MCP tools and the plan tool, filtered by mode. */
async function toolsOf({
	mode,
	mcpServers,
	runningServers,
	thread,
	signal,
	tools,
	record,
}: TurnContext): Promise<readonly Tool[]> {
	// MCP tools can do anything, so they are available only in the mode that allows changes.
	const offered = mode === "edit" ? mcpServers : [];
	const { tools: others, problems } = await runningServers.toolsOf(offered, thread, signal);
	for (const text of problems) await record.add({ type: "notice", level: "warning", text });
	const plan = planTool(async (steps) => {
		await record.add({ type: "plan", steps });
	});
	return [...toolsIn(mode, [...tools, ...others]), ...(mode === "ask" ? [] : [plan])];
}

/** The parts of a request that stay the same during a turn. */
interface ModelInput {
	readonly model: ChatModel;
	readonly instructions: string;
	/** Prepended to the first message; undefined if the project has none. */
	readonly advice: string | undefined;
	readonly tools: readonly Tool[];
	/** The thread's entries before this turn. */
	readonly before: readonly Entry[];
}

/** Alternates between the model and its tool calls until the turn ends. The prompt is already in the record. */
class ModelTurn {
	private readonly signal: AbortSignal;
	private readonly tools: ReadonlyMap<string, Tool>;
	private readonly descriptions: readonly ToolDescription[];
	/** The ids of all calls in the thread. */
	private readonly callIds: Set<string>;
	private readonly opened: OpenCall[] = [];
	/** Whether compaction failed or did not help. If so, it is retried only if the provider reports an overflow. */
	private hasFailedToCompact = false;
	private readonly failures = new Repetition(SAME_FAILURES_MAX);
	private readonly declines = new Repetition(SAME_DECLINES_MAX);

	constructor(
		private readonly context: TurnContext,
		private readonly input: ModelInput,
	) {
		this.signal = context.signal;
		this.tools = new Map(input.tools.map((tool) => [tool.name, tool]));
		this.descriptions = input.tools.map(descriptionOf);
		this.callIds = new Set(input.before.flatMap((entry) => (entry.body.type === "call" ? [entry.body.call.id] : [])));
	}

	/**
	 * Runs the turn to its end. Never leaves a call pending or running. Throws only if the store fails or there is a bug.
	 */
	async run(): Promise<EndReason> {
		try {
			return await this.steps();
		} catch (error) {
			if (this.signal.aborted) return "cancelled";
			if (!(error instanceof ModelFailure)) throw error;
			await this.notice("error", error.message);
			return "failed";
		} finally {
			await this.closeCalls();
		}
	}

	private async steps(): Promise<EndReason> {
		const { record, steering } = this.context;
		for (let step = 0; step < STEPS_MAX; step++) {
			await this.addSteering(steering.take());
			const answer = await this.ask();
			await record.flush();
			this.signal.throwIfAborted();
			const reason = await this.reasonToEnd(answer);
			if (reason === undefined) {
				const end = await this.answerCalls(answer.calls);
				if (end !== undefined) return end;
			} else if (!(await this.addSteering(steering.takeLast()))) return reason;
		}
		await this.notice("warning", `Stopped after ${STEPS_MAX} steps. Send "continue" to keep going.`);
		return "steps";
	}

	/**
	 * Returns the reason to end the turn after a reply, unless the user has sent another message; undefined if its
	 * calls should run.
	 */
	private async reasonToEnd({ end, calls }: TurnReply): Promise<EndReason | undefined> {
		if (end === "length") {
			await this.notice("warning", "The answer was cut off: it reached the model's output limit.");
			return "length";
		}
		if (end === "refused") {
			await this.notice("warning", `${this.input.model.name} refused to answer.`);
			return "refused";
		}
		// Some servers report that the model is done although it called tools, so only the calls count.
		return calls.length === 0 ? "done" : undefined;
	}

	/** Adds the user's messages as a prompt. Returns whether there were any. */
	private async addSteering(messages: readonly string[]): Promise<boolean> {
		if (messages.length === 0) return false;
		// Calls that precede these messages no longer run.
		await this.closeCalls();
		await this.context.record.add(steeringPrompt(messages, this.input.model.name));
		return true;
	}

	/** Sends the conversation to the model, compacting it first if it is too long. */
	private async ask(): Promise<TurnReply> {
		const { estimator } = this.context;
		const { model } = this.input;
		const isNear = () => estimator.isNear(this.request(), model.windowTokens);
		if (!this.hasFailedToCompact && isNear() && (await this.compact()) && isNear()) {
			this.hasFailedToCompact = true;
			await this.notice(
				"warning",
				"The conversation nearly fills the model's context window even as a summary. Start a new thread, or choose a model " +
					"with a larger window.",
			);
		}
		try {
			return await this.stream();
		} catch (error) {
			if (!(error instanceof ModelFailure) || error.kind !== "too-long") throw error;
			if (!(await this.compact())) throw error;
			return await this.stream();
		}
	}

	private request(): ChatRequest {
		const { instructions, advice } = this.input;
		const messages = this.messages();
		const [first] = messages;
		if (advice !== undefined && first?.role === "user") {
			messages.splice(0, 1, { role: "user", parts: [{ type: "text", text: advice }, ...first.parts] });
		}
		return { system: instructions, messages, tools: this.descriptions, effort: this.context.effort };
	}

	/** Returns the conversation so far. The first message is always the user's. */
	private messages(): ChatMessage[] {
		const { record, id } = this.context;
		const { before, model } = this.input;
		const { name, takesImages } = model;
		return messagesOf([...before, ...record.entries], id, { model: name, takesImages });
	}

	/** Replaces the conversation so far with a summary. Returns whether it succeeded. */
	private async compact(): Promise<boolean> {
		const { estimator, record } = this.context;
		const { model } = this.input;
		const messages = this.messages();
		// The current prompt is never summarized, and there is nothing else to summarize yet.
		if (messages.length < 2) return false;
		const charsMax = estimator.transcriptCharsMax(model.windowTokens);
		let text = "";
		try {
			const summary = await summarise(messages, charsMax, model, this.signal);
			text = summary.text;
			const { windowTokens } = model;
			if (summary.usage !== undefined) await record.add({ type: "usage", usage: summary.usage, windowTokens });
		} catch (error) {
			if (this.signal.aborted || !(error instanceof ModelFailure)) throw error;
		}
		if (text === "") {
			this.hasFailedToCompact = true;
			await this.notice(
				"warning",
				"The conversation nearly fills the model's context window and could not be summarized. Start a new thread.",
			);
			return false;
		}
		await record.add({ type: "summary", text });
		await this.notice(
			"info",
			"The conversation became too long for the model. It continues from a summary of the earlier messages.",
		);
		return true;
	}

	private async stream(): Promise<TurnReply> {
		const { estimator, record } = this.context;
		const { model } = this.input;
		const request = this.request();
		const calls: OpenCall[] = [];
		let usage: Usage | undefined;
		try {
			for await (const event of eachUnlessCancelled(model.stream(request, this.signal), this.signal)) {
				switch (event.type) {
					case "text":
						if (event.text !== "") record.write("text", event.text);
						break;
					case "thought":
						if (event.text !== "") record.write("thought", event.text);
						if (event.signature !== undefined) await record.sign(event.signature);
						break;
					case "call-begun":
						calls.push(await this.begin(event.id, event.tool));
						break;
					case "call": {
						const opened = calls.find((call) => call.modelsId === event.id && !call.isWhole);
						const call = opened ?? (await this.begin(event.id, event.tool));
						if (opened === undefined) calls.push(call);
						call.isWhole = true;
						await call.update({ input: event.input });
						break;
					}
					case "usage":
						usage = event.usage;
						estimator.learn(request, usage);
						break;
					case "retrying":
						await this.notice("info", `${event.why} Trying again in ${Math.ceil(event.afterMs / 1000)} s.`);
						break;
					case "end":
						if (calls.length > 0) usage ??= NOT_REPORTED;
						return { end: event.reason, calls };
				}
			}
			throw new ModelFailure("cut", `The answer from ${model.name} was cut off. Try again.`);
		} finally {
			if (usage !== undefined) await record.add({ type: "usage", usage, windowTokens: model.windowTokens });
		}
	}

	/** Some servers repeat or omit call ids. Ours must be unique, or results would be mixed up. */
	private async begin(modelsId: string, tool: string): Promise<OpenCall> {
		const id = modelsId === "" || this.callIds.has(modelsId) ? this.context.newId() : modelsId;
		this.callIds.add(id);
		const open = await OpenCall.begin(this.context.record, modelsId, id, tool, this.tools.get(tool)?.kind ?? "other");
		this.opened.push(open);
		return open;
	}

	/** Runs the calls in order. Adjacent calls that only read run concurrently. */
	private async answerCalls(calls: readonly OpenCall[]): Promise<EndReason | undefined> {
		const results: ToolCallResult[] = [];
		for (const batch of batchesOf(calls)) {
			// Even if one call fails, all must end before the turn does.
			const settled = await Promise.allSettled(batch.map((call) => runToolCall(call, this.tools, this.context)));
			for (const one of settled) {
				if (one.status === "rejected") throw one.reason;
				results.push(one.value);
			}
		}
		await this.context.record.flush();
		const declinedNow = new Set<string>();
		for (const { call, declined } of results) {
			const key = declined === undefined ? undefined : `${declined.kind} ${declined.subject}`;
			// Count denials once per reply, because the model had not yet seen the first one. Ignore calls in between
			// that need no approval.
			const isNew = key !== undefined && !declinedNow.has(key);
			if (isNew) declinedNow.add(key);
			if (isNew && this.declines.isTooMuch(key)) {
				await this.notice("info", "Stopped: the model asked again for a permission that was declined.");
				return "cancelled";
			}
			const failure = call.status === "failed" ? `${call.tool} ${call.input} ${call.output}` : undefined;
			if (this.failures.isTooMuch(failure)) {
				await this.notice(
					"error",
					`Stopped: the model repeated a failing call to ${call.tool}. Tell it what to do instead.`,
				);
				return "failed";
			}
		}
		return undefined;
	}

	/** Marks calls that have not ended as failed. */
	private async closeCalls(): Promise<void> {
		for (const open of this.opened) {
			if (!open.isOver) await open.update({ status: "failed", output: this.signal.aborted ? CANCELLED : NOT_RUN });
		}
	}

	private async notice(level: "info" | "warning" | "error", text: string): Promise<void> {
		await this.context.record.add({ type: "notice", level, text });
	}
}

/**
 * The usage entry of a reply marks its end in the thread. A reply with calls needs this mark even if the provider does
 * not report usage.
 */
const NOT_REPORTED: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: undefined, costUsd: undefined };

const CANCELLED = "Cancelled by the user. It may be partly done.";
const NOT_RUN = "Not run: the turn ended first.";

/** The model's reply to one request. */
interface TurnReply {
	readonly end: ChatEnd;
	readonly calls: readonly OpenCall[];
}

/** Counts how often the same key occurs in a row. */
class Repetition {
	private last: string | undefined;
	private times = 0;

	constructor(private readonly limit: number) {}

	isTooMuch(key: string | undefined): boolean {
		this.times = key === this.last ? this.times + 1 : 1;
		this.last = key;
		return key !== undefined && this.times >= this.limit;
	}
}

function batchesOf(calls: readonly OpenCall[]): OpenCall[][] {
	const batches: OpenCall[][] = [];
	let isReading = false;
	for (const call of calls) {
		const isFree = READING.includes(call.call.kind);
		if (isFree && isReading) batches.at(-1)?.push(call);
		else batches.push([call]);
		isReading = isFree;
	}
	return batches;
}

/** Kinds of tools that can run concurrently, because they don't affect each other. */
const READING: readonly ToolCall["kind"][] = ["read", "search"];

function descriptionOf(tool: Tool): ToolDescription {
	return { name: tool.name, description: tool.description, schema: schemaOf(tool) };
}

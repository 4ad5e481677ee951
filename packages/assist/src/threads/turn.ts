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

/** Answers of a model in one turn. Long work takes some dozens; beyond this it goes in circles. */
const STEPS_MAX = 100;
/** The same call with the same failure, one after the other: a model that has not understood by now will not. */
const SAME_FAILURES_MAX = 3;
/**
 * A no tells the model that the user declined, and it may go on: often there is another way, or an answer to be given
 * without. One that asks for the very same again has not listened, and the user should not have to say no for ever.
 */
const SAME_DECLINES_MAX = 2;

/** Has a model answer in a turn. `begin` is called when the prompt is written down, before the model gets it. */
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

/** The engine's own tools, those of MCP servers, and the plan, as far as the mode allows. */
async function toolsOf({
	mode,
	mcpServers,
	runningServers,
	thread,
	signal,
	tools,
	record,
}: TurnContext): Promise<readonly Tool[]> {
	// Tools of MCP servers may do anything, so only a turn that may change things has them.
	const offered = mode === "edit" ? mcpServers : [];
	const { tools: others, problems } = await runningServers.toolsOf(offered, thread, signal);
	for (const text of problems) await record.add({ type: "notice", level: "warning", text });
	const plan = planTool(async (steps) => {
		await record.add({ type: "plan", steps });
	});
	return [...toolsIn(mode, [...tools, ...others]), ...(mode === "ask" ? [] : [plan])];
}

/** What a model gets in every request of a turn, besides the messages. */
interface ModelInput {
	readonly model: ChatModel;
	readonly instructions: string;
	/** Put before the first message; undefined if the project has none. */
	readonly advice: string | undefined;
	readonly tools: readonly Tool[];
	/** The thread's entries before this turn. */
	readonly before: readonly Entry[];
}

/** One prompt and all that follows from it: model, tools, model, and so on. The prompt itself is in the record already. */
class ModelTurn {
	private readonly signal: AbortSignal;
	private readonly tools: ReadonlyMap<string, Tool>;
	private readonly descriptions: readonly ToolDescription[];
	/** Of the whole thread. */
	private readonly callIds: Set<string>;
	private readonly opened: OpenCall[] = [];
	/** One that failed or did not help will not help again; only where there is no other way is it tried once more. */
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
	 * Goes on until there is a reason to end. Whatever comes, no call is left pending or running. Throws only what the store
	 * threw, and bugs.
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
		await this.notice("warning", `The turn was ended after ${STEPS_MAX} steps. Say "go on" to let it go on.`);
		return "steps";
	}

	/** Why there is nothing more to do after an answer, unless somebody says something. */
	private async reasonToEnd({ end, calls }: TurnReply): Promise<EndReason | undefined> {
		if (end === "length") {
			await this.notice("warning", "The answer was cut: the model reached the most that it writes at once.");
			return "length";
		}
		if (end === "refused") {
			await this.notice("warning", `${this.input.model.name} refused to answer this.`);
			return "refused";
		}
		// Some servers say that the model is done although it asks for tools, so only the calls themselves count.
		return calls.length === 0 ? "done" : undefined;
	}

	/** Makes a prompt of what the person said meanwhile. Returns whether there was anything. */
	private async addSteering(said: readonly string[]): Promise<boolean> {
		if (said.length === 0) return false;
		// What was asked for before is not done any more.
		await this.closeCalls();
		await this.context.record.add(steeringPrompt(said, this.input.model.name));
		return true;
	}

	/** Asks the model once more, with everything so far; what is too long for it is made shorter first. */
	private async ask(): Promise<TurnReply> {
		const { estimator } = this.context;
		const { model } = this.input;
		const isNear = () => estimator.isNear(this.request(), model.windowTokens);
		if (!this.hasFailedToCompact && isNear() && (await this.compact()) && isNear()) {
			this.hasFailedToCompact = true;
			const advice = "Start a new thread, or choose a model with a larger window.";
			await this.notice("warning", `The conversation is nearly too long for the model even as a summary. ${advice}`);
		}
		try {
			return await this.listen();
		} catch (error) {
			if (!(error instanceof ModelFailure) || error.kind !== "too-long") throw error;
			if (!(await this.compact())) throw error;
			return await this.listen();
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

	/** The conversation so far, which a user always begins. */
	private messages(): ChatMessage[] {
		const { record, id } = this.context;
		const { before, model } = this.input;
		const { name, takesImages } = model;
		return messagesOf([...before, ...record.entries], id, { model: name, takesImages });
	}

	/** Puts a summary in the place of all so far. Returns whether it could. */
	private async compact(): Promise<boolean> {
		const { estimator, record } = this.context;
		const { model } = this.input;
		const messages = this.messages();
		// What the user just wrote is told as it is, however long, and there is nothing else yet.
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
				"The conversation is nearly too long for the model, and could not be summarised. Start a new thread.",
			);
			return false;
		}
		await record.add({ type: "summary", text });
		await this.notice(
			"info",
			"The conversation became too long for the model. It goes on from a summary of what was before.",
		);
		return true;
	}

	private async listen(): Promise<TurnReply> {
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
						if (calls.length > 0) usage ??= UNTOLD;
						return { end: event.reason, calls };
				}
			}
			throw new ModelFailure("cut", `The answer of ${model.name} ended in the middle. Ask again.`);
		} finally {
			if (usage !== undefined) await record.add({ type: "usage", usage, windowTokens: model.windowTokens });
		}
	}

	/** Some servers give every call the same id, or none; ours are different, or results would be mixed up. */
	private async begin(modelsId: string, tool: string): Promise<OpenCall> {
		const id = modelsId === "" || this.callIds.has(modelsId) ? this.context.newId() : modelsId;
		this.callIds.add(id);
		const open = await OpenCall.begin(this.context.record, modelsId, id, tool, this.tools.get(tool)?.kind ?? "other");
		this.opened.push(open);
		return open;
	}

	/** Runs what the model asked for: what only reads at once, all else one after the other, in the model's order. */
	private async answerCalls(calls: readonly OpenCall[]): Promise<EndReason | undefined> {
		const results: ToolCallResult[] = [];
		for (const batch of batchesOf(calls)) {
			// All have to end, whatever becomes of one, before the turn can.
			const settled = await Promise.allSettled(batch.map((call) => runToolCall(call, this.tools, this.context)));
			for (const one of settled) {
				if (one.status === "rejected") throw one.reason;
				results.push(one.value);
			}
		}
		await this.context.record.flush();
		const declinedNow = new Set<string>();
		for (const { call, declined } of results) {
			const what = declined === undefined ? undefined : `${declined.kind} ${declined.subject}`;
			// Within one answer it could not know of the first no. What was done in between without asking makes no difference.
			const isNew = what !== undefined && !declinedNow.has(what);
			if (isNew) declinedNow.add(what);
			if (isNew && this.declines.isTooMuch(what)) {
				await this.notice("info", "The turn was ended: the model asked again for what was declined.");
				return "cancelled";
			}
			const failure = call.status === "failed" ? `${call.tool} ${call.input} ${call.output}` : undefined;
			if (this.failures.isTooMuch(failure)) {
				await this.notice(
					"error",
					`The turn was ended: the model repeated a call of ${call.tool} that fails. Say what it should do instead.`,
				);
				return "failed";
			}
		}
		return undefined;
	}

	/** What the model asked for and will not get any more. */
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
 * In a thread, the usage of an answer comes after all of it, and so tells where the next one begins. What has calls needs
 * that, even if the provider does not tell what it took.
 */
const UNTOLD: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: undefined, costUsd: undefined };

const CANCELLED = "Cancelled by the user. If it had begun, it may be half done.";
const NOT_RUN = "Not run: the turn ended before.";

/** What a model said in one go. */
interface TurnReply {
	readonly end: ChatEnd;
	readonly calls: readonly OpenCall[];
}

/** Counts how often the same thing comes, one after the other. */
class Repetition {
	private last: string | undefined;
	private times = 0;

	constructor(private readonly most: number) {}

	isTooMuch(thing: string | undefined): boolean {
		this.times = thing === this.last ? this.times + 1 : 1;
		this.last = thing;
		return thing !== undefined && this.times >= this.most;
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

/** Kinds of tools that can run beside each other, because none sees what another does. */
const READING: readonly ToolCall["kind"][] = ["read", "search"];

function descriptionOf(tool: Tool): ToolDescription {
	return { name: tool.name, description: tool.description, schema: schemaOf(tool) };
}

import type { ChatEvent, ChatModel, ChatRequest, ModelFailure } from "@segue/models";
import { whenAborted } from "@segue/text";
import { AnswerBarrier } from "./answer-barrier.js";

/**
 * The model's response to one request: a string, a list of events, or a failure. `HOLD` in a list pauses until the test
 * releases the answer, and a failure in a list aborts it. If a list has no end event, a suitable one is added.
 */
export type ScriptedAnswer =
	| string
	| ModelFailure
	| readonly (ChatEvent | ModelFailure | typeof HOLD)[]
	| ((request: ChatRequest) => ScriptedAnswer);

/** Pauses a scripted answer until it is released. */
export const HOLD = { type: "hold" } as const;

/** An in-memory model that sends scripted answers and records its requests. */
export class ScriptedModel implements ChatModel {
	name = "scripted/model";
	windowTokens: number | undefined;
	takesImages = true;
	/** Requests received, in order. */
	readonly requests: ChatRequest[] = [];
	/** The abort signal of each request, in order. */
	readonly signals: AbortSignal[] = [];
	private readonly answers: ScriptedAnswer[];
	private readonly barrier = new AnswerBarrier();

	/** Each answer is used once, in order. */
	constructor(answers: readonly ScriptedAnswer[]) {
		this.answers = [...answers];
	}

	/** Appends answers to the script. */
	add(...answers: readonly ScriptedAnswer[]): void {
		this.answers.push(...answers);
	}

	/** Resolves when an answer is being held. */
	holding(): Promise<void> {
		return this.barrier.held();
	}

	/** Releases the oldest held answer, or the next one to be held. */
	release(): Promise<void> {
		return this.barrier.release();
	}

	async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent, void, undefined> {
		this.requests.push(request);
		this.signals.push(signal);
		const answer = this.answers.shift();
		if (answer === undefined) throw new Error(`the script has no answer for request ${this.requests.length}`);
		for (const event of eventsOf(answer, request)) {
			signal.throwIfAborted();
			if (event instanceof Error) throw event;
			if (event.type === "hold") await this.hold(signal);
			else yield event;
		}
	}

	private async hold(signal: AbortSignal): Promise<void> {
		await this.barrier.hold(whenAborted(signal));
		signal.throwIfAborted();
	}
}

function eventsOf(answer: ScriptedAnswer, request: ChatRequest): readonly (ChatEvent | ModelFailure | typeof HOLD)[] {
	if (typeof answer === "function") return eventsOf(answer(request), request);
	if (typeof answer === "string") return eventsOf([{ type: "text", text: answer }], request);
	if (answer instanceof Error) return [answer];
	if (answer.some((event) => !(event instanceof Error) && event.type === "end")) return answer;
	const hasCalls = answer.some((event) => !(event instanceof Error) && event.type === "call");
	return [...answer, { type: "end", reason: hasCalls ? "calls" : "done" }];
}

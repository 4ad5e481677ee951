import type { ChatEvent, ChatModel, ChatRequest, ModelFailure } from "@segue/models";
import { whenAborted } from "@segue/text";
import { AnswerBarrier } from "./answer-barrier.js";

/**
 * What a scripted model does with one request: it says a text, plays events, or fails. `HOLD` among the events stops it until
 * the test lets it go on, and a failure among them breaks the answer off. A list that names no end gets the one that fits.
 */
export type ScriptedAnswer =
	| string
	| ModelFailure
	| readonly (ChatEvent | ModelFailure | typeof HOLD)[]
	| ((request: ChatRequest) => ScriptedAnswer);

/** Stops a scripted model until it is released. */
export const HOLD = { type: "hold" } as const;

/** A model without a wire, which says what a test tells it to, and remembers what it was asked. */
export class ScriptedModel implements ChatModel {
	name = "scripted/model";
	windowTokens: number | undefined;
	takesImages = true;
	/** What it was asked, in order. */
	readonly requests: ChatRequest[] = [];
	/** With what each answer can be called off, in order. */
	readonly signals: AbortSignal[] = [];
	private readonly answers: ScriptedAnswer[];
	private readonly barrier = new AnswerBarrier();

	/** Each answer is given once, in order. */
	constructor(answers: readonly ScriptedAnswer[]) {
		this.answers = [...answers];
	}

	/** Adds to the script. */
	add(...answers: readonly ScriptedAnswer[]): void {
		this.answers.push(...answers);
	}

	/** Settles when an answer has come to a hold. */
	holding(): Promise<void> {
		return this.barrier.held();
	}

	/** Releases the answer that waits, or the next one that does. */
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

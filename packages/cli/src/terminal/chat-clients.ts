import type { ApprovalRequest, Client, PermissionAnswer, Thread, Update } from "@segue/assist";
import { type Paint, paintFor } from "./colour.js";
import type { Keys } from "./keys.js";
import { askPermission, howToAllow } from "./permission-prompt.js";
import type { Screen } from "./screen.js";
import { Transcript } from "./transcript.js";
import type { Output } from "./width.js";

/** Who a turn is for, when no editor is behind it. */
abstract class ChatClient implements Client {
	readonly buffers = undefined;
	readonly editor = {};
	/** How often something was not allowed because nobody could be asked. */
	notAllowed = 0;
	private allowed = 0;

	/** Whether that holds for all that would have had to be allowed. */
	get isPowerless(): boolean {
		return this.notAllowed > 0 && this.allowed === 0;
	}

	update(update: Update): void | Promise<void> {
		const body = update.type === "entry" ? update.entry.body : undefined;
		if (body?.type === "approval" && body.approval.answer !== "no") this.allowed += 1;
		return this.send(update);
	}

	abstract approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer>;
	protected abstract send(update: Update): void | Promise<void>;

	protected nobodyToAsk(): NobodyToAsk {
		this.notAllowed += 1;
		return new NobodyToAsk();
	}
}

/** A person in front of a terminal. */
export class TerminalClient extends ChatClient {
	/** What other calls did while a question stands on the screen, which is shown when it is answered. */
	private held: Update[] | undefined;

	constructor(
		private readonly screen: Screen,
		private readonly transcript: Transcript,
		private readonly paint: Paint,
		/** Undefined where there are none to be pressed, and so nobody can be asked. */
		private readonly keys: Keys | undefined,
		/** Called with the thread that the user goes on with. */
		readonly resume?: (thread: Thread) => void,
	) {
		super();
	}

	protected send(update: Update): void {
		// They wrote it themselves just now.
		if (isPrompt(update)) return;
		if (this.held !== undefined) this.held.push(update);
		else this.screen.write(this.transcript.add(update));
	}

	async approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const { screen, transcript, keys, paint } = this;
		if (keys === undefined) {
			screen.write(transcript.notice("warning", howToAllow(question.permission)));
			throw this.nobodyToAsk();
		}
		screen.rest();
		this.held = [];
		try {
			return await askPermission(question, { screen, transcript, keys, paint }, signal);
		} finally {
			screen.write(this.held.map((update) => transcript.add(update)).join(""));
			this.held = undefined;
			screen.wait(() => transcript.waitingFor);
		}
	}
}

/** A pipe or a file: it gets the answer, and what else happened is told on standard error. */
export class PipeClient extends ChatClient {
	/** What is said in it has no colours and names no files. */
	private readonly answer = new Transcript("", paintFor(false));

	constructor(
		private readonly stdout: Output,
		private readonly stderr: Screen,
		private readonly rest: Transcript,
		/** Whether the prompt looks like a command, whose answer is a notice. */
		private isCommand: boolean,
	) {
		super();
	}

	protected send(update: Update): void {
		if (isPrompt(update)) {
			if (wasAsked(update)) this.isCommand = false;
			return;
		}
		if (this.isAnswer(update)) this.stdout.write(this.answer.add(update));
		else this.tellBeside(this.rest.add(update));
	}

	async approve(question: ApprovalRequest): Promise<PermissionAnswer> {
		this.tellBeside(this.rest.notice("warning", howToAllow(question.permission)));
		throw this.nobodyToAsk();
	}

	end(): void {
		this.stdout.write(this.answer.endLine());
	}

	/** Both outputs may lead to the same place, so a line of one is ended before one of the other begins. */
	private tellBeside(text: string): void {
		if (text === "") return;
		this.stdout.write(this.answer.breakLine());
		this.stderr.write(text);
	}

	private isAnswer(update: Update): boolean {
		// Which of the two a piece goes on with, each knows itself: thoughts go on where they began.
		if (update.type === "more") return this.answer.isOpen(update.number);
		if (update.type !== "entry") return false;
		const { type } = update.entry.body;
		return type === "text" || (this.isCommand && type === "notice");
	}
}

/** A script: every update is a line of JSON. */
export class ScriptClient extends ChatClient {
	constructor(
		private readonly stdout: NodeJS.WritableStream,
		private readonly stderr: Output,
	) {
		super();
	}

	/** Waits for a script that reads more slowly than the model writes. */
	async send(line: object): Promise<void> {
		if (this.stdout.write(`${JSON.stringify(line)}\n`)) return;
		// One that is gone reads no more.
		await new Promise<void>((resolve) => this.stdout.once("drain", resolve).once("close", resolve));
	}

	async approve({ permission }: ApprovalRequest): Promise<PermissionAnswer> {
		this.stderr.write(`segue: ${howToAllow(permission)}\n`);
		throw this.nobodyToAsk();
	}
}

/** The engine takes it as no. */
class NobodyToAsk extends Error {}

/** Whether a model or an agent was asked. */
function wasAsked(update: Update): boolean {
	return update.type === "entry" && update.entry.body.type === "prompt" && update.entry.body.model !== undefined;
}

function isPrompt(update: Update): boolean {
	return update.type === "entry" && update.entry.body.type === "prompt";
}

import type { ApprovalRequest, Client, PermissionAnswer, Thread, Update } from "@segue/assist";
import { type Paint, paintFor } from "./colour.js";
import type { Keys } from "./keys.js";
import { writeMessage } from "./message.js";
import { askPermission, howToAllow } from "./permission-prompt.js";
import type { Screen } from "./screen.js";
import { Transcript } from "./transcript.js";
import type { Output } from "./width.js";

/** A client for turns that run outside an editor. */
abstract class ChatClient implements Client {
	readonly buffers = undefined;
	readonly editor = {};
	/** Number of permissions that were denied because the user could not be asked. */
	notAllowed = 0;
	/** Whether a slash command failed, for example because it is unknown. */
	hasCommandFailed = false;
	private allowed = 0;
	/** Whether the prompt has been sent to a model or an agent. */
	private isModelAsked = false;

	/** Whether all requested permissions were denied because the user could not be asked. */
	get isPowerless(): boolean {
		return this.notAllowed > 0 && this.allowed === 0;
	}

	update(update: Update): void | Promise<void> {
		const body = update.type === "entry" ? update.entry.body : undefined;
		if (body?.type === "approval" && body.approval.answer !== "no") this.allowed += 1;
		if (body?.type === "prompt") this.isModelAsked = body.model !== undefined;
		if (body?.type === "notice" && body.level !== "info" && !this.isModelAsked) this.hasCommandFailed = true;
		return this.send(update);
	}

	abstract approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer>;
	protected abstract send(update: Update): void | Promise<void>;

	protected cannotAsk(): CannotAsk {
		this.notAllowed += 1;
		return new CannotAsk();
	}
}

/** A user at a terminal. */
export class TerminalClient extends ChatClient {
	/** Updates to other calls that arrive while a question is on the screen. They are shown after the answer. */
	private held: Update[] | undefined;

	constructor(
		private readonly screen: Screen,
		private readonly transcript: Transcript,
		private readonly paint: Paint,
		/** Undefined if standard input is not a terminal, so the user cannot be asked. */
		private readonly keys: Keys | undefined,
		/** Called with the thread that the user resumes. */
		readonly resume?: (thread: Thread) => void,
	) {
		super();
	}

	protected send(update: Update): void {
		// The user has just typed the prompt.
		if (isPrompt(update)) return;
		if (this.held !== undefined) this.held.push(update);
		else this.screen.write(this.transcript.add(update));
	}

	async approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const { screen, transcript, keys, paint } = this;
		if (keys === undefined) {
			screen.write(transcript.notice("warning", howToAllow(question.permission)));
			throw this.cannotAsk();
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

/** A pipe or a file. The answer goes to standard output, everything else to standard error. */
export class PipeClient extends ChatClient {
	/** No colours. The workspace does not matter, because no file names are printed. */
	private readonly answer = new Transcript("", paintFor(false));

	constructor(
		private readonly stdout: Output,
		private readonly stderr: Screen,
		private readonly rest: Transcript,
		/** Whether the prompt looks like a command. The answer to a command is a notice. */
		private isCommand: boolean,
	) {
		super();
	}

	protected send(update: Update): void {
		if (isPrompt(update)) {
			if (isForModel(update)) this.isCommand = false;
			return;
		}
		if (this.isAnswer(update)) this.stdout.write(this.answer.add(update));
		else this.writeRest(this.rest.add(update));
	}

	async approve(question: ApprovalRequest): Promise<PermissionAnswer> {
		this.writeRest(this.rest.notice("warning", howToAllow(question.permission)));
		throw this.cannotAsk();
	}

	end(): void {
		this.stdout.write(this.answer.endLine());
	}

	/**
	 * Writes to standard error. Both outputs can be the same terminal, so this ends the answer's current line first.
	 */
	private writeRest(text: string): void {
		if (text === "") return;
		this.stdout.write(this.answer.breakLine());
		this.stderr.write(text);
	}

	private isAnswer(update: Update): boolean {
		// A chunk is added to the transcript in which its entry started.
		if (update.type === "more") return this.answer.isOpen(update.number);
		if (update.type !== "entry") return false;
		const { body } = update.entry;
		return body.type === "text" || (this.isCommand && body.type === "notice" && body.level === "info");
	}
}

/** A script that receives every update as a line of JSON. */
export class ScriptClient extends ChatClient {
	constructor(
		private readonly stdout: NodeJS.WritableStream,
		private readonly stderr: Output,
	) {
		super();
	}

	/** Wait if the script reads more slowly than the model writes. */
	async send(line: object): Promise<void> {
		if (this.stdout.write(`${JSON.stringify(line)}\n`)) return;
		// A closed pipe never drains.
		await new Promise<void>((resolve) => this.stdout.once("drain", resolve).once("close", resolve));
	}

	async approve({ permission }: ApprovalRequest): Promise<PermissionAnswer> {
		writeMessage(this.stderr, howToAllow(permission));
		throw this.cannotAsk();
	}
}

/** The engine treats this as a denial. */
class CannotAsk extends Error {}

/** Whether an update is a prompt for a model or an agent. */
function isForModel(update: Update): boolean {
	return update.type === "entry" && update.entry.body.type === "prompt" && update.entry.body.model !== undefined;
}

function isPrompt(update: Update): boolean {
	return update.type === "entry" && update.entry.body.type === "prompt";
}

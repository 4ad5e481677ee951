import type { Engine } from "@segue/agent/chat/engine";
import { type Assist, COMMANDS, type Entry, NoSuchThread, StoreError, type Thread } from "@segue/assist";
import { type StartTimer, sanitizeLine } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { TerminalClient } from "./chat-clients.js";
import type { Paint } from "./colour.js";
import { Keys } from "./keys.js";
import { HISTORY_MAX, readPrompt } from "./prompt.js";
import type { Screen } from "./screen.js";
import { Transcript } from "./transcript.js";

interface InteractiveChatOptions {
	readonly engine: Engine;
	readonly workspace: string;
	readonly process: CommandProcess;
	readonly isDumb: boolean;
	readonly screen: Screen;
	readonly paint: Paint;
	readonly after: StartTimer;
	/** Aborted when the process should end. */
	readonly gone: AbortSignal;
	/** Exits immediately, after a second Ctrl-C. */
	readonly leaveNow: () => void;
}

const GREETING = `Enter sends the prompt; for another line, end a line with a backslash or paste.
Ctrl-C stops a turn, Ctrl-D quits, and /help lists the commands.`;
const OWN_COMMANDS = [
	{ name: "new", description: "Starts a new conversation" },
	{ name: "quit", description: "Quits, like Ctrl-D" },
];

// Enough to show how a thread ended.
const REPLAYED_TURNS = 3;
// Reading the prompts from all threads in a folder would be too slow.
const REMEMBERED_THREADS = 10;

/** A conversation in a terminal, until the user quits. */
export class InteractiveChat {
	private transcript: Transcript;
	private history: string[] = [];
	/** Whether the last key was Ctrl-C and stopped a turn. Pressing it again then quits. */
	private isLeaving = false;
	/** Whether this conversation created the thread. */
	private isOwn: boolean;

	constructor(
		private readonly options: InteractiveChatOptions,
		/** Undefined until the first prompt. */
		private thread: Thread | undefined,
	) {
		this.transcript = new Transcript(options.workspace, options.paint, options.process.stdout);
		this.isOwn = thread === undefined;
	}

	async run(): Promise<void> {
		try {
			await this.talk();
		} finally {
			await this.forget();
		}
	}

	private async talk(): Promise<void> {
		const { assist } = this.options.engine;
		this.history = await promptsOf(assist, this.options.workspace);
		this.greet();
		if (this.thread !== undefined) this.replay(await assist.entries(this.thread.id));
		for (;;) {
			this.options.screen.write("\n");
			const text = await this.read();
			if (text === undefined) return;
			if (text.trim() === "") continue;
			this.history = [text, ...this.history.filter((other) => other !== text)].slice(0, HISTORY_MAX);
			if (text.trim() === "/quit") return;
			if (text.trim() === "/new") await this.startNew();
			else await this.turn(text);
			if (this.options.gone.aborted) return;
		}
	}

	private greet(): void {
		const { engine, workspace, paint, screen } = this.options;
		const model = engine.models.choose(undefined);
		const name = engine.agent ?? ("why" in model ? "no model" : model.name);
		const { transcript } = this;
		const title = `${paint.bold("Segue")} ${paint.dim(`· ${sanitizeLine(name)} · ${sanitizeLine(workspace)}`)}`;
		screen.write(transcript.block(`${title}\n${paint.dim(transcript.wrapped(GREETING))}`));
		for (const notice of engine.notices) screen.write(transcript.notice("warning", notice));
		if ("why" in model && engine.agent === undefined) screen.write(transcript.notice("warning", model.why));
	}

	private replay(entries: readonly Entry[]): void {
		const { screen, paint } = this.options;
		const prompts = entries.flatMap(({ body }, i) => (body.type === "prompt" ? [i] : []));
		const from = prompts.at(-REPLAYED_TURNS) ?? 0;
		const id = this.thread?.id;
		if (from > 0) screen.write(this.transcript.block(paint.dim(`… To see earlier turns: segue chat --show ${id}`)));
		for (const entry of entries.slice(from)) screen.write(this.transcript.add({ type: "entry", entry }));
		screen.write(this.transcript.endLine());
	}

	private read(): Promise<string | undefined> {
		const { process, isDumb, gone } = this.options;
		const commands = [...COMMANDS, ...OWN_COMMANDS].map(({ name }) => `/${name}`);
		return readPrompt({ process, isDumb, history: this.history, commands }, this.isLeaving, gone);
	}

	private async startNew(): Promise<void> {
		await this.forget();
		this.reset();
		this.options.screen.write(`\n${this.transcript.block("Started a new conversation.")}`);
	}

	private reset(): void {
		const { workspace, paint, process } = this.options;
		this.thread = undefined;
		this.isOwn = true;
		this.transcript = new Transcript(workspace, paint, process.stdout);
	}

	/** Deletes the thread if this conversation created it and none of its prompts was answered. */
	private async forget(): Promise<void> {
		if (this.isOwn && this.thread !== undefined) await this.options.engine.forgetEmpty(this.thread.id);
	}

	private async turn(text: string): Promise<void> {
		const { engine, workspace, process, isDumb, screen, paint, after, gone, leaveNow } = this.options;
		const { transcript } = this;
		const stop = new AbortController();
		const interrupt = () => {
			if (stop.signal.aborted) leaveNow();
			stop.abort();
		};
		const keys = new Keys(process.stdin, process.stdout, isDumb, interrupt, after);
		let resumed: Thread | undefined;
		const client = new TerminalClient(screen, transcript, paint, keys, (thread) => {
			resumed = thread;
		});
		process.on("SIGINT", interrupt);
		transcript.waitingFor = "Waiting for the model";
		screen.wait(() => transcript.waitingFor);
		try {
			this.thread ??= await engine.assist.create(workspace);
			const signal = AbortSignal.any([stop.signal, gone]);
			await engine.prompt(this.thread.id, [{ type: "text", text }], client, { signal });
			if (text.trim() === "/help") screen.write(`${transcript.wrapped(helpOf(OWN_COMMANDS))}\n`);
		} catch (error) {
			if (error instanceof NoSuchThread) this.replaceDeleted();
			else if (error instanceof StoreError) screen.write(transcript.notice("error", error.message));
			else throw error;
		} finally {
			keys.close();
			process.off("SIGINT", interrupt);
			screen.rest();
			screen.write(transcript.endLine());
			this.isLeaving = stop.signal.aborted;
		}
		if (resumed !== undefined) await this.resume(resumed);
	}

	private async resume(thread: Thread): Promise<void> {
		const { engine, workspace, paint, process, screen } = this.options;
		await this.forget();
		this.thread = thread;
		this.isOwn = false;
		this.transcript = new Transcript(workspace, paint, process.stdout);
		screen.write("\n");
		this.replay(await engine.assist.entries(thread.id));
	}

	/** Starts a new thread after another process has deleted this one. The last prompt is already in the history. */
	private replaceDeleted(): void {
		this.options.screen.write(this.transcript.endLine());
		this.reset();
		const notice = "Another program deleted this conversation. Press the up arrow to ask again in a new one.";
		this.options.screen.write(`\n${this.transcript.notice("warning", notice)}`);
	}
}

function helpOf(commands: readonly { name: string; description: string }[]): string {
	return commands.map(({ name, description }) => `/${name}: ${description}.`).join("\n");
}

/** The prompts in a folder's latest threads, newest first. */
async function promptsOf(assist: Assist, workspace: string): Promise<string[]> {
	const prompts: string[] = [];
	for (const thread of await assist.list({ workspace, limit: REMEMBERED_THREADS })) {
		for (const { body } of (await assist.entries(thread.id)).toReversed()) {
			const first = body.type === "prompt" ? body.parts[0] : undefined;
			if (first?.type === "text" && !prompts.includes(first.text)) prompts.push(first.text);
		}
	}
	return prompts.slice(0, HISTORY_MAX);
}

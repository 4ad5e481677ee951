import path from "node:path";
import {
	type ApprovalRequest,
	Assist,
	type AssistOptions,
	type Client,
	type EndReason,
	type Entry,
	openEmbeddedStore,
	type PermissionAnswer,
	type PromptPart,
	type Store,
	type Thread,
	type TurnOptions,
	type Update,
} from "@segue/assist";
import type { ChatEvent } from "@segue/models";
import { expect, onTestFinished } from "vitest";
import { type ScriptedAnswer, ScriptedModel } from "../models/scripted-model.js";
import { type FolderPicture, ToolFixture } from "./tool-fixture.js";

export interface ChatFixtureOptions extends Partial<Omit<AssistOptions, "store">> {
	/** The files in the workspace. */
	readonly files?: FolderPicture;
	/** The model's answers, in order. After the last answer, the model ends each turn without text. */
	readonly answers?: readonly ScriptedAnswer[];
	readonly approve?: (question: ApprovalRequest, signal: AbortSignal) => Promise<PermissionAnswer>;
	/** Called with each update before it is recorded. */
	readonly update?: (update: Update) => void | Promise<void>;
	readonly buffers?: Client["buffers"];
	readonly relay?: Client["relay"];
	readonly editor?: Client["editor"];
	/** Absent if the client cannot ask the user questions. */
	readonly ask?: NonNullable<Client["ask"]>;
	/** Absent if the client cannot switch to another thread. */
	readonly resume?: NonNullable<Client["resume"]>;
	readonly windowTokens?: number;
	readonly takesImages?: boolean;
	/** Wraps the store, for example to make a method fail. */
	readonly store?: (store: Store) => Store;
}

/** A thread with a real store and folder, a scripted model, and a client that records its updates. */
export class ChatFixture implements Client {
	readonly questions: ApprovalRequest[] = [];
	readonly updates: Update[] = [];
	readonly editor: Client["editor"];
	readonly ask?: NonNullable<Client["ask"]>;
	readonly buffers: Client["buffers"];
	readonly relay: Client["relay"];
	readonly resume: Client["resume"];
	readonly turn = new AbortController();
	readonly model: ScriptedModel;
	assist: Assist;

	private constructor(
		readonly tools: ToolFixture,
		readonly store: Store,
		private readonly options: ChatFixtureOptions,
	) {
		this.buffers = options.buffers;
		this.relay = options.relay;
		this.editor = options.editor ?? {};
		if (options.ask !== undefined) this.ask = options.ask;
		this.resume = options.resume;
		this.model = new ScriptedModel([...(options.answers ?? []), ...EMPTY_ANSWERS]);
		this.model.name = "test/first";
		this.model.windowTokens = options.windowTokens;
		this.model.takesImages = options.takesImages ?? false;
		this.assist = this.newEngine();
	}

	thread: Thread = { id: "", title: "", workspace: "", modifiedAt: "" };

	static async begin(options: ChatFixtureOptions): Promise<ChatFixture> {
		const tools = await ToolFixture.draw(options.files ?? {});
		const { store } = await openEmbeddedStore(path.join(path.dirname(tools.root), "threads.db"), NOW);
		const fixture = new ChatFixture(tools, options.store?.(store) ?? store, options);
		onTestFinished(async () => {
			await fixture.assist.close();
			await store.close();
		});
		fixture.thread = await fixture.assist.create(tools.root);
		return fixture;
	}

	/** Creates another engine with the same store, as a second process would. */
	newEngine(): Assist {
		let ids = 0;
		const prefix = this.assist === undefined ? "id" : "other";
		return new Assist({
			models: { names: [this.model.name], choose: () => this.model },
			privacyOf: () => ({ isPrivate: () => false }),
			mcpServers: [],
			rules: [],
			network: false,
			secretVariables: [],
			now: () => NOW,
			newId: () => `${prefix}${++ids}`,
			...this.options,
			store: this.store,
		});
	}

	update(update: Update): void | Promise<void> {
		const pace = this.options.update?.(update);
		this.updates.push(update);
		return pace;
	}

	async approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		this.questions.push(question);
		return (await this.options.approve?.(question, signal)) ?? "once";
	}

	/** Runs a turn and checks the invariants that apply to every turn: one end entry, and no open calls. */
	async prompt(prompt: string | readonly PromptPart[], options: Partial<TurnOptions> = {}): Promise<EndReason> {
		const parts = typeof prompt === "string" ? [{ type: "text", text: prompt } as const] : prompt;
		const before = (await this.entries()).length;
		const reason = await this.assist.prompt(this.thread.id, parts, this, { signal: this.turn.signal, ...options });
		const entries = (await this.entries()).slice(before);
		expect(entries.filter(({ body }) => body.type === "end").map(({ body }) => body)).toEqual([
			{ type: "end", reason },
		]);
		const open = entries.filter(({ body }) => body.type === "call" && /pending|running/.test(body.call.status));
		expect(open).toEqual([]);
		return reason;
	}

	entries(): Promise<Entry[]> {
		return this.assist.entries(this.thread.id);
	}

	/** Returns the thread as reconstructed from the client's updates. */
	receivedEntries(): Entry[] {
		const entries = new Map<number, Entry>();
		for (const update of this.updates) {
			if (update.type === "entry") entries.set(update.entry.number, update.entry);
			if (update.type !== "more" && update.type !== "call") continue;
			const entry = entries.get(update.number);
			if (entry === undefined) throw new Error(`update of unknown entry ${update.number}`);
			const { body } = entry;
			if (update.type === "call") entries.set(entry.number, { ...entry, body: { type: "call", call: update.call } });
			else if (body.type === "text" || body.type === "thought") {
				entries.set(entry.number, { ...entry, body: { ...body, text: body.text + update.text } });
			}
		}
		return [...entries.values()].sort((a, b) => a.number - b.number);
	}

	/** Returns the thread as text, one line per entry, without empty usage entries. */
	async lines(): Promise<string[]> {
		const entries = await this.entries();
		const shown = entries.filter(({ body }) => body.type !== "usage" || body.usage.inputTokens > 0);
		return shown.map(({ body }) => {
			switch (body.type) {
				case "prompt":
					return `prompt: ${body.parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" ")}`;
				case "call":
					return `${body.call.status}: ${body.call.title}: ${body.call.output}`;
				case "file":
					return `file: ${path.relative(this.tools.root, body.path)}`;
				case "plan":
					return `plan: ${body.steps.map((step) => `${step.text} ${step.status}`).join(", ")}`;
				case "approval": {
					const { permission, answer, by } = body.approval;
					return `approval: ${permission.kind} ${permission.subject}: ${answer} by ${by}`;
				}
				case "usage":
					return `usage: ${body.usage.inputTokens}`;
				case "agent":
					return `agent: ${body.agent} ${body.session}`;
				case "end":
					return `end: ${body.reason}`;
				case "image":
					return `image: ${body.mediaType}`;
				case "link":
					return `link: ${body.name} ${body.uri}`;
				case "notice":
					return `${body.level}: ${body.text}`;
				default:
					return `${body.type}: ${body.text}`;
			}
		});
	}
}

/** The fixed time used by all tests. */
const NOW = new Date("2030-01-02T03:04:05.678Z");

/** More answers than any test requests after its script ends. */
const EMPTY_ANSWERS: readonly ScriptedAnswer[] = Array.from({ length: 5 }, () => []);

/** Returns the events of an answer that streams these pieces of text. */
export function says(...pieces: readonly string[]): ChatEvent[] {
	return pieces.map((text) => ({ type: "text", text }));
}

/** Returns the events of an answer that calls tools. */
export function calls(...requested: readonly (readonly [tool: string, input: unknown])[]): ChatEvent[] {
	return requested.map(([tool, input], i) => {
		return { type: "call", id: `call${i}`, tool, input: typeof input === "string" ? input : JSON.stringify(input) };
	});
}

/** Returns a promise that never settles. */
export function never(): Promise<never> {
	return new Promise(() => {});
}

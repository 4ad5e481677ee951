import type { ChatModel, Effort } from "@segue/models";
import { type AgentOptions, Agents, type Opening } from "./agents/agents.js";
import { withoutSecrets } from "./agents/prompt.js";
import type { AgentSession } from "./agents/session.js";
import { AgentTurn } from "./agents/turn.js";
import { type ApprovalRule, Approvals } from "./approvals.js";
import { unlessCancelled } from "./cancel.js";
import type { Client } from "./client.js";
import { COMMANDS, type Command, commandOf, type Desk, obey } from "./commands.js";
import { Gauge } from "./compaction.js";
import { gather } from "./context.js";
import { adviceOf, instructionsFor } from "./instructions.js";
import { type McpServer, McpServers } from "./mcp.js";
import { type Mode, toolsIn } from "./mode.js";
import { planTool } from "./plan.js";
import { TurnRecord } from "./record.js";
import { NoSuchThread } from "./store/failure.js";
import type { Store } from "./store/store.js";
import type { Body, EndReason, Entry, PromptPart, Thread } from "./thread.js";
import { titleOf } from "./title.js";
import type { Scope, Tool } from "./tool.js";
import { toolsFor } from "./tools/tools.js";
import { Turn } from "./turn.js";
import { type Privacy, Workspace } from "./workspace.js";

/** Threads that a process remembers session answers and read files of. Nobody works on as many in a day. */
const WORKS_MAX = 200;
/** A launcher that has to download an MCP server first takes about this long; nobody waits longer. */
const MCP_START_MS = 30_000;

export interface AssistOptions {
	/** Closed by whoever opened it. */
	readonly store: Store;
	readonly models: Models;
	readonly privacyOf: (folders: readonly string[]) => Privacy;
	readonly mcpServers: readonly McpServer[];
	readonly rules: readonly ApprovalRule[];
	/** Environment variables that hold keys, besides those whose names say so: no command gets them. */
	readonly secretVariables: readonly string[];
	/** Whether the model is offered to fetch from the network. */
	readonly network: boolean;
	/** Another agent, which answers instead of the models. */
	readonly agent?: AgentOptions | undefined;
	readonly now: () => Date;
	readonly newId: () => string;
}

/** The models that a person can choose from. */
export interface Models {
	readonly names: readonly string[];
	/** Of a name, or what is chosen where nobody says one. */
	choose(name: string | undefined): ChatModel | Unavailable;
}

export interface Unavailable {
	/** Sentences for a person: what to do to have a model. */
	readonly why: string;
}

export interface PromptOptions extends OpenOptions {
	readonly model?: string | undefined;
	/** `edit` where it is absent. */
	readonly mode?: Mode | undefined;
	readonly effort?: Effort | undefined;
}

export interface OpenOptions {
	/** Folders that the thread may work in besides its workspace. */
	readonly folders?: readonly string[] | undefined;
	/** Besides the configured ones. */
	readonly mcpServers?: readonly McpServer[] | undefined;
	readonly signal: AbortSignal;
}

/** The chat engine: threads that are kept, and turns in them. */
export class Assist {
	private readonly works = new Map<string, Work>();
	private readonly servers = new McpServers(MCP_START_MS);
	private readonly agents: Agents | undefined;
	private readonly turns = new Set<Promise<unknown>>();
	private readonly closing = new AbortController();

	constructor(private readonly options: AssistOptions) {
		this.agents = options.agent && new Agents(options.agent, options.secretVariables);
	}

	async create(workspace: string): Promise<Thread> {
		const { store, newId, now } = this.options;
		const thread: Thread = { id: newId(), title: "", workspace, modifiedAt: now().toISOString() };
		await store.create(thread);
		return thread;
	}

	thread(id: string): Promise<Thread | undefined> {
		return this.options.store.thread(id);
	}

	entries(id: string): Promise<Entry[]> {
		return this.options.store.entries(id);
	}

	list(query: Parameters<Store["list"]>[0]): Promise<Thread[]> {
		return this.options.store.list(query);
	}

	search(text: string, query: Parameters<Store["search"]>[1]): ReturnType<Store["search"]> {
		return this.options.store.search(text, query);
	}

	rename(id: string, title: string): Promise<void> {
		return this.options.store.rename(id, title);
	}

	async delete(id: string): Promise<void> {
		await this.release(id);
		await this.options.store.delete(id);
		this.works.delete(id);
	}

	/**
	 * A thread's session with the other agent, opened ahead of a prompt, so that its modes, settings and commands can be
	 * offered; undefined where there is no other agent. Throws an `AgentFailure`.
	 */
	async agentFor(threadId: string, client: Client, options: OpenOptions): Promise<AgentSession | undefined> {
		if (this.agents === undefined) return undefined;
		const thread = await this.options.store.thread(threadId);
		if (thread === undefined) throw new NoSuchThread(threadId);
		return this.agents.sessionOf(this.openingOf(thread, client, options, options.signal));
	}

	/** Nobody works on a thread for now: what another agent keeps for it is let go, and opened again when it is needed. */
	async release(id: string): Promise<void> {
		await this.agents?.release(id);
	}

	exportThread(id: string): Promise<unknown> {
		return this.options.store.exportThread(id);
	}

	importThread(value: unknown, workspace: string): Promise<Thread> {
		return this.options.store.importThread(value, workspace);
	}

	/**
	 * Takes a turn. Never rejects for what a model, a tool or a person does: that becomes entries, and the reason. It rejects
	 * when the store does, as on a full disk. Text that begins with a slash and one word is a command, and needs no model.
	 */
	async prompt(
		threadId: string,
		parts: readonly PromptPart[],
		client: Client,
		options: PromptOptions,
	): Promise<EndReason> {
		const turn = this.take(threadId, parts, client, options);
		this.turns.add(turn);
		try {
			return await turn;
		} finally {
			this.turns.delete(turn);
		}
	}

	/** Cancels what runs, and ends the MCP servers and the other agent. */
	async close(): Promise<void> {
		this.closing.abort(new Error("the engine was closed"));
		await Promise.allSettled(this.turns);
		await Promise.all([this.servers.close(), this.agents?.close()]);
	}

	private async take(
		threadId: string,
		parts: readonly PromptPart[],
		client: Client,
		options: PromptOptions,
	): Promise<EndReason> {
		const { store, newId, now } = this.options;
		const thread = await store.thread(threadId);
		if (thread === undefined) throw new NoSuchThread(threadId);
		const signal = AbortSignal.any([options.signal, this.closing.signal]);
		const id = newId();
		const told = this.agents === undefined ? client : besideRelay(client);
		const record = new TurnRecord(store, thread.id, id, told, signal, now);
		const work = this.workOn(thread, options.folders ?? []);
		const scope: Scope = { workspace: work.workspace, client, signal };
		const tools = toolsFor(client.editor, this.options);
		let reason: EndReason = "failed";
		try {
			const command = commandOf(parts);
			if (command !== undefined && (await this.isOurs(command, thread))) {
				const kept = await gather(parts, false, scope);
				await record.add({ type: "prompt", parts: kept.parts });
				const chosen = options.model ?? work.model;
				const desk: Desk = { thread, store, models: this.options.models, tools, scope, chosen };
				const reply = await unlessCancelled(obey(command, desk), signal);
				if (desk.chosen !== undefined && desk.chosen !== chosen) {
					work.model = desk.chosen;
					client.modelChosen?.(desk.chosen);
				}
				await record.add({ type: "notice", ...reply });
				reason = "done";
			} else {
				const begun: Begun = { thread, id, parts, client, options, work, scope, tools, record };
				reason = await (this.agents === undefined ? this.answer(begun) : this.handOver(begun, this.agents));
			}
		} catch (error) {
			if (!signal.aborted) throw error;
			reason = "cancelled";
		} finally {
			await record.add({ type: "end", reason });
			await record.caughtUp();
		}
		return reason;
	}

	private async answer(begun: Begun): Promise<EndReason> {
		const { thread, id, parts, client, options, work, scope, record } = begun;
		const { models, newId, now, store } = this.options;
		const before = await store.entries(thread.id);
		const model = models.choose(options.model ?? work.model);
		const gathered = await gather(parts, "why" in model ? false : model.takesImages, scope);
		if ("why" in model) {
			await record.add({ type: "prompt", parts: gathered.parts });
			await this.name(begun);
			await record.add({ type: "notice", level: "warning", text: model.why });
			return "failed";
		}
		await record.add({ type: "prompt", parts: gathered.parts, model: model.name });
		await this.name(begun);
		for (const text of gathered.notices) await record.add({ type: "notice", level: "warning", text });
		const mode = options.mode ?? "edit";
		scope.signal.throwIfAborted();
		const turn = new Turn({
			id,
			model,
			effort: options.effort,
			instructions: instructionsFor({ folders: work.folders, mode, today: now(), platform: process.platform }),
			advice: await adviceIn(scope),
			tools: await this.toolsOf(begun, mode),
			before,
			record,
			approvals: work.approvals,
			client,
			gauge: work.gauge,
			scope,
			newId,
		});
		return turn.run();
	}

	/** Has the other agent answer. */
	private async handOver(begun: Begun, agents: Agents): Promise<EndReason> {
		const { thread, parts, client, options, scope, record } = begun;
		const { store } = this.options;
		const before = await store.entries(thread.id);
		const shown = await withoutSecrets(parts, agents.name, scope.workspace);
		await record.add({ type: "prompt", parts: shown.kept, model: agents.name });
		await this.name(begun);
		for (const text of shown.notices) await record.add({ type: "notice", level: "warning", text });
		const rename = async (title: string) => {
			await store.rename(thread.id, title);
			const named = await store.thread(thread.id);
			// Who hears the agent's own words has heard this, too.
			if (named !== undefined && client.relay === undefined) record.tell({ type: "thread", thread: named });
		};
		return agents.answer(this.openingOf(thread, client, options, scope.signal), {
			parts: shown.sent,
			before,
			record,
			turnIn: ({ terminals }) => {
				const callIds = new Set(before.flatMap(({ body }) => (body.type === "call" ? [body.call.id] : [])));
				const shownIn = (terminalId: string) => terminals.get(terminalId)?.output().output;
				return new AgentTurn(record, scope.signal, client.relay, rename, callIds, shownIn);
			},
		});
	}

	/** With another agent, its commands come first, and the choice of a model is its own. */
	private async isOurs({ name }: Command, thread: Thread): Promise<boolean> {
		if (this.agents === undefined) return true;
		if (name === "model" || !COMMANDS.some((each) => each.name === name)) return false;
		return !(await this.agents.hasCommand(thread.id, name));
	}

	private openingOf(thread: Thread, client: Client, options: OpenOptions, signal: AbortSignal): Opening {
		const folders = options.folders ?? [];
		const { workspace, approvals } = this.workOn(thread, folders);
		return {
			thread,
			folders,
			mcpServers: [...this.options.mcpServers, ...(options.mcpServers ?? [])],
			desk: { client, workspace, approvals },
			entries: () => this.options.store.entries(thread.id),
			signal,
		};
	}

	/** Ours, those of MCP servers, and the plan, as far as the mode allows. */
	private async toolsOf({ options, thread, scope, tools, record }: Begun, mode: Mode): Promise<readonly Tool[]> {
		// Nobody knows what the tools of a server do, so only a turn that may change things has them.
		const servers = mode === "edit" ? [...this.options.mcpServers, ...(options.mcpServers ?? [])] : [];
		const { tools: others, problems } = await this.servers.toolsOf(servers, thread.workspace, scope.signal);
		for (const text of problems) await record.add({ type: "notice", level: "warning", text });
		const plan = planTool(async (steps) => {
			await record.add({ type: "plan", steps });
		});
		return [...toolsIn(mode, [...tools, ...others]), ...(mode === "ask" ? [] : [plan])];
	}

	/** A thread is called after its first prompt. */
	private async name({ thread, parts, record }: Begun): Promise<void> {
		if (thread.title !== "") return;
		await this.options.store.rename(thread.id, titleOf(parts));
		const named = await this.options.store.thread(thread.id);
		if (named !== undefined) record.tell({ type: "thread", thread: named });
	}

	private workOn(thread: Thread, extra: readonly string[]): Work {
		const folders = [thread.workspace, ...extra] as const;
		const known = this.works.get(thread.id);
		const isSame = known?.folders.join("\0") === folders.join("\0");
		const work = known !== undefined && isSame ? known : this.begin(thread, folders, known);
		// What was not used for longest goes first.
		this.works.delete(thread.id);
		this.works.set(thread.id, work);
		if (this.works.size > WORKS_MAX) this.works.delete(this.works.keys().next().value ?? "");
		return work;
	}

	/** `known` is what was remembered of the thread when it had other folders. */
	private begin(thread: Thread, folders: readonly [string, ...string[]], known: Work | undefined): Work {
		const { store, rules, privacyOf } = this.options;
		return {
			folders,
			workspace: new Workspace(folders, privacyOf(folders)),
			approvals: known?.approvals ?? new Approvals(store, thread.workspace, rules),
			gauge: known?.gauge ?? new Gauge(),
			model: known?.model,
		};
	}
}

/** What this process remembers of a thread that it works on. */
interface Work {
	readonly folders: readonly string[];
	readonly workspace: Workspace;
	readonly approvals: Approvals;
	readonly gauge: Gauge;
	/** The name that was chosen with /model. */
	model: string | undefined;
}

/** A turn that has begun. */
interface Begun {
	readonly thread: Thread;
	readonly id: string;
	readonly parts: readonly PromptPart[];
	readonly client: Client;
	readonly options: PromptOptions;
	readonly work: Work;
	readonly scope: Scope;
	readonly tools: readonly Tool[];
	readonly record: TurnRecord;
}

/** A client that hears another agent's own words is not told what we make of them. */
function besideRelay(client: Client): Pick<Client, "update"> {
	if (client.relay === undefined) return client;
	return {
		update: (told) => {
			const isRelayed = told.type === "entry" ? RELAYED.includes(told.entry.body.type) : told.type !== "thread";
			return isRelayed ? undefined : client.update(told);
		},
	};
}

const RELAYED: readonly Body["type"][] = ["text", "thought", "call", "plan", "usage"];

const ADVICE_FILE = "AGENTS.md";

async function adviceIn({ workspace, client, signal }: Scope): Promise<string | undefined> {
	try {
		const place = await workspace.resolve(ADVICE_FILE);
		// It may be a link, and nobody is asked here.
		if (await workspace.isIgnored(place)) return undefined;
		const text = await unlessCancelled(workspace.textOf(place, client.buffers, signal), signal);
		return text === undefined ? undefined : adviceOf(ADVICE_FILE, text);
	} catch {
		signal.throwIfAborted();
		return undefined; // there is no way to read it, and it was not asked for
	}
}

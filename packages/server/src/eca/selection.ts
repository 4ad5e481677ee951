import type { OtherAgentSession } from "@segue/assist";
import * as eca from "@segue/protocol/eca";
import { type Handler, on } from "@segue/rpc";
import type { EcaEngine } from "./backend.js";
import { EFFORTS, effortOf, modeOf } from "./chat/chat-choices.js";
import type { EcaChatSettings, EcaSession, OpenChat } from "./eca-session.js";

/** The protocol's names for our modes, the default first. */
const AGENTS: readonly (readonly [agent: string, mode: EcaChatSettings["mode"]])[] = [
	["code", "edit"],
	["plan", "plan"],
	["ask", "ask"],
];

/** Handles `chat/selectedModelChanged` and `chat/selectedAgentChanged`, for one chat or for new chats. */
export function selectionHandlers(session: EcaSession): Handler<"client">[] {
	return [
		on(eca.selectedModelChanged, ({ chatId, model, variant }) => select(session, chatId, { model, variant })),
		on(eca.selectedAgentChanged, ({ chatId, agent }) => select(session, chatId, { agent })),
		on(eca.selectedBehaviorChanged, ({ chatId, behavior }) => select(session, chatId, { agent: behavior })),
	];
}

/** Sends the selection for a chat or, without a chat, the available choices and the selection for new chats. */
export async function announceSelection(session: EcaSession, chat?: OpenChat): Promise<void> {
	if (session.protocolVersion === "2025-06-09") return;
	try {
		const selected = await selectionFor(session, chat);
		// eca-nvim expects the welcome message here.
		const selection = chat === undefined ? { ...selected, welcomeMessage: session.welcomeMessage } : selected;
		session.connection.notify(eca.configUpdated, { ...(chat !== undefined && { chatId: chat.id }), chat: selection });
	} catch (error) {
		session.explain(error);
	}
}

/**
 * Returns the selection for a chat, or the choices for new chats. Rejects with an RpcError if the user has to fix
 * something.
 */
export async function selectionFor(session: EcaSession, chat?: OpenChat): Promise<ChatConfig> {
	const engine = await session.engine();
	if (engine.agent === undefined) return selectionIn(session, engine, chat);
	return selectionOf(engine.agent, await chat?.agent?.());
}

export type ChatConfig = NonNullable<eca.ConfigUpdated["chat"]>;

function selectionIn(session: EcaSession, { models, mode }: EcaEngine, chat: OpenChat | undefined): ChatConfig {
	const settings = chat?.settings ?? { mode, ...session.chosen };
	const names = [...models.names];
	// The list of models may not include a model selected by name.
	if (settings.model !== undefined && !names.includes(settings.model)) names.unshift(settings.model);
	const selectModel = settings.model ?? names[0];
	const selectAgent = AGENTS.find(([, each]) => each === settings.mode)?.[0] ?? "code";
	const chosen = {
		...(selectModel !== undefined && { selectModel }),
		selectAgent,
		variants: [...EFFORTS],
		selectVariant: settings.effort ?? null,
		...(settings.trust === true && { selectTrust: true }),
	};
	const agents = AGENTS.map(([agent]) => agent);
	if (chat !== undefined) return chosen;
	return { models: names, agents, ...chosen, ...inOlderWords(agents, selectAgent, selectModel) };
}

/** Returns an external agent's choices. Until there is a session with the agent, its name is the only model. */
function selectionOf(name: string, its: OtherAgentSession | undefined): ChatConfig {
	const model = its?.choice("model");
	const effort = its?.choice("effort");
	const mode = its?.choice("mode");
	const agents = [...(mode?.values ?? [])];
	const selectAgent = mode?.current;
	const selectModel = model?.current ?? name;
	return {
		models: [...(model?.values ?? [name])],
		agents,
		selectModel,
		...(selectAgent !== undefined && { selectAgent }),
		variants: [...(effort?.values ?? [])],
		selectVariant: effort?.current ?? null,
		...inOlderWords(agents, selectAgent, selectModel),
	};
}

/** Returns the same selection under the names that older editors use. */
function inOlderWords(agents: string[], agent: string | undefined, model: string | undefined): ChatConfig {
	return {
		...(model !== undefined && { defaultModel: model }),
		behaviors: agents,
		...(agent !== undefined && { defaultAgent: agent, selectBehavior: agent, defaultBehavior: agent }),
	};
}

/** The user's selection. Undefined members stay unchanged. A null variant resets the variant. */
interface Selection {
	readonly model?: string | null | undefined;
	readonly variant?: string | null | undefined;
	readonly agent?: string | null | undefined;
}

function select(session: EcaSession, chatId: eca.ChatId | null | undefined, wish: Selection): void {
	const chat = session.chats.known().find(({ id }) => id === chatId);
	// Our own settings apply immediately, because a prompt may follow right away.
	const undo = chat !== undefined || chatId == null ? take(session, chat, wish) : undefined;
	void settle(session, chatId, wish, undo).catch((error) => session.explain(error));
}

/** Confirms a selection or reverts it, and announces the result. */
async function settle(
	session: EcaSession,
	chatId: eca.ChatId | null | undefined,
	wish: Selection,
	taken: (() => void) | undefined,
): Promise<void> {
	const chat = chatId == null ? undefined : await session.chats.find(chatId);
	// A chat is unknown until its first prompt. Until then, its selection applies to new chats.
	const undo = taken ?? take(session, chat, wish);
	const engine = await session.engine();
	const its = engine.agent === undefined ? undefined : await chat?.agent?.();
	const why =
		engine.agent === undefined ? objectionTo(wish, engine) : await chooseWith(its, wish, engine.agent, session.closing);
	if (why !== undefined) {
		undo();
		session.show("warning", why);
	}
	await announceSelection(session, chat);
}

/** Applies a selection. The returned function reverts it, unless the selection has changed again. */
function take(session: EcaSession, chat: OpenChat | undefined, { model, variant, agent }: Selection): () => void {
	const mode = agent == null ? undefined : modeOf(agent);
	const wished = {
		...(model != null && { model }),
		...(mode !== undefined && { mode }),
		...(variant !== undefined && { effort: effortOf(variant) }),
	};
	if (chat === undefined) {
		const { chosen: before = {} } = session;
		const after = { ...before, ...wished };
		session.chosen = after;
		return () => {
			if (session.chosen === after) session.chosen = before;
		};
	}
	return chat.choose(wished);
}

function objectionTo({ model, variant, agent }: Selection, { models }: EcaEngine): string | undefined {
	if (model != null) {
		const chosen = models.choose(model);
		if ("why" in chosen) return chosen.why;
	}
	if (agent != null && modeOf(agent) === undefined) {
		return `Unknown agent. Available: ${AGENTS.map(([each]) => each).join(", ")}.`;
	}
	if (variant == null || EFFORTS.some((each) => each === variant)) return undefined;
	return `Unknown variant. Available: ${EFFORTS.join(", ")}.`;
}

/**
 * Applies a selection to an external agent. Returns a message for the user if the agent does not offer one of the
 * choices.
 */
export async function chooseWith(
	its: OtherAgentSession | undefined,
	wish: Selection,
	name: string,
	signal: AbortSignal,
): Promise<string | undefined> {
	if (its === undefined) return `${name} has separate settings for each chat. Choose again once the chat has started.`;
	const wishes = [
		["model", wish.model],
		["effort", wish.variant],
		["mode", wish.agent],
	] as const;
	for (const [kind, value] of wishes) {
		const choice = its.choice(kind);
		if (value == null || choice?.current === value) continue;
		if (choice?.values.includes(value) === true) await its.choose(kind, value, signal);
		// An agent without models is announced with one model, named after the agent.
		else if (kind === "mode" || choice !== undefined || value !== name)
			return `${name} does not offer this ${WORDS[kind]}.`;
	}
	return undefined;
}

/** The protocol's names for an external agent's choices. */
const WORDS = { model: "model", effort: "variant", mode: "agent" } as const;

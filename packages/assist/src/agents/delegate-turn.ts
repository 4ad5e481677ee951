import type { Client } from "../client.js";
import { steeringPrompt } from "../threads/steering.js";
import type { Body, EndReason, Entry, PromptPart } from "../threads/thread.js";
import type { TurnContext } from "../threads/turn-context.js";
import type { AgentPrompt, AgentProxy } from "./agent-proxy.js";
import { AgentTurn } from "./agent-turn.js";
import { isAcpPrompt, omitSecretFiles } from "./prompt.js";
import { relayOf } from "./session.js";

/** Runs a turn with another agent. Calls `begin` once the prompt is stored, before it is sent to the agent. */
export async function delegateTurn(
	context: TurnContext,
	agents: AgentProxy,
	begin: () => Promise<void>,
): Promise<EndReason> {
	const { thread, client, parts, record, signal, steering, store, workspace } = context;
	const relay = relayOf(client);
	// If the agent and the client speak different protocols, the agent gets the converted parts.
	const verbatim = context.verbatim && isAcpPrompt(context.verbatim) ? context.verbatim : undefined;
	const before = await store.entries(thread.id);
	const shown = await omitSecretFiles(parts, agents.name, workspace, verbatim?.request.prompt ?? []);
	await record.add({ type: "prompt", parts: shown.kept, model: agents.name });
	await begin();
	for (const text of shown.notices) await record.add({ type: "notice", level: "warning", text });
	const rename = async (title: string) => {
		await store.rename(thread.id, title);
		const named = await store.thread(thread.id);
		// A relay has already passed on the title.
		if (named !== undefined && relay === undefined) record.send({ type: "thread", thread: named });
	};
	const send = (
		prompt: readonly PromptPart[],
		known: readonly Entry[],
		special: Pick<AgentPrompt, "verbatim" | "instruct">,
	) =>
		agents.answer(context, {
			parts: prompt,
			...special,
			before: known,
			turnIn: ({ terminals, costUsd }) => {
				const callIds = new Set(known.flatMap(({ body }) => (body.type === "call" ? [body.call.id] : [])));
				const shownIn = (terminalId: string) => terminals.get(terminalId)?.output().output;
				return new AgentTurn(record, signal, relay, rename, callIds, shownIn, costUsd);
			},
		});
	const isSent = (_: unknown, i: number) => !shown.secret.has(i);
	let reason = await send(parts.filter(isSent), before, {
		verbatim: verbatim && {
			protocol: verbatim.protocol,
			request: { ...verbatim.request, prompt: verbatim.request.prompt.filter(isSent) },
			onResponse: (answer) => verbatim.onResponse(answer),
			onFailure: (failure) => verbatim.onFailure(failure),
		},
		instruct: context.instruct,
	});
	// Agents don't accept messages during a turn, so the user's messages become the next prompt.
	while (reason !== "cancelled" && reason !== "failed") {
		const messages = steering.takeLast();
		if (messages.length === 0) break;
		const known = [...before, ...record.entries];
		const prompt = steeringPrompt(messages, agents.name);
		await record.add(prompt);
		reason = await send(prompt.parts, known, { verbatim: undefined, instruct: undefined });
	}
	return reason;
}

/** Filters out the updates that a client's relay delivers as the agent's own messages. */
export function withoutRelayed(client: Client): Pick<Client, "update"> {
	if (relayOf(client) === undefined) return client;
	return {
		update: (update) => {
			const isRelayed = update.type === "entry" ? RELAYED.includes(update.entry.body.type) : update.type !== "thread";
			return isRelayed ? undefined : client.update(update);
		},
	};
}

const RELAYED: readonly Body["type"][] = ["text", "image", "link", "thought", "call", "plan", "usage"];

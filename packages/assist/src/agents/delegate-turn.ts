import type { Client } from "../client.js";
import { steeringPrompt } from "../threads/steering.js";
import type { Body, EndReason, Entry, PromptPart } from "../threads/thread.js";
import type { TurnContext } from "../threads/turn-context.js";
import type { AgentPrompt, AgentProxy } from "./agent-proxy.js";
import { AgentTurn } from "./agent-turn.js";
import { isAcpPrompt, omitSecretFiles } from "./prompt.js";
import { relayOf } from "./session.js";

/** Has another agent answer in a turn. `begin` is called when the prompt is written down, before the agent gets it. */
export async function delegateTurn(
	context: TurnContext,
	agents: AgentProxy,
	begin: () => Promise<void>,
): Promise<EndReason> {
	const { thread, client, parts, record, signal, steering, store, workspace } = context;
	const relay = relayOf(client);
	// An agent that does not speak the client's protocol gets the parts.
	const verbatim = context.verbatim && isAcpPrompt(context.verbatim) ? context.verbatim : undefined;
	const before = await store.entries(thread.id);
	const shown = await omitSecretFiles(parts, agents.name, workspace, verbatim?.request.prompt ?? []);
	await record.add({ type: "prompt", parts: shown.kept, model: agents.name });
	await begin();
	for (const text of shown.notices) await record.add({ type: "notice", level: "warning", text });
	const rename = async (title: string) => {
		await store.rename(thread.id, title);
		const named = await store.thread(thread.id);
		// A relay has passed the title on.
		if (named !== undefined && relay === undefined) record.send({ type: "thread", thread: named });
	};
	const ask = (
		asked: readonly PromptPart[],
		known: readonly Entry[],
		special: Pick<AgentPrompt, "verbatim" | "instruct">,
	) =>
		agents.answer(context, {
			parts: asked,
			...special,
			before: known,
			turnIn: ({ terminals, costUsd }) => {
				const callIds = new Set(known.flatMap(({ body }) => (body.type === "call" ? [body.call.id] : [])));
				const shownIn = (terminalId: string) => terminals.get(terminalId)?.output().output;
				return new AgentTurn(record, signal, relay, rename, callIds, shownIn, costUsd);
			},
		});
	const isSent = (_: unknown, i: number) => !shown.secret.has(i);
	let reason = await ask(parts.filter(isSent), before, {
		verbatim: verbatim && {
			protocol: verbatim.protocol,
			request: { ...verbatim.request, prompt: verbatim.request.prompt.filter(isSent) },
			onResponse: (answer) => verbatim.onResponse(answer),
			onFailure: (failure) => verbatim.onFailure(failure),
		},
		instruct: context.instruct,
	});
	// An agent cannot be spoken to while it answers, so what was said meanwhile is its next prompt.
	while (reason !== "cancelled" && reason !== "failed") {
		const said = steering.takeLast();
		if (said.length === 0) break;
		const known = [...before, ...record.entries];
		const prompt = steeringPrompt(said, agents.name);
		await record.add(prompt);
		reason = await ask(prompt.parts, known, { verbatim: undefined, instruct: undefined });
	}
	return reason;
}

/** The updates for a client that has a relay: without the ones that the relay delivers in the agent's own messages. */
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

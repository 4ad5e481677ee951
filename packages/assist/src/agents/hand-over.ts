import type { Begun } from "../begun.js";
import type { Client } from "../client.js";
import { promptOf } from "../steering.js";
import type { Store } from "../store/store.js";
import type { Body, EndReason, Entry, PromptPart } from "../thread.js";
import type { Agents, Asked, Opening } from "./agents.js";
import { isAcpPrompt, withoutSecrets } from "./prompt.js";
import { relayOf } from "./relay.js";
import { AgentTurn } from "./turn.js";

/** Has another agent answer in a turn. `begin` is called when the prompt is written down, before the agent gets it. */
export async function handOver(
	begun: Begun,
	agents: Agents,
	opening: Opening,
	store: Store,
	begin: () => Promise<void>,
): Promise<EndReason> {
	const { thread, parts, options, scope, record, steering } = begun;
	const { relay } = opening.desk;
	// An agent that does not speak the client's protocol gets the parts.
	const verbatim = options.verbatim && isAcpPrompt(options.verbatim) ? options.verbatim : undefined;
	const before = await store.entries(thread.id);
	const shown = await withoutSecrets(parts, agents.name, scope.workspace, verbatim?.asked.prompt ?? []);
	await record.add({ type: "prompt", parts: shown.kept, model: agents.name });
	await begin();
	for (const text of shown.notices) await record.add({ type: "notice", level: "warning", text });
	const rename = async (title: string) => {
		await store.rename(thread.id, title);
		const named = await store.thread(thread.id);
		// A relay has passed the title on.
		if (named !== undefined && relay === undefined) record.tell({ type: "thread", thread: named });
	};
	const ask = (asked: readonly PromptPart[], known: readonly Entry[], special: Pick<Asked, "verbatim" | "instruct">) =>
		agents.answer(opening, {
			parts: asked,
			...special,
			before: known,
			record,
			turnIn: ({ terminals, costUsd }) => {
				const callIds = new Set(known.flatMap(({ body }) => (body.type === "call" ? [body.call.id] : [])));
				const shownIn = (terminalId: string) => terminals.get(terminalId)?.output().output;
				return new AgentTurn(record, scope.signal, relay, rename, callIds, shownIn, costUsd);
			},
		});
	const isSent = (_: unknown, i: number) => !shown.secret.has(i);
	let reason = await ask(parts.filter(isSent), before, {
		verbatim: verbatim && {
			protocol: verbatim.protocol,
			asked: { ...verbatim.asked, prompt: verbatim.asked.prompt.filter(isSent) },
			answered: (answer) => verbatim.answered(answer),
			failed: (failure) => verbatim.failed(failure),
		},
		instruct: options.instruct,
	});
	// An agent cannot be spoken to while it answers, so what was said meanwhile is its next prompt.
	while (reason !== "cancelled" && reason !== "failed") {
		const said = steering.hearLast();
		if (said.length === 0) break;
		const known = [...before, ...record.entries];
		const prompt = promptOf(said, agents.name);
		await record.add(prompt);
		reason = await ask(prompt.parts, known, { verbatim: undefined, instruct: undefined });
	}
	return reason;
}

/** The updates for a client that has a relay: without the ones that the relay delivers in the agent's own messages. */
export function besideRelay(client: Client): Pick<Client, "update"> {
	if (relayOf(client) === undefined) return client;
	return {
		update: (told) => {
			const isRelayed = told.type === "entry" ? RELAYED.includes(told.entry.body.type) : told.type !== "thread";
			return isRelayed ? undefined : client.update(told);
		},
	};
}

const RELAYED: readonly Body["type"][] = ["text", "image", "link", "thought", "call", "plan", "usage"];

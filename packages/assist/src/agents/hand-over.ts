import type { PromptOptions } from "../assist.js";
import type { Begun } from "../begun.js";
import type { Client } from "../client.js";
import { promptOf } from "../steering.js";
import type { Store } from "../store/store.js";
import type { Body, EndReason, Entry, PromptPart } from "../thread.js";
import type { Agents, Opening } from "./agents.js";
import { withoutSecrets } from "./prompt.js";
import { AgentTurn } from "./turn.js";

/** Has another agent answer in a turn. `begin` is called when the prompt is written down, before the agent gets it. */
export async function handOver(
	begun: Begun,
	agents: Agents,
	opening: Opening,
	store: Store,
	begin: () => Promise<void>,
): Promise<EndReason> {
	const { thread, parts, client, options, scope, record, steering } = begun;
	const before = await store.entries(thread.id);
	const blocks = options.verbatim?.asked.prompt ?? [];
	const shown = await withoutSecrets(parts, agents.name, scope.workspace, blocks);
	await record.add({ type: "prompt", parts: shown.kept, model: agents.name });
	await begin();
	for (const text of shown.notices) await record.add({ type: "notice", level: "warning", text });
	const rename = async (title: string) => {
		await store.rename(thread.id, title);
		const named = await store.thread(thread.id);
		// Who hears the agent's own words has heard this, too.
		if (named !== undefined && client.relay === undefined) record.tell({ type: "thread", thread: named });
	};
	const ask = (
		asked: readonly PromptPart[],
		known: readonly Entry[],
		{ verbatim, instruct }: Pick<PromptOptions, "verbatim" | "instruct">,
	) =>
		agents.answer(opening, {
			parts: asked,
			verbatim,
			instruct,
			before: known,
			record,
			turnIn: ({ terminals, costUsd }) => {
				const callIds = new Set(known.flatMap(({ body }) => (body.type === "call" ? [body.call.id] : [])));
				const shownIn = (terminalId: string) => terminals.get(terminalId)?.output().output;
				return new AgentTurn(record, scope.signal, client.relay, rename, callIds, shownIn, costUsd);
			},
		});
	const isSent = (_: unknown, i: number) => !shown.secret.has(i);
	const { verbatim, instruct } = options;
	let reason = await ask(parts.filter(isSent), before, {
		verbatim: verbatim && {
			asked: { ...verbatim.asked, prompt: verbatim.asked.prompt.filter(isSent) },
			answered: (answer) => verbatim.answered(answer),
			failed: (failure) => verbatim.failed(failure),
		},
		instruct,
	});
	// An agent cannot be spoken to while it answers, so what was said meanwhile is its next prompt.
	while (reason !== "cancelled" && reason !== "failed") {
		const said = steering.hearLast();
		if (said.length === 0) break;
		const known = [...before, ...record.entries];
		const prompt = promptOf(said, agents.name);
		await record.add(prompt);
		reason = await ask(prompt.parts, known, {});
	}
	return reason;
}

/** A client that hears another agent's own words is not told what we make of them. */
export function besideRelay(client: Client): Pick<Client, "update"> {
	if (client.relay === undefined) return client;
	return {
		update: (told) => {
			const isRelayed = told.type === "entry" ? RELAYED.includes(told.entry.body.type) : told.type !== "thread";
			return isRelayed ? undefined : client.update(told);
		},
	};
}

const RELAYED: readonly Body["type"][] = ["text", "image", "link", "thought", "call", "plan", "usage"];

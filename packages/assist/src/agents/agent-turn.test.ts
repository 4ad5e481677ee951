import type * as acp from "@segue/protocol/acp";
import { settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { StoreError } from "../failures.js";
import type { Store } from "../store/store.js";
import { TurnRecord } from "../threads/record.js";
import type { Body, Entry } from "../threads/thread.js";
import { AgentTurn } from "./agent-turn.js";

/** A store in memory that is slow and fails after `writesMax` writes. */
class SlowStore {
	readonly entries: Entry[] = [];
	private writes = 0;

	constructor(
		private readonly pace: readonly number[],
		private readonly writesMax = Number.POSITIVE_INFINITY,
	) {}

	async append(_thread: string, turn: string, at: string, body: Body): Promise<Entry> {
		await this.wait();
		const entry = { number: this.entries.length, turn, at, body };
		this.entries.push(entry);
		return entry;
	}

	async more(_thread: string, number: number, text: string): Promise<void> {
		await this.wait();
		const entry = this.entries[number] as Entry;
		if (entry.body.type !== "text" && entry.body.type !== "thought") throw new Error("only texts grow");
		this.entries[number] = { ...entry, body: { ...entry.body, text: entry.body.text + text } };
	}

	async replace(_thread: string, number: number, body: Body): Promise<void> {
		await this.wait();
		this.entries[number] = { ...(this.entries[number] as Entry), body };
	}

	async settle(): Promise<void> {}

	/** Returns all entries as one string. */
	get text(): string {
		return this.entries.map(({ body }) => ("text" in body ? body.text : JSON.stringify(body))).join("");
	}

	private async wait(): Promise<void> {
		if (++this.writes > this.writesMax) throw new StoreError("The disk is full.");
		for (let left = this.pace[this.writes % this.pace.length] ?? 0; left > 0; left--) await settled();
	}
}

/** A turn whose client speaks ACP, and the updates it gets. Calls `look` for each update. */
function turnOn(store: SlowStore, look: (update: acp.SessionUpdate) => void = () => {}) {
	const sent: acp.SessionUpdate[] = [];
	const relay = {
		protocol: "acp" as const,
		capabilities: {},
		notify: () => {},
		update: (update: acp.SessionUpdate) => {
			sent.push(update);
			look(update);
		},
		permission: () => Promise.reject(new Error("unexpected request")),
		request: () => Promise.reject(new Error("unexpected request")),
	};
	const { signal } = new AbortController();
	const record = new TurnRecord(store as unknown as Store, "", "", { update: () => {} }, signal, () => new Date(0));
	return {
		sent,
		turn: new AgentTurn(
			record,
			signal,
			relay,
			async () => {},
			new Set(),
			() => undefined,
			0,
		),
	};
}

/** Updates from an agent, each with a unique mark. */
const someUpdates: fc.Arbitrary<acp.SessionUpdate[]> = fc
	.array(
		fc.oneof(
			{ weight: 4, arbitrary: fc.constantFrom("agent_message_chunk" as const, "agent_thought_chunk" as const) },
			{ weight: 3, arbitrary: fc.constantFrom("tool_call" as const, "tool_call_update" as const) },
			{ weight: 1, arbitrary: fc.constantFrom("plan" as const, "current_mode_update" as const) },
		),
	)
	.map((kinds) => kinds.map(updateOf));

function updateOf(kind: string, index: number): acp.SessionUpdate {
	const mark = `‹${index}›`;
	switch (kind) {
		case "agent_message_chunk":
		case "agent_thought_chunk":
			return { sessionUpdate: kind, content: { type: "text", text: mark } };
		case "tool_call":
		case "tool_call_update":
			return { sessionUpdate: kind, toolCallId: `c${index % 3}`, title: mark, status: STATUSES[index % 3] };
		case "plan":
			return { sessionUpdate: kind, entries: [{ content: mark, priority: "high", status: "pending" }] };
		default:
			return { sessionUpdate: "current_mode_update", currentModeId: mark };
	}
}

test("images and links are stored as such, and large or unsupported content is stored as text", async () => {
	const store = new SlowStore([]);
	const { turn } = turnOn(store);
	const image = (data: string) => ({ type: "image" as const, data, mimeType: "image/png" });
	for (const content of [
		image("AA"),
		{ type: "resource_link" as const, uri: "https://a.example/", name: "a", title: "A page" },
		image("A".repeat(5_000_001)),
		{ type: "audio" as const, data: "AA", mimeType: "audio/wav" },
	]) {
		turn.take({ sessionUpdate: "agent_message_chunk", content });
	}
	await turn.settle();
	expect(store.entries.map(({ body }) => body)).toEqual([
		{ type: "image", mediaType: "image/png", base64: "AA" },
		{ type: "link", name: "A page", uri: "https://a.example/" },
		{ type: "text", text: "(image)(audio)" },
	]);
});

const STATUSES = ["pending", "in_progress", "completed"] as const;

test("updates from an agent are passed on unchanged, in order, and only after they are stored", async () => {
	await fc.assert(
		fc.asyncProperty(
			someUpdates,
			fc.array(fc.nat(3), { minLength: 1 }),
			fc.array(fc.nat(2)),
			async (updates, pace, pauses) => {
				const store = new SlowStore(pace);
				const unwritten: acp.SessionUpdate[] = [];
				const { turn, sent } = turnOn(store, (update) => {
					// The call can have a newer state by now, which is written instead.
					if (!("content" in update) || update.content == null || Array.isArray(update.content)) return;
					if (update.content.type === "text" && !store.text.includes(update.content.text)) unwritten.push(update);
				});
				for (const [i, update] of updates.entries()) {
					turn.take(update);
					for (let left = pauses[i] ?? 0; left > 0; left--) await settled();
				}
				await turn.settle();
				expect(sent).toEqual(updates);
				expect(unwritten).toEqual([]);
				await turn.end("Not done.");
				const open = store.entries.filter(
					({ body }) => body.type === "call" && /pending|running/.test(body.call.status),
				);
				expect(open).toEqual([]);
				const texts = updates.flatMap((update) => ("content" in update ? [update.content] : []));
				for (const content of texts) expect(store.text).toContain((content as { text: string }).text);
			},
		),
	);
});

test("a turn fails when the store fails, and sends no more updates", async () => {
	const store = new SlowStore([1], 2);
	const { turn, sent } = turnOn(store);
	const updates = ["plan", "plan", "plan", "agent_message_chunk"].map(updateOf);
	for (const update of updates) turn.take(update);
	await expect(turn.failed).rejects.toThrow("The disk is full.");
	await expect(turn.end("Not done.")).rejects.toThrow("The disk is full.");
	expect(sent).toEqual(updates.slice(0, 2));
});

import { type ChatEvent, type ChatMessage, ModelFailure } from "@segue/models";
import { ChatFixture, calls, never, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry, PermissionAnswer } from "./thread.js";

/** All events from a model, with calls that succeed, fail, hang or need approval. */
const EVENTS: readonly (ChatEvent | ModelFailure | typeof HOLD)[] = [
	...says("a", "b"),
	{ type: "thought", text: "hm", signature: undefined },
	{ type: "thought", text: "", signature: "signed" },
	...calls(
		["read_file", { path: "a.ts" }],
		["read_file", { path: "none.ts" }],
		["read_file", { path: "hangs.ts" }],
		["write_file", { path: "one.txt", content: "1" }],
		["write_file", { path: "two.txt", content: "2" }],
		["delete_file", { path: "a.ts" }],
		["edit_file", { path: "a.ts", old_text: "a", new_text: "b" }],
		["update_plan", { steps: [{ text: "think", status: "done" }] }],
		["no_such_tool", {}],
		["read_file", "{"],
	),
	{ type: "call-begun", id: "call0", tool: "read_file" },
	{ type: "usage", usage: { inputTokens: 9, outputTokens: 9, cachedTokens: undefined, costUsd: undefined } },
	{ type: "retrying", afterMs: 1, why: "Busy." },
	{ type: "end", reason: "length" },
	{ type: "end", reason: "refused" },
	HOLD,
	new ModelFailure("cut", "It was cut."),
	new ModelFailure("too-long", "It is too long."),
];

const ANSWERS: readonly (PermissionAnswer | "vanishes" | "hangs")[] = [
	"once",
	"session",
	"always",
	"no",
	"vanishes",
	"hangs",
];

const schedule = fc.record({
	answers: fc.array(fc.array(fc.constantFrom(...EVENTS), { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
	approvals: fc.array(fc.constantFrom(...ANSWERS), { minLength: 1, maxLength: 4 }),
	/** The number of the update at which the turn is cancelled. */
	cancelAt: fc.integer({ min: 1, max: 40 }),
});

test("ends every turn once, closes all calls, changes nothing without approval, and sends what it stores", async () => {
	await fc.assert(
		fc.asyncProperty(schedule, async ({ answers, approvals, cancelAt }) => {
			let turn = new AbortController();
			// Cancels a hanging turn once everything else has settled.
			const hang = () => {
				setImmediate(() => turn.abort());
				return never();
			};
			const remaining = [...approvals];
			let count = 0;
			const chat = await ChatFixture.begin({
				files: { "a.ts": "a", "hangs.ts": "" },
				answers,
				buffers: {
					read: async (file) => (file.endsWith("hangs.ts") ? hang() : undefined),
					write: async () => false,
				},
				approve: async () => {
					const answer = remaining.shift() ?? "once";
					if (answer === "vanishes") throw new Error("gone");
					return answer === "hangs" ? hang() : answer;
				},
				update: () => {
					if (++count === cancelAt) turn.abort();
				},
			});
			const releasing = releaseAlways(chat);
			await chat.prompt("Go", { signal: turn.signal });
			const entries = await chat.entries();
			expect(chat.receivedEntries()).toEqual(entries.map(withoutSignature));
			await expectOnlyApproved(chat, entries);
			turn = new AbortController();
			count = -100;
			await chat.prompt("And now?", { signal: turn.signal });
			for (const { messages } of chat.model.requests) expectWellFormed(messages);
			releasing.stop();
		}),
		{ numRuns: runs(60) },
	);
});

/** Releases the model whenever it is paused. */
function releaseAlways(chat: ChatFixture): { stop: () => void } {
	let isOver = false;
	void (async () => {
		for (;;) {
			await chat.model.holding();
			if (isOver) return;
			await chat.model.release();
		}
	})();
	return {
		stop: () => {
			isOver = true;
		},
	};
}

/** Signatures are not sent to clients. */
function withoutSignature(entry: Entry): Entry {
	if (entry.body.type !== "thought" || entry.body.text === "") return entry;
	return { ...entry, body: { ...entry.body, signature: undefined } };
}

async function expectOnlyApproved(chat: ChatFixture, entries: readonly Entry[]): Promise<void> {
	const allowed = new Set<string>();
	for (const { body } of entries) {
		if (body.type === "approval" && body.approval.answer !== "no") allowed.add(body.approval.callId);
	}
	for (const { body } of entries) {
		if (body.type !== "call" || body.call.status !== "done") continue;
		if (!["edit", "delete", "execute"].includes(body.call.kind)) continue;
		expect(allowed).toContain(body.call.id);
	}
	const isPresent = async (name: string) => (await chat.tools.text(name).catch(() => undefined)) !== undefined;
	const subjects = entries.flatMap(({ body }) => {
		return body.type === "approval" && body.approval.answer !== "no" ? [body.approval.permission.subject] : [];
	});
	for (const name of ["one.txt", "two.txt"]) if (await isPresent(name)) expect(subjects).toContain(name);
	if (!(await isPresent("a.ts"))) expect(subjects).toContain("a.ts");
}

/**
 * Checks the rules that all providers share: the user comes first, roles alternate, and results directly follow calls
 * in order.
 */
function expectWellFormed(messages: readonly ChatMessage[]): void {
	expect(messages[0]?.role).toBe("user");
	expect(messages.at(-1)?.role).not.toBe("assistant");
	const ids = new Set<string>();
	for (const [i, message] of messages.entries()) {
		const next = messages[i + 1];
		if (message.role === "user") expect(next?.role ?? "assistant").toBe("assistant");
		if (message.role !== "assistant") continue;
		const called = message.parts.flatMap((part) => (part.type === "call" ? [part.id] : []));
		const answered = next?.role === "tool" ? next.results.map((result) => result.id) : [];
		expect(answered).toEqual(called);
		for (const id of called) expect(ids).not.toContain(id);
		for (const id of called) ids.add(id);
	}
}

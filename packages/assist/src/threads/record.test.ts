import { ChatFixture, calls, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { StoreError } from "../failures.js";
import type { Store } from "../store/store.js";

/** Wraps a store to call a function before each call to one of its methods. */
function before<Method extends "append" | "more" | "replace">(
	method: Method,
	first: (...args: Parameters<Store[Method]>) => Promise<void>,
): (store: Store) => Store {
	return (store) =>
		new Proxy(store, {
			get: (target, key) => {
				const value = Reflect.get(target, key);
				if (typeof value !== "function") return value;
				if (key !== method) return value.bind(target);
				return async (...args: Parameters<Store[Method]>) => {
					await first(...args);
					return value.apply(target, args);
				};
			},
		});
}

test("sends a chunk only after it is stored", async () => {
	const chat = await ChatFixture.begin({
		answers: [says("one ", "two ", "three")],
		update: async (update) => {
			if (update.type !== "more") return;
			const entry = (await chat.entries()).find((each) => each.number === update.number);
			expect(entry?.body).toMatchObject({ text: expect.stringContaining(update.text) });
		},
	});
	await chat.prompt("Count");
	expect(chat.receivedEntries()).toEqual(await chat.entries());
});

test("joins chunks that arrive while another is being written", async () => {
	const written: string[] = [];
	const chat = await ChatFixture.begin({
		store: before("more", async (_, __, text) => {
			if (written.push(text) > 1) return;
			// The other chunks arrive during this write.
			await chat.model.release();
			await chat.model.holding();
			await settled();
			await chat.model.release();
		}),
		answers: [[...says("1", "2"), HOLD, ...says("3", "4", "5", "6"), HOLD]],
	});
	await chat.prompt("Count");
	expect(written).toEqual(["2", "3456"]);
	expect(await chat.lines()).toContain("text: 123456");
});

test("keeps text and thoughts separate and in order", async () => {
	const thought = { type: "thought", text: "hm", signature: undefined } as const;
	const chat = await ChatFixture.begin({ answers: [[...says("a", "b"), thought, thought, ...says("c")]] });
	await chat.prompt("Go");
	expect((await chat.lines()).slice(1, -1)).toEqual(["text: ab", "thought: hmhm", "text: c"]);
});

test("sends nothing to a client that has failed, and stores the whole turn", async () => {
	let count = 0;
	const chat = await ChatFixture.begin({
		answers: [calls(["update_plan", { steps: [] }]), says("Hi")],
		update: () => {
			if (++count === 2) throw new Error("gone");
		},
	});
	expect(await chat.prompt("Go")).toBe("done");
	expect(count).toBe(2);
	expect((await chat.lines()).slice(-2)).toEqual(["text: Hi", "end: done"]);
});

test("does not send the next request before the client has caught up", async () => {
	const slow = deferred();
	const chat = await ChatFixture.begin({
		answers: [calls(["update_plan", { steps: [] }]), says("Hi")],
		update: (update) => (update.type === "call" && update.call.status === "done" ? slow.opened : undefined),
	});
	const ended = chat.prompt("Go");
	await expect.poll(async () => (await chat.lines())[1]).toMatch(/^done/);
	expect(chat.model.requests).toHaveLength(1);
	slow.open();
	expect(await ended).toBe("done");
	expect(chat.model.requests).toHaveLength(2);
});

test("fails with the store's error and sends no more requests when the disk is full", async () => {
	const chat = await ChatFixture.begin({
		store: before("more", async () => {
			throw new StoreError("The disk is full.");
		}),
		answers: [[...says("Hel", "lo", " there"), { type: "end", reason: "done" }], says("never said")],
	});
	const parts = [{ type: "text", text: "Go" }] as const;
	const ended = chat.assist.prompt(chat.thread.id, parts, chat, { signal: chat.turn.signal });
	await expect(ended).rejects.toThrow("The disk is full.");
	expect(chat.model.requests).toHaveLength(1);
	expect(await chat.lines()).toEqual(["prompt: Go", "text: Hel"]);
});

import { ChatFixture, calls, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { expect, test } from "vitest";
import { NoSuchThread } from "./failures.js";

test("titles a thread after its first prompt, but keeps a title that the user set", async () => {
	const chat = await ChatFixture.begin({});
	await chat.prompt("Explain this");
	const titles = () => chat.updates.flatMap((update) => (update.type === "thread" ? [update.thread.title] : []));
	expect(titles()).toEqual(["Explain this"]);
	await chat.assist.rename(chat.thread.id, "Mine");
	await chat.prompt("And that");
	expect(titles()).toEqual(["Explain this"]);
	expect((await chat.assist.list({ limit: 9 })).map((thread) => thread.title)).toEqual(["Mine"]);
});

test("continues a thread, with its history, in another process", async () => {
	const chat = await ChatFixture.begin({ answers: [says("One."), says("Two.")] });
	await chat.prompt("One?");
	chat.assist = chat.newEngine();
	await chat.prompt("Two?");
	expect(chat.model.requests[1]?.messages).toEqual([
		{ role: "user", parts: [{ type: "text", text: "One?" }] },
		{ role: "assistant", parts: [{ type: "text", text: "One." }] },
		{ role: "user", parts: [{ type: "text", text: "Two?" }] },
	]);
});

test("can only use the workspace and the additional folders of a turn", async () => {
	const chat = await ChatFixture.begin({
		files: { "../more/b.ts": "b", "../out/c.ts": "c" },
		answers: ["../more/b.ts", "../out/c.ts"].map((path) => calls(["read_file", { path }])),
	});
	await chat.prompt("Read", { folders: [`${chat.tools.root}/../more`] });
	const statuses = (await chat.lines()).filter((line) => /^(done|failed)/.test(line)).map((line) => line.split(":")[0]);
	expect(statuses).toEqual(["done", "failed"]);
});

test("rejects a prompt in a deleted thread", async () => {
	const chat = await ChatFixture.begin({});
	await chat.assist.delete(chat.thread.id);
	const ended = chat.assist.prompt(chat.thread.id, [], chat, { signal: chat.turn.signal });
	await expect(ended).rejects.toThrow(NoSuchThread);
});

test("fails when its thread is deleted during a turn", async () => {
	const chat = await ChatFixture.begin({ answers: [[HOLD, ...says("Hi")]] });
	const ended = chat.assist.prompt(chat.thread.id, [{ type: "text", text: "Go" }], chat, {
		signal: chat.turn.signal,
	});
	await chat.model.holding();
	await chat.assist.delete(chat.thread.id);
	await chat.model.release();
	await expect(ended).rejects.toThrow(NoSuchThread);
});

test("evicts the state of the least recently used thread", async () => {
	const chat = await ChatFixture.begin({
		models: {
			names: ["test/first"],
			choose: (name = "test/first") => ({ ...UNUSED, name }),
		},
	});
	await chat.prompt("/model test/second");
	const useOthers = async (count: number) => {
		for (let i = 0; i < count; i++) {
			const other = await chat.assist.create(chat.tools.root);
			await chat.assist.prompt(other.id, [{ type: "text", text: "/help" }], chat, { signal: chat.turn.signal });
		}
	};
	await useOthers(150);
	await chat.prompt("/help");
	await useOthers(51);
	await chat.prompt("/model");
	expect((await chat.lines()).at(-2)).toMatch(/The model is test\/second\./);
});

const UNUSED = {
	windowTokens: undefined,
	takesImages: false,
	stream: () => {
		throw new Error("unexpected request");
	},
};

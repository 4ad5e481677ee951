import { says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import { PromptQueue } from "./prompt-queue.js";

describe("a prompt", () => {
	test("waits for the running turn to end", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD, ...says("One")], says("Two")] });
		await editor.request("chat/prompt", { chatId: "c", message: "First" });
		await editor.request("chat/prompt", { chatId: "c", message: "Second", contexts: [{ type: "text", content: "x" }] });
		await editor.conversation.model.release();
		await editor.until(() => editor.transcript.filter((each) => each === "status idle").length === 2);
		expect(editor.transcript.filter((each) => /^(user|assistant|status)/.test(each))).toEqual([
			...["user text First", "status running", "assistant text One", "status idle"],
			...["user text Second", "status running", "assistant text Two", "status idle"],
		]);
	});

	test("fails if too many prompts are waiting", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		const requests = Array.from({ length: 17 }, () => editor.request("chat/prompt", { chatId: "c", message: "Go" }));
		const statuses = (await Promise.all(requests)).map(({ result }) => result.status);
		expect(statuses).toEqual([...Array(16).fill("prompting"), "error"]);
	});

	test("is cancelled with the running turn", async () => {
		const editor = await EcaEditor.ready({ answers: [[...says("Once "), HOLD], says("never")] });
		await editor.request("chat/prompt", { chatId: "c", message: "A story" });
		await editor.request("chat/prompt", { chatId: "c", message: "Another" });
		await editor.until(() => editor.transcript.includes("assistant text Once"));
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.until(() => editor.transcript.filter((each) => each === "status idle").length === 2);
		expect(editor.transcript).not.toContain("assistant text never");
		const ends = (await editor.conversation.assist.entries("c")).flatMap(({ body }) =>
			body.type === "end" ? [body.reason] : [],
		);
		expect(ends).toEqual(["cancelled", "cancelled"]);
	});

	test("can be stopped before the engine is ready", async () => {
		const made = deferred();
		const editor = await EcaEditor.open({ answers: [says("never")], made: made.opened });
		await editor.initialize({ capabilities: { codeAssistant: { rewrite: true } } });
		const answer = editor.request("chat/prompt", { chatId: "c", message: "Hi" });
		editor.notify("chat/promptStop", { chatId: "c" });
		await settled();
		made.open();
		await answer;
		await editor.turnEnded();
		expect(editor.transcript).not.toContain("assistant text never");
		expect((await editor.conversation.assist.entries("c")).at(-1)?.body).toEqual({ type: "end", reason: "cancelled" });
	});

	test("runs after its response is sent, unless it is stopped", async () => {
		const log: string[] = [];
		const prompts = new PromptQueue(() => log.push("ended"));
		const answered = deferred();
		const take = async (name: string, { aborted }: AbortSignal) => {
			log.push(aborted ? `${name} stopped` : name);
		};
		prompts.add(Promise.resolve("first"), answered.opened, take);
		prompts.add(Promise.resolve("second"), new Promise(() => {}), take);
		await settled();
		expect([log, prompts.status]).toEqual([[], "running"]);
		answered.open();
		await settled();
		expect([log, prompts.status]).toEqual([["first", "ended"], "running"]);
		prompts.cancelAll();
		expect(prompts.status).toBe("stopping");
		await prompts.settled();
		expect([log, prompts.status]).toEqual([["first", "ended", "second stopped", "ended"], "idle"]);
	});

	test("does not block the next one if it is rejected or fails", async () => {
		const log: string[] = [];
		const prompts = new PromptQueue(() => log.push("ended"));
		const take = async (isFine: boolean) => {
			log.push("taken");
			if (!isFine) throw new Error("a mistake");
		};
		prompts.add(Promise.reject(new Error("no engine")), Promise.resolve(), take);
		prompts.add(Promise.resolve(false), Promise.resolve(), take);
		prompts.add(Promise.resolve(true), Promise.resolve(), take);
		await prompts.settled();
		expect(log).toEqual(["ended", "taken", "ended", "taken", "ended"]);
	});
});

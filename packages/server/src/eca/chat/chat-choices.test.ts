import { says } from "@segue/testing/chat/chat-fixture";
import { ECA_CURRENT, EcaEditor } from "@segue/testing/editors/eca-editor";
import { deferred } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

/**
 * Starts a second editor with another editor's threads, as a new process would, and records the options for its turns.
 */
async function another(of: EcaEditor) {
	const taken: unknown[] = [];
	const { conversation } = of;
	const editor = EcaEditor.on(conversation, {
		engine: ({ assist }) => ({
			prompt: (threadId, parts, client, options) => {
				const { mode, model, effort } = options;
				taken.push({ mode, model, effort });
				return assist.prompt(threadId, parts, client, options);
			},
		}),
	});
	await editor.initialize({ capabilities: { codeAssistant: ECA_CURRENT } });
	return { editor, taken };
}

const CHOSEN = { model: "test/second", agent: "plan", variant: "high" };
const KEPT = { model: "test/second", mode: "plan", effort: "high" };

describe("a chat's settings", () => {
	test("are restored when a new process opens the chat", async () => {
		const first = await EcaEditor.ready({ answers: [says("One."), says("Two.")] });
		await first.turn("Hi", CHOSEN);
		const { editor, taken } = await another(first);
		const { result } = await editor.request("chat/open", { chatId: "c" });
		expect(result.selection).toMatchObject({ ...CHOSEN, trust: false });
		const told = editor.messages.find(({ method }) => method === "config/updated");
		expect(told?.params?.["chat"]).toMatchObject({
			selectModel: "test/second",
			selectAgent: "plan",
			selectVariant: "high",
		});
		await editor.turn("Go on");
		expect(taken).toEqual([KEPT]);
	});

	test("apply to a prompt in a new process, which can also change them", async () => {
		const first = await EcaEditor.ready({ answers: [says("One."), says("Two."), says("Three.")] });
		await first.turn("Hi", CHOSEN);
		const { editor, taken } = await another(first);
		await editor.turn("Go on");
		await editor.turn("Do it", { agent: "code" });
		expect(taken).toEqual([KEPT, { ...KEPT, mode: "edit" }]);
		expect(await first.conversation.assist.settings("c")).toEqual({ ...KEPT, mode: "edit" });
	});

	test.each([
		["its agent", "chat/selectedAgentChanged", { agent: "ask" }, { ...KEPT, mode: "ask" }],
		["its model", "chat/selectedModelChanged", { model: "test/first" }, { ...KEPT, model: "test/first" }],
		["its variant", "chat/selectedModelChanged", { model: "test/second", variant: "low" }, { ...KEPT, effort: "low" }],
	])("are saved when %s is selected between turns", async (_what, method, params, saved) => {
		const editor = await EcaEditor.ready({ answers: [says("One.")] });
		await editor.turn("Hi", CHOSEN);
		editor.notify(method, { chatId: "c", ...params });
		await expect.poll(() => editor.conversation.assist.settings("c")).toEqual(saved);
	});

	test("are reverted if the selected choice is not available", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One.")] });
		await editor.turn("Hi", CHOSEN);
		const from = editor.messages.length;
		editor.notify("chat/selectedModelChanged", { chatId: "c", model: "test/second", variant: "endless" });
		await editor.until((messages) => messages.slice(from).some(({ method }) => method === "config/updated"));
		expect(editor.transcript.slice(from)).toContain("$/showMessage");
		await expect.poll(() => editor.conversation.assist.settings("c")).toEqual(KEPT);
	});

	test("include the selection made before the chat started", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One.")] });
		editor.notify("chat/selectedAgentChanged", { agent: "plan" });
		await editor.turn("Hi");
		expect(await editor.conversation.assist.settings("c")).toEqual({ mode: "plan" });
	});

	test("are restored even if a different model is selected before the engine is ready", async () => {
		const first = await EcaEditor.ready({ answers: [says("One."), says("Two.")] });
		await first.turn("Hi", CHOSEN);
		const made = deferred();
		const editor = EcaEditor.on(first.conversation, { made: made.opened });
		await editor.initialize({ capabilities: { codeAssistant: ECA_CURRENT } });
		const prompted = editor.request("chat/prompt", { chatId: "c", message: "Go on" });
		editor.notify("chat/selectedModelChanged", { chatId: "c", model: "test/first" });
		made.open();
		await prompted;
		await editor.turnEnded();
		await expect.poll(() => first.conversation.assist.settings("c")).toEqual({ ...KEPT, model: "test/first" });
	});

	test("are not stored if the user selects nothing, so the configuration applies", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One.")] });
		await editor.turn("Hi", { trust: true });
		expect(await editor.conversation.assist.settings("c")).toEqual({});
	});
});

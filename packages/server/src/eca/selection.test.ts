import { says } from "@segue/testing";
import { EcaEditor, JUNE } from "@segue/testing/eca-editor";
import type { WireMessage } from "@segue/testing/eca-wire";
import { expect, test } from "vitest";

const UNAVAILABLE = "There is no provider nobody.";

/** An editor whose chats have the models `scripted/model` and `test/second`, and one that nobody has. */
function ready(): Promise<EcaEditor> {
	return EcaEditor.ready({
		answers: [says("One"), says("Two")],
		engine: ({ model }) => ({
			models: {
				names: ["scripted/model", "test/second"],
				choose: (name) => (name?.startsWith("nobody/") ? { why: UNAVAILABLE } : model),
			},
		}),
	});
}

/** What is told of a method, from now on, once something was done. */
async function next(editor: EcaEditor, method: string, act: () => unknown): Promise<WireMessage["params"]> {
	const from = editor.messages.length;
	await act();
	const isIt = (message: WireMessage) => message.method === method;
	await editor.until((messages) => messages.slice(from).some(isIt));
	return editor.messages.slice(from).find(isIt)?.params;
}

test.for<[string, object, object]>([
	["chat/selectedModelChanged", { model: "test/second" }, { selectModel: "test/second", selectVariant: null }],
	[
		"chat/selectedModelChanged",
		{ model: "test/third" },
		{ selectModel: "test/third", models: ["test/third", "scripted/model", "test/second"] },
	],
	[
		"chat/selectedModelChanged",
		{ model: "test/second", variant: "high" },
		{ selectModel: "test/second", selectVariant: "high" },
	],
	["chat/selectedModelChanged", { model: "test/second", variant: null }, { selectVariant: null }],
	["chat/selectedModelChanged", { model: "test/second", "chat-id": null }, { selectModel: "test/second" }],
	["chat/selectedModelChanged", { model: "test/second", chatId: "unheard-of" }, { selectModel: "test/second" }],
	["chat/selectedAgentChanged", { agent: "plan" }, { selectAgent: "plan", selectBehavior: "plan" }],
	["chat/selectedAgentChanged", { agent: "code" }, { selectAgent: "code" }],
	["chat/selectedBehaviorChanged", { behavior: "ask" }, { selectAgent: "ask", defaultAgent: "ask" }],
])("what is chosen for no chat is what new ones begin with: %s %j", async ([method, params, chosen]) => {
	const editor = await ready();
	const told = await next(editor, "config/updated", () => editor.notify(method, params));
	expect(told).toEqual({ chat: expect.objectContaining(chosen) });
	await editor.turn("Hi");
	const again = await next(editor, "config/updated", () =>
		editor.notify("chat/selectedModelChanged", { chatId: "c", model: "test/second" }),
	);
	const { models: _models, selectBehavior: _old, defaultAgent: _older, ...ofChat } = chosen as Record<string, unknown>;
	expect(again).toEqual({ chatId: "c", chat: expect.objectContaining({ ...ofChat, selectModel: "test/second" }) });
});

test("a choice in a chat holds for the prompt right behind it, and for no other chat", async () => {
	const editor = await ready();
	await editor.turn("Hi");
	editor.notify("chat/selectedModelChanged", { chatId: "c", model: "test/second", variant: "low" });
	editor.notify("chat/selectedAgentChanged", { chatId: "c", agent: "ask" });
	await editor.turn("And now");
	const [first, second] = editor.conversation.model.requests;
	expect([first?.effort, second?.effort]).toEqual([undefined, "low"]);
	expect(second?.tools.map(({ name }) => name)).not.toContain("edit_file");
	const told = await next(editor, "config/updated", () =>
		editor.notify("chat/selectedAgentChanged", { agent: "plan" }),
	);
	expect(told).toEqual({ chat: expect.objectContaining({ selectModel: "scripted/model", selectVariant: null }) });
});

test.for<[string, object, string]>([
	["chat/selectedModelChanged", { model: "nobody/m" }, UNAVAILABLE],
	[
		"chat/selectedModelChanged",
		{ model: "test/second", variant: "max" },
		"There is no such variant. Those that there are: low, medium, high.",
	],
	[
		"chat/selectedAgentChanged",
		{ agent: "reviewer" },
		"There is no such agent. Those that there are: code, plan, ask.",
	],
])("a choice that there is not is told, and what was chosen stays: %s %j", async ([method, params, sentence]) => {
	const editor = await ready();
	await editor.turn("Hi");
	for (const place of [{}, { chatId: "c" }]) {
		let shown: unknown;
		const told = await next(editor, "config/updated", async () => {
			shown = await next(editor, "$/showMessage", () => editor.notify(method, { ...params, ...place }));
		});
		expect(shown).toEqual({ type: "warning", message: sentence });
		expect(told).toEqual({
			...place,
			chat: expect.objectContaining({ selectModel: "scripted/model", selectAgent: "code", selectVariant: null }),
		});
	}
});

test("an editor of June 2025 is told nothing of what is chosen", async () => {
	const editor = await EcaEditor.ready({ answers: [says("Hello")] }, JUNE);
	editor.notify("initialized");
	editor.notify("chat/selectedModelChanged", { model: "test/second" });
	await editor.turn("Hi");
	expect(editor.told).toEqual(["answer 1: success", "assistant text Hello", "assistant text complete"]);
});

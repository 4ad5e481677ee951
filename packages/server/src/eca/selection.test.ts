import { RpcError } from "@segue/rpc";
import { says } from "@segue/testing/chat/chat-fixture";
import type { EcaMessage } from "@segue/testing/editors/eca-client";
import { ECA_2025_06, EcaEditor } from "@segue/testing/editors/eca-editor";
import { expect, test } from "vitest";

const UNAVAILABLE = "Unknown provider missing.";

/** Starts an editor with the models `scripted/model` and `test/second`. Models from `missing` are not available. */
function ready(): Promise<EcaEditor> {
	return EcaEditor.ready({
		answers: [says("One"), says("Two"), says("Three"), says("Four")],
		engine: ({ model }) => ({
			models: {
				names: ["scripted/model", "test/second"],
				choose: (name) => (name?.startsWith("missing/") ? { why: UNAVAILABLE } : model),
			},
		}),
	});
}

/** Performs an action and returns the params of the next notification with this method. */
async function next(editor: EcaEditor, method: string, act: () => unknown): Promise<EcaMessage["params"]> {
	const from = editor.messages.length;
	await act();
	const isIt = (message: EcaMessage) => message.method === method;
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
	["chat/selectedModelChanged", { model: "test/second", "chat-id": null }, { selectModel: "test/second" }],
	["chat/selectedModelChanged", { model: "test/second", chatId: "unheard-of" }, { selectModel: "test/second" }],
	["chat/selectedAgentChanged", { agent: "plan" }, { selectAgent: "plan", selectBehavior: "plan" }],
	["chat/selectedAgentChanged", { agent: "code" }, { selectAgent: "code" }],
	["chat/selectedBehaviorChanged", { behavior: "ask" }, { selectAgent: "ask", defaultAgent: "ask" }],
])("a selection outside any chat applies to new chats: %s %j", async ([method, params, chosen]) => {
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

test("a variant can be reset for new chats and in a chat, and stays if a selection omits it", async () => {
	const editor = await ready();
	await editor.turn("Hi");
	for (const place of [{}, { chatId: "c" }]) {
		const choose = async (variant: object) => {
			const params = { model: "test/second", ...variant, ...place };
			const told = await next(editor, "config/updated", () => editor.notify("chat/selectedModelChanged", params));
			return (told?.["chat"] as { selectVariant: unknown } | undefined)?.selectVariant;
		};
		expect(await choose({ variant: "high" })).toBe("high");
		expect(await choose({})).toBe("high");
		expect(await choose({ variant: null })).toBe(null);
	}
	await editor.turn("Again", { variant: "low" });
	await editor.turn("Again", {});
	await editor.turn("Again", { variant: null });
	const efforts = editor.conversation.model.requests.map(({ effort }) => effort);
	expect(efforts).toEqual([undefined, "low", "low", undefined]);
});

test("a selection right after the first prompt keeps the other defaults for new chats", async () => {
	const editor = await EcaEditor.ready({ answers: [says("One")], engine: () => ({ mode: "plan" }) });
	const turn = editor.turn("Hi");
	editor.notify("chat/selectedModelChanged", { chatId: "c", model: "test/second" });
	await turn;
	const told = await next(editor, "config/updated", () =>
		editor.notify("chat/selectedModelChanged", { chatId: "c", model: "test/second" }),
	);
	expect(told).toMatchObject({ chat: { selectAgent: "plan" } });
	expect(editor.conversation.model.requests[0]?.tools.map(({ name }) => name)).not.toContain("write_file");
});

test.for([["agent"], ["build"]])("accepts former names of agents: %s", async ([behavior]) => {
	const editor = await ready();
	await next(editor, "config/updated", () => editor.notify("chat/selectedAgentChanged", { agent: "plan" }));
	const told = await next(editor, "config/updated", () => editor.notify("chat/selectedBehaviorChanged", { behavior }));
	expect(told).toMatchObject({ chat: { selectAgent: "code" } });
});

test("shows errors that the user can fix, and logs internal errors", async () => {
	for (const [error, message, isLogged] of [
		[new RpcError(-32603, "There is no key."), "There is no key.", false],
		[new TypeError("x is not a function"), "Internal error. See Segue's log.", true],
	] as const) {
		const editor = await EcaEditor.open({ backend: { engineFor: () => Promise.reject(error) } });
		await editor.initialize({ capabilities: { codeAssistant: { chat: true } } });
		editor.notify("initialized");
		await editor.until((messages) => messages.filter(({ method }) => method === "$/showMessage").length === 2);
		const shown = editor.messages.filter(({ method }) => method === "$/showMessage");
		expect(shown.map(({ params }) => params)).toEqual([1, 2].map(() => ({ type: "error", message })));
		expect(editor.problems).toHaveLength(isLogged ? 2 : 0);
	}
});

test("a selection in a chat applies to the next prompt, and to no other chat", async () => {
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
	["chat/selectedModelChanged", { model: "missing/m" }, UNAVAILABLE],
	[
		"chat/selectedModelChanged",
		{ model: "test/second", variant: "max" },
		"Unknown variant. Available: low, medium, high.",
	],
	["chat/selectedAgentChanged", { agent: "constructor" }, "Unknown agent. Available: code, plan, ask."],
	["chat/selectedAgentChanged", { agent: "reviewer" }, "Unknown agent. Available: code, plan, ask."],
])("an unavailable choice shows a warning and keeps the selection: %s %j", async ([method, params, message]) => {
	const editor = await ready();
	await editor.turn("Hi");
	for (const place of [{}, { chatId: "c" }]) {
		let shown: unknown;
		const told = await next(editor, "config/updated", async () => {
			shown = await next(editor, "$/showMessage", () => editor.notify(method, { ...params, ...place }));
		});
		expect(shown).toEqual({ type: "warning", message });
		expect(told).toEqual({
			...place,
			chat: expect.objectContaining({ selectModel: "scripted/model", selectAgent: "code", selectVariant: null }),
		});
	}
});

test("an editor from June 2025 gets no announcements of selections", async () => {
	const editor = await EcaEditor.ready({ answers: [says("Hello")] }, ECA_2025_06);
	editor.notify("initialized");
	editor.notify("chat/selectedModelChanged", { model: "test/second" });
	await editor.turn("Hi");
	expect(editor.transcript).toEqual(["answer 1: success", "assistant text Hello", "assistant text complete"]);
});

test("the announcement contains the welcome message, which eca-nvim expects there", async () => {
	const editor = await EcaEditor.open();
	const { result } = await editor.initialize({ capabilities: { codeAssistant: { rewrite: true } } });
	editor.notify("initialized");
	await editor.until((messages) => messages.some(({ method }) => method === "config/updated"));
	const announced = editor.messages.find(({ method }) => method === "config/updated");
	expect(announced?.params?.["chat"]).toMatchObject({ welcomeMessage: result.chatWelcomeMessage });
	expect(result.chatWelcomeMessage).toMatch(/^Segue 1\.2\.3\./);
});

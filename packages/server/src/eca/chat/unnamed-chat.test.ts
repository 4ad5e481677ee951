import { calls, says } from "@segue/testing/chat/chat-fixture";
import { ECA_2025_06, ECA_CURRENT, EcaEditor } from "@segue/testing/editors/eca-editor";
import { describe, expect, test } from "vitest";

/** The capabilities of eca-emacs in June 2025. Some current clients declare the same capabilities. */
const MERGED = { chat: true } as const;

const COMMAND = `echo ${"long ".repeat(1_000)}end > made.txt`;
const RUN = calls(["run_command", { command: COMMAND }]);

/** Starts an editor that never sends a chatId, with a model that runs a command. */
async function asked(capabilities: object = MERGED): Promise<EcaEditor> {
	const editor = await EcaEditor.ready({ files: {}, answers: [RUN, says("Then."), says("More.")] }, capabilities);
	await editor.request("chat/prompt", { message: "Go" });
	await editor.until(() => textsOf(editor).includes("Answer yes"));
	return editor;
}

function textsOf(editor: EcaEditor): string {
	return editor
		.contents("text")
		.map(({ text }) => text)
		.join("");
}

function turnsEnded(editor: EcaEditor, count: number): Promise<void> {
	const isEnd = ({ params }: { params?: Readonly<Record<string, unknown>> }) => params?.["isComplete"] === true;
	return editor.until((messages) => messages.filter(isEnd).length >= count);
}

function heard(editor: EcaEditor): string {
	return JSON.stringify(editor.conversation.model.requests.at(-1)?.messages);
}

describe("a client that sends no chat id", () => {
	test.each([
		["from June 2025", MERGED],
		["for the first specification", ECA_2025_06],
	])("continues its only chat (%s)", async (_what, capabilities) => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two.")] }, capabilities);
		const first = await editor.request("chat/prompt", { message: "First" });
		await turnsEnded(editor, 1);
		const second = await editor.request("chat/prompt", { message: "Second" });
		await turnsEnded(editor, 2);
		expect(second.result.chatId).toBe(first.result.chatId);
		expect(heard(editor)).toMatch(/First.*One\..*Second/);
	});

	test("continues the chat that it resumed", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two.")] }, MERGED);
		const { assist, tools: box } = editor.conversation;
		const other = await assist.create(box.root, "kept");
		await assist.prompt(other.id, [{ type: "text", text: "Earlier" }], editor.conversation, {
			signal: new AbortController().signal,
		});
		await editor.request("chat/prompt", { message: "/resume latest" });
		await turnsEnded(editor, 1);
		const { result } = await editor.request("chat/prompt", { message: "Second" });
		expect(result.chatId).toBe("kept");
		await turnsEnded(editor, 2);
		expect(heard(editor)).toMatch(/Earlier.*One\..*Second/);
	});

	test("starts a new chat after its only chat is deleted", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two.")] }, MERGED);
		const { chatId } = (await editor.request("chat/prompt", { message: "First" })).result;
		await turnsEnded(editor, 1);
		await editor.request("chat/delete", { chatId });
		const second = await editor.request("chat/prompt", { message: "Second" });
		await turnsEnded(editor, 2);
		expect(second.result.chatId).not.toBe(chatId);
		expect(heard(editor)).not.toContain("First");
	});

	test("starts a new chat with each prompt if it uses the current version", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two.")] }, ECA_CURRENT);
		const ids = [];
		for (const message of ["First", "Second"]) {
			ids.push((await editor.request("chat/prompt", { message })).result.chatId);
		}
		expect(new Set(ids).size).toBe(2);
	});

	test("starts a new chat once it has sent an id", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two."), says("Three.")] }, MERGED);
		const { chatId } = (await editor.request("chat/prompt", { message: "First" })).result;
		await editor.request("chat/prompt", { chatId, message: "Second" });
		const third = await editor.request("chat/prompt", { message: "Third" });
		expect(third.result.chatId).not.toBe(chatId);
	});
});

describe("an approval request to a client that sends no chat id", () => {
	test.each([
		["from June 2025", MERGED],
		["for the first specification", ECA_2025_06],
	])("is sent as text with the full command and instructions (%s)", async (_what, capabilities) => {
		const editor = await asked(capabilities);
		const text = textsOf(editor);
		expect(text).toContain(`    ${COMMAND}\n`);
		expect(text).toMatch(/Approval needed: Run echo long/);
		expect(text).toMatch(/^ *Answer yes to approve it, or no to reject it\. Any other answer rejects it/m);
		await editor.request("chat/prompt", { message: "no" });
		await turnsEnded(editor, 1);
	});

	test("is not sent as text to a client that has sent a chat id", async () => {
		const editor = await EcaEditor.ready({ files: {}, answers: [RUN, says("Then.")] }, MERGED);
		await editor.request("chat/prompt", { chatId: "c", message: "Go" });
		await editor.untilContent("toolCallRun");
		expect(textsOf(editor)).not.toContain("Answer yes");
		await editor.request("chat/prompt", { chatId: "c", message: "no" });
		await turnsEnded(editor, 1);
	});

	test("contains the path and the diff of an edit", async () => {
		const write = calls(["write_file", { path: "made.txt", content: "new line\n" }]);
		const editor = await EcaEditor.ready({ files: {}, answers: [write, says("Then.")] }, MERGED);
		await editor.request("chat/prompt", { message: "Go" });
		await editor.until(() => textsOf(editor).includes("Answer yes"));
		expect(textsOf(editor)).toContain(`    ${editor.conversation.tools.root}/made.txt\n`);
		expect(textsOf(editor)).toContain("    +new line\n");
		await editor.request("chat/prompt", { message: "no" });
		await turnsEnded(editor, 1);
	});

	test.each(["yes", "y", "OK", "okay.", "Approve!"])("is approved by %j", async (message) => {
		const editor = await asked();
		await editor.request("chat/prompt", { message });
		await turnsEnded(editor, 1);
		expect(await editor.conversation.tools.text("made.txt")).toMatch(/^long /);
	});

	test.each(["ok", "y", "allow", "accept"])("is not approved by %j from a client with buttons", async (message) => {
		const editor = await EcaEditor.ready({ files: {}, answers: [RUN, says("Then."), says("More.")] }, MERGED);
		await editor.request("chat/prompt", { chatId: "c", message: "Go" });
		await editor.untilContent("toolCallRun");
		await editor.request("chat/prompt", { chatId: "c", message });
		await editor.request("chat/prompt", { chatId: "c", message: "no" });
		await turnsEnded(editor, 1);
		await expect(editor.conversation.tools.text("made.txt")).rejects.toThrow();
	});

	test.each(["no", "N", "reject", "Deny."])("is rejected by %j", async (message) => {
		const editor = await asked();
		await editor.request("chat/prompt", { message });
		await turnsEnded(editor, 1);
		expect(heard(editor)).toMatch(/The user declined this/);
		await expect(editor.conversation.tools.text("made.txt")).rejects.toThrow();
	});

	test.each([
		["from June 2025", MERGED],
		["for the first specification", ECA_2025_06],
	])("is rejected by any other text, which is sent to the model in the same turn (%s)", async (_what, capabilities) => {
		const editor = await asked(capabilities);
		const { result } = await editor.request("chat/prompt", { message: "Use printf instead" });
		expect(result.status).toBe("success");
		await turnsEnded(editor, 1);
		expect(heard(editor)).toMatch(/The user declined this.*Use printf instead/);
		expect(editor.conversation.model.requests).toHaveLength(2);
		await expect(editor.conversation.tools.text("made.txt")).rejects.toThrow();
	});
});

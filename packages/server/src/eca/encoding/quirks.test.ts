import { says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { expect, test } from "vitest";

// Quirks of real ECA editors that a server has to handle.

const INITIALIZE = '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"processId":null,"capabilities":{}}}';
const LENGTH = Buffer.byteLength(INITIALIZE);

test.each([
	["as specified", `Content-Length: ${LENGTH}\r\n\r\n${INITIALIZE}`],
	["whose length includes a trailing newline, as in Emacs", `Content-Length: ${LENGTH + 1}\r\n\r\n${INITIALIZE}\n`],
	["in a different case", `content-LENGTH: ${LENGTH}\r\n\r\n${INITIALIZE}`],
	["with a content type", `Content-Type: application/json\r\nContent-Length: ${LENGTH}\r\n\r\n${INITIALIZE}`],
	["without carriage returns", `Content-Length: ${LENGTH}\n\n${INITIALIZE}`],
])("reads a header %s", async (_how, bytes) => {
	const editor = await EcaEditor.open();
	editor.write(bytes);
	await editor.until((messages) => messages.length === 1);
	expect(editor.messages).toMatchObject([{ id: 7, result: {} }]);
	expect(editor.problems).toEqual([]);
});

test("reads chunks split at any byte, and counts bytes, not characters", async () => {
	const editor = await EcaEditor.ready({ answers: [says("Hello")] });
	const body = JSON.stringify({
		jsonrpc: "2.0",
		id: 9,
		method: "chat/prompt",
		params: { chatId: "c", message: "✓ wörld" },
	});
	const bytes = Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
	for (const byte of bytes) editor.write(Buffer.from([byte]).toString("latin1"), "latin1");
	await editor.turnEnded();
	expect(editor.transcript).toContain("user text ✓ wörld");
});

test("writes a header and its body in one write, because one editor cannot join them", async () => {
	const editor = await EcaEditor.ready({ answers: [says("wörld ✓")] });
	await editor.turn("Hi");
	for (const write of editor.writes) {
		const [header = "", ...body] = write.toString("utf8").split("\r\n\r\n");
		expect(header).toBe(`Content-Length: ${Buffer.byteLength(body.join("\r\n\r\n"))}`);
	}
});

test("ignores an invalid message without a response and reads the next one", async () => {
	const editor = await EcaEditor.open();
	editor.write("Content-Length: 3\r\n\r\n{a}");
	editor.write("Content-Length: 2\r\n\r\n[]");
	await editor.initialize();
	expect(editor.messages).toHaveLength(1);
	expect(editor.problems).toMatchObject([{ kind: "unreadable" }, { kind: "unreadable" }]);
});

test("responds to request id 0, the first id of some editors", async () => {
	const editor = await EcaEditor.open();
	expect(await editor.initialize()).toMatchObject({ id: 0, result: { chatWelcomeMessage: expect.any(String) } });
});

test.each([null, [], {}, undefined])("accepts %j as empty params", async (params) => {
	const editor = await EcaEditor.open();
	await editor.initialize();
	editor.send({ method: "initialized", ...(params !== undefined && { params }) });
	editor.send({ id: 50, method: "shutdown", ...(params !== undefined && { params }) });
	await editor.until(() => editor.transcript.includes("answer 50: ok"));
	editor.send({ method: "exit", ...(params !== undefined && { params }) });
	expect(await editor.closed).toBe("us: the editor sent exit");
	expect(editor.problems).toEqual([]);
});

test("reads keys in kebab case and snake case", async () => {
	const editor = await EcaEditor.ready({ answers: [says("One"), says("Two")] });
	await editor.request("chat/prompt", { "chat-id": "kebab", message: "Hi", "request-id": "12" });
	await editor.turnEnded();
	const from = editor.messages.length;
	await editor.request("chat/prompt", { chat_id: "snake", message: "Hi" });
	await editor.turnEnded(from);
	expect(await editor.conversation.assist.thread("kebab")).toBeDefined();
	expect(await editor.conversation.assist.thread("snake")).toBeDefined();
});

test("returns a numeric chat id as a number, and stores the chat with a globally unique id", async () => {
	const editor = await EcaEditor.ready({ answers: [says("One"), says("Two")] }, { chat: true });
	const contexts = [{ type: "repoMap", path: "repoMap", content: "Repository structure" }];
	expect((await editor.request("chat/prompt", { chatId: 1, message: "Hi", contexts })).result.chatId).toBe(1);
	await editor.turnEnded();
	await editor.turn("And now?", { chatId: 1 });
	const ids = new Set(
		editor.messages.filter(({ method }) => method !== undefined).map(({ params }) => params?.["chatId"]),
	);
	expect(ids).toEqual(new Set([1]));
	expect(editor.conversation.model.requests[1]?.messages).toHaveLength(3);
	const threads = await editor.conversation.assist.list({ limit: 10 });
	expect(threads.map(({ title }) => title)).toContain("Hi");
});

test("distinguishes its own requests from the editor's with the same ids", async () => {
	const editor = await EcaEditor.ready(
		{ answers: [[{ type: "call", id: "c1", tool: "diagnostics", input: "{}" }], says("None.")] },
		{ chat: true, editor: { diagnostics: true } },
	);
	const answered: unknown[] = [];
	editor.answers["editor/getDiagnostics"] = (params) => {
		answered.push(params);
		// While it handles our request, the editor sends a request with the same id.
		editor.send({ id: 0, method: "chat/dance", params: {} });
		return { diagnostics: [] };
	};
	await editor.turn("Any problems?");
	expect(answered).toEqual([{}]);
	const question = editor.messages.find(({ method }) => method === "editor/getDiagnostics");
	expect(question?.id).toBe(0);
	expect(editor.transcript).toContain("error 0: -32601 Method not found");
	expect(editor.transcript).toContain("assistant text None.");
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type * as sdk from "@agentclientprotocol/sdk";
import { SdkEditor } from "@segue/testing/editors/sdk-editor";
import { WAIT } from "@segue/testing/setup/tier";
import { describe, expect, test, vi } from "vitest";
import { runSegue } from "../program.js";

// `segue acp --agent` passes messages between an editor and an agent unchanged, including messages it does not know.

async function opened(...flags: readonly string[]): Promise<SdkEditor> {
	const editor = new SdkEditor(runSegue, flags);
	await editor.open();
	return editor;
}

const TEXT: sdk.ContentBlock = { type: "text", text: "whole" };
const IMAGE: sdk.ContentBlock = {
	type: "image",
	data: "aGk=",
	mimeType: "image/png",
	uri: "https://example.org/a.png",
};
const AUDIO: sdk.ContentBlock = { type: "audio", data: "aGk=", mimeType: "audio/wav" };
const BYTES: sdk.ContentBlock = {
	type: "resource",
	resource: { uri: "file:///x/a.bin", blob: "/w==", mimeType: "application/x-own" },
};
const EVERYTHING: readonly sdk.ContentBlock[] = [
	{ type: "text", text: "Look.", annotations: { audience: ["assistant"], priority: 0.5 }, _meta: { own: [1] } },
	IMAGE,
	AUDIO,
	BYTES,
	{ type: "resource_link", uri: "https://example.org/", name: "a page", title: "A page", size: 5, _meta: { own: 2 } },
	{ type: "resource_link", uri: "file:///x/a.ts#L1:2", name: "a.ts", description: "of mine" },
	{
		type: "resource",
		resource: { uri: "zed:///selection", text: "x", mimeType: "text/x-own" },
		annotations: { priority: 1 },
	},
];

describe("a prompt", () => {
	test("reaches the agent unchanged, with all content", async () => {
		const editor = await opened("--images", "--audio", "--embedded");
		const { sessionId } = editor;
		const params = { prompt: [...EVERYTHING, TEXT], _meta: { own: { x: 1 } } };
		await editor.agent.request("session/prompt", { sessionId, ...params });
		expect(JSON.parse(editor.text)).toEqual(params);
	});

	test.each<[string, sdk.ContentBlock]>([
		["images", IMAGE],
		["audio", AUDIO],
		["binary files", BYTES],
	])("fails and is not stored if the agent does not support its content: %s", async (what, block) => {
		const editor = await opened();
		const { sessionId } = editor;
		const response = editor.agent.request("session/prompt", { sessionId, prompt: [TEXT, block, TEXT] });
		const message = expect.stringMatching(new RegExp(`params\\.prompt\\[1\\]: .* does not accept ${what}`));
		await expect(response).rejects.toMatchObject({ code: -32602, message });
		await editor.agent.request("session/load", { sessionId, cwd: editor.folder, mcpServers: [] });
		expect(editor.transcript).not.toContain("user_message_chunk");
		await editor.prompt("say Alive.");
		expect(editor.text).toBe("Alive.");
	});

	test("contains embedded files as plain text if the agent does not support embedded context", async () => {
		const editor = await opened();
		const { sessionId } = editor;
		const resource = { uri: "zed:///selection", text: "let x = 1\n" };
		const prompt: sdk.ContentBlock[] = [{ type: "resource", resource }, TEXT];
		await editor.agent.request("session/prompt", { sessionId, prompt });
		const [block] = JSON.parse(editor.text).prompt;
		expect(block).toEqual({ type: "text", text: expect.stringMatching(/zed:\/\/\/selection[\s\S]*let x = 1\n/) });
	});

	test.each<[string, (uri: string) => sdk.ContentBlock]>([
		["named", (uri) => ({ type: "resource_link", uri, name: "it" })],
		["with its text", (uri) => ({ type: "resource", resource: { uri, text: "KEY=1" } })],
		["with its bytes", (uri) => ({ type: "resource", resource: { uri, blob: "S0VZPTE=" } })],
		["as an image", (uri) => ({ type: "image", data: "S0VZPTE=", mimeType: "image/png", uri })],
	])("does not include a secret file: %s", async (_how, blockOf) => {
		const editor = await opened("--embedded", "--images");
		const file = path.join(editor.folder, ".env");
		writeFileSync(file, "KEY=1");
		const { sessionId } = editor;
		const prompt = [blockOf(pathToFileURL(file).href), TEXT];
		await editor.agent.request("session/prompt", { sessionId, prompt });
		expect(editor.text).toContain("it has the name of a secret file");
		expect(JSON.parse(editor.text.slice(editor.text.indexOf("{"))).prompt).toEqual([TEXT]);
	});

	test("gets the agent's own response", async () => {
		const editor = await opened();
		const answer = { stopReason: "max_turn_requests", usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } };
		const meta = { own: { x: [1] } };
		await editor.prompt(`answer ${JSON.stringify({ ...answer, _meta: meta })}`);
		const { result } = editor.messages.at(-1) as { result?: unknown };
		expect(result).toEqual({ ...answer, _meta: { ...meta, segue: { reason: "steps" } } });
	});
});

test.each([
	["allows", "once", "completed", "written\n"],
	["refuses", "no", "failed", undefined],
])(
	"a tool call before the first prompt is reported to the editor, which %s it",
	async (_what, answer, status, text) => {
		const editor = await opened();
		const { sessionId } = editor;
		editor.answer = answer;
		await editor.agent.request("session/set_mode", { sessionId, modeId: "hasty" }).catch(() => undefined);
		const toolCallId = editor.permissionRequests[0]?.toolCall.toolCallId;
		await vi.waitFor(() => {
			const calls = editor.updates.flatMap((update) => {
				return "toolCallId" in update ? [[update.sessionUpdate, update.toolCallId, update.status]] : [];
			});
			expect(calls).toEqual([
				["tool_call", toolCallId, "pending"],
				["tool_call_update", toolCallId, status],
			]);
		}, WAIT);
		expect(editor.transcript.indexOf("tool_call")).toBeLessThan(editor.transcript.indexOf("permission"));
		const file = path.join(editor.folder, "hasty.txt");
		expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(text);
	},
);

describe("an extension message", () => {
	test("from the agent keeps its position among other messages", async () => {
		const editor = await opened();
		const { sessionId } = editor;
		await editor.prompt('whisper {"own":[1],"_meta":{"x":1}}');
		const news = editor.messages.slice(-4).map((message) => ("method" in message ? message.method : "answer"));
		expect(news).toEqual(["session/update", "_own/news", "session/update", "answer"]);
		const params = { sessionId, own: [1], _meta: { x: 1 } };
		expect(editor.messages).toContainEqual({ jsonrpc: "2.0", method: "_own/news", params });
	});

	test("from the agent arrives after the response that contains the session, even if the agent sends it earlier", async () => {
		const editor = await opened("--whispers");
		const { sessionId } = editor;
		const news = { jsonrpc: "2.0", method: "_own/news", params: { sessionId, own: 1 } };
		await vi.waitFor(() => expect(editor.messages.slice(2)).toContainEqual(news), WAIT);
	});

	test("from the editor is answered by the agent", async () => {
		const editor = await opened();
		const { sessionId } = editor;
		const answer = await editor.agent.request("_own/question", { sessionId, own: [1] });
		expect(answer).toEqual({ heard: { sessionId: "s1", own: [1] } });
		const unknown = editor.agent.request("_own/none", { sessionId });
		await expect(unknown).rejects.toMatchObject({ code: -32601 });
	});

	test.each([
		["with an unknown session", { sessionId: "none" }],
		["without a session", {}],
	])("from the editor fails %s", async (_which, params) => {
		const editor = await opened();
		const response = editor.agent.request("_own/question", params);
		await expect(response).rejects.toMatchObject({
			code: expect.toSatisfy((code) => code === -32601 || code === -32602),
		});
	});

	test("from the editor can be a notification", async () => {
		const editor = await opened();
		const { sessionId } = editor;
		await editor.agent.notify("_own/news", { sessionId, own: [1] });
		await vi.waitFor(async () => {
			editor.updates.length = 0;
			await editor.prompt("noted");
			expect(JSON.parse(editor.text)).toEqual([{ method: "_own/news", params: { sessionId: "s1", own: [1] } }]);
		}, WAIT);
	});
});

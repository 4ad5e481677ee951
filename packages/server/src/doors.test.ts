import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { MemoryThreads, ThreadsEditor } from "@segue/editor";
import { acp, acpDialect, type SessionUpdate } from "@segue/protocol/acp";
import { Connection, on } from "@segue/rpc";
import { agentProcess } from "@segue/rpc/node";
import { startModelServer } from "@segue/testing";
import { EcaWire } from "@segue/testing/eca-wire";
import { Home } from "@segue/testing/home";
import { expect, onTestFinished, test } from "vitest";

// One conversation over three wires: three processes of Segue that know of each other only by the store.

const LAUNCHER = path.join(import.meta.dirname, "..", "bin", "segue.js");
const CHAT = "7f1c9c5e-0f3c-4d0e-9b5a-2f6f3f1d4a10";

test("what was begun over ECA goes on over ACP, and is listed over the thread draft with the same entries", async () => {
	using home = new Home({ "project/a.txt": "one\n" });
	const model = await startModelServer([
		["Let me look.", { call: "read_file", id: "c1", input: ['{"path":"a.txt"}'] }],
		["It says one."],
		["You asked what a.txt says."],
	]);
	onTestFinished(() => model.stop());
	const env = { SEGUE_HOME: home.home, SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };

	const eca = startEca(home, env);
	const workspaceFolders = [{ uri: pathToFileURL(home.project).href, name: "project" }];
	const capabilities = { codeAssistant: { chat: true, rewrite: true } };
	await eca.request("initialize", { processId: null, capabilities, workspaceFolders });
	await eca.request("chat/prompt", { chatId: CHAT, message: "What does a.txt say?" });
	await eca.until((messages) => messages.some(({ params }) => params?.["status"] === "idle"));

	const updates: SessionUpdate[] = [];
	const editor = new Connection<"client">(await started("acp", home, env), {
		dialect: acpDialect,
		handlers: [on(acp.sessionUpdate, ({ update }) => void updates.push(update))],
		report: () => {},
	});
	onTestFinished(() => editor.close());
	await editor.request(acp.initialize, { protocolVersion: 1, clientCapabilities: {} });
	const { sessions } = await editor.request(acp.listSessions, { cwd: home.project });
	expect(sessions).toMatchObject([{ sessionId: CHAT, title: "What does a.txt say?" }]);
	await editor.request(acp.loadSession, { sessionId: CHAT, cwd: home.project, mcpServers: [] });
	expect(wordsOf(updates)).toEqual([
		"user: What does a.txt say?",
		"agent: Let me look.",
		"call: Read a.txt",
		"agent: It says one.",
	]);
	await editor.request(acp.prompt, { sessionId: CHAT, prompt: [{ type: "text", text: "What did I ask?" }] });
	expect(JSON.stringify(model.requests[2]?.body)).toMatch(/What does a.txt say.*It says one.*What did I ask/s);

	const threads = new ThreadsEditor(await started("threads", home, env), {
		folder: pathToFileURL(home.project).href,
		threads: new MemoryThreads(),
		chunk: () => {},
		report: () => {},
	});
	onTestFinished(() => threads.close());
	expect(await threads.getThreads()).toMatchObject([{ id: CHAT, title: "What does a.txt say?" }]);
	const entries = await threads.getThreadEntries(CHAT);
	expect(entries.filter(({ type }) => type === "readFile")).toMatchObject([{ path: path.join(home.project, "a.txt") }]);
	const text = JSON.stringify(entries);
	expect(text).toMatch(
		/What does a.txt say\?.*Let me look\..*It says one\..*What did I ask\?.*You asked what a\.txt says\./s,
	);

	// What came over ACP is there for the editor of ECA, which was never told of it.
	const { result } = await eca.request("chat/history", { chatId: CHAT });
	expect(JSON.stringify(result)).toMatch(
		/What does a.txt say\?.*It says one\..*What did I ask\?.*You asked what a\.txt says\./s,
	);
}, 120_000);

function startEca(home: Home, env: Record<string, string>): EcaWire {
	const child = spawn(process.execPath, [LAUNCHER, "eca"], {
		cwd: home.project,
		env: { PATH: process.env["PATH"], HOME: home.home, ...env },
		stdio: ["pipe", "pipe", "ignore"],
	});
	onTestFinished(async () => {
		const ended = once(child, "close");
		child.kill("SIGKILL");
		await ended;
	});
	return new EcaWire(child.stdin as unknown as Writable, child.stdout as unknown as Readable);
}

function started(door: "acp" | "threads", home: Home, env: Record<string, string>) {
	return agentProcess(process.execPath, [LAUNCHER, door], { cwd: home.project, env })();
}

/** What was said and done, in order, with chunks put together. */
function wordsOf(updates: readonly SessionUpdate[]): string[] {
	const words: string[] = [];
	const say = (who: string, text: string) => {
		const last = words.at(-1);
		if (last?.startsWith(`${who}: `)) words[words.length - 1] = last + text;
		else words.push(`${who}: ${text}`);
	};
	for (const update of updates) {
		if (update.sessionUpdate === "user_message_chunk" && update.content.type === "text")
			say("user", update.content.text);
		if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
			say("agent", update.content.text);
		if (update.sessionUpdate === "tool_call") words.push(`call: ${update.title}`);
	}
	return words;
}

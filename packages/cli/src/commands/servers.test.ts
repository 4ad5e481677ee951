import path from "node:path";
import { pathToFileURL } from "node:url";
import { MemoryThreads, ThreadsEditor } from "@segue/editor";
import * as acp from "@segue/protocol/acp";
import type * as eca from "@segue/protocol/eca";
import type * as threads from "@segue/protocol/threads";
import { Connection, lines, on } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { EcaTestClient } from "@segue/testing/editors/eca-client";
import { startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import type { Serve } from "@segue/testing/process/running-segue";
import { servingInMemory } from "@segue/testing/process/segue-in-memory";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test } from "vitest";
import { runSegue } from "../program.js";

const serveInMemory = servingInMemory(runSegue);

// Continues one conversation over three protocols, with three servers that share only the store.

const SERVING: readonly [string, Serve][] = [
	["in memory", serveInMemory],
	...(isAll ? [["as processes", serveInProcess] as [string, Serve]] : []),
];
const CHAT = "7f1c9c5e-0f3c-4d0e-9b5a-2f6f3f1d4a10";

test.each(SERVING)(
	"a chat started over ECA continues over ACP and is listed over the thread draft: %s",
	async (_how, serve) => {
		using home = new Home({ "project/a.txt": "one\n" });
		const model = await startModelServer([
			["Let me look.", { call: "read_file", id: "c1", input: ['{"path":"a.txt"}'] }],
			["It says one."],
			["You asked what a.txt says."],
		]);
		onTestFinished(() => model.stop());
		const env = { SEGUE_HOME: home.home, SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };

		const eca = startEca(home, env, serve);
		const workspaceFolders = [{ uri: pathToFileURL(home.project).href, name: "project" }];
		const capabilities = { codeAssistant: { chat: true, rewrite: true } };
		await eca.request("initialize", { processId: null, capabilities, workspaceFolders });
		await eca.request("chat/prompt", { chatId: CHAT, message: "What does a.txt say?" });
		await eca.until((messages) => messages.some(({ params }) => params?.["status"] === "idle"));

		const editor = await AcpEditor.open(home, env, serve);
		const { sessions } = await editor.connection.request(acp.listSessions, { cwd: home.project });
		expect(sessions).toMatchObject([{ sessionId: CHAT, title: "What does a.txt say?" }]);
		const firstTurn = [
			"user: What does a.txt say?",
			"agent: Let me look.",
			"call: Read a.txt",
			"agent: It says one.",
		] as const;
		expect(await editor.load()).toEqual(firstTurn);
		const prompt = [{ type: "text" as const, text: "What did I ask?" }];
		await editor.connection.request(acp.prompt, { sessionId: CHAT, prompt });
		expect(JSON.stringify(model.requests[2]?.body)).toMatch(/What does a.txt say.*It says one.*What did I ask/s);

		const threads = new ThreadsEditor(started("threads", home, env, serve), {
			folder: pathToFileURL(home.project).href,
			threads: new MemoryThreads(),
			chunk: () => {},
			report: () => {},
		});
		onTestFinished(() => threads.close());
		expect(await threads.getThreads()).toMatchObject([{ id: CHAT, title: "What does a.txt say?" }]);
		const entries = await threads.getThreadEntries(CHAT);
		expect(entries.filter(({ type }) => type === "readFile")).toMatchObject([
			{ path: path.join(home.project, "a.txt") },
		]);

		// All protocols return the same entries. The ECA editor also finds the ACP turn, which it was not notified about.
		const all = [...firstTurn, "user: What did I ask?", "agent: You asked what a.txt says."];
		expect(await (await AcpEditor.open(home, env, serve)).load()).toEqual(all);
		expect(summaryOfThread(entries)).toEqual(all);
		const { result } = await eca.request("chat/history", { chatId: CHAT });
		expect(summaryOfHistory(result.contents)).toEqual(all);
	},
);

/** An ACP editor with its own server. */
class AcpEditor {
	private constructor(
		readonly connection: Connection<"client">,
		private readonly updates: acp.SessionUpdate[],
		private readonly cwd: string,
	) {}

	static async open(home: Home, env: Record<string, string>, serve: Serve): Promise<AcpEditor> {
		const updates: acp.SessionUpdate[] = [];
		const connection = new Connection<"client">(started("acp", home, env, serve), {
			dialect: acp.dialect,
			handlers: [on(acp.sessionUpdate, ({ update }) => void updates.push(update))],
			report: () => {},
		});
		onTestFinished(() => connection.close());
		await connection.request(acp.initialize, { protocolVersion: 1, clientCapabilities: {} });
		return new AcpEditor(connection, updates, home.project);
	}

	/** Returns the chat's history. */
	async load(): Promise<string[]> {
		await this.connection.request(acp.loadSession, { sessionId: CHAT, cwd: this.cwd, mcpServers: [] });
		return summaryOf(this.updates.splice(0));
	}
}

function startEca(home: Home, env: Record<string, string>, serve: Serve): EcaTestClient {
	const segue = serve(["eca"], { folder: home.project, env });
	onTestFinished(async () => {
		segue.input.end();
		await segue.ended;
	});
	return new EcaTestClient(segue.input, segue.output);
}

function started(protocol: "acp" | "threads", home: Home, env: Record<string, string>, serve: Serve) {
	const { input, output } = serve([protocol], { folder: home.project, env });
	return overStreams(output, input, lines);
}

/** Returns messages and calls in order, with their chunks joined. */
class Summary {
	readonly list: string[] = [];
	private isOpen = false;

	message(who: "user" | "agent", text: string): void {
		const last = this.list.at(-1);
		if (this.isOpen && last?.startsWith(`${who}: `)) this.list[this.list.length - 1] = last + text;
		else this.list.push(`${who}: ${text}`);
		this.isOpen = true;
	}

	call(title: string): void {
		this.list.push(`call: ${title}`);
		this.isOpen = false;
	}
}

function summaryOf(updates: readonly acp.SessionUpdate[]): string[] {
	const summary = new Summary();
	for (const update of updates) {
		if (update.sessionUpdate === "user_message_chunk" && update.content.type === "text")
			summary.message("user", update.content.text);
		if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
			summary.message("agent", update.content.text);
		if (update.sessionUpdate === "tool_call") summary.call(update.title ?? "");
	}
	return summary.list;
}

/** The thread draft represents each call as a line in the answer. */
function summaryOfThread(entries: readonly threads.ThreadEntry[]): string[] {
	const summary = new Summary();
	for (const entry of entries) {
		if (entry.type !== "message") continue;
		const text = entry.chunks.map(({ chunk }) => chunk).join("");
		for (const line of text.split("\n").filter((each) => each !== "")) {
			if (line.startsWith("✓ ")) summary.call(line.slice(2));
			else summary.message(entry.role === "user" ? "user" : "agent", line);
		}
	}
	return summary.list;
}

/** In ECA, prompts end with a newline. */
function summaryOfHistory(contents: readonly eca.ContentReceived[]): string[] {
	const summary = new Summary();
	for (const { role, content } of contents) {
		if (content.type === "text") summary.message(role === "user" ? "user" : "agent", content.text.replace(/\n$/, ""));
		if (content.type === "toolCalled") summary.call(content.summary ?? "");
	}
	return summary.list;
}

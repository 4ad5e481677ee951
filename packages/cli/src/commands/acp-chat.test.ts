import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk";
import { type ModelServer, startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import type { ServingSegue } from "@segue/testing/process/running-segue";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test } from "vitest";

// The ACP SDK's stable client chats with `segue acp`, which runs in its own process and reaches a model server over a real
// socket.

/** An MCP server, built with the MCP SDK, that runs in its own process. */
const MCP_SERVER = `
import { McpServer } from ${JSON.stringify(import.meta.resolve("@modelcontextprotocol/server"))};
import { serveStdio } from ${JSON.stringify(import.meta.resolve("@modelcontextprotocol/server/stdio"))};
import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
serveStdio(() => {
	const server = new McpServer({ name: "dice", version: "1.0.0" });
	server.registerTool("roll", { inputSchema: z.object({}) }, async () => ({ content: [{ type: "text", text: "You rolled 4." }] }));
	return server;
});
`;

test("an SDK client gets suggestions during a turn and continues the chat in a second process", async () => {
	using home = new Home({ "project/a.txt": "one\n" });
	const model = await startModelServer([
		[{ thought: "Let me see." }, "I ", "look.", { call: "read_file", id: "c1", input: ['{"path":', '"a.txt"}'] }],
		[{ call: "edit_file", id: "c2", input: ['{"path":"a.txt","old_text":"one","new_text":"two"}'] }],
		[{ call: "dice__roll", id: "c3", input: ["{}"] }],
		["It is two now."],
		["Once ", "upon ", { hold: true }, "a time"],
		["You asked for two."],
	]);
	onTestFinished(() => model.stop());

	const first = await SdkClient.start(home, model);
	const dice = { name: "dice", command: process.execPath, args: ["--input-type=module", "-e", MCP_SERVER], env: [] };
	const place: sdk.NewSessionRequest = { cwd: home.project, mcpServers: [dice] };
	const { sessionId, modes, configOptions } = await first.agent.request("session/new", place);
	expect(modes?.currentModeId).toBe("edit");
	expect(configOptions?.map(({ id }) => id)).toEqual(["mode", "model", "effort"]);
	const suggestions = first.suggestRepeatedly();
	const prompt = (text: string, client = first) =>
		client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

	expect(await prompt("Make it two")).toMatchObject({ stopReason: "end_turn" });
	expect(first.received("agent_thought_chunk")).toBe("Let me see.");
	expect(first.received("agent_message_chunk")).toBe("I look.It is two now.");
	expect(first.permissions).toEqual(["edit: Edit a.txt", expect.stringMatching(/^other: .*roll/)]);
	expect(readFileSync(path.join(home.project, "a.txt"), "utf8")).toBe("two\n");
	const diff = { type: "diff", path: path.join(home.project, "a.txt"), oldText: "one\n", newText: "two\n" };
	const edits = first.updates.filter((update) => update.sessionUpdate === "tool_call_update" && update.kind === "edit");
	expect(edits.at(-1)).toMatchObject({ status: "completed", content: expect.arrayContaining([diff]) });
	expect(JSON.stringify(model.requests[3]?.body)).toContain("You rolled 4.");

	const turn = prompt("Tell me a story");
	await first.until("Once upon ");
	await first.agent.notify("session/cancel", { sessionId });
	expect(await turn).toMatchObject({ stopReason: "cancelled" });
	await model.requests[4]?.abandoned;
	expect(await suggestions()).toBeGreaterThan(0);
	await first.agent.request("session/set_mode", { sessionId, modeId: "plan" });
	await first.agent.request("session/set_config_option", { sessionId, configId: "effort", value: "high" });
	await first.stop();

	const second = await SdkClient.start(home, model);
	const listed = await second.agent.request("session/list", { cwd: home.project });
	expect(listed.sessions).toMatchObject([{ sessionId, cwd: home.project, title: "Make it two" }]);
	const loaded = await second.agent.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
	expect(loaded.modes?.currentModeId).toBe("plan");
	expect(loaded.configOptions?.map(({ currentValue }) => currentValue)).toEqual([
		...["plan", "openai-compatible/scripted", "high"],
	]);
	expect(second.received("user_message_chunk")).toBe("Make it twoTell me a story");
	expect(second.received("agent_message_chunk")).toBe("I look.It is two now.Once upon ");
	await second.agent.request("session/set_mode", { sessionId, modeId: "ask" });
	const set: sdk.SetSessionConfigOptionRequest = { sessionId, configId: "effort", value: "low" };
	const { configOptions: changed } = await second.agent.request("session/set_config_option", set);
	expect(changed.map(({ currentValue }) => currentValue)).toEqual(["ask", "openai-compatible/scripted", "low"]);
	expect(await prompt("What did I ask for?", second)).toMatchObject({ stopReason: "end_turn" });
	const request = model.requests[5]?.body;
	const tools = request?.["tools"] as { function: { name: string } }[];
	expect(JSON.stringify(request?.["messages"])).toMatch(
		/Make it two.*It is two now.*Tell me a story.*Once upon.*What did I ask for\?/s,
	);
	expect(tools.map((tool) => tool.function.name)).not.toContain("edit_file");
	await second.agent.request("session/delete", { sessionId });
	expect((await second.agent.request("session/list", {})).sessions).toEqual([]);
	await second.stop();
});

test.runIf(isAll && process.platform !== "win32")(
	"an SDK client runs the agent's commands in its terminals",
	async () => {
		using home = new Home({ "project/a.txt": "one\n" });
		const model = await startModelServer([
			[{ call: "run_command", id: "c1", input: ['{"command":"cat a.txt; echo \\"[$SEGUE_MODEL]\\"; exit 3"}'] }],
			["It failed."],
		]);
		onTestFinished(() => model.stop());
		const client = await SdkClient.start(home, model, { terminal: true });
		const { sessionId } = await client.agent.request("session/new", { cwd: home.project, mcpServers: [] });
		const prompt = [{ type: "text" as const, text: "Run it" }];
		expect(await client.agent.request("session/prompt", { sessionId, prompt })).toMatchObject({
			stopReason: "end_turn",
		});
		expect(JSON.stringify(model.requests[1]?.body)).toContain("one\\n[]\\n(exit code 3)");
		const shown = client.updates.flatMap((update) => ("content" in update ? [update.content] : []));
		expect(shown).toContainEqual([{ type: "terminal", terminalId: "t1" }]);
		expect(client.terminals.size).toBe(0);
		await client.stop();
	},
	60_000,
);

/** The SDK's client, connected to its own `segue acp`. */
class SdkClient {
	readonly updates: sdk.SessionUpdate[] = [];
	readonly permissions: string[] = [];
	/** The output and exit status of terminals that have not been released. */
	readonly terminals = new Map<string, { output: string; readonly exited: Promise<{ exitCode: number | null }> }>();
	readonly agent;
	private updated = () => {};

	private constructor(private readonly segue: ServingSegue) {
		const output = Writable.toWeb(segue.input) as WritableStream<Uint8Array>;
		const input = Readable.toWeb(segue.output) as ReadableStream<Uint8Array>;
		this.agent = sdk
			.client({ name: "test" })
			.onNotification("session/update", ({ params }) => {
				this.updates.push(params.update);
				this.updated();
			})
			.onRequest("session/request_permission", ({ params: { toolCall, options } }) => {
				this.permissions.push(`${toolCall.kind}: ${toolCall.title}`);
				const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId ?? "";
				return { outcome: { outcome: "selected" as const, optionId } };
			})
			.onRequest("terminal/create", ({ params: { command, args = [], env = [], cwd } }) => {
				const terminalId = `t${this.terminals.size + 1}`;
				const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
				const shell = spawn(command, args, {
					cwd: cwd ?? undefined,
					env: { ...process.env, SEGUE_MODEL: "told", ...given },
				});
				const exited = once(shell, "close").then(([exitCode]) => ({ exitCode }));
				const terminal = { output: "", exited };
				shell.stdout.setEncoding("utf8").on("data", (text: string) => {
					terminal.output += text;
				});
				this.terminals.set(terminalId, terminal);
				return { terminalId };
			})
			.onRequest("terminal/wait_for_exit", ({ params }) => this.terminal(params).exited)
			.onRequest("terminal/output", ({ params }) => ({ output: this.terminal(params).output, truncated: false }))
			.onRequest("terminal/release", ({ params }) => {
				this.terminals.delete(params.terminalId);
				return {};
			})
			.connect(sdk.ndJsonStream(output, input)).agent;
	}

	private terminal({ terminalId }: { terminalId: string }) {
		const terminal = this.terminals.get(terminalId);
		if (terminal === undefined) throw sdk.RequestError.resourceNotFound(terminalId);
		return terminal;
	}

	static async start(
		home: Home,
		model: ModelServer,
		clientCapabilities: sdk.ClientCapabilities = {},
	): Promise<SdkClient> {
		const env = { SEGUE_HOME: home.home, SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };
		const client = new SdkClient(serveInProcess(["acp"], { folder: home.project, env }));
		await client.agent.request("initialize", { protocolVersion: 1, clientCapabilities });
		return client;
	}

	/** The text of all updates of one kind, joined. */
	received(kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"): string {
		return this.updates
			.map((update) => (update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : ""))
			.join("");
	}

	/** Resolves once the agent's text ends with this string. */
	until(end: string): Promise<void> {
		return new Promise((resolve) => {
			this.updated = () => {
				if (this.received("agent_message_chunk").endsWith(end)) resolve();
			};
			this.updated();
		});
	}

	/** Requests next edits over the same connection, one at a time, until the returned function is called. */
	suggestRepeatedly(): () => Promise<number> {
		let isOver = false;
		const { agent } = this;
		const run = async () => {
			const uri = "file:///b.ts";
			const { sessionId } = await agent.request<{ sessionId: string }>("nes/start", {});
			const document = { sessionId, uri, languageId: "typescript", version: 1, text: "const total = 0\nlog(total)\n" };
			await agent.notify("document/didOpen", document);
			const range = { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } };
			await agent.notify("document/didChange", {
				sessionId,
				uri,
				version: 2,
				contentChanges: [{ range, text: "sum" }],
			});
			let count = 0;
			const position = { line: 0, character: 9 };
			while (!isOver) {
				const params = { sessionId, uri, version: 2, position, triggerKind: "manual" };
				const { suggestions } = await agent.request<{ suggestions: unknown[] }>("nes/suggest", params);
				expect(suggestions).toHaveLength(1);
				count++;
			}
			return count;
		};
		const running = run();
		return () => {
			isOver = true;
			return running;
		};
	}

	/** Disconnects, as an editor does when the user closes it. */
	async stop(): Promise<void> {
		this.segue.input.end();
		expect(await this.segue.ended).toBe(0);
	}
}

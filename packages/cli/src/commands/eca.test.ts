import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { quirkyLine } from "@segue/testing/agents/quirky-agent";
import { EcaTestClient } from "@segue/testing/editors/eca-client";
import { startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import type { ServingSegue } from "@segue/testing/process/running-segue";
import { servingInMemory } from "@segue/testing/process/segue-in-memory";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test } from "vitest";
import { runSegue } from "../program.js";

const serveInMemory = servingInMemory(runSegue);

// An editor with `segue eca`, in memory or as a process, and a model server over a real socket.

class EcaProcess extends EcaTestClient {
	readonly ended: Promise<number | NodeJS.Signals>;

	constructor(
		home: Home,
		args: readonly string[] = [],
		env: Readonly<Record<string, string>> = {},
		private readonly segue: ServingSegue = serveInMemory(["eca", ...args], settings(home, env)),
	) {
		super(segue.input, segue.output);
		this.ended = segue.ended;
		onTestFinished(async () => {
			segue.kill("SIGTERM");
			await this.ended;
		});
	}

	/** Runs `segue eca` as a separate process. */
	static start(home: Home, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): EcaProcess {
		return new EcaProcess(home, args, env, serveInProcess(["eca", ...args], settings(home, env)));
	}

	terminate(): void {
		this.segue.kill("SIGTERM");
	}

	hello(home: Home, params: object = {}) {
		const workspaceFolders = [{ uri: pathToFileURL(home.project).href, name: "project" }];
		const capabilities = { codeAssistant: { chat: true, rewrite: true } };
		return this.request("initialize", { processId: process.pid, capabilities, workspaceFolders, ...params });
	}

	async turn(message: string): Promise<void> {
		const from = this.messages.length;
		await this.request("chat/prompt", { chatId: "chat-1", message });
		await this.until((messages) => messages.slice(from).some(({ params }) => params?.["status"] === "idle"));
	}

	get text(): string {
		return this.messages
			.filter(({ params }) => params?.["role"] === "assistant")
			.map(({ params }) => (params?.["content"] as { text?: string } | undefined)?.text ?? "")
			.join("");
	}
}

function settings(home: Home, env: Readonly<Record<string, string>>) {
	return { folder: home.project, env: { SEGUE_HOME: home.home, ...env } };
}

/** A killed process is a zombie until its parent waits for it. It counts as dead. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
	} catch {
		return false;
	}
}

test("an editor chats across two processes and approves a change", async () => {
	using home = new Home({ "project/a.txt": "one\n" });
	const model = await startModelServer([
		[{ thought: "Let me see." }, { call: "read_file", id: "c1", input: ['{"path":', '"a.txt"}'] }],
		[{ call: "edit_file", id: "c2", input: ['{"path":"a.txt","old_text":"one","new_text":"two"}'] }],
		["It is two now."],
		["You asked for two."],
	]);
	onTestFinished(() => model.stop());
	const env = { SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };

	// Editors pass these arguments to the original ECA server.
	const first = EcaProcess.start(home, ["server", "--log-level", "debug", "--verbose"], env);
	await first.hello(home);
	first.notify("initialized", {});
	const turn = first.turn("Make it two");
	await first.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
	expect(readFileSync(path.join(home.project, "a.txt"), "utf8")).toBe("one\n");
	first.notify("chat/toolCallApprove", { chatId: "chat-1", toolCallId: "c2" });
	await turn;
	expect(readFileSync(path.join(home.project, "a.txt"), "utf8")).toBe("two\n");
	expect(first.text).toBe("Let me see.It is two now.");
	expect(first.transcript).toContain("config/updated");
	expect((await first.request("shutdown", null)).result).toBeNull();
	first.notify("exit", null);
	expect(await first.ended).toBe(0);

	const second = EcaProcess.start(home, [], env);
	await second.hello(home);
	await second.turn("What did I ask for?");
	expect(second.text).toBe("You asked for two.");
	expect(JSON.stringify(model.requests[3]?.body["messages"])).toMatch(
		/Make it two.*It is two now.*What did I ask for/s,
	);
	second.notify("exit");
	expect(await second.ended).toBe(0);
});

describe("the process exits", () => {
	test.each<[string, (editor: EcaProcess) => void, number]>([
		["with 0 when the editor sends exit without shutdown", (editor) => editor.notify("exit", []), 0],
		["with 0 when its input ends", (editor) => editor.end(), 0],
		["with 143 on SIGTERM", (editor) => editor.terminate(), 143],
	])(
		"%s",
		async (_how, end, code) => {
			using home = new Home();
			const editor = new EcaProcess(home, ["server"]);
			await editor.hello(home);
			end(editor);
			expect(await editor.ended).toBe(code);
		},
		60_000,
	);

	test.runIf(isAll).each<[string, (editor: EcaProcess, parent: ChildProcess) => void, number]>([
		["its input ends", (editor) => editor.end(), 0],
		["it receives SIGTERM", (editor) => editor.terminate(), 143],
		["the editor's process exits", (_editor, parent) => parent.kill("SIGKILL"), 0],
	])(
		"together with its agent processes when %s during a turn with an unresponsive agent",
		async (_how, end, code) => {
			using home = new Home();
			const parent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
			onTestFinished(() => void parent.kill("SIGKILL"));
			const editor = EcaProcess.start(home, ["--agent", quirkyLine("--stubborn")]);
			await editor.hello(home, { processId: parent.pid });
			await editor.turn("pids");
			const pids: number[] = JSON.parse(editor.text);
			await editor.request("chat/prompt", { chatId: "chat-1", message: "deaf" });
			await editor.until(() => editor.text.includes("Ignoring cancellation."));
			end(editor, parent);
			expect(await editor.ended).toBe(code);
			// They are killed immediately instead of after the ten seconds for a regular exit.
			for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
		},
		60_000,
	);

	test("with 0 when its input ends before the first message", async () => {
		using home = new Home();
		const editor = new EcaProcess(home);
		editor.end();
		expect(await editor.ended).toBe(0);
	});

	test("soon after the editor's process, even if its input stays open", async () => {
		using home = new Home();
		const parent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
		const gone = once(parent, "close");
		const editor = new EcaProcess(home);
		await editor.hello(home, { processId: parent.pid });
		parent.kill("SIGKILL");
		await gone;
		expect(await editor.ended).toBe(0);
	});

	test("immediately if the editor's process has already exited", async () => {
		using home = new Home();
		const parent = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
		await once(parent, "close");
		const editor = new EcaProcess(home);
		editor.send({ id: 0, method: "initialize", params: { processId: parent.pid } });
		expect(await editor.ended).toBe(0);
	});
});

test("the protocol version can be set on the command line, after options for other servers", async () => {
	using home = new Home();
	const editor = new EcaProcess(home, ["server", "--log-level", "debug", "--protocol", "2025-06-09"]);
	await editor.hello(home);
	const { result } = await editor.request("chat/prompt", { chatId: "c", message: "Hi" });
	expect(result).toMatchObject({ status: "connection-error", resultMessage: expect.stringMatching(/\w/) });
	await editor.until(() => editor.transcript.includes("assistant text complete"));
	editor.end();
	expect(await editor.ended).toBe(0);
});

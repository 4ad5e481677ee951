import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk";
import { expect, onTestFinished, vi } from "vitest";
import { quirkyAgent } from "./quirky-agent.js";
import { WAIT } from "./wait.js";

const LAUNCHER = path.join(import.meta.dirname, "..", "..", "server", "bin", "segue.js");

/** An editor made with the ACP SDK, with `segue acp --agent` behind it and behind that an agent that shows what real ones do. */
export class SdkEditor {
	readonly updates: sdk.SessionUpdate[] = [];
	/** All that came, as it came, also what the SDK makes nothing of. */
	readonly messages: sdk.AnyMessage[] = [];
	readonly asked: sdk.RequestPermissionRequest[] = [];
	/** What the editor was to write. */
	readonly written: sdk.WriteTextFileRequest[] = [];
	/** What is open. */
	documents: { readonly uri: string; readonly languageId: string }[] | undefined;
	/** Everything that came for any session but ours. */
	readonly strange: unknown[] = [];
	/** What came, in order, by its kind. */
	readonly told: string[] = [];
	answer: string | undefined = "yes";
	/** What it answers when it has written a file: nothing or an empty object, as editors differ. */
	wrote: null | Record<string, never> = null;
	stderr = "";
	sessionId = "";
	readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-front-")));
	readonly folder = path.join(this.root, "work");
	readonly temporary = path.join(this.root, "tmp");
	private readonly processes: ChildProcess[] = [];
	agent: sdk.ClientContext;

	constructor(
		private readonly flags: readonly string[],
		private readonly capabilities: sdk.ClientCapabilities = {},
	) {
		mkdirSync(this.folder);
		mkdirSync(this.temporary);
		writeFileSync(path.join(this.folder, "a.txt"), "one\n");
		this.agent = this.start();
		onTestFinished(async () => {
			for (const child of this.processes) await ended(child);
			rmSync(this.root, { recursive: true, force: true });
		});
	}

	/** Another process of Segue, on the same store. */
	start(...more: readonly string[]): sdk.ClientContext {
		const child = spawn(process.execPath, [LAUNCHER, "acp", "--agent", this.line(...more)], {
			cwd: this.folder,
			env: {
				PATH: process.env["PATH"],
				HOME: this.root,
				TMPDIR: this.temporary,
				SEGUE_HOME: path.join(this.root, "home"),
			},
			stdio: ["pipe", "pipe", "pipe"],
		});
		this.processes.push(child);
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			this.stderr += text;
		});
		const app = sdk
			.client({ name: "editor" })
			.onNotification("session/update", ({ params }) => {
				if (this.sessionId !== "" && params.sessionId !== this.sessionId) this.strange.push(params);
				this.updates.push(params.update);
				this.told.push(params.update.sessionUpdate);
			})
			.onRequest("session/request_permission", ({ params }) => {
				this.asked.push(params);
				this.told.push("permission");
				const { answer } = this;
				if (answer === undefined) return { outcome: { outcome: "cancelled" } };
				return { outcome: { outcome: "selected", optionId: answer } };
			})
			// As some editors answer: an error for what they have not open.
			.onRequest("fs/read_text_file", () => {
				throw sdk.RequestError.internalError();
			})
			.onRequest("fs/write_text_file", ({ params }) => {
				this.written.push(params);
				return this.wrote as sdk.WriteTextFileResponse;
			})
			.onRequest("terminal/create", () => ({ terminalId: "mine" }))
			.onRequest("terminal/output", ({ params }) => ({ output: `of ${params.terminalId}`, truncated: false }))
			.onRequest("terminal/wait_for_exit", () => ({ exitCode: 7 }))
			.onRequest("terminal/release", () => ({}))
			.onRequest("*", ({ method, params }) => {
				if (method !== "_own/request" && method !== "workspace/open_documents")
					throw sdk.RequestError.methodNotFound(method);
				return { heard: params, documents: this.documents };
			});
		const { readable, writable } = sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as never);
		const heard = new TransformStream<sdk.AnyMessage, sdk.AnyMessage>({
			transform: (message, next) => {
				this.messages.push(message);
				next.enqueue(message);
			},
		});
		const stream = { readable: readable.pipeThrough(heard), writable };
		return app.connect(stream).agent;
	}

	async initialize(): Promise<sdk.InitializeResponse> {
		return this.agent.request("initialize", { protocolVersion: 1, clientCapabilities: this.capabilities });
	}

	/** The agent's command line. */
	line(...more: readonly string[]): string {
		const { command, args } = quirkyAgent(...this.flags, ...more);
		return [command, ...args].map((word) => `"${word}"`).join(" ");
	}

	/** Connects, and begins a session. */
	async open(): Promise<sdk.NewSessionResponse> {
		await this.initialize();
		return this.begin();
	}

	async begin(cwd = this.folder): Promise<sdk.NewSessionResponse> {
		const session = await this.agent.request("session/new", { cwd, mcpServers: [] });
		this.sessionId = session.sessionId;
		return session;
	}

	async prompt(text: string): Promise<sdk.PromptResponse> {
		return this.agent.request("session/prompt", { sessionId: this.sessionId, prompt: [{ type: "text", text }] });
	}

	/** What the agent said. */
	get text(): string {
		return this.updates
			.map((update) => {
				if (update.sessionUpdate !== "agent_message_chunk") return "";
				return update.content.type === "text" ? update.content.text : "";
			})
			.join("");
	}

	/** How calls were told to be, in order. */
	get statuses(): unknown[] {
		return this.updates.flatMap((update) => ("status" in update ? [update.status] : []));
	}

	async until(text: string): Promise<void> {
		await vi.waitFor(() => expect(this.text).toContain(text), WAIT);
	}

	/** The process that was started last ends by a signal. Gives its exit code. */
	async kill(signal: NodeJS.Signals): Promise<number | null> {
		const child = this.processes.at(-1) as ChildProcess;
		const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
		child.kill(signal);
		return exit;
	}

	/** The process that was started last ends as an editor ends it. */
	async end(): Promise<void> {
		await ended(this.processes.at(-1) as ChildProcess);
	}
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exit = new Promise((resolve) => child.once("exit", resolve));
	child.stdin?.end();
	await exit;
}

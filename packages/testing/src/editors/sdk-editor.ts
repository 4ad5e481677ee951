import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk";
import { expect, onTestFinished, vi } from "vitest";
import { quirkyLine } from "../agents/quirky-agent.js";
import type { ServingSegue } from "../process/running-segue.js";
import { type RunSegue, servingInMemory } from "../process/segue-in-memory.js";
import { serveInProcess } from "../process/segue-process.js";
import { WAIT } from "../setup/tier.js";

/**
 * An editor built on the ACP SDK and connected to `segue acp --agent` with a quirky agent. All three run in this thread
 * over in-memory streams, unless `withProcesses` creates them.
 */
export class SdkEditor {
	readonly updates: sdk.SessionUpdate[] = [];
	/** All raw messages received, including those that the SDK ignores. */
	readonly messages: sdk.AnyMessage[] = [];
	readonly permissionRequests: sdk.RequestPermissionRequest[] = [];
	/** Params of `fs/write_text_file` requests. */
	readonly written: sdk.WriteTextFileRequest[] = [];
	/** The open documents. */
	documents: { readonly uri: string; readonly languageId: string }[] | undefined;
	/** Updates for other sessions. */
	readonly otherSessions: unknown[] = [];
	/** The kinds of all updates and permission requests, in order. */
	readonly transcript: string[] = [];
	/** The option to select in permission requests, which are cancelled if this is undefined. */
	answer: string | undefined = "yes";
	/** The result of `fs/write_text_file`. Some editors return null, others an empty object. */
	writeResult: null | Record<string, never> = null;
	stderr = "";
	sessionId = "";
	readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-front-")));
	readonly folder = path.join(this.root, "work");
	readonly temporary = path.join(this.root, "tmp");
	private readonly running: ServingSegue[] = [];
	agent: sdk.ClientContext;

	constructor(
		/** Undefined if `segue` runs as a process. */
		private readonly run: RunSegue | undefined,
		private readonly flags: readonly string[],
		private readonly capabilities: sdk.ClientCapabilities = {},
	) {
		mkdirSync(this.folder);
		mkdirSync(this.temporary);
		writeFileSync(path.join(this.folder, "a.txt"), "one\n");
		this.agent = this.start();
		onTestFinished(async () => {
			for (const each of this.running) each.input.end();
			await Promise.all(this.running.map(({ ended }) => ended));
			rmSync(this.root, { recursive: true, force: true });
		});
	}

	/** Runs `segue acp` and its agent as processes. */
	static withProcesses(flags: readonly string[], capabilities?: sdk.ClientCapabilities): SdkEditor {
		return new SdkEditor(undefined, flags, capabilities);
	}

	/** Starts Segue, or restarts it with the same store. */
	start(...more: readonly string[]): sdk.ClientContext {
		const args = ["acp", "--agent", this.line(...more)];
		const env = { HOME: this.root, TMPDIR: this.temporary, SEGUE_HOME: path.join(this.root, "home") };
		const complain = (text: string) => {
			this.stderr += text;
		};
		const serve = this.run === undefined ? serveInProcess : servingInMemory(this.run);
		const running = serve(args, { folder: this.folder, env, complain });
		this.running.push(running);
		const app = sdk
			.client({ name: "editor" })
			.onNotification("session/update", ({ params }) => {
				if (this.sessionId !== "" && params.sessionId !== this.sessionId) this.otherSessions.push(params);
				this.updates.push(params.update);
				this.transcript.push(params.update.sessionUpdate);
			})
			.onRequest("session/request_permission", ({ params }) => {
				this.permissionRequests.push(params);
				this.transcript.push("permission");
				const { answer } = this;
				if (answer === undefined) return { outcome: { outcome: "cancelled" } };
				return { outcome: { outcome: "selected", optionId: answer } };
			})
			// Fails for files that are not open, as some editors do.
			.onRequest("fs/read_text_file", () => {
				throw sdk.RequestError.internalError();
			})
			.onRequest("fs/write_text_file", ({ params }) => {
				this.written.push(params);
				return this.writeResult as sdk.WriteTextFileResponse;
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
		const { readable, writable } = sdk.ndJsonStream(
			Writable.toWeb(running.input),
			Readable.toWeb(running.output) as never,
		);
		const recorder = new TransformStream<sdk.AnyMessage, sdk.AnyMessage>({
			transform: (message, next) => {
				this.messages.push(message);
				next.enqueue(message);
			},
		});
		const stream = { readable: readable.pipeThrough(recorder), writable };
		return app.connect(stream).agent;
	}

	async initialize(): Promise<sdk.InitializeResponse> {
		return this.agent.request("initialize", { protocolVersion: 1, clientCapabilities: this.capabilities });
	}

	/** Returns the agent's command line. */
	line(...more: readonly string[]): string {
		return quirkyLine(...this.flags, ...more);
	}

	/** Initializes the connection and starts a session. */
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

	/** All text from the agent. */
	get text(): string {
		return this.updates
			.map((update) => {
				if (update.sessionUpdate !== "agent_message_chunk") return "";
				return update.content.type === "text" ? update.content.text : "";
			})
			.join("");
	}

	/** The statuses of tool calls, in order. */
	get statuses(): unknown[] {
		return this.updates.flatMap((update) => ("status" in update ? [update.status] : []));
	}

	async until(text: string): Promise<void> {
		await vi.waitFor(() => expect(this.text).toContain(text), WAIT);
	}

	/** Sends a signal to the most recently started Segue process, and returns its exit code. */
	async kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
		this.running.at(-1)?.kill(signal);
		return this.running.at(-1)?.ended;
	}

	/** Stops the most recently started Segue process as editors do, by closing its input. */
	async end(): Promise<void> {
		this.running.at(-1)?.input.end();
		await this.running.at(-1)?.ended;
	}
}

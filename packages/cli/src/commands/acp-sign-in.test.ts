import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Chat } from "@segue/agent/chat/chat";
import { LazyChat } from "@segue/agent/chat/lazy-chat";
import * as acp from "@segue/protocol/acp";
import { withChat } from "@segue/server";
import { FakeClock } from "@segue/testing/clock";
import { AcpEditor } from "@segue/testing/editors/acp-editor";
import { SdkEditor } from "@segue/testing/editors/sdk-editor";
import { Home } from "@segue/testing/process/home";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { settled } from "@segue/testing/rpc/peers";
import { isAll } from "@segue/testing/setup/tier";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runSegue } from "../program.js";

afterEach(() => {
	vi.unstubAllEnvs();
});

const SIGN_IN_REQUIRED = { code: -32000, message: expect.stringMatching(/requires you to sign in/) };

describe("an agent behind Segue that requires signing in", () => {
	test("lets the editor sign in and out at any time", async () => {
		const editor = new SdkEditor(runSegue, ["--auth"]);
		expect(await editor.initialize()).toMatchObject({
			authMethods: [{ id: "quirky-api-key", name: "A key", description: "QUIRKY_API_KEY" }],
			agentCapabilities: { auth: { logout: {} } },
		});
		const signIn = { methodId: "quirky-api-key", _meta: { own: 1 } };
		await expect(editor.begin()).rejects.toMatchObject(SIGN_IN_REQUIRED);
		expect(await editor.agent.request("authenticate", signIn)).toEqual({ _meta: { own: 1 } });
		await editor.begin();
		await expect(editor.prompt("expire")).rejects.toMatchObject(SIGN_IN_REQUIRED);
		await editor.agent.request("authenticate", signIn);
		await editor.prompt("say Again.");
		expect(editor.text).toBe("Again.");
		await editor.agent.request("logout", {});
		await expect(editor.begin()).rejects.toMatchObject(SIGN_IN_REQUIRED);
	});

	test("lists its sign-in methods in the error for a new session", async () => {
		const editor = new SdkEditor(runSegue, ["--auth"]);
		await editor.initialize();
		const authMethods = [{ id: "quirky-api-key", name: "A key", description: "QUIRKY_API_KEY" }];
		await expect(editor.begin()).rejects.toMatchObject({ ...SIGN_IN_REQUIRED, data: { authMethods } });
	});

	test("stays signed in when a session in another folder starts another process", async () => {
		const editor = new SdkEditor(runSegue, ["--auth"]);
		await editor.initialize();
		await editor.agent.request("authenticate", { methodId: "quirky-api-key" });
		await editor.begin(editor.temporary);
		await editor.prompt("say Here.");
		expect(editor.text).toBe("Here.");
	});

	test("rejects an unknown sign-in method, and the editor receives the error", async () => {
		const editor = new SdkEditor(runSegue, ["--auth"]);
		await editor.initialize();
		const signingIn = editor.agent.request("authenticate", { methodId: "none" });
		await expect(signingIn).rejects.toMatchObject({
			code: -32602,
			message: expect.stringContaining("only API keys are accepted"),
		});
	});
});

describe("an agent behind Segue with a terminal sign-in", () => {
	const TERMINAL = { auth: { terminal: true } };

	test("runs in the terminal with its own arguments", async () => {
		const editor = new SdkEditor(runSegue, ["--terminal"], TERMINAL);
		const { authMethods = [] } = await editor.initialize();
		expect(authMethods).toMatchObject([{ id: "in-terminal", type: "terminal", env: { QUIRKY_OWN: "1" } }]);
		const [method] = authMethods as { args: string[]; env: Record<string, string> }[];
		const { args = [], env = {} } = method ?? {};
		const signIn = new SegueProcess(["acp", "--agent", editor.line(), ...args], { folder: editor.folder, env });
		expect(await signIn.ended).toBe(7);
		expect(signIn.stdout).toBe("signed in with 1\n");
	});

	test("offers no sign-in method to an editor without terminals", async () => {
		const editor = new SdkEditor(runSegue, ["--terminal"]);
		expect(await editor.initialize()).toMatchObject({ authMethods: [] });
	});
});

describe("initialize with an agent behind Segue", () => {
	test("reports the agent's prompt capabilities", async () => {
		const editor = new SdkEditor(runSegue, ["--audio"]);
		expect(await editor.initialize()).toMatchObject({
			authMethods: [],
			agentCapabilities: {
				loadSession: true,
				promptCapabilities: { image: false, audio: true, embeddedContext: true },
				mcpCapabilities: { http: false, sse: false },
			},
		});
	});

	test("reports the sign-in methods from the agent's last run, without waiting for the agent", async () => {
		const folder = mkdtempSync(path.join(tmpdir(), "segue-silent-"));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const silence = path.join(folder, "silence");
		const editor = new SdkEditor(runSegue, ["--auth", `--silent-with=${silence}`]);
		const first = await editor.initialize();
		await editor.end();
		writeFileSync(silence, "");
		editor.agent = editor.start();
		expect(await editor.initialize()).toEqual(first);
		expect(first).toMatchObject({
			authMethods: [{ id: "quirky-api-key" }],
			agentCapabilities: { auth: { logout: {} } },
		});
		const stored = readFileSync(path.join(editor.root, "home", "agents.json"), "utf8");
		expect(stored).not.toContain("silence");
	});

	test.runIf(isAll)("succeeds if the agent exits", async () => {
		const editor = SdkEditor.withProcesses(["--broken"]);
		expect(await editor.initialize()).toMatchObject({ authMethods: [], agentInfo: { name: "segue" } });
		await expect(editor.begin()).rejects.toMatchObject({ message: expect.stringContaining("No model is configured") });
	});

	test("waits at most ten seconds for an agent that has never been started", async () => {
		const clock = new FakeClock();
		const chat: Chat = {
			acquireEngine: () => Promise.reject(new Error("no chat")),
			clock,
			agent: { folder: "/", open: () => new Promise(() => {}) },
		};
		const editor = new AcpEditor({ chat: withChat(chat) });
		const answer = editor.initialize();
		await settled();
		clock.advance(9_999);
		await settled();
		expect(editor.transcript).toEqual([]);
		clock.advance(1);
		expect(await answer).toMatchObject({ authMethods: [], agentCapabilities: { loadSession: true } });
	});
});

test("initialize reports why the agent's capabilities are unknown", async () => {
	const error = new Error("It could not be started.");
	const chat: Chat = {
		acquireEngine: () => Promise.reject(new Error("no chat")),
		clock: new FakeClock(),
		agent: { folder: "/", open: () => Promise.reject(error) },
	};
	const editor = new AcpEditor({ chat: withChat(chat) });
	expect(await editor.initialize()).toMatchObject({ authMethods: [] });
	expect(editor.problems).toMatchObject([{ method: "initialize", error }]);
});

describe("a model that needs a key", () => {
	/** Returns the authentication methods that an editor receives. */
	async function offered({ home }: Home, env: Readonly<Record<string, string>>, terminal = true) {
		const all = { ANTHROPIC_API_KEY: "", SEGUE_MODEL: "", ...env, SEGUE_HOME: home };
		for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
		const editor = new AcpEditor({ chat: withChat(new LazyChat(undefined, () => {}, process)) });
		return (await editor.initialize({ auth: { terminal } })).authMethods ?? [];
	}

	const MODEL = { SEGUE_MODEL: "anthropic/claude" };

	test("offers to store its key in the editor's terminal, until the key is stored", async () => {
		using home = new Home();
		const [method] = await offered(home, MODEL);
		expect(method).toEqual({
			id: "login-anthropic",
			name: "Key for anthropic",
			description: "Saves a key for anthropic, like segue login anthropic.",
			type: "terminal",
			args: ["--login", "anthropic"],
			env: {},
		});
		// Editors append these arguments to their own.
		const { home: SEGUE_HOME, project: folder } = home;
		const args = ["acp", "--sync", "both", ...(method?.args ?? [])];
		const login = new SegueProcess(args, { folder, env: { SEGUE_HOME }, input: "sk-ant-0123456789\n" });
		expect(await login.ended).toBe(0);
		expect(await offered(home, MODEL)).toEqual([]);
	});

	test("works on the same connection once the key is stored, even in open sessions", async () => {
		using home = new Home();
		for (const [name, value] of Object.entries({ ...MODEL, ANTHROPIC_API_KEY: "", SEGUE_HOME: home.home })) {
			vi.stubEnv(name, value);
		}
		const chat = new LazyChat(undefined, () => {}, process);
		onTestFinished(() => chat.close());
		const editor = new AcpEditor({ chat: withChat(chat) });
		await editor.initialize({ auth: { terminal: true } });
		const { engine } = await chat.acquireEngine(home.project);
		const signIn = () => editor.client.request(acp.authenticate, { methodId: "login-anthropic" });
		await expect(signIn()).rejects.toMatchObject({
			code: -32000,
			message: expect.stringMatching(/Run the agent in a/),
		});
		expect(engine.models.choose(undefined)).toMatchObject({ why: expect.stringMatching(/no key/) });
		home.write("home/credentials.json", { anthropic: "sk-ant-0123456789" });
		expect(await signIn()).toEqual({});
		expect(engine.models.choose(undefined)).toMatchObject({ name: "anthropic/claude" });
		await expect(editor.client.request(acp.authenticate, { methodId: "login-none" })).rejects.toMatchObject({
			code: -32602,
		});
	});

	test.each<[string, Record<string, string>, boolean]>([
		["an editor without terminals", MODEL, false],
		["a model that needs no key", { SEGUE_MODEL: "ollama/qwen3" }, true],
		["no model", {}, true],
		["a key in the environment", { ...MODEL, ANTHROPIC_API_KEY: "sk-ant-0123456789" }, true],
	])("offers no sign-in method with %s", async (_what, env, terminal) => {
		using home = new Home();
		expect(await offered(home, env, terminal)).toEqual([]);
	});
});

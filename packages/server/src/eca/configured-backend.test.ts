// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ECA's configuration
import { readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { contentLength } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { QuirkyAgents, quirkyLine } from "@segue/testing/agents/quirky-agent";
import { type EcaMessage, EcaTestClient } from "@segue/testing/editors/eca-client";
import { ECA_CURRENT } from "@segue/testing/editors/eca-editor";
import { type ModelAnswer, startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfiguredBackend } from "./configured-backend.js";
import { serveEca } from "./eca-server.js";

const KEY = "sk-of-a-test-1234567890";

interface Situation {
	readonly home?: Home;
	readonly options?: object;
	readonly env?: Readonly<Record<string, string>>;
	readonly agent?: string;
	readonly capabilities?: object;
}

/** An editor connected to a server with the same setup as `segue eca`. */
class EditorFixture extends EcaTestClient {
	readonly notices: string[] = [];

	private constructor(
		readonly home: Home,
		input: PassThrough,
		output: PassThrough,
		{ env, agent }: Situation,
	) {
		super(input, output);
		const folder = home.project;
		const backend = new ConfiguredBackend({
			...{ env: { SEGUE_HOME: home.home, ...env }, folder, agent, startAgent: new QuirkyAgents().start },
			notify: (notice) => this.notices.push(notice),
		});
		const report = () => {};
		const { closed } = serveEca(overStreams(input, output, contentLength), {
			backend,
			version: "1.2.3",
			report,
			folder,
		});
		onTestFinished(async () => {
			this.end();
			await closed;
			await backend.close();
			home[Symbol.dispose]();
		});
	}

	static async open(situation: Situation = {}): Promise<EditorFixture> {
		const { home = new Home(), options = {}, capabilities = ECA_CURRENT } = situation;
		const editor = new EditorFixture(home, new PassThrough(), new PassThrough(), situation);
		await editor.request("initialize", {
			capabilities: { codeAssistant: capabilities },
			initializationOptions: options,
		});
		return editor;
	}

	/** Waits for the next notification with this method and returns its params. */
	async next(method: string, act: () => unknown): Promise<NonNullable<EcaMessage["params"]>> {
		const from = this.messages.length;
		await act();
		const isIt = (message: EcaMessage) => message.method === method;
		await this.until((messages) => messages.slice(from).some(isIt));
		return this.messages.slice(from).find(isIt)?.params ?? {};
	}

	/** Runs a turn in the chat `c`. */
	async turn(message: string): Promise<void> {
		const from = this.messages.length;
		await this.request("chat/prompt", { chatId: "c", message });
		await this.until(() => this.transcript.slice(from).includes("status idle"));
	}

	chosen(act: () => unknown): Promise<unknown> {
		return this.next("config/updated", act);
	}

	async provider(id: string) {
		const { result } = await this.request("providers/list", null);
		return result.providers.find((each: { id: string }) => each.id === id);
	}

	/** All messages to the editor and all of the backend's notices. */
	get everything(): string {
		return JSON.stringify([this.messages, this.notices]);
	}
}

async function modelServer(...answers: readonly ModelAnswer[]) {
	const server = await startModelServer(answers);
	onTestFinished(() => server.stop());
	return server;
}

test("an editor can switch folders any number of times", async () => {
	const editor = await EditorFixture.open();
	let from = editor.home.project;
	// More than the maximum number of engines.
	for (let i = 0; i < 70; i++) {
		const to = path.join(editor.home.project, `${i}`);
		const [added, removed] = [to, from].map((each) => [{ uri: pathToFileURL(each).href, name: "w" }]);
		editor.notify("workspace/didChangeWorkspaceFolders", { event: { added, removed } });
		const { error } = await editor.request("chat/list");
		expect(error).toBe(undefined);
		from = to;
	}
});

test("completions are suppressed by a configuration file or the editor's settings", async () => {
	const home = new Home({ "home/config.json": { nextEdit: { offInFiles: ["*.css"] } } });
	const editor = await EditorFixture.open({ home, options: { nextEdit: { offInLanguages: ["javascript"] } } });
	const reasonIn = async (file: string) => {
		const params = { path: file, docText: "a", docVersion: 1, position: { line: 1, character: 2 } };
		return (await editor.request("completion/inline", params)).result.reason;
	};
	expect(await reasonIn("a.js")).toBe("off-in-language");
	expect(await reasonIn("a.css")).toBe("off-in-file");
	expect(await reasonIn("a.ts")).toBe("nothing-found");
});

describe("an ECA user's configuration", () => {
	test("selects the model, the key and the agent for prompts", async () => {
		const server = await modelServer(["Hello"]);
		const url = server.url.replace(/\/v1$/, "");
		const editor = await EditorFixture.open({
			env: { COMPANY_KEY: KEY },
			options: {
				providers: {
					company: { api: "openai-responses", url, key: "${env:COMPANY_KEY}", models: { small: {}, large: {} } },
				},
				"default-model": "company/large",
				chat: { defaultAgent: "plan" },
			},
		});
		expect(await editor.chosen(() => editor.notify("initialized"))).toEqual({
			chat: {
				models: ["company/large", "company/small"],
				agents: ["code", "plan", "ask"],
				selectModel: "company/large",
				selectAgent: "plan",
				variants: ["low", "medium", "high"],
				selectVariant: null,
				...{ defaultModel: "company/large", defaultAgent: "plan" },
				...{ behaviors: ["code", "plan", "ask"], selectBehavior: "plan", defaultBehavior: "plan" },
				welcomeMessage: expect.stringMatching(/^Segue 1\.2\.3\./),
			},
		});
		await editor.turn("Hi");
		expect(editor.transcript).toContain("assistant text Hello");
		const [request] = server.requests;
		expect(request?.headers["authorization"]).toBe(`Bearer ${KEY}`);
		expect(request?.body).toMatchObject({ model: "large" });
		expect(editor.everything).not.toContain(KEY);
	});

	test("takes precedence over the user's files, which provide the other settings", async () => {
		const local = { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", models: { theirs: {} } };
		const home = new Home({ "home/config.json": { model: "local/theirs", providers: { local } } });
		const options = { providers: { local: { models: { ours: {} } } } };
		const editor = await EditorFixture.open({ home, options: { ...options, defaultModel: "local/ours" } });
		const { chat } = (await editor.chosen(() => editor.notify("initialized"))) as { chat: object };
		expect(chat).toMatchObject({ models: ["local/ours", "local/theirs"], selectModel: "local/ours" });
		const other = await EditorFixture.open({
			home: new Home({ "home/config.json": { model: "local/theirs", providers: { local } } }),
			options,
		});
		expect(await other.chosen(() => other.notify("initialized"))).toMatchObject({
			chat: { selectModel: "local/theirs" },
		});
	});

	test("is reported if parts of it are invalid, and the server still starts", async () => {
		const editor = await EditorFixture.open({
			options: { providers: { mine: { api: "openai-chat", url: "MY_URL", key: "MY_KEY" } }, hooks: { a: {} } },
		});
		const shown = () => editor.messages.filter(({ method }) => method === "$/showMessage").map(({ params }) => params);
		await editor.until(() => shown().length === 2);
		expect(shown()).toEqual([
			{
				type: "warning",
				message: expect.stringMatching(/^initializationOptions\.providers\.mine: url must be a URL/),
			},
			{ type: "warning", message: "initializationOptions.hooks: hooks are not supported." },
		]);
		expect(editor.everything).not.toContain("MY_KEY");
		expect(await editor.provider("mine")).toBeUndefined();
	});

	test("can disable an MCP server", async () => {
		const editor = await EditorFixture.open({
			options: { mcpServers: { off: { command: "no-such-command", disabled: true } } },
		});
		const isOff = ({ params }: EcaMessage) => params?.["name"] === "off";
		editor.notify("initialized");
		await editor.until((messages) => messages.some(({ params }) => params?.["type"] === "finish"));
		expect(editor.messages.filter(isOff).map(({ params }) => params)).toEqual([
			expect.objectContaining({ type: "mcp", command: "no-such-command", status: "disabled", disabled: true }),
		]);
	});

	test("causes an error with the next step if a configuration file is invalid", async () => {
		const editor = await EditorFixture.open({ home: new Home({ "home/config.json": { model: 5 } }) });
		const shown = await editor.next("$/showMessage", () => editor.notify("initialized"));
		expect(shown).toMatchObject({
			type: "error",
			message: expect.stringMatching(/config\.json:1:10: model must be PROVIDER\/MODEL/),
		});
	});
});

describe("a provider", () => {
	const remote = { type: "openai-compatible", baseUrl: "https://llm.example/v1" };
	const configured = {
		far: remote,
		near: { ...remote, baseUrl: "http://localhost:9/v1", models: { m: { images: true } } },
	};
	const situation = {
		env: { ANTHROPIC_API_KEY: KEY },
		options: {
			providers: {
				google: { key: KEY },
				headed: { api: "anthropic", url: "https://a.example", extraHeaders: { "X-A": "b" } },
			},
		},
	};

	test.for<[string, object]>([
		[
			"anthropic",
			{
				label: "Anthropic",
				configured: true,
				auth: { status: "authenticated", type: "api-key", source: "env", envVar: "ANTHROPIC_API_KEY" },
			},
		],
		["openai", { label: "OpenAI", configured: false, auth: { status: "unauthenticated", envVar: "OPENAI_API_KEY" } }],
		["openrouter", { configured: false, auth: { status: "authenticated", type: "api-key", source: "login" } }],
		[
			"google",
			{ label: "Google", configured: true, auth: { status: "authenticated", type: "api-key", source: "config" } },
		],
		["headed", { configured: true, auth: { status: "authenticated", source: "config" } }],
		["far", { configured: true, auth: { status: "unauthenticated" }, models: [] }],
		[
			"near",
			{
				configured: true,
				auth: { status: "local" },
				models: [{ id: "m", capabilities: { reason: false, vision: true, tools: true, webSearch: false } }],
			},
		],
		["ollama", { label: "Ollama", configured: false, auth: { status: "local" } }],
		["openai-compatible", { configured: false, auth: { status: "unauthenticated" } }],
	])("%s is listed with its status", async ([id, expected]) => {
		const home = new Home({
			"home/config.json": { providers: configured },
			"home/credentials.json": { openrouter: KEY },
		});
		const editor = await EditorFixture.open({ ...situation, home });
		const { configured: _is, ...others } = expected as { configured: boolean };
		expect(await editor.provider(id)).toMatchObject(id === "openrouter" ? others : expected);
		expect(editor.everything).not.toContain(KEY);
	});

	test("supports signing in and out, with immediate effect on chats", async () => {
		const server = await modelServer({ refuse: "wrong-key" }, ["Hello"]);
		const anthropic = { baseUrl: server.url, models: { small: {} } };
		const editor = await EditorFixture.open({
			home: new Home({ "home/config.json": { model: "anthropic/small", providers: { anthropic } } }),
		});
		await editor.turn("Hello");
		const keys = path.join(editor.home.home, "credentials.json");
		expect((await editor.request("providers/login", { provider: "anthropic", method: "api-key" })).result).toEqual({
			action: "input",
			fields: [{ key: "key", label: "API key for Anthropic", type: "secret" }],
		});
		const updated = await editor.next("providers/updated", async () => {
			const { result } = await editor.request("providers/loginInput", {
				provider: "anthropic",
				data: { key: ` ${KEY}\n` },
			});
			expect(result).toEqual({ action: "done" });
		});
		expect(updated).toMatchObject({ id: "anthropic", auth: { status: "authenticated", source: "login" } });
		expect(editor.messages.at(-2)?.method).toBe("config/updated");
		expect(JSON.parse(readFileSync(keys, "utf8"))).toEqual({ anthropic: KEY });
		await editor.turn("Hi");
		expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([undefined, KEY]);
		const out = await editor.next("providers/updated", () =>
			editor.request("providers/logout", { provider: "anthropic" }),
		);
		expect(out).toMatchObject({ id: "anthropic", auth: { status: "local" } });
		expect(JSON.parse(readFileSync(keys, "utf8"))).toEqual({});
		expect(editor.everything).not.toContain(KEY);
	});

	test("shows a warning after the user signs in if another key takes precedence", async () => {
		const editor = await EditorFixture.open({ options: { providers: { openai: { key: "another-key" } } } });
		const shown = await editor.next("$/showMessage", () => {
			return editor.request("providers/loginInput", { provider: "openai", data: { "api-key": KEY } });
		});
		expect(shown["message"]).toBe(
			"The key for OpenAI was saved, but the one in the editor's settings takes precedence. Remove it to use this key.",
		);
	});

	test.for<[string, object, RegExp]>([
		["providers/login", { provider: "opnai" }, /unknown provider\. Available: anthropic, openai,/],
		["providers/logout", { provider: "opnai" }, /unknown provider/],
		["providers/loginInput", { provider: "opnai", data: { key: KEY } }, /unknown provider/],
		["providers/loginInput", { provider: "openai", data: {} }, /the API key is missing \(data\.key\)/],
		["providers/loginInput", { provider: "openai", data: { key: "" } }, /The key is empty\. Nothing was stored/],
		["providers/loginInput", { provider: "openai", data: { key: `${KEY} ${KEY}` } }, /A key is one line/],
	])("rejects the login request %s %j", async ([method, params, message]) => {
		const editor = await EditorFixture.open();
		const { error } = await editor.request(method, params);
		expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
		expect(editor.everything).not.toContain(KEY);
	});

	test("rejects a sign-in if keys cannot be stored", async () => {
		const home = new Home();
		const editor = await EditorFixture.open({ home, env: { SEGUE_HOME: home.write("a-file", "") } });
		const { error } = await editor.request("providers/loginInput", { provider: "openai", data: { key: KEY } });
		expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/SEGUE_HOME .* is not a folder/) });
	});
});

describe("an external agent", () => {
	const agent = quirkyLine();

	test("offers its own modes and models in a chat and applies the user's selection", async () => {
		const editor = await EditorFixture.open({ agent });
		const first = await editor.chosen(() => editor.notify("initialized"));
		expect(first).toMatchObject({ chat: { agents: [], variants: [], selectVariant: null } });
		await editor.turn("Hi");
		const chosen = await editor.chosen(() =>
			editor.notify("chat/selectedAgentChanged", { chatId: "c", agent: "wild" }),
		);
		expect(chosen).toMatchObject({
			chatId: "c",
			chat: { selectAgent: "wild", agents: expect.arrayContaining(["wild"]) },
		});
		const shown = await editor.next("$/showMessage", () => {
			editor.notify("chat/selectedAgentChanged", { chatId: "c", agent: "none" });
		});
		expect(shown["message"]).toMatch(/does not offer this agent\.$/);
	});

	test("shows a warning if the user changes its settings before a chat has started", async () => {
		const editor = await EditorFixture.open({ agent });
		const shown = await editor.next("$/showMessage", () => editor.notify("chat/selectedModelChanged", { model: "x" }));
		expect(shown["message"]).toMatch(/has separate settings for each chat\. Choose again once the chat has started\.$/);
	});
});

describe("changing an MCP server in the editor", () => {
	const SERVER = { command: process.execPath, args: ["-e", "process.exit(1)"] };

	/** Opens an editor with this user configuration and waits until the editor has received the servers. */
	async function opened(user?: object, situation: Situation = {}): Promise<EditorFixture> {
		const editor = await EditorFixture.open({ ...situation, home: new Home(user && { "home/config.json": user }) });
		await editor.next("$/progress", () => editor.notify("initialized"));
		await editor.until((messages) => messages.some(({ params }) => params?.["type"] === "finish"));
		return editor;
	}
	const written = (editor: EditorFixture) =>
		JSON.parse(readFileSync(path.join(editor.home.home, "config.json"), "utf8"));

	test("adds the server to the user's file and starts it", async () => {
		const editor = await opened({ model: "openai/m" });
		const updated = editor.next("tool/serverUpdated", () => {});
		const { result } = await editor.request("mcp/addServer", { name: "files", ...SERVER, env: { A_B: "1" } });
		expect(result).toMatchObject({ server: { type: "mcp", name: "files", command: SERVER.command } });
		expect(JSON.stringify(result)).not.toContain("A_B");
		expect(written(editor)).toEqual({ model: "openai/m", mcpServers: { files: { ...SERVER, env: { A_B: "1" } } } });
		expect(await updated).toMatchObject({ name: "files", status: "stopped" });
		await editor.until((messages) => messages.some(({ params }) => params?.["status"] === "failed"));
	});

	test("updates the user's file and restarts the server", async () => {
		const editor = await opened({ mcpServers: { files: { command: "none", env: { KEY: "1" } } } });
		const from = editor.messages.length;
		expect((await editor.request("mcp/updateServer", { name: "files", ...SERVER })).result).toEqual({});
		expect(written(editor)).toEqual({ mcpServers: { files: { ...SERVER, env: { KEY: "1" } } } });
		await editor.until((messages) => messages.slice(from).some(({ params }) => params?.["status"] === "starting"));
	});

	test("removes the server from the user's file and sends the notification before the response", async () => {
		const editor = await opened({ mcpServers: { files: { command: "none" } } });
		const from = editor.messages.length;
		const { result } = await editor.request("mcp/removeServer", { name: "files" });
		expect(result).toEqual({ name: "files", removed: true });
		expect(editor.transcript.slice(from)).toEqual(["tool/serverRemoved", expect.stringMatching(/^answer/)]);
		expect(written(editor)).toEqual({ mcpServers: {} });
	});

	test.each([
		["added twice", { name: "files", command: "x" }, /already configured/],
		["added to the workspace", { name: "web", command: "x", scope: "workspace" }, /does not add servers to a project/],
		["added with OAuth credentials", { name: "web", url: "https://a.example/", clientId: "x" }, /cannot sign in/],
		["added disabled", { name: "web", command: "x", disabled: true }, /cannot add a disabled server/],
		["added without a command", { name: "web" }, /must have a command or a url/],
	])("fails and writes nothing if the server is %s", async (_what, params, why) => {
		const user = { mcpServers: { files: { command: "none" } } };
		const editor = await opened(user);
		const { result } = await editor.request("mcp/addServer", params);
		expect(result.error).toEqual({ code: "invalid", message: expect.stringMatching(why) });
		expect(written(editor)).toEqual(user);
	});

	test.each<[string, object, RegExp]>([
		["no file", {}, /The MCP server files is not configured/],
		["the editor's settings", { mcpServers: { files: { command: "none" } } }, /is configured in .*\. Change it there/],
	])("cannot update or remove a server in %s", async (_where, options, why) => {
		const editor = await opened(undefined, { options });
		expect((await editor.request("mcp/removeServer", { name: "files" })).result.error.message).toMatch(why);
		expect((await editor.request("mcp/updateServer", { name: "files", ...SERVER })).error?.message).toMatch(why);
	});

	test.each<[string, Situation, boolean]>([
		["disabled", {}, true],
		["used by another agent, which starts its servers itself", { agent: quirkyLine() }, false],
	])("does not start a server that is %s", async (_what, situation, isDisabled) => {
		const editor = await opened({ mcpServers: { files: { command: "none" } } }, situation);
		if (isDisabled) {
			editor.notify("mcp/disableServer", { name: "files" });
			await editor.until((messages) => messages.some(({ params }) => params?.["status"] === "disabled"));
		}
		const from = editor.messages.length;
		expect((await editor.request("mcp/updateServer", { name: "files", ...SERVER })).result).toEqual({});
		expect(written(editor)).toEqual({ mcpServers: { files: SERVER } });
		const states = editor.messages.slice(from).flatMap(({ params }) => params?.["status"] ?? []);
		expect(states).toEqual([isDisabled ? "disabled" : "stopped"]);
	});

	test.each(["mcp/connectServer", "mcp/logoutServer"])("%s restarts it", async (method) => {
		const editor = await opened({ mcpServers: { files: SERVER } });
		const from = editor.messages.length;
		editor.notify(method, { name: "files" });
		await editor.until((messages) => {
			const states = messages.slice(from).map(({ params }) => params?.["status"]);
			return states.includes("starting") && states.includes("failed");
		});
	});
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ECA's configuration
import { inspect } from "node:util";
import { Home } from "@segue/testing/process/home";
import { describe, expect, test } from "vitest";
import { readInitializationOptions } from "./initialization-options.js";

const ENV = { COMPANY_KEY: "from-the-environment", COMPANY_URL: "https://llm.example/v1" };

function read(options: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = ENV) {
	return readInitializationOptions(options, { env, folder: "/nowhere" });
}

/** Reads one provider. */
function provider(entry: object, name = "company") {
	const { configuration, complaints } = read({ providers: { [name]: entry } });
	const { baseUrl, type, ...rest } = configuration.value.providers?.[name] ?? {};
	return { baseUrl, type, rest, key: configuration.keys.get(name)?.reveal(), complaints };
}

describe("the URL of a provider", () => {
	test.for<[string, object, string | undefined, string | undefined]>([
		["company", { api: "openai-chat", url: "https://llm.example/v1" }, "https://llm.example/v1", "openai-compatible"],
		["company", { api: "openai-chat", url: "https://llm.example" }, "https://llm.example", "openai-compatible"],
		["company", { api: "openai-chat", url: "https://llm.example/v1/" }, "https://llm.example/v1", "openai-compatible"],
		["company", { api: "openai-responses", url: "https://llm.example" }, "https://llm.example/v1", "openai-compatible"],
		[
			"company",
			{ api: "openai-responses", url: "https://llm.example/v1" },
			"https://llm.example/v1",
			"openai-compatible",
		],
		["company", { api: "anthropic", url: "https://llm.example/api" }, "https://llm.example/api/v1", "anthropic"],
		["company", { api: "anthropic", url: "${env:COMPANY_URL}" }, "https://llm.example/v1", "anthropic"],
		["company", { api: "openai-chat" }, undefined, "openai-compatible"],
		["company", {}, undefined, undefined],
		[
			"lmstudio",
			{ api: "openai-chat", url: "http://localhost:1234", completionUrlRelativePath: "/v1/chat/completions" },
			"http://localhost:1234/v1",
			"openai-compatible",
		],
		[
			"lmstudio",
			{ api: "openai-chat", url: "http://localhost:1234", "completion-url-relative-path": "v1/chat/completions" },
			"http://localhost:1234/v1",
			"openai-compatible",
		],
		["openai", {}, "https://api.openai.com/v1", "openai-compatible"],
		["openai", { url: "http://localhost:5550/openai" }, "http://localhost:5550/openai/v1", "openai-compatible"],
		["anthropic", { url: "http://localhost:5550/a" }, "http://localhost:5550/a/v1", "anthropic"],
		["google", { key: "k" }, "https://generativelanguage.googleapis.com/v1beta/openai", "openai-compatible"],
		["github-copilot", { key: "k" }, "https://api.githubcopilot.com", "openai-compatible"],
		["ollama", {}, "http://localhost:11434/v1", "openai-compatible"],
		["constructor", {}, undefined, undefined],
	])("%s %j is %s", ([name, entry, baseUrl, type]) => {
		expect(provider(entry, name)).toMatchObject({ baseUrl, type, complaints: [] });
	});

	test("can be set by a variable named after the provider", () => {
		const { configuration } = read(
			{ providers: { "my-co": { api: "openai-chat" } } },
			{ MY_CO_API_URL: "http://a.example" },
		);
		expect(configuration.value.providers?.["my-co"]?.baseUrl).toBe("http://a.example");
	});
});

describe("an API key", () => {
	test.for<[unknown, string | undefined]>([
		["as-it-is", "as-it-is"],
		["${env:COMPANY_KEY}", "from-the-environment"],
		["${env:MISSING:default}", "default"],
		["${env:MISSING:}", undefined],
		["${env:MISSING}", undefined],
		["", undefined],
		[null, undefined],
	])("%j is %s", ([key, expected]) => {
		expect(provider({ api: "openai-chat", url: "http://a.example", key })).toMatchObject({
			key: expected,
			complaints: [],
		});
	});

	test("can be read from a file", () => {
		using home = new Home({ "home/key": "from-a-file\n" });
		const read = (key: string) =>
			readInitializationOptions({ providers: { a: { key } } }, { env: {}, folder: home.home });
		for (const place of ["key", "./key", `${home.home}/key`]) {
			expect(read(`\${file:${place}}`).configuration.keys.get("a")?.reveal()).toBe("from-a-file");
		}
	});

	test("is not part of the configuration and is never printed", () => {
		const options = read({
			providers: { company: { api: "openai-chat", url: "http://a.example", key: "hidden-key-1234" } },
			mcpServers: { one: { command: 5, env: { TOKEN: "hidden-key-1234" } } },
			defaultModel: "hidden-key-1234",
		});
		expect(inspect(options, { depth: 10 })).not.toContain("hidden-key-1234");
		expect(options.complaints.join()).not.toContain("hidden-key-1234");
		expect(options.complaints).toHaveLength(3);
	});

	test("is read from a variable named after the provider by default", () => {
		expect(provider({ api: "openai-chat", url: "http://a.example" }).rest).toMatchObject({ keyEnv: "COMPANY_API_KEY" });
		expect(provider({ keyEnv: "OTHER" }).rest).toMatchObject({ keyEnv: "OTHER" });
		expect(provider({}, "302ai").rest).not.toHaveProperty("keyEnv");
	});
});

describe("models", () => {
	test("keep their limits and capabilities", () => {
		const models = {
			"a/b": {},
			big: { limit: { context: 1000 }, imageInput: true },
			"kebab-named": { "image-input": false },
		};
		expect(provider({ api: "openai-chat", url: "http://a.example", models }).rest).toMatchObject({
			models: { "a/b": {}, big: { windowTokens: 1000, images: true }, "kebab-named": { images: false } },
		});
	});

	test("are renamed to the provider's names everywhere", () => {
		const { configuration, writers, complaints } = read({
			providers: { a: { models: { quick: { modelName: "small-2" } } } },
			defaultModel: "a/quick",
			rewrite: { model: "a/quick" },
			completion: { model: "a/other" },
		});
		expect(configuration.value).toMatchObject({ model: "a/small-2", providers: { a: { models: { "small-2": {} } } } });
		expect({ writers, complaints }).toEqual({
			writers: { rewrite: "a/small-2", completion: "a/other" },
			complaints: [],
		});
	});

	test.for<[object, string | undefined]>([
		[{ a: { models: { m: {} } }, b: { key: "k", models: { n: {}, o: {} } } }, "b/n"],
		[{ a: { models: { m: {} } }, company: { models: { n: {} }, keyEnv: "COMPANY_KEY" } }, "company/n"],
		[{ a: { models: { m: {} } } }, "a/m"],
		[{ openai: { key: "k" } }, "openai/gpt-5.2"],
		[{ a: { key: "k" } }, undefined],
		[{}, undefined],
	])("configured with %j have the default %s", ([providers, expected]) => {
		expect(read({ providers }).configuration.firstModel).toBe(expected);
	});
});

describe("the agent", () => {
	test.for<[object, string | undefined]>([
		[{ chatAgent: "plan" }, "plan"],
		[{ chatAgent: null, chat: { defaultAgent: "plan" } }, "plan"],
		[{ chatBehavior: "code" }, "edit"],
		[{ chat: { "default-behavior": "agent" } }, "edit"],
		[{ defaultAgent: "ask" }, "ask"],
		[{ "default-behavior": "build" }, "edit"],
		[{ chatAgent: "plan", defaultAgent: "ask" }, "plan"],
		[{}, undefined],
	])("selected with %j has the mode %s", ([options, mode]) => {
		expect(read({ ...options })).toMatchObject({ mode, complaints: [] });
	});
});

describe("approvals", () => {
	const all = (answer: string) => ["edit", "delete", "command", "network", "mcp"].map((kind) => `${answer} ${kind} *`);

	test.for<[object, string[]]>([
		[{}, []],
		[{ byDefault: "ask" }, []],
		[{ byDefault: "allow" }, all("allow")],
		[{ "by-default": "deny" }, all("deny")],
		[{ allow: { eca__read_file: {}, eca__grep: {}, eca__directory_tree: {} } }, []],
		[{ allow: { eca__edit_file: {}, write_file: {} } }, ["allow edit *"]],
		[{ allow: { eca__shell_command: {} } }, ["allow command *"]],
		[
			{ allow: { shell_command: { argsMatchers: { command: ["npm test", "pwd"] } } } },
			["allow command npm test", "allow command pwd"],
		],
		[{ ask: { move_file: {} }, byDefault: "allow" }, ["ask delete *", ...all("allow")]],
		[{ deny: { "my-mcp": {} } }, ["deny mcp my-mcp/*"]],
		[{ allow: { "my-mcp__my_tool__x": {} } }, ["allow mcp my-mcp/my_tool__x"]],
		[{ allow: { "a*__b/c": {} } }, ["allow mcp a\\*/b%2Fc"]],
		[
			{ allow: { one: {} }, byDefault: "deny" },
			["allow mcp one/*", "deny edit *", "deny delete *", "deny command *", "deny network *", "deny mcp !one/*"],
		],
		[
			{ allow: { one: {}, two__t: {}, shell_command: {} }, byDefault: "deny" },
			[
				...["allow mcp one/*", "allow mcp two/t", "allow command *"],
				...["deny edit *", "deny delete *", "deny network *", "deny mcp !{one/*,two/t}"],
			],
		],
		[{ allow: { eca: {} } }, ["allow edit *", "allow delete *", "allow command *"]],
	])("%j are %j", ([approval, rules]) => {
		const { configuration, complaints } = read({ toolCall: { approval } });
		const shown = configuration.value.approvals?.map(({ answer, kind, pattern }) => `${answer} ${kind} ${pattern}`);
		expect({ shown, complaints }).toEqual({ shown: rules, complaints: [] });
	});

	test.for<[object, string[], RegExp]>([
		[{ allow: { edit_file: {} } }, [], /allow\.edit_file: ignored: write_file needs the same permission/],
		[{ allow: { git: {} } }, [], /allow\.git: ignored: shell_command needs the same permission/],
		[
			{ allow: { git: {}, shell_command: { argsMatchers: { command: ["npm test"] } } } },
			["allow command npm test"],
			/allow\.git: ignored: shell_command needs the same permission/,
		],
		[{ deny: { write_file: {} } }, ["deny edit *"], /deny\.write_file: also applies to edit_file/],
		[{ deny: { read_file: {} } }, [], /deny\.read_file: ignored: read-only tools/],
		[
			{ allow: { shell_command: { argsMatchers: { command: ["git .*"] } } } },
			[],
			/argument patterns are not supported: these calls need approval/,
		],
		[
			{ deny: { shell_command: { argsMatchers: { command: [".*rm.*"] } } } },
			["deny command *"],
			/all calls are denied/,
		],
		[
			{ deny: { edit_file: { argsMatchers: { path: ["ci/.*"] } } } },
			["deny edit *"],
			/deny\.edit_file: .*all calls are denied/,
		],
		[{ ask: { one__t: { argsMatchers: { path: ["a"] } } } }, ["ask mcp one/t"], /all calls need approval/],
		[{ deny: { one: { argsMatchers: { path: ["a"] } } } }, ["deny mcp one/*"], /all calls are denied/],
		[
			{ allow: { shell_command: { argsMatchers: { command: ["npm test"] } } }, byDefault: "deny" },
			["allow command npm test", ...all("deny")],
			/byDefault: applies to all commands/,
		],
		[
			{ ask: { shell_command: { argsMatchers: { command: ["git .*"] } } }, byDefault: "deny" },
			["ask command *", ...all("deny")],
			/all calls need approval/,
		],
		[
			{ ask: { edit_file: {} }, byDefault: "deny" },
			["ask edit *", ...all("deny")],
			/ask\.edit_file: also applies to write_file/,
		],
		[{ byDefault: "maybe" }, [], /byDefault: must be ask, allow or deny/],
		[{ allow: ["edit_file"] }, [], /approval\.allow: must be an object/],
	])("%j never become more permissive", ([approval, rules, message]) => {
		const { configuration, complaints } = read({ toolCall: { approval } });
		const shown = configuration.value.approvals?.map(({ answer, kind, pattern }) => `${answer} ${kind} ${pattern}`);
		expect({ shown, complaints }).toEqual({ shown: rules, complaints: [expect.stringMatching(message)] });
	});

	test("deny disabled tools", () => {
		const { configuration, complaints } = read({ disabledTools: ["eca__shell_command", "my-mcp", 5] });
		expect(configuration.value.approvals).toEqual([
			{ kind: "command", pattern: "*", answer: "deny" },
			{ kind: "mcp", pattern: "my-mcp/*", answer: "deny" },
		]);
		expect(complaints).toEqual([]);
	});
});

test("MCP servers are converted with their placeholders replaced", () => {
	const { configuration, disabledServers, complaints } = read({
		mcpServers: {
			memory: { command: "npx", args: ["-y", "${env:COMPANY_KEY}"], env: { "my-var_x": "${env:COMPANY_URL}" } },
			far: { url: "https://mcp.example/mcp", headers: { "x-Key": "Bearer ${env:COMPANY_KEY}" }, disabled: true },
		},
	});
	expect(configuration.value.mcpServers).toEqual({
		memory: { command: "npx", args: ["-y", "from-the-environment"], env: { "my-var_x": "https://llm.example/v1" } },
		far: { url: "https://mcp.example/mcp", headers: { "x-Key": "Bearer from-the-environment" } },
	});
	expect({ disabledServers, complaints }).toEqual({ disabledServers: ["far"], complaints: [] });
});

describe("invalid and unsupported options are reported, and the others apply:", () => {
	test.for<[Readonly<Record<string, unknown>>, RegExp]>([
		[{ providers: 5 }, /^initializationOptions\.providers: must be an object/],
		[{ providers: { a: 5 } }, /^initializationOptions\.providers\.a: must be an object/],
		[{ providers: { "a b": { models: {} } } }, /providers\["a b"\]: must be a name of at most/],
		[
			{ providers: { a: { api: "bedrock" } } },
			/providers\.a\.api: must be one of openai-chat.*; the provider is ignored/,
		],
		[{ providers: { a: { api: "openai-chat", url: "MY_URL" } } }, /providers\.a: url must be a URL/],
		[{ providers: { a: { key: "${cmd:pass show x}" } } }, /providers\.a\.key: \$\{cmd:…\} is not supported/],
		[{ providers: { a: { key: "${netrc:host}" } } }, /\$\{netrc:…\} is not supported/],
		[{ providers: { a: { key: "${file:missing}" } } }, /providers\.a\.key: The file does not exist/],
		[{ providers: { a: { key: 5 } } }, /providers\.a\.key: must be a string/],
		[{ providers: { a: { keyRc: "host" } } }, /providers\.a\.keyRc: netrc files are not supported\. Sign in to a/],
		[
			{ providers: { a: { models: { m: { extraPayload: {} } } } } },
			/models\.m\.extraPayload: not supported for a single model/,
		],
		[
			{ providers: { a: { models: { m: { limit: { context: "x" } } } } } },
			/models\.m\.limit\.context must be|models\.m\["limit\.context"\] must be/,
		],
		[
			{ providers: { a: { extraHeaders: { "a b": "c" } } } },
			/providers\.a: extraHeaders.* must be the name of an HTTP header/,
		],
		[{ providers: { "github-copilot": {} } }, /github-copilot: ignored without a key/],
		[
			{
				providers: {
					azure: {
						api: "openai-responses",
						url: "http://a.example",
						completionUrlRelativePath: "/openai/responses?v=1",
					},
				},
			},
			/completionUrlRelativePath: must end with .*; the provider is ignored/,
		],
		[{ defaultModel: "no-slash" }, /defaultModel: must be PROVIDER\/MODEL/],
		[{ completion: { model: 5 } }, /completion\.model: must be a string/],
		[{ rewrite: "x" }, /rewrite: must be an object/],
		[{ chat: 5 }, /chat: must be an object/],
		[{ toolCall: [] }, /toolCall: must be an object/],
		[{ chatAgent: "reviewer" }, /chatAgent: unknown agent reviewer; must be code, plan or ask/],
		[{ mcpServers: { a: {} } }, /mcpServers\.a: must have a command or a url/],
		[{ mcpServers: { a: { url: "x" } } }, /mcpServers\.a: url must be a URL/],
		[{ mcpServers: { a: { command: "x", args: "y" } } }, /mcpServers\.a: args must be an array/],
		[{ mcpServers: { a: { url: "http://a.example", clientId: "x" } } }, /mcpServers\.a\.clientId: ignored/],
		[{ chat: { defaultTrust: true } }, /chat\.defaultTrust: ignored: turn on trust/],
		[{ toolCall: { manualApproval: true } }, /toolCall\.manualApproval: ignored: use toolCall\.approval/],
		[{ remote: { enabled: true } }, /remote: not supported/],
		[{ agent: { mine: {} } }, /agent: custom agents are not supported/],
		[{ behavior: { mine: {} } }, /behavior: custom agents are not supported/],
		[{ commands: ["x"] }, /commands: custom commands are not supported/],
		[{ customTools: { x: {} } }, /customTools: custom tools are not supported/],
		[{ extraConfigs: ["x"] }, /extraConfigs: ECA's configuration files are not read/],
		[{ hooks: { x: {} } }, /hooks: hooks are not supported/],
		[{ network: { caCertFile: "x" } }, /network: certificates are not supported here\. Set NODE_EXTRA_CA_CERTS/],
		[{ plugins: { x: {} } }, /plugins: plugins are not supported/],
		[{ prompts: { chat: "x" } }, /prompts: custom prompts are not supported/],
		[{ rules: ["x"] }, /rules: rules are not supported/],
		[{ skills: ["x"] }, /skills: skills are not supported/],
	])("%j", ([options, message]) => {
		const { complaints, mode } = read({ ...options, defaultAgent: "plan" });
		expect(complaints).toEqual([expect.stringMatching(message)]);
		if (!("chatAgent" in options)) expect(mode).toBe("plan");
	});

	test("options that only tune ECA are ignored", () => {
		const tuning = {
			...{
				pureConfig: true,
				env: "test",
				$schema: "x",
				welcomeMessage: "Hi",
				chatRetentionDays: 3,
				mcpTimeoutSeconds: 5,
			},
			...{ index: { repoMap: {} }, otlp: { a: "b" }, autoCompactPercentage: 80, netrcFile: null, unheardOf: 1 },
			...{
				hooks: {},
				rules: [],
				toolCall: { readFile: { maxLines: 5 } },
				chat: { title: false },
				remote: { enabled: false },
			},
		};
		expect(read(tuning).complaints).toEqual([]);
	});

	test("the number of messages is limited", () => {
		const providers = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, 5]));
		expect(read({ providers }).complaints).toHaveLength(20);
	});
});

test("suggestion settings use our own keys, and invalid ones are reported", () => {
	const { configuration, complaints } = read({
		nextEdit: { "off-in-files": ["*.env"], delayMs: -1, snoozeMinutes: 5 },
	});
	expect(configuration.value.nextEdit).toEqual({ offInFiles: ["*.env"], snoozeMinutes: 5 });
	expect(complaints).toEqual([
		"initializationOptions.nextEdit: delayMs must be a whole number of milliseconds from 0 to 5000.",
	]);
});

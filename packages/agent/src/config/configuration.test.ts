import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { Home } from "@segue/testing/process/home";
import { isSecretUri } from "@segue/text";
import { describe, expect, test } from "vitest";
import { ApiKey } from "./api-keys.js";
import { type Configuration, readConfiguration } from "./configuration.js";
import type { EditorConfiguration } from "./layer.js";

interface Sources {
	readonly user?: unknown;
	readonly project?: unknown;
	readonly keys?: unknown;
	readonly env?: Readonly<Record<string, string>>;
	readonly flags?: { readonly model?: string; readonly effort?: string; readonly nextEditModel?: string };
	readonly editor?: Partial<EditorConfiguration>;
}

/** Reads the configuration from these sources. Paths in its messages are shortened. */
function read({ user, project, keys, env = {}, flags = {}, editor }: Sources): Configuration {
	const files = { "home/config.json": user, "project/.segue.json": project, "home/credentials.json": keys };
	using home = new Home(Object.fromEntries(Object.entries(files).filter(([, content]) => content !== undefined)));
	const configuration = readConfiguration({
		...{ folder: home.project, env: { SEGUE_HOME: home.home, ...env }, flags },
		editor: editor && { value: {}, keys: new Map(), firstModel: undefined, where: "its settings", ...editor },
	});
	return { ...configuration, problems: configuration.problems.map((problem) => home.short(problem)) };
}

describe("the origin of a value", () => {
	const all = {
		flags: { model: "flag/m", effort: "low" },
		env: { SEGUE_MODEL: "env/m" },
		project: { model: "project/m", effort: "medium" },
		user: { model: "user/m", effort: "high" },
	};

	test.for<[Sources, string, string, RegExp]>([
		[all, "flag/m", "flag", /^--model$/],
		[{ ...all, flags: {} }, "env/m", "environment", /^SEGUE_MODEL$/],
		[{ ...all, flags: {}, editor: { value: { model: "editor/m" } } }, "env/m", "environment", /^SEGUE_MODEL$/],
		[{ ...all, flags: {}, env: {}, editor: { value: { model: "editor/m" } } }, "editor/m", "editor", /^its settings$/],
		[{ user: all.user, editor: { firstModel: "editor/m" } }, "user/m", "user", /1:2$/],
		[{ editor: { firstModel: "editor/m" } }, "editor/m", "editor", /^its settings$/],
		[{ ...all, flags: {}, env: {} }, "project/m", "workspace", /project\/\.segue\.json:1:2$/],
		[{ user: all.user }, "user/m", "user", /home\/config\.json:1:2$/],
		[{ ...all, flags: {}, env: { SEGUE_MODEL: "" } }, "project/m", "workspace", /1:2$/],
	])("is the source with the highest precedence: the model for %j is %s", ([sources, value, from, where]) => {
		const { model, problems } = read(sources);
		expect({ model, problems }).toEqual({
			model: { value, origin: { from, where: expect.stringMatching(where) } },
			problems: [],
		});
	});

	test.for<[Sources, string | undefined, string | undefined]>([
		[all, "low", "flag"],
		[{ ...all, flags: {} }, "medium", "workspace"],
		[{ user: all.user }, "high", "user"],
		[{}, undefined, undefined],
	])("is the source with the highest precedence: the effort for %j is %s", ([sources, value, from]) => {
		const { effort } = read(sources);
		expect([effort?.value, effort?.origin.from]).toEqual([value, from]);
	});

	test("is the default if nothing is configured", () => {
		const { model, network, store, rules, mcpServers, agents, problems, warnings } = read({});
		expect({ model, rules, mcpServers, agents, problems, warnings }).toEqual({
			model: undefined,
			rules: [],
			mcpServers: [],
			agents: [],
			problems: [],
			warnings: [],
		});
		expect(network).toEqual({ value: false, origin: { from: "default", where: undefined } });
		expect(store.value).toEqual({ file: expect.stringMatching(/home\/segue\.db$/) });
	});

	test("is recorded for each rule, server and agent", () => {
		const { rules, mcpServers, agents, store } = read({
			user: {
				approvals: [{ kind: "command", pattern: "npm test", answer: "allow" }],
				mcpServers: { files: { command: "files-server" }, web: { url: "https://mcp.example/", headers: { A: "b" } } },
				agents: { other: { command: "other-agent", args: ["acp"] } },
				store: { url: "postgres://me:word@db.example/segue" },
			},
			project: { approvals: [{ kind: "edit", pattern: "*.lock", answer: "deny" }] },
		});
		expect(rules.map(({ value, origin }) => [value.answer, origin.from])).toEqual([
			["allow", "user"],
			["deny", "workspace"],
		]);
		expect(mcpServers.map(({ value }) => value)).toEqual([
			{ name: "files", type: "stdio", command: "files-server", args: [], env: {} },
			{ name: "web", type: "http", url: "https://mcp.example/", headers: { A: "b" } },
		]);
		expect(agents[0]?.value).toEqual({ name: "other", command: "other-agent", args: ["acp"] });
		expect(store.value).toEqual({ url: "postgres://me:word@db.example/segue" });
	});

	test("is a file in the platform's folders if SEGUE_HOME is not set", () => {
		using home = new Home();
		const script = `import { userFilesOf } from ${JSON.stringify(path.join(import.meta.dirname, "user-files.ts"))};
			console.log(JSON.stringify(userFilesOf({})))`;
		const args = ["--conditions=@segue/source", "--import=tsx", "--input-type=module", `--eval=${script}`];
		const env = { ...process.env, XDG_CONFIG_HOME: home.home, XDG_DATA_HOME: home.project, APPDATA: home.home };
		const places = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", env }));
		expect(Object.values<string>(places).map((place) => path.basename(place))).toEqual([
			"config.json",
			"credentials.json",
			"trust.json",
			"segue.db",
			"outcomes",
			"requests",
			"agents.json",
		]);
		// Tools must not read it.
		expect(isSecretUri(pathToFileURL(places.keys).href)).toBe(true);
		if (process.platform === "linux") {
			expect(places.keys).toBe(path.join(home.home, "segue", "credentials.json"));
			expect(places.database).toBe(path.join(home.project, "segue", "segue.db"));
		}
	});
});

describe("problems", () => {
	test("are not reported for the example in docs/configuring.md", () => {
		const page = readFileSync(path.join(import.meta.dirname, "..", "..", "..", "..", "docs", "configuring.md"), "utf8");
		const [, example] = /## Configuration\n.*?```jsonc\n(.*?)```/s.exec(page) ?? [];
		const { problems, models, rules } = read({ user: example, env: { WORK_API_KEY: "sk-1" } });
		expect(problems).toEqual([]);
		expect(rules).toHaveLength(2);
		expect(models.choose(undefined)).toMatchObject({ name: "work/qwen3-coder", apiKey: "sk-1", windowTokens: 131_072 });
	});

	test.for<[Sources, object]>([
		[
			{ env: { MY_KEY: "k" }, keys: { mine: "l" } },
			{ from: "MY_KEY", next: 'Set MY_KEY to a valid key, or unset it and run "segue login mine".' },
		],
		[{ keys: { mine: "l" } }, { from: "segue login", next: 'Run "segue login mine" with another key.' }],
		[{}, { from: undefined, next: 'Set MY_KEY, or run "segue login mine".' }],
	])("include advice on how to change a model's key: %j", ([sources, keyAdvice]) => {
		const mine = { type: "openai-compatible", baseUrl: "http://10.0.0.1/v1", keyEnv: "MY_KEY" };
		const { models } = read({ ...sources, user: { model: "ollama/a", providers: { mine } } });
		expect(models.choose("mine/a")).toMatchObject({ keyAdvice });
	});

	test("suggest a similar format", () => {
		const [problem] = read({ user: { nextEdit: { format: "zeta2" } } }).problems;
		expect(problem).toMatch(/nextEdit\.format must be one of zeta-1, .*, fill; did you mean zeta-2\?$/);
	});

	test("are reported for a project's file with too many rules or rules that are too long", () => {
		const deny = (pattern: string) => ({ kind: "edit", pattern, answer: "deny" });
		const problemsOf = (count: number, length: number) =>
			read({ project: { approvals: Array(count).fill(deny("a".repeat(length))) } }).problems;
		expect(problemsOf(1000, 100)).toEqual([]);
		expect(problemsOf(1001, 1)).toEqual([expect.stringMatching(/approvals must be an array of at most 1000 rules\.$/)]);
		expect(problemsOf(11, 10_000)).toEqual([
			expect.stringMatching(/approvals must be rules whose patterns have at most 100000 characters in total\.$/),
		]);
	});

	test.for<[string, ...string[]]>([
		["", "1:1: the file is empty. Add {} or delete the file."],
		["[]", "1:1: the file must be an object."],
		['{\n\t"model": "gpt"\n}', "2:11: model must be PROVIDER/MODEL, for example anthropic/claude-sonnet-4-5."],
		['{ "efort": "low" }', "1:3: efort is not a setting; did you mean effort?"],
		['{ "effort": "much" }', "1:13: effort must be low, medium or high."],
		['{ "network": "yes" }', "1:14: network must be true or false."],
		['{ "nextEdit": { "model": "gpt" } }', "1:26: nextEdit.model must be PROVIDER/MODEL, or embedded."],
		['{ "nextEdit": { "speculat": true } }', "1:17: nextEdit.speculat is not a setting; did you mean speculate?"],
		[
			'{ "providers": { "mine": { "api": "soap" } } }',
			"1:35: providers.mine.api must be one of openai, anthropic, ollama, llamacpp, mistral, inception, sweep.",
		],
		[
			'{ "wings": 2, "modl": 1 }',
			"1:3: wings is not a setting; available: model, effort, nextEdit, providers, approvals, network, mcpServers, agents, store, feedback.",
			"1:15: modl is not a setting; did you mean model?",
		],
		[
			'{ "providers": { "mine": {\r\n"baseURL": "http://x",\r\n"typ": "anthropic" } } }',
			"2:1: providers.mine.baseURL is not a setting; did you mean baseUrl?",
			"3:1: providers.mine.typ is not a setting; did you mean type?",
		],
		[
			'{ "providers": { "openai": { "apiKey": "sk-1" } } }',
			"1:30: providers.openai.apiKey is not a setting; store a key with segue login PROVIDER, or in an environment variable.",
		],
		[
			'{ "providers": { "mine": { "baseUrl": "http://x" } } }',
			"1:18: providers.mine.type is missing; it must be openai-compatible or anthropic.",
		],
		[
			'{ "providers": { "mine": { "type": "openai-compatible" } } }',
			"1:18: providers.mine.baseUrl is missing; it must be a URL.",
		],
		[
			'{ "providers": { "my own": {} } }',
			'1:18: providers["my own"] must be a name of at most 64 letters, digits, dots, hyphens and underscores, starting with a letter or digit.',
		],
		[
			'{ "providers": { "openai": { "baseUrl": "ftp://x" } } }',
			"1:41: providers.openai.baseUrl must be a URL that starts with http:// or https:// and contains no user name.",
		],
		[
			'{ "providers": { "openai": { "baseUrl": "https://me:word@x" } } }',
			"1:41: providers.openai.baseUrl must be a URL that starts with http:// or https:// and contains no user name.",
		],
		[
			'{ "providers": { "openai": { "keyEnv": "sk-secret" } } }',
			"1:40: providers.openai.keyEnv must be the name of an environment variable in capitals, for example MY_API_KEY; store the key itself with segue login.",
		],
		[
			'{ "providers": { "openai": { "headers": { "a b": "c", "d": "e\\nf" } } } }',
			'1:43: providers.openai.headers["a b"] must be the name of an HTTP header.',
			"1:60: providers.openai.headers.d must be one line of Latin-1 characters.",
		],
		[
			'{ "providers": { "openai": { "models": { "a/b": { "windowTokens": 0 } } } } }',
			'1:67: providers.openai.models["a/b"].windowTokens must be greater than 0.',
		],
		[
			'{ "approvals": [{ "kind": "fly", "answer": "allow" }] }',
			"1:17: approvals[0].pattern is missing; it must be a string.",
			"1:27: approvals[0].kind must be one of read-ignored, edit, delete, command, network, mcp.",
		],
		[
			'{ "mcpServers": { "a": {}, "b": { "command": "x", "url": "http://y" } } }',
			"1:24: mcpServers.a must have a command or a url.",
			"1:46: mcpServers.b.command cannot be combined with a url: remove one of them.",
		],
		[
			'{ "store": { "url": "mysql://x" } }',
			"1:21: store.url must be the URL of a PostgreSQL database, for example postgres://user@host/name.",
		],
		['{ "effort": "low" } /* a', "1:21: unclosed comment: add */."],
		['{ "effort": "low", "effort": "high" }', "1:20: effort is defined twice: remove one."],
		['{ "providers": { "__proto__": {} } }', "1:18: providers.__proto__ is not allowed as a name: choose another."],
		['{ "model": "a/b"\n  "effort": "low" }', "2:3: missing comma (in effort)."],
		["{", "1:2: missing }."],
		['{ "agents": {', "1:14: missing } (in agents)."],
		['{ "model": a/b }', "1:12: invalid value: put text in double quotes (in model)."],
		['{ "model": "a/b', "1:12: unclosed string: add a double quote (in model)."],
		[
			'{ "efort": "low", "model": "a/b" "effort" "high", "network" true }',
			"1:3: efort is not a setting; did you mean effort?",
			"1:34: missing comma (in effort).",
			"1:61: missing colon (in network).",
		],
	])("are reported with line, column and field: %s", ([text, ...problems]) => {
		expect(read({ user: text }).problems).toEqual(problems.map((problem) => `home/config.json:${problem}`));
		// A project's file reports the same problems, except for an incomplete provider: the user's file may define the rest.
		const ofProject = read({ project: text }).problems;
		if (!/mine/.test(text)) expect(ofProject).toEqual(problems.map((problem) => `project/.segue.json:${problem}`));
	});

	test("are not reported for comments, trailing commas and a byte order mark", () => {
		const { model, problems } = read({ user: '\uFEFF// mine\n{ "model": "a/b", /* so */ }' });
		expect({ problems, value: model?.value }).toEqual({ problems: [], value: "a/b" });
		expect(model?.origin.where).toMatch(/:2:3$/);
	});

	test("are limited in number, even for thousands of mistakes at any depth", () => {
		const { problems } = read({ user: `{${Array.from({ length: 50_000 }, (_, i) => `"a${i}" 1`).join(" ")}` });
		expect(problems.length).toBeLessThanOrEqual(51);
		expect(problems[0]).toBe("home/config.json:1:7: missing colon (in a0).");
		const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`unknown${i}`, 1]));
		expect(read({ user: unknown }).problems.slice(50)).toEqual(["And 10 more in home/config.json."]);
		expect(read({ user: "[".repeat(400_000) }).problems).toEqual([
			"home/config.json:1:33: this is nested too deeply: remove it.",
		]);
	});

	test.skipIf(process.platform === "win32").for<[string, (file: string, home: Home) => void, RegExp]>([
		["a folder", (file) => mkdirSync(file), /config\.json is a folder/],
		[
			"a loop of symbolic links",
			(file) => symlinkSync(file, file),
			/config\.json cannot be read: its symbolic links form a loop/,
		],
		["endless", (file) => symlinkSync("/dev/zero", file), /config\.json is not a regular file/],
		["a pipe", (file) => void execFileSync("sh", ["-c", 'mkfifo "$0"', file]), /config\.json is not a regular file/],
		["huge", (_, home) => void home.write("home/config.json", " ".repeat(1_000_001)), /larger than 1000000 bytes/],
		[
			"in UTF-16",
			(_, home) => void home.write("home/config.json", Buffer.from("\uFEFF{}", "utf16le")),
			/UTF-16\. Save it as UTF-8/,
		],
		["in Latin-1", (_, home) => void home.write("home/config.json", Buffer.from('{"é"}', "latin1")), /not valid UTF-8/],
	])("are reported for a file that is %s", ([, make, expected]) => {
		using home = new Home();
		make(path.join(home.home, "config.json"), home);
		const { problems } = readConfiguration({ folder: home.project, env: { SEGUE_HOME: home.home }, flags: {} });
		expect(problems).toEqual([expect.stringMatching(expected)]);
	});

	test.skipIf(process.getuid?.() === 0)("are reported for a file that the user cannot read", () => {
		using home = new Home();
		chmodSync(home.write("home/config.json", "{}"), 0);
		const { problems } = readConfiguration({ folder: home.project, env: { SEGUE_HOME: home.home }, flags: {} });
		expect(problems).toEqual([expect.stringMatching(/cannot be read: permission denied/)]);
	});

	test.for<[Sources, string]>([
		[{ env: { SEGUE_MODEL: "gpt" } }, "SEGUE_MODEL must be PROVIDER/MODEL, for example anthropic/claude-sonnet-4-5."],
		[{ flags: { model: "gpt" } }, "--model must be PROVIDER/MODEL, for example anthropic/claude-sonnet-4-5."],
		[{ flags: { effort: "all" } }, "--effort must be low, medium or high."],
		[
			{ env: { SEGUE_BASE_URL: "localhost" } },
			"SEGUE_BASE_URL must be a URL that starts with http:// or https:// and contains no user name.",
		],
		[{ env: { SEGUE_HOME: "home" } }, "SEGUE_HOME must be the absolute path of a folder, for example /home/me/.segue."],
		...["/dev/null", "/dev/null/segue"].map((file): [Sources, string] => [
			{ env: { SEGUE_HOME: file } },
			`SEGUE_HOME is set to ${file}, which is not a folder. Set it to an existing or new folder.`,
		]),
	])("name the variable or flag: %j", ([sources, problem]) => {
		expect(read(sources).problems).toEqual([problem]);
	});

	test("cause the whole file to be ignored, but not the other files", () => {
		const user = { approvals: [{ kind: "edit", pattern: "*", answer: "deny" }], effort: "much" };
		const { rules, model, problems } = read({ user, project: { model: "a/b" } });
		expect({ rules, model: model?.value, count: problems.length }).toEqual({ rules: [], model: "a/b", count: 1 });
	});
});

describe("a model", () => {
	const mine = {
		type: "openai-compatible",
		baseUrl: "http://10.0.0.1/v1",
		keyEnv: "MY_KEY",
		headers: { "X-Team": "a" },
	};
	const user = { providers: { mine: { ...mine, models: { "big/one": { windowTokens: 9000, images: true } } } } };

	test("is returned with all settings for requests", () => {
		const { models } = read({ user: { ...user, model: "mine/other" }, env: { MY_KEY: "my-key" } });
		expect(models.names).toEqual(["mine/other", "mine/big/one"]);
		expect(models.choose("mine/big/one")).toEqual({
			name: "mine/big/one",
			type: "openai-compatible",
			model: "big/one",
			baseUrl: "http://10.0.0.1/v1",
			apiKey: "my-key",
			keyAdvice: { from: "MY_KEY", next: 'Set MY_KEY to a valid key, or unset it and run "segue login mine".' },
			headers: { "X-Team": "a" },
			windowTokens: 9000,
			takesImages: true,
		});
		expect(models.choose(undefined)).toMatchObject({ model: "other", windowTokens: undefined, takesImages: false });
	});

	test.for<[string, Sources, Record<string, unknown>]>([
		["ollama/qwen3", {}, { baseUrl: "http://127.0.0.1:11434/v1", apiKey: undefined, type: "openai-compatible" }],
		["lmstudio/a", {}, { baseUrl: "http://127.0.0.1:1234/v1" }],
		["llamacpp/a", {}, { baseUrl: "http://127.0.0.1:8080/v1" }],
		["vllm/org/a", {}, { baseUrl: "http://127.0.0.1:8000/v1", model: "org/a" }],
		["openai/a", { env: { OPENAI_API_KEY: "k" } }, { baseUrl: "https://api.openai.com/v1", apiKey: "k" }],
		["openrouter/a/b", { env: { OPENROUTER_API_KEY: "k" } }, { baseUrl: "https://openrouter.ai/api/v1", model: "a/b" }],
		[
			"anthropic/a",
			{ env: { ANTHROPIC_API_KEY: "k" } },
			{ type: "anthropic", baseUrl: "https://api.anthropic.com/v1", windowTokens: 200_000, takesImages: true },
		],
		[
			"work/a",
			{ user: { providers: { work: { type: "anthropic", keyEnv: "WORK" } } }, env: { WORK: "k" } },
			{ type: "anthropic", baseUrl: "https://api.anthropic.com/v1", apiKey: "k" },
		],
		[
			"openai/a",
			{ user: { providers: { openai: { baseUrl: "http://127.0.0.1:4000/v1" } } } },
			{ baseUrl: "http://127.0.0.1:4000/v1", apiKey: undefined },
		],
		[
			"openai-compatible/a",
			{ env: { SEGUE_BASE_URL: "http://127.0.0.1:9/v1", SEGUE_API_KEY: "k" } },
			{ baseUrl: "http://127.0.0.1:9/v1", apiKey: "k" },
		],
		[
			"constructor/a",
			{ user: { providers: { constructor: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/" } } } },
			{ baseUrl: "http://127.0.0.1:1/" },
		],
	])("is found with its provider's settings: %s with %j", ([name, sources, settings]) => {
		const configuration = read(sources);
		expect(configuration.problems).toEqual([]);
		expect(configuration.models.choose(name)).toMatchObject({ name, ...settings });
	});

	test.for<[string | undefined, Sources, RegExp]>([
		[undefined, {}, /^No model is configured\. Set SEGUE_MODEL=.* or add "model".*config\.json.*segue login/],
		["gpt", {}, /PROVIDER\/MODEL.*anthropic, openai, openrouter, ollama/],
		["/gpt", {}, /PROVIDER\/MODEL/],
		["anthropic/", {}, /PROVIDER\/MODEL/],
		["antropic/a", {}, /^Unknown provider antropic\. Did you mean anthropic\?/],
		["\u001b[2J/a", {}, /^Unknown provider ␛\[2J\. Available: anthropic/],
		["toString/a", {}, /^Unknown provider toString\./],
		["anthropic/a", {}, /no key for anthropic\. Run: segue login anthropic, or set ANTHROPIC_API_KEY\./],
		["openai-compatible/a", {}, /Set SEGUE_BASE_URL .*providers\.openai-compatible\.baseUrl/],
		[
			"openai/a",
			{ env: { OPENAI_API_KEY: "two words" } },
			/^The key for openai in OPENAI_API_KEY is invalid\. A key is one line/,
		],
		["sweep/a", { env: { SWEEP_API_KEY: "k" } }, /^sweep only supports next edits, not chat\. Choose another/],
		[
			"own/a",
			{ user: { providers: { own: { api: "sweep", baseUrl: "http://127.0.0.1:1" } } } },
			/^own only supports next edits, not chat\./,
		],
		["evil/a", { project: { providers: { evil: mine } } }, /defined only by the project\..*segue trust/],
	])("reports why it is unavailable and what to do: %s with %j", ([name, sources, why]) => {
		expect(read(sources).models.choose(name)).toEqual({ why: expect.stringMatching(why) });
	});

	const KEYS = { openai: "stored", mine: "stored" };
	const editor = { keys: new Map([["openai", new ApiKey("e", { from: "editor", where: "its settings" })]]) };
	test.for<[string, Sources, string | undefined, string]>([
		[
			"openai/a",
			{ env: { SEGUE_MODEL: "openai/a", SEGUE_API_KEY: "s", OPENAI_API_KEY: "o" }, keys: KEYS },
			"s",
			"environment",
		],
		["openai/a", { env: { SEGUE_MODEL: "openai/a", SEGUE_API_KEY: "s" }, editor }, "s", "environment"],
		["openai/a", { env: { OPENAI_API_KEY: "o" }, keys: KEYS, editor }, "e", "editor"],
		[
			"openai/a",
			{ env: { SEGUE_API_KEY: "s" }, editor: { ...editor, value: { model: "openai/b" } } },
			"s",
			"environment",
		],
		["openai/a", { env: { OPENAI_API_KEY: "o" }, keys: KEYS }, "stored", "login"],
		["openai/a", { env: { OPENAI_API_KEY: " o\n" } }, "o", "environment"],
		["mine/a", { user, env: { MY_KEY: "m" }, keys: KEYS }, "m", "environment"],
		["mine/a", { user, env: { MY_KEY: "" }, keys: KEYS }, "stored", "login"],
		["mine/a", { user: { ...user, model: "mine/b" }, env: { SEGUE_API_KEY: "s", MY_KEY: "m" } }, "s", "environment"],
		// SEGUE_API_KEY applies to the model in SEGUE_MODEL, even if a flag selects another model.
		[
			"openai/a",
			{ env: { SEGUE_MODEL: "anthropic/b", SEGUE_API_KEY: "s" }, flags: { model: "openai/a" }, keys: KEYS },
			"stored",
			"login",
		],
	])("gets the key with the highest precedence: %s with %j gets %s", ([name, sources, key, from]) => {
		const { models, providers } = read(sources);
		expect(models.choose(name)).toMatchObject({ apiKey: key });
		expect(providers.get(name.split("/")[0] as string)?.key?.origin.from).toBe(from);
	});

	test("does not reveal its key if the configuration is printed", () => {
		const configuration = read({ keys: { openai: "sk-never-seen" }, env: { ANTHROPIC_API_KEY: "sk-nor-this" } });
		const printed =
			inspect(configuration, { depth: 10, showHidden: true }) + JSON.stringify([...configuration.providers]);
		expect(printed).toContain("openai");
		expect(printed).not.toMatch(/never-seen|nor-this/);
	});
});

describe("the model for next edits", () => {
	const all = {
		flags: { nextEditModel: "flag/m" },
		env: { SEGUE_NEXT_EDIT_MODEL: "env/m" },
		user: { nextEdit: { model: "user/m" } },
	};

	test.for<[Sources, string, string]>([
		[all, "flag/m", "flag"],
		[{ ...all, flags: {} }, "env/m", "environment"],
		[{ user: all.user }, "user/m", "user"],
		[{ ...all, flags: { nextEditModel: "embedded" } }, "embedded", "flag"],
		[{ user: { model: "ollama/qwen3" } }, "embedded", "default"],
		[{ project: { nextEdit: { model: "ollama/qwen3" } } }, "embedded", "default"],
	])("is the setting with the highest precedence, and never the chat model: %j gives %s", ([sources, value, from]) => {
		const { nextEdit, problems } = read(sources);
		expect(problems).toEqual([]);
		expect(nextEdit.model).toMatchObject({ value, origin: { from } });
	});

	test("is rejected if it is not a model name", () => {
		expect(read({ env: { SEGUE_NEXT_EDIT_MODEL: "zeta" } }).problems).toEqual([
			"SEGUE_NEXT_EDIT_MODEL must be PROVIDER/MODEL, or embedded.",
		]);
	});

	test.for<[string, Sources, Record<string, unknown>]>([
		["ollama/a", {}, { api: "ollama", baseUrl: "http://127.0.0.1:11434/v1", tellsVerdicts: false, format: "chat" }],
		["llamacpp/a", {}, { api: "llamacpp", baseUrl: "http://127.0.0.1:8080/v1" }],
		["lmstudio/a", {}, { api: "openai" }],
		["mistral/a", { env: { MISTRAL_API_KEY: "k" } }, { api: "mistral", baseUrl: "https://api.mistral.ai/v1" }],
		[
			"codestral/a",
			{ env: { CODESTRAL_API_KEY: "k" } },
			{ api: "mistral", baseUrl: "https://codestral.mistral.ai/v1" },
		],
		["inception/a", { env: { INCEPTION_API_KEY: "k" } }, { api: "inception", apiKey: "k" }],
		[
			"deepseek/a",
			{ env: { DEEPSEEK_API_KEY: "k" } },
			{ api: "openai", baseUrl: "https://api.deepseek.com/beta", format: "fill" },
		],
		["sweep/a", { env: { SWEEP_API_KEY: "k" } }, { api: "sweep", baseUrl: "https://autocomplete.sweep.dev" }],
		["sweep-local/a", {}, { api: "sweep", baseUrl: "http://127.0.0.1:8081", apiKey: undefined }],
		["anthropic/a", { env: { ANTHROPIC_API_KEY: "k" } }, { api: "anthropic", windowTokens: 200_000 }],
		[
			"own/a",
			{ user: { providers: { own: { type: "openai-compatible", api: "llamacpp", baseUrl: "http://127.0.0.1:1" } } } },
			{ api: "llamacpp" },
		],
		["own/a", { user: { providers: { own: { type: "anthropic" } } }, keys: { own: "k" } }, { api: "anthropic" }],
		[
			"openai-compatible/a",
			{ env: { SEGUE_NEXT_EDIT_MODEL: "openai-compatible/a", SEGUE_BASE_URL: "http://127.0.0.1:9" } },
			{ baseUrl: "http://127.0.0.1:9" },
		],
		[
			"lmstudio/a",
			{ env: { SEGUE_NEXT_EDIT_MODEL: "lmstudio/a", SEGUE_BASE_URL: "http://127.0.0.1:9" } },
			{ baseUrl: "http://127.0.0.1:9" },
		],
		["ollama/a", { user: { nextEdit: { model: "ollama/a", tellVerdicts: true } } }, { tellsVerdicts: true }],
		["ollama/a", { user: { providers: { ollama: { models: { a: { format: "zeta-2" } } } } } }, { format: "zeta-2" }],
		["ollama/a", { user: { nextEdit: { model: "ollama/a", format: "sweep" } } }, { format: "sweep" }],
		["ollama/b", { user: { nextEdit: { model: "ollama/a", format: "sweep" } } }, { format: "chat" }],
		[
			"ollama/b",
			{ user: { nextEdit: { model: "ollama/a", format: "sweep" } }, flags: { nextEditModel: "ollama/b" } },
			{ format: "chat" },
		],
		[
			"ollama/b",
			{ user: { nextEdit: { format: "sweep" } }, flags: { nextEditModel: "ollama/b" } },
			{ format: "sweep" },
		],
	])("is returned with all settings for requests: %s with %j", ([name, sources, settings]) => {
		const { editModels, problems } = read(sources);
		expect(problems).toEqual([]);
		expect(editModels.choose(name)).toMatchObject({ name, ...settings });
	});

	test.for<[string | undefined, Sources, RegExp]>([
		[undefined, {}, /^No model is configured for next edits\. Set SEGUE_NEXT_EDIT_MODEL=.*"nextEdit".*config\.json/],
		["codestral/a", {}, /no key for codestral\. Run: segue login codestral, or set CODESTRAL_API_KEY\./],
		["zeta", {}, /PROVIDER\/MODEL/],
		["swep/a", {}, /Did you mean sweep\?/],
		["ollama/nomic-embed-text", {}, /does not generate text\. Choose another model/],
		[
			"ollama/a",
			{ user: { nextEdit: { model: "ollama/a", format: "mercury" } } },
			/"mercury" cannot be used with the api "ollama", which supports: .*zeta-2/,
		],
	])("reports why it is unavailable and what to do: %s with %j", ([name, sources, why]) => {
		expect(read(sources).editModels.choose(name)).toEqual({ why: expect.stringMatching(why) });
	});

	const base = { SEGUE_BASE_URL: "http://127.0.0.1:9/v1", SEGUE_API_KEY: "k" };
	const [hosted, own] = [
		{ baseUrl: "https://api.anthropic.com/v1", apiKey: "a" },
		{ baseUrl: "http://127.0.0.1:9/v1" },
	];
	test.for<[string, Sources, object, object]>([
		["the model without a URL", { env: { SEGUE_MODEL: "anthropic/a" } }, hosted, { ...own, apiKey: "k" }],
		[
			"the chat model without a URL",
			{ env: { SEGUE_MODEL: "openai-compatible/zeta", SEGUE_NEXT_EDIT_MODEL: "anthropic/a" } },
			{ ...own, apiKey: "k" },
			hosted,
		],
		[
			"the chat model if both have a URL",
			{ env: { SEGUE_MODEL: "anthropic/a", SEGUE_NEXT_EDIT_MODEL: "ollama/zeta" } },
			{ ...own, apiKey: "k" },
			{ baseUrl: "http://127.0.0.1:11434/v1", apiKey: undefined },
		],
		[
			"the chat model if a URL is configured for the next-edit model",
			{
				env: { SEGUE_MODEL: "anthropic/a" },
				user: { providers: { "openai-compatible": { baseUrl: "http://127.0.0.1:1/v1" } } },
			},
			{ ...own, apiKey: "k" },
			{ baseUrl: "http://127.0.0.1:1/v1", apiKey: undefined },
		],
		[
			"the chat model if the next-edit model's provider is unknown",
			{ env: { SEGUE_MODEL: "anthropic/a", SEGUE_NEXT_EDIT_MODEL: "olama/zeta" } },
			{ ...own, apiKey: "k" },
			{ why: expect.stringContaining("Unknown provider olama.") },
		],
	])("SEGUE_BASE_URL and SEGUE_API_KEY apply to %s", ([, { env, ...sources }, forChat, forEdits]) => {
		const chosen = { SEGUE_NEXT_EDIT_MODEL: "openai-compatible/zeta", ANTHROPIC_API_KEY: "a", ...base, ...env };
		const { models, editModels } = read({ ...sources, env: chosen });
		expect(models.choose(undefined)).toMatchObject(forChat);
		expect(editModels.choose(undefined)).toMatchObject(forEdits);
	});

	test("gets no advice to set a variable that applies to another provider", () => {
		const { editModels } = read({ env: { SEGUE_MODEL: "anthropic/a", ANTHROPIC_API_KEY: "a", ...base } });
		expect(editModels.choose("openai-compatible/zeta")).toEqual({
			why: expect.stringMatching(
				/^The provider openai-compatible has no base URL\. Set providers\.openai-compatible\.baseUrl in .*, for example to http/,
			),
		});
	});

	test("can be any configured model, including chat models", () => {
		const user = {
			model: "ollama/qwen3",
			nextEdit: { model: "codestral/codestral-latest" },
			providers: { sweep: { models: { v2: {} } }, ollama: { models: { zeta: {} } } },
		};
		const { models, editModels } = read({ user });
		expect(models.names).toEqual(["ollama/qwen3", "ollama/zeta"]);
		expect(editModels.names).toEqual(["codestral/codestral-latest", "ollama/qwen3", "ollama/zeta", "sweep/v2"]);
	});
});

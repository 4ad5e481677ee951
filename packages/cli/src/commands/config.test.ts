import { spawnSync } from "node:child_process";
import { maskAddress, maskArguments, shellArgument } from "@segue/agent/config/masking";
import { Home } from "@segue/testing/process/home";
import { runs } from "@segue/testing/setup/tier";
import { sanitizeName } from "@segue/text";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type ConfigContext, showConfiguration } from "./config.js";

const home = new Home();
afterAll(() => home[Symbol.dispose]());

interface Files {
	readonly user?: unknown;
	readonly project?: unknown;
	readonly keys?: Readonly<Record<string, string>>;
	readonly env?: Readonly<Record<string, string>>;
	readonly stored?: Awaited<ReturnType<ConfigContext["allowances"]>>;
}

const NOTHING_STORED = { allowances: [], problems: [] };

async function show(
	{ user = {}, project = {}, keys = {}, env = {}, stored = NOTHING_STORED }: Files,
	{ json = false, isColoured = false, columns }: { json?: boolean; isColoured?: boolean; columns?: number } = {},
) {
	home.write("home/config.json", user);
	home.write("project/.segue.json", project);
	home.write("home/credentials.json", keys);
	let out = "";
	const stdout = { write: (text: string) => (out += text), columns };
	const allowances = async () => stored;
	const context = { folder: home.project, env: { SEGUE_HOME: home.home, ...env }, stdout, isColoured, allowances };
	const code = await showConfiguration({ json }, context);
	return { out: home.short(out), code };
}

const USER = {
	model: "work/big",
	nextEdit: { model: "work/small", format: "zeta-2", tellVerdicts: true },
	providers: {
		work: {
			type: "openai-compatible",
			baseUrl: "https://work.example/v1?tenant=a",
			headers: { "X-Team": "blue" },
			models: { big: { windowTokens: 9000, images: true }, small: { format: "sweep" } },
		},
	},
	approvals: [{ kind: "command", pattern: "npm test", answer: "allow" }],
	mcpServers: {
		files: { command: "npx", args: ["-y", "files server"], env: { MODE: "fast" } },
		web: { url: "https://mcp.example/s/abcdef0123456789", headers: { Authorization: "Bearer x" } },
	},
	agents: { other: { command: "other", args: ["--token", "t"] } },
	store: { url: "postgres://me:word@db.example/segue?sslmode=require" },
};

describe("segue config", () => {
	test("prints each value with its origin", async () => {
		const project = { effort: "low", network: true };
		const { out, code } = await show({
			user: USER,
			project,
			keys: { work: "sk-work" },
			env: { OPENAI_API_KEY: "sk-open" },
		});
		expect(code).toBe(0);
		// Other tests check the column numbers.
		expect(out.replace(/(config\.json:1):\d+/g, "$1:#")).toBe(`Warnings
  These settings in project/.segue.json need your approval and are ignored: network. To approve them, run: segue trust ${home.short(home.project)}

next edits   work/small  (home/config.json:1:#)
  format         zeta-2  (home/config.json:1:#)
  tell verdicts  on  (home/config.json:1:#)
chat model   work/big  (home/config.json:1:#)
chat effort  low  (project/.segue.json:1:2)
network      off: chat cannot fetch web pages  (default)
store        postgres://me:***@db.example/segue?***  (home/config.json:1:#)
statistics   on: kept on this machine and never sent  (default)

Providers
  anthropic          https://api.anthropic.com/v1     no key
  openai             https://api.openai.com/v1        has a key (OPENAI_API_KEY)
  openrouter         https://openrouter.ai/api/v1     no key
  ollama             http://127.0.0.1:11434/v1        no key needed
  lmstudio           http://127.0.0.1:1234/v1         no key needed
  llamacpp           http://127.0.0.1:8080/v1         no key needed
  vllm               http://127.0.0.1:8000/v1         no key needed
  mistral            https://api.mistral.ai/v1        no key
  codestral          https://codestral.mistral.ai/v1  no key
  inception          https://api.inceptionlabs.ai/v1  no key
  deepseek           https://api.deepseek.com/beta    no key
  sweep              https://autocomplete.sweep.dev/  no key
    next edits only
  sweep-local        http://127.0.0.1:8081/           no key needed
    next edits only
  openai-compatible  no address: set SEGUE_BASE_URL   no key needed
  work               https://work.example/v1?***      has a key (from segue login, home/credentials.json)
    address  (home/config.json:1:#)
    type openai-compatible, api openai
    headers X-Team=***  (home/config.json:1:#)
    big  9000 tokens, images
    small  sweep
  To add a key: segue login PROVIDER

Approvals
  allow  command  npm test  (home/config.json:1:#)

MCP servers
  files  npx -y "files server"  MODE=***               (home/config.json:1:#)
  web    https://mcp.example/s/***  Authorization=***  (home/config.json:1:#)

Agents
  other  other --token ***  (home/config.json:1:#)

Files
  user       home/config.json
  workspace  project/.segue.json
  keys       home/credentials.json
  trust      home/trust.json  (missing)
  database   home/segue.db  (missing)
`);
	});

	test("prints next-edit settings that differ from their defaults, and lists per file", async () => {
		const user = {
			...{ enabled: false, eagerness: "low", delayMs: 500, onlyWhenAsked: true, snoozeMinutes: 5 },
			...{ offInLanguages: ["markdown", "plaintext"], offInFiles: ["*.env"] },
			...{ offInCommentsAndStrings: true, giveUpAfterIgnored: 3 },
		};
		const project = { offInFiles: ["docs/**"] };
		const { out } = await show({ user: { nextEdit: user }, project: { nextEdit: project } });
		expect(out.replace(/:1:\d+/g, ":1:#")).toContain(`next edits   built-in engine: rules, without a model  (default)
  enabled                      off  (home/config.json:1:#)
  eagerness                    low  (home/config.json:1:#)
  delay ms                     500  (home/config.json:1:#)
  only when asked              on  (home/config.json:1:#)
  snooze minutes               5  (home/config.json:1:#)
  off in languages             markdown, plaintext  (home/config.json:1:#)
  off in files                 *.env  (home/config.json:1:#)
  off in files                 docs/**  (project/.segue.json:1:#)
  off in comments and strings  on  (home/config.json:1:#)
  give up after ignored        3  (home/config.json:1:#)
`);
	});

	test("prints JSON", async () => {
		const { out, code } = await show({ user: USER, env: { SEGUE_MODEL: "ollama/a" } }, { json: true });
		expect(code).toBe(0);
		expect(JSON.parse(out)).toMatchObject({
			model: { value: "ollama/a", origin: { from: "environment", where: "SEGUE_MODEL" } },
			effort: null,
			nextEdit: { model: { value: "work/small" }, format: { value: "zeta-2" }, speculate: { value: false } },
			mcpServers: [{ value: { env: { MODE: "***" } } }, { value: { headers: { Authorization: "***" } } }],
			leftOut: [],
			problems: [],
		});
	});

	test("names the unset variable of a key", async () => {
		const providers = { work: { ...USER.providers.work, keyEnv: "WORK_API_KEY" } };
		expect((await show({ user: { ...USER, providers } })).out).toMatch(/ work .* no key: WORK_API_KEY is not set\n/);
	});

	test("wraps problems at the terminal's width and indents the lines", async () => {
		const { out } = await show({ env: { SEGUE_MODEL: "anthropic/a" } }, { columns: 40 });
		expect(out).toContain(
			"  There is no key for anthropic. Run:\n  segue login anthropic, or set\n  SEGUE_API_KEY or ANTHROPIC_API_KEY.\n",
		);
	});

	test.each([40, 60, 80])("fits into a terminal with %d columns", async (columns) => {
		const { out } = await show({ user: { model: "ollama/a" }, project: { effort: "low" } }, { columns });
		// Paths are not cut, so that they can be copied.
		const lines = out.slice(0, out.indexOf("\nFiles\n")).split("\n");
		for (const line of lines.filter((line) => !line.includes("/")))
			expect(line.length, line).toBeLessThanOrEqual(columns);
		expect(out).toContain(
			columns === 80 ? "  ollama             http://127" : "  ollama\n    http://127.0.0.1:11434/v1",
		);
	});

	test("says without a chat model that chat needs one", async () => {
		expect((await show({})).out).toContain("chat model   not set: chat needs a model or another agent\n");
	});

	test.for([0, 1])("wraps at 80 columns in a terminal that reports a width of %i", async (columns) => {
		const sources = { env: { SEGUE_MODEL: "anthropic/a" } };
		expect(await show(sources, { columns })).toEqual(await show(sources, { columns: 80 }));
	});

	test("prints all problems first and exits with 1", async () => {
		const { out, code } = await show({ user: '{ "efort": 1, "network": 2 }', env: { SEGUE_MODEL: "anthropic/a" } });
		expect(code).toBe(1);
		expect(out.slice(0, out.indexOf("\nnext edits "))).toBe(`Problems
  home/config.json:1:3: efort is not a setting; did you mean effort?
  home/config.json:1:26: network must be true or false.
  There is no key for anthropic. Run: segue login anthropic, or set SEGUE_API_KEY or ANTHROPIC_API_KEY.
`);
	});

	test("prints the permissions that are always allowed, and why the list may be incomplete", async () => {
		const stored = {
			allowances: [{ workspace: "/a b", permission: { kind: "command", subject: "make\n\u001b[2K" } }] as const,
			problems: ["The disk is full."],
		};
		const { out, code } = await show({ stored });
		expect(out).toContain(`
Always allowed
  /a b  command  make␊␛[2K
  To forget these answers: segue trust --forget FOLDER
`);
		expect({ code, problems: out.slice(0, out.indexOf("\nnext edits ")) }).toEqual({
			code: 1,
			problems: "Problems\n  The disk is full.\n",
		});
		expect(JSON.parse((await show({ stored }, { json: true })).out)).toMatchObject({
			alwaysAllowed: [{ folder: "/a b", kind: "command", subject: "make\n\u001b[2K" }],
		});
	});

	test("uses colours only if they are turned on", async () => {
		expect((await show({})).out).not.toContain("\u001b");
		expect((await show({}, { isColoured: true })).out).toContain("\u001b[1mProviders");
	});

	/** Where a key belongs, and where users put one by mistake. */
	const PLACES: Readonly<Record<string, (key: string) => Files>> = {
		SEGUE_API_KEY: (key) => ({ env: { SEGUE_API_KEY: key } }),
		"a provider's own variable": (key) => ({ env: { OPENAI_API_KEY: key, SEGUE_MODEL: "openai/a" } }),
		"the key file": (key) => ({ keys: { anthropic: key } }),
		"a configured variable": (key) => ({ user: { providers: { openai: { keyEnv: "MINE" } } }, env: { MINE: key } }),
		"a header for a provider": (key) => ({ user: { providers: { openai: { headers: { "X-Thing": key } } } } }),
		"a header for a server": (key) => ({
			user: { mcpServers: { a: { url: "http://a.example/", headers: { Authorization: `Bearer ${key}` } } } },
		}),
		"a server's variable": (key) => ({ user: { mcpServers: { a: { command: "a", env: { THING: key } } } } }),
		"a server's argument after a flag": (key) => ({
			user: { mcpServers: { a: { command: "a", args: ["--api-key", `k${key}`] } } },
		}),
		"a server's argument with a flag": (key) => ({
			user: {
				agents: { a: { command: "a", args: [`--token=${key}`, `Authorization: Bearer ${key}`, `API_KEY=${key}`] } },
			},
		}),
		"a server's address": (key) => ({
			user: { mcpServers: { a: { url: `http://a.example/?k=${encodeURIComponent(key)}#${encodeURIComponent(key)}` } } },
		}),
		"a database's password": (key) => ({
			user: { store: { url: `postgres://me:${encodeURIComponent(key)}@a.example/b` } },
		}),
		"a variable and the model name": (key) => ({
			env: { SEGUE_API_KEY: key, SEGUE_MODEL: `openai-compatible/${key}` },
		}),
		"an unknown field": (key) => ({ user: { apiKey: key, providers: { openai: { key } } } }),
		"a field with another purpose": (key) => ({
			user: {
				model: `${key} `,
				effort: key,
				network: key,
				nextEdit: { model: key, format: key, speculate: key },
				providers: { openai: { type: key, api: key, baseUrl: key, keyEnv: `${key}-`, models: key } },
				store: { url: key },
			},
		}),
		"a variable with another purpose": (key) => ({ env: { SEGUE_MODEL: `${key} `, SEGUE_BASE_URL: key } }),
		"a broken key file": (key) => ({ keys: { openai: key, anthropic: `${key}\n` } }),
		"an untrusted project file": (key) => ({
			project: {
				mcpServers: { a: { command: "a", env: { KEY: key } } },
				providers: { openai: { headers: { A: key } } },
			},
		}),
	};
	const key = fc.oneof(
		fc.string({
			unit: fc.constantFrom(..."abcXYZ019_-+/=.~:;,!?#$%&'()*@[]{}|<>`^\"\\"),
			minLength: 12,
			maxLength: 80,
		}),
		fc.stringMatching(/^sk-(ant|proj)-[\w-]{20,60}$/),
		fc.stringMatching(/^[0-9a-f]{32}$/),
		fc.stringMatching(/^(gh[ps]_|AIza|xox[bp]-)[0-9A-Za-z]{20,36}$/),
		fc.stringMatching(/^eyJ[\w-]{10,20}\.[\w-]{10,30}\.[\w-]{10,30}$/),
	);

	test.for(Object.keys(PLACES))("never prints a key in %s", async (place) => {
		const property = fc.asyncProperty(key, fc.boolean(), async (secret, json) => {
			const { out } = await show((PLACES[place] as (key: string) => Files)(secret), { json });
			const written = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
			for (const form of written) expect(out).not.toContain(form);
		});
		// Fewer runs than in other tests, because each run writes three files.
		await fc.assert(property, { numRuns: runs(100) });
	});
});

describe("masking", () => {
	test.for([
		["https://a.example/v1", "https://a.example/v1"],
		["https://a.example:8443/mcp/?key=1#x", "https://a.example:8443/mcp/?***#***"],
		["postgres://me:word@a.example/b", "postgres://me:***@a.example/b"],
		["postgres://me@a.example/b", "postgres://me@a.example/b"],
		["https://a.example/s/Zm9vYmFyYmF6cXV4MTIz/mcp", "https://a.example/s/***/mcp"],
		["no address", "***"],
	])("shows the address %s as %s", ([address, shown]) => {
		expect(maskAddress(address as string)).toBe(shown);
	});

	test.for<[string[], string[]]>([
		[
			["-y", "@scope/server-files@1.2.3", "."],
			["-y", "@scope/server-files@1.2.3", "."],
		],
		[
			["--token", "t", "--dir", "/a"],
			["--token", "***", "--dir", "/a"],
		],
		[
			["--token", "--verbose"],
			["--token", "--verbose"],
		],
		[
			["-e", "API_KEY=x", "-e", "MODE=x"],
			["-e", "API_KEY=***", "-e", "MODE=x"],
		],
		[
			["--header", "Authorization: Bearer x"],
			["--header", "Authorization: ***"],
		],
		[["ghp_0123456789abcdefghij"], ["***"]],
		[["postgres://me:word@a.example/b"], ["postgres://me:***@a.example/b"]],
	])("shows the arguments %j as %j", ([args, shown]) => {
		expect(maskArguments(args)).toEqual(shown);
	});

	test("makes control and invisible characters visible in names", () => {
		expect(sanitizeName("a\u001b[2K\u202eb\u200b\r\n\u2028é漢😀\ud800")).toBe(
			"a␛[2K\\u{202e}b\\u{200b}␍␊\\u{2028}é漢😀\\u{d800}",
		);
	});

	test("quotes an argument as one shell word", () => {
		expect(["/a/b-c", "a b", "it's", "$(x)", "-"].map(shellArgument)).toEqual([
			"/a/b-c",
			"'a b'",
			"'it'\\''s'",
			"'$(x)'",
			"-",
		]);
	});

	const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;
	test.runIf(hasBash)("quotes arguments so that bash reads them unchanged", () => {
		const words = ["echo a\nrm 'b' \\n $HOME\n", "\u001b1f", "\u202e4e", "\u{e0001}0", "é\t漢😀'\\"];
		const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" };
		const printed = words.map((word) =>
			spawnSync("bash", ["-c", `printf %s ${shellArgument(word)}`], { env }).stdout.toString(),
		);
		expect(printed).toEqual(words);
		expect(words.map(shellArgument).join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
	});
});

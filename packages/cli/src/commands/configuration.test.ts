import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import type { RunningSegue, SegueOptions } from "@segue/testing/process/running-segue";
import { SegueInMemory } from "@segue/testing/process/segue-in-memory";
import { hasTerminals, SegueProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { expect, test } from "vitest";
import { runSegue } from "../program.js";

/** Runs segue in the project folder, in memory by default. */
async function segue(home: Home, args: readonly string[], input = "", start = inMemory) {
	const started = start(args, { folder: home.project, env: { SEGUE_HOME: home.home }, input });
	const status = await started.ended;
	return { out: home.short(started.stdout), err: home.short(started.stderr), status };
}

type Start = (args: readonly string[], options: SegueOptions) => RunningSegue;

const inMemory: Start = (args, options) => new SegueInMemory(runSegue, args, options);
const asProcess: Start = (args, options) => new SegueProcess(args, options);

test("segue login reads a key from standard input, segue config reports it, and segue logout deletes it", async () => {
	using home = new Home({ "home/config.json": { model: "anthropic/claude" } });
	expect(await segue(home, ["config"])).toMatchObject({ err: "", status: 1 });
	const login = await segue(home, ["login", "anthropic"], "sk-ant-0123456789\n", asProcess);
	expect(login).toEqual({
		out: "Stored the key for anthropic in home/credentials.json. Only you can read this file.\n",
		err: "",
		status: 0,
	});
	expect(statSync(path.join(home.home, "credentials.json")).mode & 0o077).toBe(0);
	expect(readFileSync(path.join(home.home, "credentials.json"), "utf8")).toContain("sk-ant-0123456789");
	const config = await segue(home, ["config"]);
	expect(config).toMatchObject({ err: "", status: 0 });
	expect(config.out).toContain("a key (from segue login, home/credentials.json)");
	const json = await segue(home, ["config", "--json"]);
	expect(JSON.parse(json.out)).toMatchObject({ model: { value: "anthropic/claude", origin: { from: "user" } } });
	expect(config.out + json.out + login.out).not.toContain("0123456789");
	expect(await segue(home, ["logout", "anthropic"], "", asProcess)).toMatchObject({ err: "", status: 0 });
	expect(readFileSync(path.join(home.home, "credentials.json"), "utf8")).toBe("{}\n");
});

test("segue trust applies a project's settings until the folder is no longer trusted", async () => {
	using home = new Home({ "project/.segue.json": { network: true } });
	const network = async () => JSON.parse((await segue(home, ["config", "--json"])).out).network.value;
	expect(await network()).toBe(false);
	expect(await segue(home, ["trust"])).toMatchObject({ err: expect.stringContaining("pass --yes"), status: 1 });
	expect(await network()).toBe(false);
	expect(await segue(home, ["trust", "--yes"], "", asProcess)).toMatchObject({
		out: expect.stringContaining("  network: true\n"),
		err: "",
		status: 0,
	});
	expect(await network()).toBe(true);
	expect(await segue(home, ["trust", "--list"])).toEqual({ out: "project\n", err: "", status: 0 });
	expect(await segue(home, ["trust", "--remove", "../project"])).toMatchObject({
		out: "project is no longer trusted.\n",
	});
	expect(await network()).toBe(false);
});

const TRUSTING: readonly [string[], string | undefined, number, string][] = [
	[[], "y", 0, "project\n"],
	[[], "n", 1, "No trusted folders.\n"],
	[["--yes"], undefined, 0, "project\n"],
];

test.for<[...(typeof TRUSTING)[number], Start]>([
	...TRUSTING.map((row): [...typeof row, Start] => [...row, inMemory]),
	...(isAll && hasTerminals ? TRUSTING.map((row): [...typeof row, Start] => [...row, asProcess]) : []),
])(
	"in a terminal, segue trust %j shows the settings, and then the answer is %s",
	async ([args, key, code, trusted, start]) => {
		using home = new Home({ "project/.segue.json": { network: true } });
		const env = { SEGUE_HOME: home.home };
		const started = start(["trust", ...args], { folder: home.project, env, isTerminal: true });
		await started.until("network: true");
		if (key !== undefined) {
			await started.until("Do you trust these settings?");
			started.type(key);
		}
		expect(await started.ended).toBe(code);
		expect((await segue(home, ["trust", "--list"])).out).toBe(trusted);
	},
);

test.for<[string[], RegExp]>([
	[["login"], /^segue: Name a provider: `segue login PROVIDER`\. Available: .*\n$/],
	[["login", "a", "b"], /^segue: Too many arguments for "login"\./],
	[["login", "nobody"], /^segue: Unknown provider "nobody"\./],
	[["trust", "--list", "--remove"], /^segue: Option "--list" cannot be used with option "--remove"\./],
	[["trust", "--remove", "--forget"], /^segue: Option "--remove" cannot be used with option "--forget"\./],
	[["config", "--yaml"], /^segue: Unknown option "--yaml"\./],
	[
		["config", "--jsno"],
		/^segue: Unknown option "--jsno"\. Did you mean "--json"\? Run `segue help config` for its options\.\n$/,
	],
])("segue %j prints one line about the error", async ([args, message]) => {
	using home = new Home();
	const { out, err, status } = await segue(home, args);
	expect({ out, status, lines: err.trimEnd().split("\n").length }).toEqual({ out: "", status: 1, lines: 1 });
	expect(err).toMatch(message);
});

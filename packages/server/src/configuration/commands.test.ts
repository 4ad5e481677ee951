import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/home";
import { hasTerminals, SegueProcess } from "@segue/testing/segue-process";
import { expect, test } from "vitest";

const launcher = path.join(import.meta.dirname, "..", "..", "bin", "segue.js");

/** Runs segue as a user would, in the project, with nothing else in its environment than its home. */
function segue(home: Home, args: readonly string[], input = "", env: Readonly<Record<string, string>> = {}) {
	const { stdout, stderr, status } = spawnSync(process.execPath, [launcher, ...args], {
		encoding: "utf8",
		cwd: home.project,
		env: { SEGUE_HOME: home.home, ...env },
		input,
	});
	return { out: home.short(stdout), err: home.short(stderr), status };
}

test("segue login reads a key from standard input, segue config tells of it, and segue logout forgets it", () => {
	using home = new Home({ "home/config.json": { model: "anthropic/claude" } });
	expect(segue(home, ["config"])).toMatchObject({ err: "", status: 1 });
	const login = segue(home, ["login", "anthropic"], "sk-ant-0123456789\n");
	expect(login).toEqual({
		out: "The key for anthropic is stored in home/credentials.json, which only you can read.\n",
		err: "",
		status: 0,
	});
	expect(statSync(path.join(home.home, "credentials.json")).mode & 0o077).toBe(0);
	expect(readFileSync(path.join(home.home, "credentials.json"), "utf8")).toContain("sk-ant-0123456789");
	const config = segue(home, ["config"]);
	expect(config).toMatchObject({ err: "", status: 0 });
	expect(config.out).toContain("a key (from segue login, home/credentials.json)");
	const json = segue(home, ["config", "--json"]);
	expect(JSON.parse(json.out)).toMatchObject({ model: { value: "anthropic/claude", origin: { from: "user" } } });
	expect(config.out + json.out + login.out).not.toContain("0123456789");
	expect(segue(home, ["logout", "anthropic"])).toMatchObject({ err: "", status: 0 });
	expect(readFileSync(path.join(home.home, "credentials.json"), "utf8")).toBe("{}\n");
});

test("segue trust lets a project do what it says, here or in a folder that is named, until it is taken back", () => {
	using home = new Home({ "project/.segue.json": { network: true } });
	const network = () => JSON.parse(segue(home, ["config", "--json"]).out).network.value;
	expect(network()).toBe(false);
	expect(segue(home, ["trust"])).toMatchObject({ err: expect.stringContaining("pass --yes"), status: 1 });
	expect(network()).toBe(false);
	expect(segue(home, ["trust", "--yes"])).toMatchObject({
		out: expect.stringContaining("  network: true\n"),
		err: "",
		status: 0,
	});
	expect(network()).toBe(true);
	expect(segue(home, ["trust", "--list"])).toEqual({ out: "project\n", err: "", status: 0 });
	expect(segue(home, ["trust", "--remove", "../project"])).toMatchObject({ out: "project is no longer trusted.\n" });
	expect(network()).toBe(false);
});

test.skipIf(!hasTerminals).for<[string[], string | undefined, number, string]>([
	[[], "y", 0, "project\n"],
	[[], "n", 1, "No folder is trusted.\n"],
	[["--yes"], undefined, 0, "project\n"],
])("in a terminal, segue trust %j shows what it is about, and then %s decides", async ([args, key, code, trusted]) => {
	using home = new Home({ "project/.segue.json": { network: true } });
	const env = { SEGUE_HOME: home.home };
	const started = new SegueProcess(["trust", ...args], { folder: home.project, env, isTerminal: true });
	await started.until("network: true");
	if (key !== undefined) {
		await started.until("Do you trust them?");
		started.type(key);
	}
	expect(await started.ended).toBe(code);
	expect(segue(home, ["trust", "--list"]).out).toBe(trusted);
});

test.for<[string[], RegExp]>([
	[["login"], /missing required argument 'provider'/],
	[["login", "a", "b"], /too many arguments/],
	[["login", "nobody"], /^segue: There is no provider nobody\./],
	[["trust", "--list", "--remove"], /'--list' cannot be used with option '--remove'/],
	[["trust", "--remove", "--forget"], /'--remove' cannot be used with option '--forget'/],
	[["config", "--yaml"], /unknown option '--yaml'/],
])("segue %j says in one line that it cannot", ([args, said]) => {
	using home = new Home();
	const { out, err, status } = segue(home, args);
	expect({ out, status, lines: err.trimEnd().split("\n").length }).toEqual({ out: "", status: 1, lines: 1 });
	expect(err).toMatch(said);
});

test.for(["config", "login", "logout", "trust"])("segue help %s has an example", (command) => {
	using home = new Home();
	expect(segue(home, ["help", command]).out).toMatch(new RegExp(`Example:\n  \\$ .*segue ${command}`));
});

import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readConfiguration } from "@segue/agent/config/configuration";
import { Home } from "@segue/testing/process/home";
import { SegueInMemory } from "@segue/testing/process/segue-in-memory";
import { describe, expect, test } from "vitest";
import { runSegue } from "../program.js";
import { logIn, logOut } from "./login.js";

const onPosix = test.skipIf(process.platform === "win32");

async function run(home: Home, act: typeof logOut, provider: string, key?: string, env = {}) {
	let [out, err] = ["", ""];
	const code = await act(provider, {
		folder: home.project,
		env: { SEGUE_HOME: home.home, ...env },
		ask: async () => key,
		stdout: { write: (text: string) => (out += text) },
		stderr: { write: (text: string) => (err += text) },
	});
	return { out: home.short(out), err: home.short(err), code };
}

function modeOf(...parts: string[]): string {
	return (statSync(path.join(...parts)).mode & 0o777).toString(8);
}

describe("segue login", () => {
	onPosix("stores a key in a file and a folder that only the user can read", async () => {
		using home = new Home();
		chmodSync(home.home, 0o755);
		const umask = process.umask(0);
		const result = await run(home, logIn, "anthropic", " sk-ant-1234\n");
		process.umask(umask);
		expect(result).toEqual({
			out: "Stored the key for anthropic in home/credentials.json. Only you can read this file.\n",
			err: "",
			code: 0,
		});
		expect([modeOf(home.home, "credentials.json"), modeOf(home.home)]).toEqual(["600", "700"]);
		expect(readdirSync(home.home)).toEqual(["credentials.json"]);
		const { models } = readConfiguration({ folder: home.project, env: { SEGUE_HOME: home.home }, flags: {} });
		expect(models.choose("anthropic/x")).toMatchObject({ apiKey: "sk-ant-1234" });
	});

	test("keeps other providers' keys and accepts configured providers", async () => {
		using home = new Home({
			"home/config.json": { providers: { work: { type: "openai-compatible", baseUrl: "http://127.0.0.1/" } } },
		});
		await run(home, logIn, "openai", "one");
		await run(home, logIn, "work", "two");
		await run(home, logIn, "openai", "three");
		expect(JSON.parse(readFileSync(path.join(home.home, "credentials.json"), "utf8"))).toEqual({
			openai: "three",
			work: "two",
		});
	});

	test("lists the providers if none is given", async () => {
		using home = new Home();
		const segue = new SegueInMemory(runSegue, ["login"], { folder: home.project, env: { SEGUE_HOME: home.home } });
		expect(await segue.ended).toBe(1);
		expect(segue.stderr).toMatch(/^segue: Name a provider: `segue login PROVIDER`\. Available: .*anthropic.*\.\n$/);
	});

	test("reports that another key takes precedence", async () => {
		const work = { type: "openai-compatible", baseUrl: "http://127.0.0.1/", keyEnv: "WORK_KEY" };
		using home = new Home({ "home/config.json": { providers: { work } } });
		const { out } = await run(home, logIn, "work", "sk-new", { WORK_KEY: "sk-other" });
		expect(out).toContain("The key in WORK_KEY takes precedence. Unset WORK_KEY to use the stored key.\n");
		expect((await run(home, logIn, "work", "sk-new")).out).not.toContain("takes precedence");
	});

	test.for<[string, string | undefined, RegExp]>([
		["antropic", "sk-1", /^segue: Unknown provider "antropic"\. Did you mean "anthropic"\?\n$/],
		["zzz", "sk-1", /^segue: Unknown provider "zzz"\. Available: anthropic, openai/],
		["anthropic", undefined, /^segue: Cancelled\. Nothing was stored\.\n$/],
		["anthropic", " \n", /^segue: The key is empty\. Nothing was stored\./],
		["anthropic", "sk-one\nsk-two", /^segue: A key is one line/],
		["anthropic", "sk-ключ", /^segue: A key is one line/],
		["anthropic", "x".repeat(16_385), /^segue: A key is one line/],
	])("stores nothing for %s and %j", async ([provider, key, message]) => {
		using home = new Home();
		const { out, err, code } = await run(home, logIn, provider, key);
		expect({ out, code }).toEqual({ out: "", code: 1 });
		expect(err).toMatch(message);
		if (key?.trim()) expect(err).not.toContain(key);
		expect(existsSync(path.join(home.home, "credentials.json"))).toBe(false);
	});

	onPosix("reports that SEGUE_HOME is not a folder", async () => {
		using home = new Home({ "home/file": "no folder" });
		let err = "";
		const sink = { write: (text: string) => (err += text) };
		const env = { SEGUE_HOME: path.join(home.home, "file", "deep") };
		const code = await logIn("openai", {
			folder: home.project,
			env,
			ask: async () => "sk-1234",
			stdout: sink,
			stderr: sink,
		});
		expect({ code, err: home.short(err) }).toEqual({
			code: 1,
			err: "segue: SEGUE_HOME is set to home/file/deep, which is not a folder. Set it to an existing or new folder.\n",
		});
	});
});

describe("segue logout", () => {
	test("deletes one key and keeps the others", async () => {
		using home = new Home({ "home/credentials.json": { openai: "one", anthropic: "two" } });
		expect((await run(home, logOut, "openai")).out).toBe("Deleted the key for openai in home/credentials.json.\n");
		expect((await run(home, logOut, "openai")).out).toBe("No key for openai in home/credentials.json.\n");
		expect(JSON.parse(readFileSync(path.join(home.home, "credentials.json"), "utf8"))).toEqual({ anthropic: "two" });
	});
});

describe("the key file", () => {
	onPosix.for([0o640, 0o604, 0o644, 0o660, 0o666, 0o610, 0o777, 0o601])(
		"is ignored with mode %o, and the problem says how to fix this",
		async (mode) => {
			using home = new Home({ "home/credentials.json": { openai: "sk-open" } });
			chmodSync(path.join(home.home, "credentials.json"), mode);
			const { models, problems } = readConfiguration({
				folder: home.project,
				env: { SEGUE_HOME: home.home },
				flags: {},
			});
			expect(problems.map((problem) => home.short(problem))).toEqual([
				"home/credentials.json can be read by other users, so it is not used. Run: chmod 600 home/credentials.json",
			]);
			expect(models.choose("openai/x")).toEqual({ why: expect.stringContaining("no key for openai") });
			expect((await run(home, logIn, "openai", "sk-new")).err).toContain("chmod 600");
			expect(readFileSync(path.join(home.home, "credentials.json"), "utf8")).toContain("sk-open");
		},
	);

	onPosix.for([0o600, 0o400, 0o700])("is used with mode %o", (mode) => {
		using home = new Home({ "home/credentials.json": { openai: "sk-1" } });
		chmodSync(path.join(home.home, "credentials.json"), mode);
		const { problems } = readConfiguration({ folder: home.project, env: { SEGUE_HOME: home.home }, flags: {} });
		expect(problems).toEqual([]);
	});

	test.for<[string, string]>([
		["{ sk-1234567890", "1:3: invalid value"],
		['{ "openai": "sk-1234567890\\n" }', "1:13: openai is not a valid key: log in again."],
		['{ "openai": { "key": "sk-1234567890" } }', "1:13: openai must be a key in double quotes."],
		['["sk-1234567890"]', "1:1: the file must be an object"],
	])("with a mistake is reported without its keys and is not overwritten: %s", async ([text, message]) => {
		using home = new Home();
		const file = home.write("home/credentials.json", "");
		writeFileSync(file, text);
		const { problems } = readConfiguration({ folder: home.project, env: { SEGUE_HOME: home.home }, flags: {} });
		const { err, code } = await run(home, logIn, "openai", "sk-new");
		expect(home.short(problems.join("\n"))).toContain(`home/credentials.json:${message}`);
		expect(err).toContain(`home/credentials.json:${message}`);
		expect(problems.join("\n") + err).not.toContain("1234567890");
		expect({ code, left: readFileSync(file, "utf8") }).toEqual({ code: 1, left: text });
	});
});

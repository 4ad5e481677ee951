import { chmodSync } from "node:fs";
import path from "node:path";
import { chooseAgent } from "@segue/agent/chat/agent-choice";
import { readConfiguration } from "@segue/agent/config/configuration";
import { Home } from "@segue/testing/process/home";
import { expect, test } from "vitest";
import { printAgents } from "./agents.js";

const CONFIGURATION = { agents: { mine: { command: "my-agent", args: ["--token", "sk-1234567890", "acp"] } } };

/**
 * A machine with a configured agent, an installed agent, and a file that has a known agent's name but is not executable.
 */
function machine() {
	const home = new Home({
		"home/config.json": CONFIGURATION,
		"bin/opencode": "#!/bin/sh\n",
		"bin/gemini": "not executable",
	});
	const bin = path.join(path.dirname(home.home), "bin");
	chmodSync(path.join(bin, "opencode"), 0o755);
	return { home, env: { SEGUE_HOME: home.home, PATH: ["relative", bin].join(path.delimiter) } };
}

async function list(options: { json?: boolean }, columns?: number): Promise<{ code: number; printed: string }> {
	const { home, env } = machine();
	using _ = home;
	let printed = "";
	const write = (text: string) => {
		printed += text;
	};
	const code = await printAgents(options, { folder: home.project, env, stdout: { write, columns } });
	return { code, printed: home.short(printed) };
}

test("segue agents lists configured, installed and other known agents", async () => {
	const { code, printed } = await list({});
	expect(code).toBe(0);
	expect(printed).toMatch(/^Configured:\n {2}mine {2}my-agent --token '?\*\*\*'? acp {2}home\/config\.json/);
	expect(printed).toContain("Found on this machine:\n  opencode  opencode acp  bin/opencode\n");
	expect(printed).toMatch(/\nNot found: .*gemini.*\.\n/);
	expect(printed).not.toContain("sk-1234567890");
});

test("segue agents fits into a narrow terminal", async () => {
	const { printed } = await list({}, 60);
	expect(printed).toContain("  opencode\n    opencode acp,");
	for (const line of printed.split("\n").filter((line) => !line.includes("/")))
		expect(line.length, line).toBeLessThanOrEqual(60);
});

test("segue agents prints problems first", async () => {
	using home = new Home({ "home/config.json": { efort: 1 } });
	let printed = "";
	const stdout = { write: (text: string) => (printed += text) };
	expect(await printAgents({}, { folder: home.project, env: { SEGUE_HOME: home.home }, stdout })).toBe(1);
	expect(home.short(printed)).toMatch(
		/^Problems\n {2}home\/config\.json:1:2: efort is not a setting; did you mean effort\?\n\n/,
	);
});

test("segue agents prints JSON", async () => {
	const { configured, found, missing } = JSON.parse((await list({ json: true })).printed);
	expect(configured).toMatchObject([{ name: "mine", command: "my-agent", args: ["--token", "***", "acp"] }]);
	expect(found).toEqual([{ name: "opencode", command: "opencode", args: ["acp"], file: "bin/opencode" }]);
	expect(missing).toContain("gemini");
});

test.each([
	["mine", { name: "mine", command: "my-agent", args: ["--token", "sk-1234567890", "acp"] }],
	["gemini", { name: "gemini", command: "gemini", args: ["--acp"] }],
	["other-agent --acp", { name: "other-agent", command: "other-agent", args: ["--acp"] }],
])("chooses an agent by a configured name, a known name or a command line: %s", (choice, command) => {
	const { home, env } = machine();
	using _ = home;
	expect(chooseAgent(choice, readConfiguration({ folder: home.project, env, flags: {} }))).toEqual(command);
});

test("rejects an agent's invalid command line and shows an example", () => {
	expect(() => chooseAgent("agent 'acp", { agents: [] })).toThrow(
		/unclosed ' quote\. Give the name of an agent, for example --agent gemini/,
	);
});

import { chmodSync } from "node:fs";
import path from "node:path";
import { chooseAgent } from "@segue/agent/chat/agent-choice";
import { readConfiguration } from "@segue/agent/config/configuration";
import { Home } from "@segue/testing/process/home";
import { expect, test } from "vitest";
import { printAgents } from "./agents.js";

const CONFIGURATION = { agents: { mine: { command: "my-agent", args: ["--token", "sk-1234567890", "acp"] } } };

/** A machine with a configured agent and one that is installed; another file of a known name is no program. */
function machine() {
	const home = new Home({
		"home/config.json": CONFIGURATION,
		"bin/opencode": "#!/bin/sh\n",
		"bin/gemini": "no program",
	});
	const bin = path.join(path.dirname(home.home), "bin");
	chmodSync(path.join(bin, "opencode"), 0o755);
	return { home, env: { SEGUE_HOME: home.home, PATH: ["relative", bin].join(path.delimiter) } };
}

async function list(options: { json?: boolean }): Promise<{ code: number; printed: string }> {
	const { home, env } = machine();
	using _ = home;
	let printed = "";
	const write = (text: string) => {
		printed += text;
	};
	const code = await printAgents(options, { folder: home.project, env, stdout: { write } });
	return { code, printed: home.short(printed) };
}

test("segue agents lists the configured ones, those that are installed, and what else is known", async () => {
	const { code, printed } = await list({});
	expect(code).toBe(0);
	expect(printed).toMatch(/^Configured:\n {2}mine {2}my-agent --token '?\*\*\*'? acp {2}home\/config\.json/);
	expect(printed).toContain("Found on this machine:\n  opencode  opencode acp  bin/opencode\n");
	expect(printed).toMatch(/\nKnown and not found: .*gemini.*\.\n/);
	expect(printed).not.toContain("sk-1234567890");
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
])("an agent is chosen by a configured name, a known name or a command line: %s", (said, command) => {
	const { home, env } = machine();
	using _ = home;
	expect(chooseAgent(said, readConfiguration({ folder: home.project, env, flags: {} }))).toEqual(command);
});

test("an agent whose command line cannot be read is refused with what to do", () => {
	expect(() => chooseAgent("agent 'acp", { agents: [] })).toThrow(/not closed\. Name an agent, as --agent gemini/);
});

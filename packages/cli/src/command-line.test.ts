import { Command } from "commander";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { addAcp } from "./commands/acp.js";
import { addChat } from "./commands/chat.js";
import { addEca } from "./commands/eca.js";
import { addEval } from "./commands/eval.js";
import { addInspect } from "./commands/inspect.js";
import { addPlay, addServe } from "./commands/serve.js";
import { addThreads } from "./commands/threads.js";
import { addWhy } from "./commands/why.js";

/** The options that a command receives for these arguments. */
async function optionsOf(args: readonly string[]): Promise<Record<string, unknown>> {
	const silent = { writeOut: () => {}, writeErr: () => {} };
	const program = new Command().enablePositionalOptions().exitOverride().configureOutput(silent);
	const adding = [addAcp, addThreads, addEca, addChat, addPlay, addServe, addInspect, addEval, addWhy];
	let options = {};
	for (const add of adding) {
		const command = add(program, "0.0.0", process);
		command.action(() => {
			options = command.opts();
		});
	}
	await program.parseAsync(args, { from: "user" });
	return options;
}

describe.each(["acp", "threads", "eca", "chat", "play", "serve"])("segue %s", (name) => {
	test.each([
		[undefined, undefined, undefined],
		[undefined, "", undefined],
		["mine", undefined, "mine"],
		[undefined, "mine", "mine"],
		["other-agent acp", undefined, "other-agent acp"],
		[undefined, "other-agent acp", "other-agent acp"],
		["mine", "other-agent acp", "mine"],
	])("with --agent %j and SEGUE_AGENT %j uses the agent %j", async (flag, variable, answers) => {
		vi.stubEnv("SEGUE_AGENT", variable);
		onTestFinished(() => void vi.unstubAllEnvs());
		const { agent } = await optionsOf([name, ...(flag === undefined ? [] : ["--agent", flag])]);
		expect(agent).toBe(answers);
	});
});

test.each([
	["play --port 0", { port: 0 }],
	["serve --port 65535", { port: 65_535 }],
	["serve", { port: 4747 }],
	["inspect agent", { port: 4748 }],
	["eval cases.jsonl --limit 1", { limit: 1 }],
	["why --last 20", { last: 20 }],
])("segue %s sets the options %j", async (line, options) => {
	expect(await optionsOf(line.split(" "))).toMatchObject(options);
});

test.each([
	["play --port -1", "a number from 0 to 65535"],
	["serve --port 65536", "a number from 0 to 65535"],
	["inspect --port 4748.5 agent", "a number from 0 to 65535"],
	["eval cases.jsonl --limit 0", "a whole number greater than 0"],
	["why --last many", "a whole number greater than 0"],
])("segue %s fails: it must be %s", async (line, what) => {
	await expect(optionsOf(line.split(" "))).rejects.toThrow(`It must be ${what}.`);
});

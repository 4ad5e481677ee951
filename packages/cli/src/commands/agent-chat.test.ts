import { quirkyLine } from "@segue/testing/agents/quirky-agent";
import { ChatCommandFixture } from "@segue/testing/process/chat-command-fixture";
import { isAll } from "@segue/testing/setup/tier";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSegue } from "../program.js";

let stage: ChatCommandFixture;

beforeEach(async () => {
	stage = await ChatCommandFixture.open(runSegue);
	stage.write("a.txt", "one\n");
});

afterEach(async () => {
	await stage.close();
});

const LINE = quirkyLine();

test("segue chat --agent uses another agent, and --resume continues with it", async () => {
	const first = await stage.run(["--agent", LINE, "--allow", "edit:**", "everything"]);
	expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("Answer: yes") });
	expect(stage.read("a.txt")).toBe("two\n");
	expect(stage.server.requests).toEqual([]);
	const next = await stage.run(["--resume", "repeat"], { env: { SEGUE_AGENT: LINE } });
	expect(next.stdout).toContain("Assistant: Looking.");
});

test("segue chat --agent prints the agent's error", async () => {
	const { code, stderr } = await stage.run(["--agent", LINE, "error too much"]);
	expect(code).toBe(1);
	expect(stderr).toMatch(/too much/);
});

test.runIf(isAll)("segue chat --agent prints why the agent exited", async () => {
	const { code, stderr } = await stage.runProcess(["--agent", LINE, "die of grief"]);
	expect(code).toBe(1);
	expect(stderr).toMatch(/exited with code 3: of grief/);
});

test.runIf(isAll)("segue chat --agent prints unknown notifications only as debug output", async () => {
	const options = { env: { NODE_DEBUG: "segue" } };
	const { stderr } = await stage.runProcess(["--agent", LINE, "notify _auth/status_update"], options);
	expect(stderr).toMatch(/^SEGUE \d+: .*bad-notification _auth\/status_update/m);
});

test("segue chat --agent rejects an invalid command line", async () => {
	const { code, stderr } = await stage.run(["--agent", "agent 'acp", "hello"]);
	expect(code).toBe(1);
	expect(stderr).toMatch(/^segue: The agent's command line has an unclosed ' quote\. Give the name of an agent/);
});

test.each([
	["--mode", "plan"],
	["--model", "a/b"],
	["--effort", "low"],
])("segue chat rejects %s for another agent", async (option, value) => {
	const named = await stage.run(["--agent", LINE, option, value, "--allow", "edit:**", "everything"]);
	expect(named).toMatchObject({ code: 1, stderr: expect.stringMatching(/"--agent .*cannot be used with option "--/) });
	const implied = [option, value, "--allow", "edit:**", "everything"];
	const { code, stderr } = await stage.run(implied, { env: { SEGUE_AGENT: LINE } });
	expect(code).toBe(1);
	expect(stderr).toMatch(/^segue: --\w+ cannot be used with another agent\. Omit it, or unset SEGUE_AGENT\.\n$/);
	expect(stage.read("a.txt")).toBe("one\n");
});

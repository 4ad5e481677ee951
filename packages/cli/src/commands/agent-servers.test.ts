import { openEngine } from "@segue/agent/chat/engine";
import { LazyChat } from "@segue/agent/chat/lazy-chat";
import { ConfiguredBackend } from "@segue/server/eca/configured-backend";
import { Home } from "@segue/testing/process/home";
import { describe, expect, onTestFinished, test } from "vitest";

const CONFIGURATION = { agents: { mine: { command: "my-agent", args: ["acp"] } } };

/** Returns the name of the agent that answers over a protocol if the user has chosen `agent`. */
type AgentOf = (home: Home, agent: string | undefined) => Promise<string | undefined>;

const PROTOCOLS: Readonly<Record<string, AgentOf>> = {
	"segue acp and segue threads": async (home, agent) => {
		const chat = new LazyChat(agent, () => {}, { env: { SEGUE_HOME: home.home }, cwd: () => home.project });
		onTestFinished(() => chat.close());
		return (await chat.acquireEngine(home.project)).engine.agent;
	},
	"segue eca": async (home, agent) => {
		const env = { SEGUE_HOME: home.home };
		const backend = new ConfiguredBackend({ env, folder: home.project, agent, notify: () => {} });
		onTestFinished(() => backend.close());
		return (await backend.engineFor(home.project)).agent;
	},
	"segue chat": async (home, agent) => {
		const settings = { workspace: home.project, env: { SEGUE_HOME: home.home }, agent, report: () => {}, rules: [] };
		const engine = await openEngine({ ...settings, model: undefined, effort: undefined, mode: undefined });
		onTestFinished(() => engine.close());
		return engine.agent;
	},
};

describe.each(Object.entries(PROTOCOLS))("%s", (_name, agentOf) => {
	test.each([
		[undefined, undefined],
		["mine", "mine"],
		["other-agent acp", "other-agent acp"],
	])("with --agent %j uses the agent %j", async (agent, answers) => {
		const home = new Home({ "home/config.json": CONFIGURATION });
		onTestFinished(() => home[Symbol.dispose]());
		expect(await agentOf(home, agent)).toBe(answers);
	});
});

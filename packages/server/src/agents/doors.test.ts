import { Home } from "@segue/testing/home";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openEngine } from "../chat/engine.js";
import { LazyChat } from "../chat/lazy.js";
import { ConfiguredBackend } from "../eca/configured.js";

const CONFIGURATION = { agents: { mine: { command: "my-agent", args: ["acp"] } } };

/** The name of the agent that answers where one comes in, if the user has said this with a flag or in the environment. */
type Door = (home: Home, flag: string | undefined, env: NodeJS.ProcessEnv) => Promise<string | undefined>;

const DOORS: Readonly<Record<string, Door>> = {
	"segue acp and segue threads": async (home, flag, env) => {
		for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
		onTestFinished(() => void vi.unstubAllEnvs());
		const chat = new LazyChat(flag, () => {});
		onTestFinished(() => chat.close());
		return (await chat.engineFor(home.project)).engine.agent;
	},
	"segue eca": async (home, flag, env) => {
		const backend = new ConfiguredBackend({ env, folder: home.project, agent: flag, tell: () => {} });
		onTestFinished(() => backend.close());
		return (await backend.engineFor(home.project)).agent;
	},
	"segue chat": async (home, flag, env) => {
		const settings = { workspace: home.project, env, agent: flag, report: () => {}, rules: [] };
		const engine = await openEngine({ ...settings, model: undefined, effort: undefined, mode: undefined });
		onTestFinished(() => engine.close());
		return engine.agent;
	},
};

/** What is said with the flag, what in the environment, and who answers. */
const SAID: readonly (readonly [string | undefined, string | undefined, string | undefined])[] = [
	[undefined, undefined, undefined],
	[undefined, "", undefined],
	["mine", undefined, "mine"],
	[undefined, "mine", "mine"],
	["other-agent acp", undefined, "other-agent acp"],
	[undefined, "other-agent acp", "other-agent acp"],
	["mine", "other-agent acp", "mine"],
];

describe.each(Object.entries(DOORS))("%s", (_name, door) => {
	test.each(SAID)("with --agent %j and SEGUE_AGENT %j has the agent %j answer", async (flag, said, answers) => {
		const home = new Home({ "home/config.json": CONFIGURATION });
		onTestFinished(() => home[Symbol.dispose]());
		const env = { SEGUE_HOME: home.home, ...(said !== undefined && { SEGUE_AGENT: said }) };
		expect(await door(home, flag, env)).toBe(answers);
	});
});

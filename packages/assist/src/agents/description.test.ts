import { afterEach, describe, expect, test, vi } from "vitest";
import type { AgentDescription } from "../acp.js";
import { recallDescription, storeDescription } from "./description.js";
import type { AgentMemory } from "./other-agent.js";

const COMMAND = { name: "one", command: "one", args: ["--key", "sk-1234567890abcdef"] };
const METHOD = { id: "login", name: "Login" };

class Memory implements AgentMemory {
	readonly texts = new Map<string, string>();
	stored = 0;

	recall(key: string): string | undefined {
		return this.texts.get(key);
	}

	store(key: string, text: string): void {
		this.stored++;
		this.texts.set(key, text);
	}
}

function describing(...authMethods: AgentDescription["authMethods"]): AgentDescription {
	return { capabilities: { loadSession: true, promptCapabilities: { image: true } }, authMethods };
}

afterEach(() => {
	vi.unstubAllEnvs();
});

describe("the latest description of an agent", () => {
	test("is stored separately for each command line and set of client sign-in capabilities", () => {
		const memory = new Memory();
		const terminal = { auth: { terminal: true } };
		storeDescription(memory, COMMAND, terminal, describing(METHOD), []);
		expect(recallDescription(memory, COMMAND, terminal)).toEqual({
			capabilities: { promptCapabilities: { image: true } },
			authMethods: [METHOD],
		});
		expect(recallDescription(memory, COMMAND, {})).toBeUndefined();
		expect(recallDescription(memory, { ...COMMAND, args: [] }, terminal)).toBeUndefined();
		expect(JSON.stringify([...memory.texts])).not.toContain("sk-1234567890abcdef");
	});

	test("is stored only if it changed", () => {
		const memory = new Memory();
		for (let i = 0; i < 2; i++) storeDescription(memory, COMMAND, {}, describing(METHOD), []);
		expect(memory.stored).toBe(1);
	});

	test.each<[string, AgentDescription["authMethods"][number]]>([
		["a variable named like a key", { ...METHOD, type: "terminal", env: { LOGIN_TOKEN: "abc" } }],
		["the value of a secret variable", { ...METHOD, description: "The key is hunter2hunter2." }],
		["a key", { ...METHOD, args: [`ghp_${"aB3dE5fG7hJ9".repeat(3)}`] }],
		["16,000 characters", { ...METHOD, description: "x".repeat(16_000) }],
	])("is not stored if it has %s", (_what, method) => {
		vi.stubEnv("MY_PASSWORD", "hunter2hunter2");
		const memory = new Memory();
		storeDescription(memory, COMMAND, {}, describing(method), []);
		expect(memory.stored).toBe(0);
	});

	test.each(["", "{", "[]", '{"authMethods":1}'])("is ignored if the stored text is %j", (text) => {
		const memory = { recall: () => text, store: () => {} };
		expect(recallDescription(memory, COMMAND, {})).toBeUndefined();
	});
});

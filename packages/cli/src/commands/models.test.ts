import { Home } from "@segue/testing/process/home";
import { describe, expect, test } from "vitest";
import { printModels } from "./models.js";

async function list(user: unknown, env: Readonly<Record<string, string>> = {}, json = false, columns?: number) {
	using home = new Home({ "home/config.json": user });
	let out = "";
	const stdout = { write: (text: string) => (out += text), columns };
	const code = await printModels({ json }, { folder: home.project, env: { SEGUE_HOME: home.home, ...env }, stdout });
	return { out: home.short(out), code };
}

const USER = {
	model: "anthropic/claude",
	nextEdit: { model: "ollama/zeta" },
	providers: { codestral: { models: { "codestral-latest": {} } }, ollama: { models: { "qwen2.5-coder": {} } } },
};

describe("segue models", () => {
	test("lists those for next edits and for chat, with format, address, and key or none", async () => {
		const { out, code } = await list(USER, { ANTHROPIC_API_KEY: "sk-0123456789" });
		expect(out).toBe(`Next edits (* is chosen):
  embedded                    rules     this machine
* ollama/zeta                 zeta-1    http://127.0.0.1:11434/v1        no key needed
  anthropic/claude            chat      https://api.anthropic.com/v1     a key from ANTHROPIC_API_KEY
  ollama/qwen2.5-coder        fim-qwen  http://127.0.0.1:11434/v1        no key needed
  codestral/codestral-latest  fill      https://codestral.mistral.ai/v1  no key
    There is no key for codestral. Run: segue login codestral, or set CODESTRAL_API_KEY.

Chat (* is chosen):
* anthropic/claude            https://api.anthropic.com/v1     a key from ANTHROPIC_API_KEY
  ollama/qwen2.5-coder        http://127.0.0.1:11434/v1        no key needed
  codestral/codestral-latest  https://codestral.mistral.ai/v1  no key
    There is no key for codestral. Run: segue login codestral, or set CODESTRAL_API_KEY.

Any model can be named as PROVIDER/MODEL. Providers that need nothing more: anthropic, ollama, lmstudio, llamacpp, vllm, sweep-local.

Choose one: SEGUE_NEXT_EDIT_MODEL and SEGUE_MODEL, or nextEdit.model and model in the configuration.
Try it: segue doctor
`);
		expect(code).toBe(0);
	});

	test("shows programs the same as JSON", async () => {
		expect(JSON.parse((await list(USER, {}, true)).out)).toMatchObject({
			isEmbedded: false,
			nextEdit: [
				{ name: "ollama/zeta", format: "zeta-1", isChosen: true, why: null },
				{ name: "anthropic/claude", format: "chat", why: expect.stringContaining("no key") },
				{ name: "ollama/qwen2.5-coder" },
				{ name: "codestral/codestral-latest" },
			],
			chat: [{ name: "anthropic/claude", isChosen: true }, {}, {}],
		});
	});

	test("says which variable should hold a key and does not, and nothing of the key of a provider that there is not", async () => {
		const providers = {
			work: { type: "openai-compatible", baseUrl: "https://work.example/v1", keyEnv: "WORK_API_KEY" },
		};
		const user = { model: "olama/qwen3", nextEdit: { model: "work/small" }, providers };
		expect((await list(user)).out).toContain("work.example/v1  no key: WORK_API_KEY is not set\n");
		expect((await list(user, { WORK_API_KEY: "sk-0123456789" })).out).toContain("a key from WORK_API_KEY\n");
		expect((await list(user)).out).toMatch(
			/olama\/qwen3 .*no address\n {4}There is no provider olama\. Did you mean ollama\?/,
		);
	});

	test("breaks long sentences at the width of the terminal, and keeps their indent", async () => {
		const { out } = await list(USER, {}, false, 60);
		expect(out).toContain(
			"    There is no key for codestral. Run: segue login\n    codestral, or set CODESTRAL_API_KEY.\n",
		);
		expect(out).toContain("Any model can be named as PROVIDER/MODEL. Providers that\nneed nothing more: ");
	});

	test("breaks nothing in a terminal whose size nobody has set", async () => {
		expect(await list(USER, {}, false, 0)).toEqual(await list(USER));
	});

	test("has the embedded engine chosen where nobody chose, and says that chat has none", async () => {
		const { out } = await list({});
		expect(out).toMatch(
			/^Next edits \(\* is chosen\):\n\* embedded {2}rules {2}this machine\n\nChat: no model is configured\.\n/,
		);
	});

	test("ends with 1 where something is wrong", async () => {
		const { out, code } = await list({ efort: 1 });
		expect(out).toContain("did you mean effort?");
		expect(code).toBe(1);
	});

	test("shows no key that somebody has put in the wrong place", async () => {
		const key = "sk-never-0123456789";
		for (const json of [false, true]) {
			const { out } = await list({}, { SEGUE_API_KEY: key, SEGUE_MODEL: `openai-compatible/${key}` }, json);
			expect(out).not.toContain(key);
		}
	});
});

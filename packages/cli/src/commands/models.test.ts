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
	test("lists models for next edits and chat with their formats, addresses and key sources", async () => {
		const { out, code } = await list(USER, { ANTHROPIC_API_KEY: "sk-0123456789" });
		expect(out).toBe(`Next edits (* marks the chosen model):
  built-in engine             –         rules on this machine            no key needed
* ollama/zeta                 zeta-1    http://127.0.0.1:11434/v1        no key needed
  anthropic/claude            chat      https://api.anthropic.com/v1     key from ANTHROPIC_API_KEY
  ollama/qwen2.5-coder        fim-qwen  http://127.0.0.1:11434/v1        no key needed
  codestral/codestral-latest  fill      https://codestral.mistral.ai/v1  no key
    There is no key for codestral. Run: segue login codestral, or set CODESTRAL_API_KEY.

Chat (* marks the chosen model):
* anthropic/claude            https://api.anthropic.com/v1     key from ANTHROPIC_API_KEY
  ollama/qwen2.5-coder        http://127.0.0.1:11434/v1        no key needed
  codestral/codestral-latest  https://codestral.mistral.ai/v1  no key
    There is no key for codestral. Run: segue login codestral, or set CODESTRAL_API_KEY.

You can use any model as PROVIDER/MODEL. Providers ready to use: anthropic, ollama, lmstudio, llamacpp, vllm, sweep-local.

To choose a model, set SEGUE_NEXT_EDIT_MODEL or SEGUE_MODEL, or nextEdit.model or model in the configuration. For next edits, the value "embedded" chooses the built-in engine.
To test it: segue doctor
`);
		expect(code).toBe(0);
	});

	test("prints each model as a list in a narrow terminal", async () => {
		const { out } = await list(USER, {}, false, 60);
		expect(out).toContain("* ollama/zeta\n    zeta-1, http://127.0.0.1:11434/v1, no key needed\n");
		for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
	});

	test("prints JSON", async () => {
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

	test("names the unset variable of a key, and reports an unknown provider", async () => {
		const providers = {
			work: { type: "openai-compatible", baseUrl: "https://work.example/v1", keyEnv: "WORK_API_KEY" },
		};
		const user = { model: "olama/qwen3", nextEdit: { model: "work/small" }, providers };
		expect((await list(user)).out).toContain("work.example/v1  no key: WORK_API_KEY is not set\n");
		expect((await list(user, { WORK_API_KEY: "sk-0123456789" })).out).toContain("  key from WORK_API_KEY\n");
		expect((await list(user)).out).toMatch(
			/olama\/qwen3 .*no address\n {4}Unknown provider olama\. Did you mean ollama\?/,
		);
	});

	test("wraps long sentences at the terminal's width and indents the lines", async () => {
		const { out } = await list(USER, {}, false, 60);
		expect(out).toContain(
			"    There is no key for codestral. Run: segue login\n    codestral, or set CODESTRAL_API_KEY.\n",
		);
		expect(out).toContain("You can use any model as PROVIDER/MODEL. Providers ready to\nuse: ");
	});

	test("wraps at 80 columns in a terminal of unknown size", async () => {
		expect(await list(USER, {}, false, 0)).toEqual(await list(USER, {}, false, 80));
	});

	test("marks the built-in engine as chosen by default, and says that chat has no model", async () => {
		const { out } = await list({});
		expect(out).toMatch(
			/^Next edits \(\* marks the chosen model\):\n\* built-in engine {2}– {2}rules on this machine {2}no key needed\n\nChat: no model is configured\.\n/,
		);
	});

	test("exits with 1 if the configuration has a problem", async () => {
		const { out, code } = await list({ efort: 1 });
		expect(out).toMatch(
			/^Problems\n {2}home\/config\.json:1:2: efort is not a setting; did you mean effort\?\n\nNext edits /,
		);
		expect(code).toBe(1);
	});

	test("does not show a key that is in the wrong place", async () => {
		const key = "sk-never-0123456789";
		for (const json of [false, true]) {
			const { out } = await list({}, { SEGUE_API_KEY: key, SEGUE_MODEL: `openai-compatible/${key}` }, json);
			expect(out).not.toContain(key);
		}
	});
});

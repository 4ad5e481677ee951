import fc from "fast-check";
import { expect, test } from "vitest";
import { agentCommandOf } from "./command-line.js";

test.each<[string, string, string[], string]>([
	["gemini --acp", "gemini", ["--acp"], "gemini"],
	["  opencode\tacp ", "opencode", ["acp"], "opencode acp"],
	["/usr/local/bin/kimi acp", "/usr/local/bin/kimi", ["acp"], "kimi acp"],
	["npx -y @zed-industries/codex-acp", "npx", ["-y", "@zed-industries/codex-acp"], "npx codex-acp"],
	["agent --key sk-secret acp", "agent", ["--key", "sk-secret", "acp"], "agent"],
	["env KEY=sk-secret agent", "env", ["KEY=sk-secret", "agent"], "env"],
	[`"/my tools/agent" 'a b' c\\ d`, "/my tools/agent", ["a b", "c d"], "agent a b c d"],
	[`agent "say \\"hi\\" \\\\ \\n" '\\"' ""`, "agent", ['say "hi" \\ \\n', '\\"', ""], `agent n " `],
	["C:\\tools\\agent.exe acp", "C:\\tools\\agent.exe", ["acp"], "agent.exe acp"],
	["agent $HOME `ls` ; rm *", "agent", ["$HOME", "`ls`", ";", "rm", "*"], "agent $HOME `ls` ; rm *"],
])("parses the command line %s", (line, command, args, name) => {
	expect(agentCommandOf(line)).toEqual({ name, command, args });
});

test.each([
	["", /is empty/],
	["  ", /is empty/],
	['""', /is empty/],
	['agent "acp', /has an unclosed " quote/],
	["agent it's", /has an unclosed ' quote/],
])("refuses the command line %s", (line, why) => {
	expect(() => agentCommandOf(line)).toThrow(why);
});

test("parses quoted words", () => {
	const someWords = fc.array(fc.string(), { minLength: 1 }).filter(([first]) => first !== "");
	fc.assert(
		fc.property(someWords, (words) => {
			const line = words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(" ");
			const { command, args } = agentCommandOf(line);
			expect([command, ...args]).toEqual(words);
		}),
	);
});

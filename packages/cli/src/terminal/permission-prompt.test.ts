import { expect, test } from "vitest";
import { howToAllow, readAllowOption } from "./permission-prompt.js";

test.each([
	["edit:src/**", { kind: "edit", pattern: "src/**", answer: "allow" }],
	["command:npm run test:unit", { kind: "command", pattern: "npm run test:unit", answer: "allow" }],
	["network:https://example.com", { kind: "network", pattern: "https://example.com", answer: "allow" }],
] as const)("--allow %s is a rule", (said, rule) => {
	expect(readAllowOption(said)).toEqual(rule);
});

test.each(["edit", "edit:", ":src", "fly:*", ""])("--allow %j is refused with how it is written", (said) => {
	expect(() => readAllowOption(said)).toThrow(
		/KIND:PATTERN, as --allow 'edit:src\/\*\*', and the kinds are read-ignored, edit/,
	);
});

test("what would have to be allowed is said so that it can be pasted into a shell", () => {
	expect(howToAllow({ kind: "edit", subject: "src/app.ts" })).toMatch(/: --allow edit:src\/app\.ts$/);
	expect(howToAllow({ kind: "command", subject: "echo 'hi' \x1b[2J" })).toMatch(
		/: --allow \$'command:echo \\'hi\\' \\x1b\[2J'$/,
	);
	expect(howToAllow({ kind: "command", subject: "cd a\nmake" })).toMatch(/: --allow \$'command:cd a\\nmake'$/);
});

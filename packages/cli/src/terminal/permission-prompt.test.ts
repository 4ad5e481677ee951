import { expect, test } from "vitest";
import { howToAllow, readAllowOption } from "./permission-prompt.js";

test.each([
	["edit:src/**", { kind: "edit", pattern: "src/**", answer: "allow" }],
	["command:npm run test:unit", { kind: "command", pattern: "npm run test:unit", answer: "allow" }],
	["network:https://example.com", { kind: "network", pattern: "https://example.com", answer: "allow" }],
] as const)("parses --allow %s", (text, rule) => {
	expect(readAllowOption(text)).toEqual(rule);
});

test.each(["edit", "edit:", ":src", "fly:*", ""])("rejects --allow %j with an example", (text) => {
	expect(() => readAllowOption(text)).toThrow(
		/KIND:PATTERN, for example --allow 'edit:src\/\*\*'\. Kinds: read-ignored, edit/,
	);
});

test("quotes the --allow option for a shell", () => {
	expect(howToAllow({ kind: "edit", subject: "src/app.ts" })).toMatch(/: --allow edit:src\/app\.ts$/);
	expect(howToAllow({ kind: "command", subject: "echo 'hi' \x1b[2J" })).toMatch(
		/: --allow \$'command:echo \\'hi\\' \\x1b\[2J'$/,
	);
	expect(howToAllow({ kind: "command", subject: "cd a\nmake" })).toMatch(/: --allow \$'command:cd a\\nmake'$/);
});

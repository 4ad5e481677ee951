import { chmodSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { describe, expect, test } from "vitest";
import { readToken } from "./guard.js";

const TOKEN = "0123456789abcdef";

function read(options: Parameters<typeof readToken>[0], env: NodeJS.ProcessEnv = {}) {
	const warnings: string[] = [];
	return { token: readToken(options, env, (line) => warnings.push(line)), warnings };
}

describe("the token of segue serve", () => {
	test("is taken from a flag, a file or the environment, in this order of precedence", () => {
		using home = new Home();
		const tokenFile = home.write("token", `${TOKEN}-of-the-file\n`);
		chmodSync(tokenFile, 0o600);
		const env = () => ({ SEGUE_TOKEN: `${TOKEN}-of-the-environment` });
		expect(read({ token: TOKEN }, env())).toEqual({ token: TOKEN, warnings: [] });
		expect(read({ tokenFile }, env())).toEqual({ token: `${TOKEN}-of-the-file`, warnings: [] });
		expect(read({}, env())).toEqual({ token: `${TOKEN}-of-the-environment`, warnings: [] });
		expect(read({}, { SEGUE_TOKEN: "" }).token).toBeUndefined();
		expect(read({}).token).toBeUndefined();
	});

	test("is removed from the environment, so child processes don't inherit it", () => {
		const env = { SEGUE_TOKEN: TOKEN };
		read({ token: `${TOKEN}-of-the-flag` }, env);
		expect(env).toEqual({});
	});

	test.skipIf(process.platform === "win32")("is read with a warning from a file that other users can read", () => {
		using home = new Home();
		const tokenFile = home.write("token", TOKEN);
		chmodSync(tokenFile, 0o644);
		const { token, warnings } = read({ tokenFile });
		expect(token).toBe(TOKEN);
		expect(warnings).toEqual([`Other users can read the token file ${tokenFile}. Run: chmod 600 ${tokenFile}`]);
	});

	test.each<[string, string | undefined, RegExp]>([
		["missing", undefined, /^Cannot read the token file .*ENOENT.*openssl rand/],
		["empty", " \n", /^The token file .* is empty\. Write a token to it with/],
		["without a token", "too short\n", /^The token from the file .* must be 16 to 256 letters/],
		["too large", "x".repeat(10_000), /16 to 256 letters/],
	])("is rejected with the next step if the token file is %s", (_, text, message) => {
		using home = new Home();
		const tokenFile = text === undefined ? path.join(home.project, "missing") : home.write("token", text);
		expect(() => read({ tokenFile })).toThrow(message);
	});

	test("is rejected if both flags are set, or if the variable is too short", () => {
		expect(() => read({ token: TOKEN, tokenFile: "/token" })).toThrow(/cannot be combined/);
		expect(() => read({}, { SEGUE_TOKEN: "short" })).toThrow(/SEGUE_TOKEN/);
	});
});

import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { describe, expect, onTestFinished, test } from "vitest";
import { addMcpServer, removeMcpServer, updateMcpServer } from "./mcp-servers.js";

const COMMENTED = `{
	// My model.
	"model": "openai/gpt", /* chosen in May */
	"mcpServers": {
		// Team notes.
		"notes": { "command": "notes", "args": ["--all"], "env": { "KEY": "1" } }, // keep
	},
}
`;

/** Returns the path of the user's configuration file, which exists only if `text` is given. */
function fileWith(text?: string): string {
	const home = new Home();
	onTestFinished(() => home[Symbol.dispose]());
	const file = path.join(home.home, "config.json");
	mkdirSync(home.home, { recursive: true });
	if (text !== undefined) writeFileSync(file, text);
	return file;
}

const read = (file: string) => readFileSync(file, "utf8");

describe("MCP servers in the user's file", () => {
	test("adds a server with only the given fields, and keeps comments", () => {
		const file = fileWith(COMMENTED);
		addMcpServer(file, "web", { url: "https://mcp.example/", headers: { "X-Key": "2" } });
		const text = read(file);
		for (const comment of ["// My model.", "/* chosen in May */", "// Team notes.", "// keep"]) {
			expect(text).toContain(comment);
		}
		expect(text.replace(/\s+/g, " ")).toContain(
			'"web": { "url": "https://mcp.example/", "headers": { "X-Key": "2" } }',
		);
		expect(text).not.toMatch(/"web"[\s\S]*"(command|args|env)"/);
	});

	test("creates a missing file that only the user can read", () => {
		const file = fileWith();
		addMcpServer(file, "files", { command: "files" });
		expect(JSON.parse(read(file))).toEqual({ mcpServers: { files: { command: "files" } } });
		expect(statSync(file).mode & 0o077).toBe(0);
	});

	test("updates the arguments and keeps the other fields", () => {
		const file = fileWith(COMMENTED);
		updateMcpServer(file, "notes", { args: ["--few"] });
		expect(read(file).replace(/\s+/g, "")).toContain(
			`"notes":{"command":"notes","args":["--few"],"env":{"KEY":"1"}},//keep`,
		);
	});

	test("replaces a command with a URL", () => {
		const file = fileWith('{ "mcpServers": { "a": { "command": "x", "args": ["y"], "env": {} } } }');
		updateMcpServer(file, "a", { url: "https://a.example/" });
		expect(JSON.parse(read(file))).toEqual({ mcpServers: { a: { url: "https://a.example/" } } });
	});

	test("removes a server and keeps comments", () => {
		const file = fileWith(COMMENTED);
		removeMcpServer(file, "notes");
		expect(read(file)).toBe(COMMENTED.replace(/"notes".*},/, ""));
	});

	test.each([
		["first", '{\n\t"a": 1,\n\t"b": 2,\n\t"c": 3\n}', "a", '{\n\t"b": 2,\n\t"c": 3\n}'],
		["middle", '{\n\t"a": 1,\n\t"b": 2,\n\t"c": 3\n}', "b", '{\n\t"a": 1,\n\t"c": 3\n}'],
		["last", '{\n\t"a": 1,\n\t"b": 2,\n\t"c": 3\n}', "c", '{\n\t"a": 1,\n\t"b": 2\n}'],
		["only", '{ "a": 1 }', "a", "{  }"],
		["last, on a single line", '{ "a": 1, "b": 2 }', "b", '{ "a": 1  }'],
	])("removes a server: %s", (_which, servers, name, left) => {
		const whole = (inner: string) => `{ "mcpServers": ${inner.replace(/\d/g, '{ "command": "x" }')} }`;
		const file = fileWith(whole(servers));
		removeMcpServer(file, name);
		expect(read(file)).toBe(whole(left));
	});

	test.each<[string, string | undefined, (file: string) => void, RegExp]>([
		[
			"a duplicate name",
			COMMENTED,
			(file) => addMcpServer(file, "notes", { command: "x" }),
			/already has an MCP server notes/,
		],
		["an invalid name", COMMENTED, (file) => addMcpServer(file, "a b/", { command: "x" }), /a name of at most/],
		["the name __proto__", COMMENTED, (file) => addMcpServer(file, "__proto__", { command: "x" }), /\w/],
		[
			"a server without a command or URL",
			COMMENTED,
			(file) => addMcpServer(file, "a", {}),
			/must have a command or a url/,
		],
		[
			"a server with both a command and a URL",
			COMMENTED,
			(file) => addMcpServer(file, "a", { command: "x", url: "http://a/" }),
			/cannot be combined/,
		],
		["a broken file", "{ oops", (file) => addMcpServer(file, "a", { command: "x" }), /config\.json:1:/],
		[
			"an update to an unknown server",
			COMMENTED,
			(file) => updateMcpServer(file, "none", { command: "x" }),
			/has no MCP server none/,
		],
		["the removal of an unknown server", undefined, (file) => removeMcpServer(file, "none"), /has no MCP server none/],
	])("rejects %s and writes nothing", (_what, text, act, why) => {
		const file = fileWith(text);
		expect(() => act(file)).toThrow(why);
		expect(existsSync(file) ? read(file) : undefined).toBe(text);
		expect(readdirSync(path.dirname(file)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
	});

	test.skipIf(process.platform === "win32")("writes through a symbolic link and keeps the file's permissions", () => {
		const file = fileWith();
		const real = path.join(path.dirname(file), "dotfiles.json");
		writeFileSync(real, COMMENTED);
		chmodSync(real, 0o644);
		symlinkSync(real, file);
		removeMcpServer(file, "notes");
		expect(read(real)).not.toContain('"notes"');
		expect(statSync(real).mode & 0o777).toBe(0o644);
	});
});

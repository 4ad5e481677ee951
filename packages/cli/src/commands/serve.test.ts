import { on, once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import { TestFolder } from "@segue/testing/process/indexed-folder";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { shellQuoted } from "@segue/text";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { commandsFor } from "../run/run-web.js";

/** Starts a `segue` process that is killed at the end of the test. */
function segue(...args: string[]) {
	return segueIn(new Home(), {}, ...args);
}

function segueIn(home: Home, env: Readonly<Record<string, string>>, ...args: string[]) {
	const command = new SegueProcess(args, { folder: home.project, env: { SEGUE_HOME: home.home, ...env } });
	onTestFinished(async () => {
		command.kill("SIGKILL");
		await command.ended;
		home[Symbol.dispose]();
	});
	return command;
}

/** Starts `segue serve` with a random token and waits for its address. */
async function serving(...args: string[]) {
	const command = segue("serve", ...args);
	const [, port = "", token = ""] = await command.until(
		/http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)\nPress Ctrl-C to stop/,
	);
	return { command, port: Number(port), token };
}

async function connected(port: number, token: string): Promise<WebSocket> {
	const socket = new WebSocket(`ws://127.0.0.1:${port}/acp`, ["segue.acp", `segue.token.${token}`]);
	await once(socket, "open");
	return socket;
}

test.each<[NodeJS.Signals, number]>([
	["SIGINT", 0],
	["SIGTERM", 143],
	["SIGHUP", 129],
])("segue serve closes connections and deletes samples on %s", async (signal, code) => {
	const { command, port, token } = await serving("--port", "0");
	const socket = await connected(port, token);
	const response = await fetch(`http://127.0.0.1:${port}/sample`, {
		method: "POST",
		headers: { "x-segue-token": token },
		body: JSON.stringify({ name: "shop", files: [{ path: "a.ts", text: "" }] }),
	});
	const { root } = (await response.json()) as { root: string };
	expect(existsSync(fileURLToPath(root))).toBe(true);
	const closed = once(socket, "close");
	command.kill(signal);
	expect(await command.ended).toBe(code);
	await closed;
	expect(existsSync(fileURLToPath(root))).toBe(false);
});

test("segue serve accepts sockets from pages of the origins in --allow-origin, and from no others", async () => {
	const origins = ["http://localhost:5173", "https://editor.example"];
	const { port, token } = await serving("--port", "0", ...origins.flatMap((origin) => ["--allow-origin", origin]));
	const protocols = ["segue.acp", `segue.token.${token}`];
	for (const origin of origins) {
		const socket = new WebSocket(`ws://127.0.0.1:${port}/acp`, protocols, { origin });
		await once(socket, "open");
		socket.close();
	}
	const foreign = new WebSocket(`ws://127.0.0.1:${port}/acp`, protocols, { origin: "http://localhost:5174" });
	const [error] = await once(foreign, "error");
	expect(String(error)).toContain("403");
});

test.each([
	"*",
	"https://*.example.com",
	"editor.example",
	"https://editor.example/",
	"https://editor.example/page",
	"null",
])("segue serve does not accept %s as an origin", async (origin) => {
	const command = segue("serve", "--port", "0", "--allow-origin", origin);
	expect(await command.ended).not.toBe(0);
	expect(command.stderr).toContain("It must be one origin without a path, for example https://editor.example.");
});

test("segue serve searches only folders that the user opened", async () => {
	const { port, token } = await serving("--port", "0");
	const files = {
		"home.ts": "export function oldName() {}\n",
		"user.ts": 'import { oldName } from "./home";\n\noldName();\n',
	};
	const folders = [new TestFolder(files), new TestFolder(files)] as const;
	await fetch(`http://127.0.0.1:${port}/folder`, {
		method: "POST",
		headers: { "x-segue-token": token },
		body: JSON.stringify({ path: folders[0].root }),
	});
	const socket = await connected(port, token);
	// Several messages can arrive at once, so they are queued.
	const messages = on(socket, "message");
	let id = 0;
	const notify = (method: string, params: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
	const ask = async (method: string, params: object) => {
		socket.send(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }));
		for (;;) {
			const { value } = await messages.next();
			const answer = JSON.parse(String(value[0]));
			if (answer.id === id) return answer.result;
		}
	};
	await ask("initialize", { protocolVersion: 1, clientCapabilities: { nes: { jump: {} } } });
	/** Renames the function in a folder. Returns a function that requests suggestions. */
	const begin = async (folder: TestFolder) => {
		const { sessionId } = await ask("nes/start", { workspaceUri: folder.uri, workspaceFolders: [] });
		const uri = folder.uriOf("home.ts");
		notify("document/didOpen", { sessionId, uri, languageId: "typescript", version: 1, text: files["home.ts"] });
		const start = { line: 0, character: "export function ".length };
		const end = { line: 0, character: start.character + "oldName".length };
		const contentChanges = [{ range: { start, end }, text: "newName" }];
		notify("document/didChange", { sessionId, uri, version: 2, contentChanges });
		return () => ask("nes/suggest", { sessionId, uri, version: 2, position: end, triggerKind: "automatic" });
	};
	const suggestElsewhere = await begin(folders[1]);
	const suggest = await begin(folders[0]);
	let answer = await suggest();
	while (answer.suggestions.length === 0) answer = await suggest();
	expect(answer.suggestions[0]).toMatchObject({ kind: "jump", uri: folders[0].uriOf("user.ts") });
	expect(await suggestElsewhere()).toEqual({ suggestions: [], _meta: { segue: { reason: "nothing-found" } } });
	socket.terminate();
});

test("segue serve returns the command that runs it and the user's configuration file", async () => {
	const home = new Home();
	const command = segueIn(home, {}, "serve", "--port", "0");
	const [, port = "", token = ""] = await command.until(/http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)\n/);
	const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/installation`, { headers });
	expect((await ask({})).status).toBe(401);
	const clone = path.join(import.meta.dirname, "..", "..", "..", "..");
	expect(await (await ask({ "x-segue-token": token })).json()).toEqual({
		command: `cd ${shellQuoted(clone)} && npx segue`,
		install: `cd ${shellQuoted(clone)} && npm install --global "$(npm pack --silent --workspace @segue/cli)"`,
		installVscode: `cd ${shellQuoted(clone)} && npm run install:vscode`,
		configurationFile: path.join(home.home, "config.json"),
	});
});

test.each<[string, string, NodeJS.Platform, run: (folder: string) => string, install: (folder: string) => string]>([
	[
		...(["a clone", "segue", "linux"] as const),
		(clone) => `cd ${clone} && npx segue`,
		(clone) => `cd ${clone} && npm run install:vscode`,
	],
	[
		...(["a clone whose path contains a space", "my segue", "darwin"] as const),
		(clone) => `cd '${clone}' && npx segue`,
		(clone) => `cd '${clone}' && npm run install:vscode`,
	],
	[
		...(["a clone on Windows", "my segue", "win32"] as const),
		(clone) => `node "${clone}/packages/cli/bin/segue.js"`,
		(clone) => `npm --prefix "${clone}" run install:vscode`,
	],
])("users run the program in %s with commands that work in any folder", (_, name, system, run, install) => {
	using home = new Home();
	home.write(`project/${name}/node_modules/.bin/segue`, "");
	const clone = path.join(home.project, name);
	const commands = { command: run(clone), installVscode: install(clone) };
	expect(commandsFor(`${clone}/packages/cli/bin/segue.js`, system)).toMatchObject(commands);
});

test("users run an installed program by its name, because the npm package segue belongs to another project", () => {
	const launcher = "/usr/lib/node_modules/@segue/cli/bin/segue.js";
	expect(commandsFor(launcher, "linux")).toEqual({ command: "segue" });
});

test("segue serve generates a new token each time and does not log it", async () => {
	const [one, two] = await Promise.all([serving("--port", "0"), serving("--port", "0")]);
	expect(one.token).not.toBe(two.token);
	expect(one.token.length).toBeGreaterThanOrEqual(32);
	const headers = { "x-segue-token": `${one.token}x` };
	expect((await fetch(`http://127.0.0.1:${one.port}/folder/file`, { headers })).status).toBe(401);
	one.command.kill("SIGINT");
	await one.command.ended;
	expect(one.command.stderr).toMatch(/^segue: refused GET \/folder\/file from 127\.0\.0\.1: 401 /m);
	expect(one.command.stderr).not.toContain(one.token);
});

test.runIf(isAll)("segue serve reports a port in use and uses the next one", async () => {
	const other = net.createServer().listen(0, "127.0.0.1");
	onTestFinished(() => void other.close());
	await once(other, "listening");
	const taken = (other.address() as net.AddressInfo).port;
	const { command, port } = await serving("--port", `${taken}`);
	expect(port).toBeGreaterThan(taken);
	// Standard error may arrive after standard output, but both are complete once the command has ended.
	command.kill("SIGINT");
	await command.ended;
	expect(command.stderr).toContain(`segue: Port ${taken} is in use; trying ${taken + 1}.\n`);
});

test.each<[string, string[], string]>([
	["every address without a token", ["--host", "0.0.0.0"], "so a token is required"],
	["every IPv6 address without a token", ["--host", "::"], "so a token is required"],
	["an empty address without a token", ["--host", ""], "so a token is required"],
	["a host name without a token", ["--host", "example.com"], "so a token is required"],
	["a short token", ["--token", "short"], "The token from --token must be 16 to 256 letters"],
	["a token with invalid characters", ["--token", "0123456789abcdef, x"], "must be 16 to 256 letters"],
	["an address of another machine", ["--host", "192.0.2.1", "--token", "0123456789abcdef"], "is not an address of"],
	["an invalid port", ["--port", "70000"], "0 to 65535"],
])("segue serve rejects %s", async (_, args, message) => {
	const command = segue("serve", "--port", "0", ...args);
	expect(await command.ended).toBe(1);
	expect(command.stderr).toContain(message);
	expect(command.stdout).toBe("");
});

test.each<[string, string[], Readonly<Record<string, string>>]>([
	["from a file", ["--token-file", "token"], {}],
	["from the environment", [], { SEGUE_TOKEN: "0123456789abcdef-given" }],
	["from its arguments", ["--token", "0123456789abcdef-given"], {}],
])("segue serve accepts a token %s and does not print it", async (_, args, env) => {
	const home = new Home();
	home.write("project/token", "0123456789abcdef-given\n");
	const command = segueIn(home, env, "serve", "--port", "0", ...args);
	const [, port] = await command.until(/Segue is at http:\/\/127\.0\.0\.1:(\d+)\/\n.*\nPress Ctrl-C to stop/);
	expect(command.stdout).toContain("Add #token= and your token to the address to open the page.\n");
	const socket = await connected(Number(port), "0123456789abcdef-given");
	socket.terminate();
	command.kill("SIGINT");
	await command.ended;
	expect(command.stdout + command.stderr).not.toContain("0123456789abcdef-given");
});

test("segue serve --completions works without a model and prints how to configure editors", async () => {
	const { command, port, token } = await serving("--completions", "--port", "0");
	expect(command.stdout).toContain(`Completions are at http://127.0.0.1:${port}/v1/completions\n`);
	expect(command.stdout).toMatch(/prompt_format can be zeta2_1, zeta2, zeta or sweep/);
	expect(command.stdout).toContain(`set the token ${token} as the API key`);
	const prompt =
		"<[fim-suffix]>\n<[fim-prefix]><filename>edit_history\n--- a/shop/a.ts\n+++ b/shop/a.ts\n@@ -1,2 +1,2 @@\n-let cnt = 0;\n" +
		"+let count = 0;\n log(cnt);\n\n<filename>shop/a.ts\n<|marker_1|>let count<|user_cursor|> = 0;\nlog(cnt);\n<|marker_2|>\n<[fim-middle]>";
	const response = await fetch(`http://127.0.0.1:${port}/v1/completions`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			model: "zeta-2.1",
			prompt,
			max_tokens: 256,
			temperature: 0.2,
			stop: ["<[end▁of▁sentence]>"],
		}),
	});
	const { choices } = (await response.json()) as { choices: { text: string }[] };
	expect(choices[0]?.text).toBe("<|marker_1|>let count = 0;\nlog(count);\n<|marker_2|>");
	// ACP is also served.
	(await connected(port, token)).terminate();
	command.kill("SIGINT");
	expect(await command.ended).toBe(0);
});

test("segue serve --completions uses the configured model for requests with the token", async () => {
	const model = await startModelServer([["\treturn p.x;\n}"], ["(p.x)"]]);
	onTestFinished(() => model.stop());
	const providers = { mine: { type: "openai-compatible", baseUrl: model.url } };
	const nextEdit = { model: "mine/scripted", format: "fim-qwen" };
	const home = new Home({ "home/config.json": { nextEdit, providers } });
	const command = segueIn(home, {}, "serve", "--completions", "--port", "0");
	const [, port, token] = await command.until(/:(\d+)\/#token=(\S+)\nPress Ctrl-C to stop/);
	const complete = async (body: object, authorization: string) => {
		const response = await fetch(`http://127.0.0.1:${port}/v1/completions`, {
			method: "POST",
			headers: { "content-type": "application/json", authorization },
			body: JSON.stringify(body),
		});
		return ((await response.json()) as { choices: { text: string }[] }).choices[0]?.text;
	};
	const promptFor = (file: string) => {
		const diff = "@@ -1,3 +1,5 @@\n interface Point {\n \tx: number;\n }\n+\n+function first(p: Point) {\n";
		const history = `<filename>edit_history\n--- a/${file}\n+++ b/${file}\n${diff}\n`;
		const region = "interface Point {\n\tx: number;\n}\n\nfunction first(p: Point) {\n<|user_cursor|>";
		return `<[fim-suffix]>\n<[fim-prefix]>${history}<filename>${file}\n<|marker_1|>${region}<|marker_2|>\n<[fim-middle]>`;
	};
	const none = "<|marker_1|><|marker_1|><[end▁of▁sentence]>";
	expect(await complete({ prompt: promptFor("a.ts") }, "Bearer none")).toBe(none);
	expect(await complete({ prompt: promptFor(".env") }, `Bearer ${token}`)).toBe(none);
	expect(model.requests).toEqual([]);
	const answer = await complete({ prompt: promptFor("a.ts") }, `Bearer ${token}`);
	expect(answer).toMatch(
		/^<\|marker_1\|>interface Point [\s\S]*first\(p: Point\) \{\n\treturn p\.x;\n\}\n?<\|marker_2\|>/,
	);
	expect(JSON.stringify(model.requests[0]?.body)).toContain("<|fim_prefix|>interface Point {");
	expect(await complete({ prompt: "const y = log", suffix: "\n" }, `Bearer ${token}`)).toBe("(p.x)");
	expect(model.requests).toHaveLength(2);
	command.kill("SIGINT");
	expect(await command.ended).toBe(0);
});

test.runIf(process.platform !== "win32")(
	"segue serve keeps running despite many errors that belong to no connection",
	async () => {
		const failing = `process.on("SIGUSR2", () => {
		for (let i = 0; i < 20; i++) setImmediate(() => { throw new Error("elsewhere"); });
	})`;
		const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(failing)}`;
		const command = segueIn(new Home(), { NODE_OPTIONS }, "serve", "--port", "0");
		const [, port, token = ""] = await command.until(/:(\d+)\/#token=(\S+)\nPress Ctrl-C to stop/);
		const socket = await connected(Number(port), token);
		command.kill("SIGUSR2");
		await expect.poll(() => command.stderr.match(/internal error: Error: elsewhere/g)).toHaveLength(20);
		expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
		expect(socket.readyState).toBe(WebSocket.OPEN);
	},
);

test.runIf(isAll)("segue serve on all addresses prints a warning and checks the host header", async () => {
	const command = segue("serve", "--host", "0.0.0.0", "--token", "0123456789abcdef", "--port", "0");
	const [, host, port] = await command.until(/Segue is at http:\/\/(.+):(\d+)\/\n/);
	expect(host).toBe("localhost");
	expect(command.stdout).not.toContain("0123456789abcdef");
	const ask = (name: string) =>
		new Promise<number | undefined>((resolve) => {
			http.get({ host: "127.0.0.1", port, path: "/healthz", headers: { host: name } }, ({ statusCode }) => {
				resolve(statusCode);
			});
		});
	expect(await ask(`localhost:${port}`)).toBe(200);
	expect(await ask(`evil.example:${port}`)).toBe(403);
	command.kill("SIGINT");
	await command.ended;
	expect(command.stderr).toContain("segue: Connections to 0.0.0.0 are not encrypted.");
});

test.runIf(isAll)("segue serve logs only the first problems of a connection", async () => {
	const { command, port, token } = await serving("--port", "0");
	const socket = await connected(port, token);
	let answers = 0;
	socket.on("message", () => answers++);
	for (let i = 0; i < 300; i++) socket.send("garbage");
	while (answers < 300) await once(socket, "message");
	command.kill("SIGINT");
	await command.ended;
	expect(command.stderr.match(/unreadable/g)).toHaveLength(100);
	expect(command.stderr).toContain("no more problems with this connection are logged");
});

test.runIf(isAll)("segue serve does not log unknown notifications", async () => {
	const { command, port, token } = await serving("--port", "0");
	const socket = await connected(port, token);
	socket.send(JSON.stringify({ jsonrpc: "2.0", method: "client/news", params: {} }));
	socket.send("garbage");
	await once(socket, "message");
	command.kill("SIGINT");
	await command.ended;
	expect(command.stderr).toContain("unreadable");
	expect(command.stderr).not.toContain("client/news");
});

test("segue play serves the page and all files that the page links to", async () => {
	const command = segue("play", "--no-open", "--port", "0");
	const [, address = ""] = await command.until(/(http:\/\/127\.0\.0\.1:\d+)\/#token=/);
	const page = await (await fetch(address)).text();
	const files = [...page.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, file]) => file);
	expect(files).toContain("main.js");
	for (const file of files) expect((await fetch(`${address}/${file}`)).status).toBe(200);
});

test("segue play FOLDER tells the page which folder to open", async () => {
	const home = new Home();
	home.write("project/shop/a.ts", "");
	const command = segueIn(home, {}, "play", "--no-open", "--port", "0", "shop");
	const [, address = "", token = ""] = await command.until(/(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/);
	const response = await fetch(`${address}/folder`, { headers: { "x-segue-token": token } });
	expect(await response.json()).toEqual({ path: path.join(home.project, "shop") });
});

test.each([
	["nowhere", "Folder not found: PROJECT/nowhere. Create it, or pass another folder."],
	["a.ts", "PROJECT/a.ts is not a folder. Pass the folder that contains it."],
])("segue play reports that %s is not a folder", async (name, message) => {
	const home = new Home();
	home.write("project/a.ts", "");
	const command = segueIn(home, {}, "play", "--no-open", "--port", "0", name);
	expect(await command.ended).toBe(1);
	expect(command.stderr.replace(home.project, "PROJECT")).toBe(`segue: ${message}\n`);
	expect(command.stdout).toBe("");
});

test("segue play separates the link from other output", async () => {
	const command = segue("play", "--no-open", "--port", "0");
	await command.until(/Press Ctrl-C to stop\.\n\n/);
	expect(command.stdout).toMatch(
		/^\n {2}Open this link in your browser:\n\n {4}http:\S+#token=\S+\n\n {2}Press Ctrl-C to stop\.\n\n$/,
	);
});

test.runIf(process.platform !== "darwin" && process.platform !== "win32").for([
	[0, "Opened in your browser."],
	[3, "No browser was started. Open the link above in a browser."],
] as const)(
	"segue play reports whether a browser was started, once it knows: exit code %i",
	async ([code, outcome]) => {
		const home = new Home();
		const opener = home.write("bin/xdg-open", `#!/bin/sh\nexit ${code}\n`);
		chmodSync(opener, 0o755);
		const PATH = `${path.dirname(opener)}${path.delimiter}${process.env["PATH"]}`;
		const command = segueIn(home, { PATH }, "play", "--port", "0");
		await command.until(outcome);
		expect(command.stdout).toMatch(/^\n {2}Segue is at this link:\n\n {4}http:\S+\n\n {2}Press Ctrl-C to stop\.\n\n/);
		expect(command.stdout.split(/browser/i)).toHaveLength(outcome.split(/browser/i).length);
	},
);

// On other platforms the browser receives the address directly, because other users cannot read it there.
test.runIf(isAll && process.platform !== "darwin" && process.platform !== "win32")(
	"segue play opens a file that only the user can read, and deletes it on exit",
	async () => {
		const home = new Home();
		const opener = home.write(
			"bin/xdg-open",
			`#!/bin/sh\necho "$@" > "$HOME/began" && mv "$HOME/began" "$HOME/opened"\n`,
		);
		chmodSync(opener, 0o755);
		const PATH = `${path.dirname(opener)}${path.delimiter}${process.env["PATH"]}`;
		const command = segueIn(home, { PATH }, "play", "--port", "0");
		const [address = "", token = ""] = await command.until(/http:\S+#token=(\S+)/);
		const opened = path.join(home.project, "opened");
		await expect.poll(() => existsSync(opened)).toBe(true);
		const file = readFileSync(opened, "utf8").trim();
		expect(file).not.toContain(token);
		expect(readFileSync(file, "utf8")).toContain(`content="0; url=${address}"`);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
		command.kill("SIGINT");
		expect(await command.ended).toBe(0);
		expect(existsSync(path.dirname(file))).toBe(false);
	},
);

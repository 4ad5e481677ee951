import { contentLength, lines } from "@segue/rpc";
import { Home } from "@segue/testing/process/home";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { expect, test } from "vitest";

const utf8 = new TextDecoder();
const initialize = { protocolVersion: 1, clientCapabilities: {} };
const initializeEca = { processId: null, capabilities: {}, workspaceFolders: [], initializationOptions: {} };

test.each([
	["threads", lines, [{ id: 0, method: "getThreads", params: null }], ['{"id":0,"result":{"threads":[]}}']],
	[
		"acp",
		lines,
		[
			{ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize },
			{ jsonrpc: "2.0", id: 1, method: "session/list", params: {} },
		],
		['"id":0,"result":{"protocolVersion":1', '"id":1,"result":{"sessions":[]}'],
	],
	[
		"eca",
		contentLength,
		[
			{ jsonrpc: "2.0", id: 0, method: "initialize", params: initializeEca },
			{ jsonrpc: "2.0", id: 1, method: "chat/list", params: {} },
		],
		['"id":0,"result"', '"id":1,"result":{"chats":[]}'],
	],
])(
	"segue %s answers all requests that it receives before its input ends, and exits",
	async (protocol, framing, requests, answers) => {
		using home = new Home();
		const written = requests.map((message) => framing.encode(JSON.stringify(message)));
		const input = written.map((each) => (typeof each === "string" ? each : utf8.decode(each))).join("");
		const segue = new SegueProcess([protocol], { folder: home.project, env: { SEGUE_HOME: home.home }, input });
		expect(await segue.ended).toBe(0);
		for (const answer of answers) expect(segue.stdout).toContain(answer);
	},
	60_000,
);

test.each([
	[{}, ""],
	[{ NODE_DEBUG: "segue" }, "unknown-notification client/news"],
])(
	"segue acp logs unknown notifications only as debug output: %j",
	async (env, debug) => {
		using home = new Home();
		const input = `${JSON.stringify({ jsonrpc: "2.0", method: "client/news", params: {} })}\n`;
		const segue = new SegueProcess(["acp"], { folder: home.project, env: { SEGUE_HOME: home.home, ...env }, input });
		expect(await segue.ended).toBe(0);
		if (debug === "") expect(segue.stderr).toBe("");
		else expect(segue.stderr).toContain(debug);
	},
	60_000,
);

test("standard error is limited if a client sends garbage", async () => {
	using home = new Home();
	const input = "garbage\n".repeat(5000);
	const segue = new SegueProcess(["acp"], { folder: home.project, env: { SEGUE_HOME: home.home }, input });
	expect(await segue.ended).toBe(0);
	expect(segue.stdout.trimEnd().split("\n")).toHaveLength(5000);
	expect(segue.stderr.split("\n").length).toBeLessThan(300);
	expect(segue.stderr).toMatch(/^segue: \d+ messages suppressed$/m);
}, 60_000);

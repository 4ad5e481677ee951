import * as acp from "@segue/protocol/acp";
import { on } from "@segue/rpc";
import { ScriptedAgent } from "@segue/testing/agents/scripted-agent";
import { FakeClock } from "@segue/testing/clock";
import { FakeHost } from "@segue/testing/editors/fake-host";
import { settled } from "@segue/testing/rpc/peers";
import { expect, onTestFinished, test } from "vitest";
import { Editor, type EditorOptions } from "./index.js";

/** Creates an editor with the given options and returns its agent. */
async function agentOf(options: Partial<EditorOptions>, agent = new ScriptedAgent()): Promise<ScriptedAgent> {
	const host = new FakeHost();
	const clientInfo = { name: "test", version: "1.0.0" };
	const editor = new Editor({ host, connect: agent.connect, clientInfo, clock: new FakeClock(), ...options });
	onTestFinished(() => editor.close());
	await settled();
	return agent;
}

function capabilitiesTo(agent: ScriptedAgent): unknown {
	return agent.paramsOf("initialize")[0]?.["clientCapabilities"];
}

test("offers all encodings, or only those that the plugin names", async () => {
	const all = ["utf-16", "utf-32", "utf-8"];
	expect(capabilitiesTo(await agentOf({}))).toMatchObject({ positionEncodings: all });
	const chosen = await agentOf({ encodings: ["utf-8"] });
	expect(capabilitiesTo(chosen)).toMatchObject({ positionEncodings: ["utf-8"] });
});

test("allows all kinds that the host supports, or only those that the plugin names", async () => {
	const host = new FakeHost();
	host.rename = async () => true;
	expect(capabilitiesTo(await agentOf({ host }))).toMatchObject({ nes: { jump: {}, rename: {} } });
	const chosen = capabilitiesTo(await agentOf({ host, kinds: ["rename", "searchAndReplace"] }));
	expect(chosen).toMatchObject({ nes: { rename: {} } });
	expect(chosen).not.toMatchObject({ nes: { jump: {} } });
	expect(chosen).not.toMatchObject({ nes: { searchAndReplace: {} } });
});

test("calls `connected` before and `initialized` after initialize", async () => {
	const agent = new ScriptedAgent();
	const received: string[][] = [];
	const record = () => void received.push(agent.received.map(({ method }) => method));
	const connections = new Set<unknown>();
	await agentOf(
		{
			connected: (connection) => {
				connections.add(connection);
				record();
			},
			initialized: (connection) => {
				connections.add(connection);
				record();
			},
		},
		agent,
	);
	expect(received).toEqual([[], ["initialize"]]);
	expect(connections.size).toBe(1);
});

test("adds the chat capabilities and handlers to the same connection", async () => {
	const agent = await agentOf({
		chat: {
			capabilities: { fs: { readTextFile: true } },
			handlers: [on(acp.readTextFile, ({ path }) => ({ content: `text of ${path}` }))],
		},
	});
	expect(capabilitiesTo(agent)).toMatchObject({ fs: { readTextFile: true }, nes: {} });
	const params = { sessionId: "chat", path: "/a.ts" };
	expect(await agent.connection?.request(acp.readTextFile, params)).toEqual({ content: "text of /a.ts" });
});

test("chat capabilities do not replace those for next edits", async () => {
	const chat = { capabilities: { positionEncodings: ["utf-8" as const] }, handlers: [] };
	expect(capabilitiesTo(await agentOf({ chat }))).toMatchObject({ positionEncodings: ["utf-16", "utf-32", "utf-8"] });
});

test("calls `started` with the id of every next-edit session", async () => {
	const started: string[] = [];
	const agent = new ScriptedAgent();
	const clock = new FakeClock();
	await agentOf({ started: (id) => started.push(id), clock }, agent);
	expect(started).toEqual(["session_1"]);
	agent.die();
	await settled();
	clock.advance(60_000);
	await settled();
	expect(started).toEqual(["session_1", "session_2"]);
});

test("does not call `started` for a session that the agent refuses", async () => {
	const started: string[] = [];
	const agent = new ScriptedAgent();
	agent.start = () => {
		throw new Error("no");
	};
	await agentOf({ started: (id) => started.push(id) }, agent);
	expect(agent.paramsOf("nes/start").length).toBeGreaterThan(0);
	expect(started).toEqual([]);
});

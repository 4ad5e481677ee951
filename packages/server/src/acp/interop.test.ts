import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk/experimental/nes";
import type { Predict } from "@segue/agent/next-edit/models";
import { predict } from "@segue/predict";
import { overWebSocket } from "@segue/rpc";
import { deferred } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { serveAcp } from "./acp-server.js";

// Runs complete sessions with the ACP SDK's client. All responses must pass the SDK's validators.

const uri = "file:///home/alice/main.ts";

type Update = Extract<sdk.SessionNotification["update"], { sessionUpdate: "config_option_update" }>;

/** Connects the SDK's client. `announced` resolves with the settings of the next session. */
function connect(stream: sdk.Stream) {
	const { opened: announced, open: announce } = deferred<{ sessionId: string; update: Update }>();
	const app = sdk.client({ name: "interop" }).onNotification("session/update", ({ params }) => {
		announce(params as { sessionId: string; update: Update });
	});
	return { agent: app.connect(stream).agent, announced };
}

/** Runs a complete session. */
async function runSession({ agent, announced }: ReturnType<typeof connect>): Promise<void> {
	const initialized = sdk.zInitializeResponse.parse(
		await agent.request("initialize", {
			protocolVersion: sdk.PROTOCOL_VERSION,
			clientInfo: { name: "interop", version: "1.0.0" },
			clientCapabilities: { nes: { jump: {} }, positionEncodings: ["utf-8", "utf-16"] },
		}),
	);
	expect(initialized.protocolVersion).toBe(1);
	expect(initialized.agentCapabilities).toMatchObject({
		positionEncoding: "utf-8",
		nes: { events: { document: { didChange: { syncKind: "incremental" } } } },
	});

	const { sessionId } = sdk.validate.zStartNesResponse.parse(
		await agent.request("nes/start", {
			workspaceUri: "file:///home/alice",
			workspaceFolders: [{ uri: "file:///home/alice", name: "alice" }],
			repository: { name: "alice", owner: "alice", remoteUrl: "https://example.com/alice/alice.git" },
		}),
	);
	const { sessionId: announcedFor, update } = await announced;
	expect(announcedFor).toBe(sessionId);
	expect(update.configOptions.map(({ id, currentValue }) => [id, currentValue])).toEqual([
		["nes_enabled", "on"],
		["nes_eagerness", "medium"],
		["nes_model", "embedded"],
		["nes_delay_ms", "0"],
		["nes_only_when_asked", "off"],
		["nes_snooze_minutes", "0"],
		["nes_off_in_comments_and_strings", "off"],
		["nes_give_up_after_ignored", "0"],
	]);

	await agent.notify("document/didOpen", {
		sessionId,
		uri,
		languageId: "typescript",
		version: 1,
		text: '"😀"; const total = 0\r\none("é", total)\r\ntwo("漢", total)\r\n',
	});
	await agent.notify("document/didFocus", {
		sessionId,
		uri,
		version: 1,
		position: { line: 0, character: 19 },
		visibleRange: { start: { line: 0, character: 0 }, end: { line: 3, character: 0 } },
	});
	const name = { start: { line: 0, character: 14 }, end: { line: 0, character: 19 } };
	await agent.notify("document/didChange", {
		sessionId,
		uri,
		version: 2,
		contentChanges: [{ range: name, text: "sum" }],
	});
	const suggest = async (version: number, signal?: AbortSignal) => {
		const position = { line: 0, character: 17 };
		const answer = await agent.request(
			"nes/suggest",
			{
				sessionId,
				uri,
				version,
				position,
				selection: { start: position, end: position },
				triggerKind: "automatic",
				context: { diagnostics: [], openFiles: [{ uri, languageId: "typescript", lastFocusedMs: 1 }] },
			},
			signal && { cancellationSignal: signal },
		);
		return sdk.validate.zSuggestNesResponse.parse(answer);
	};
	const [first] = (await suggest(2)).suggestions;
	const firstRange = { start: { line: 1, character: 10 }, end: { line: 1, character: 15 } };
	expect(first).toMatchObject({
		kind: "edit",
		uri,
		edits: [{ range: firstRange, newText: "sum" }],
		cursorPosition: { line: 1, character: 13 },
	});

	// After an acceptance, the next suggestion follows.
	const contentChanges = [{ range: firstRange, text: "sum" }];
	await agent.notify("document/didChange", { sessionId, uri, version: 3, contentChanges });
	await agent.notify("nes/accept", { sessionId, id: first?.id ?? "" });
	const [second] = (await suggest(3)).suggestions;
	const secondRange = { start: { line: 2, character: 11 }, end: { line: 2, character: 16 } };
	expect(second).toMatchObject({ edits: [{ range: secondRange, newText: "sum" }] });

	// After a rejection, there is no next suggestion, and the response has the reason.
	await agent.notify("nes/reject", { sessionId, id: second?.id ?? "", reason: "rejected" });
	expect(await suggest(3)).toEqual({ suggestions: [], _meta: { segue: { reason: "rejected-before" } } });

	// Turn suggestions off and on.
	const set = (value: string) =>
		agent.request("session/set_config_option", { sessionId, configId: "nes_enabled", value });
	expect((await set("off")).configOptions[0]).toMatchObject({ id: "nes_enabled", currentValue: "off" });
	expect(await suggest(3)).toEqual({ suggestions: [], _meta: { segue: { reason: "disabled" } } });
	await set("on");

	// A cancelled request may still succeed.
	const controller = new AbortController();
	const cancelled = suggest(3, controller.signal);
	controller.abort();
	expect([undefined, -32800]).toContain(await codeOf(cancelled));

	await agent.notify("document/didSave", { sessionId, uri });
	await agent.notify("document/didClose", { sessionId, uri });
	expect(await suggest(3)).toEqual({ suggestions: [], _meta: { segue: { reason: "no-text" } } });
	sdk.validate.zCloseNesResponse.parse(await agent.request("nes/close", { sessionId }));
	await expect(agent.request("nes/close", { sessionId })).rejects.toMatchObject({ code: -32002, data: { sessionId } });
	await expect(suggest(3)).rejects.toMatchObject({ code: -32002, data: { sessionId } });
}

/** Returns the error code of a failed request, or undefined if it succeeded. */
function codeOf(request: Promise<unknown>): Promise<number | undefined> {
	return request.then(
		() => undefined,
		(error: sdk.RequestError) => error.code,
	);
}

test("the SDK's client runs a session with segue acp over stdio, which exits when the client disconnects", async () => {
	const launcher = path.join(import.meta.dirname, "..", "..", "..", "cli", "bin", "segue.js");
	const child = spawn(process.execPath, [launcher, "acp"], { stdio: "pipe" });
	let errors = "";
	child.stderr.on("data", (chunk) => {
		errors += chunk;
	});
	const exited = once(child, "exit");
	await runSession(connect(streamOf(child)));
	child.stdin.end();
	expect([await exited, errors]).toEqual([[0, null], ""]);
});

function streamOf({ stdin, stdout }: ChildProcess): sdk.Stream {
	const output = Writable.toWeb(stdin as Writable) as WritableStream<Uint8Array>;
	const input = Readable.toWeb(stdout as Readable) as ReadableStream<Uint8Array>;
	return sdk.ndJsonStream(output, input);
}

test("the SDK's client runs a session over WebSocket", async () => {
	const { stream, close } = await connectSockets(predict);
	await runSession(connect(stream));
	await close();
});

test("cancelling a request and closing its session both abort the prediction over WebSocket", async () => {
	const started: string[] = [];
	const { stream, close } = await connectSockets((scene, _memory, { signal }) => {
		started.push(scene.document.uri);
		return new Promise((_resolve, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason));
		});
	});
	const { agent } = connect(stream);
	await agent.request("initialize", { protocolVersion: sdk.PROTOCOL_VERSION });
	const { sessionId } = await agent.request("nes/start", {});
	const document = { sessionId, uri, languageId: "typescript", version: 1, text: "a" };
	await agent.notify("document/didOpen", document);
	const order: string[] = [];
	const suggest = (name: string, signal = new AbortController().signal) => {
		const position = { line: 0, character: 0 };
		const params = { sessionId, uri, version: 1, position, triggerKind: "automatic" as const };
		return codeOf(agent.request("nes/suggest", params, { cancellationSignal: signal })).finally(() => order.push(name));
	};
	const controller = new AbortController();
	const first = suggest("first", controller.signal);
	const second = suggest("second");
	controller.abort();
	expect(await first).toBe(-32800);
	const closed = agent.request("nes/close", { sessionId }).finally(() => order.push("closed"));
	expect([await second, await closed]).toEqual([-32800, {}]);
	expect(order).toEqual(["first", "second", "closed"]);
	expect(started).toEqual([uri, uri]);
	await close();
});

/** Serves the agent on a WebSocket and connects a stream for the SDK. */
async function connectSockets(predict: Predict): Promise<{ stream: sdk.Stream; close: () => Promise<void> }> {
	const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
	await once(server, "listening");
	const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
	const [[socket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as unknown as [
		[WebSocket],
	];
	const problems: string[] = [];
	const report = ({ text }: { text: string }) => problems.push(text);
	const served = serveAcp(overWebSocket(socket), { version: "0.0.0", sync: "events", predict, report });
	const stream = {
		readable: new ReadableStream<sdk.AnyMessage>({
			start: (controller) => {
				client.on("message", (data) => controller.enqueue(JSON.parse(String(data))));
				client.on("close", () => controller.close());
			},
		}),
		writable: new WritableStream<sdk.AnyMessage>({ write: (message) => client.send(JSON.stringify(message)) }),
	};
	const close = async () => {
		client.close();
		expect(await served.closed).toMatchObject({ by: "other" });
		server.close();
		await once(server, "close");
		expect(problems).toEqual([]);
	};
	return { stream, close };
}

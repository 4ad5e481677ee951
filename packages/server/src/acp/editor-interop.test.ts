import { once } from "node:events";
import type { AddressInfo } from "node:net";
import path from "node:path";
import * as sdk from "@agentclientprotocol/sdk/experimental/nes";
import { Editor } from "@segue/editor";
import { agentProcess } from "@segue/editor/node";
import { type Channel, overWebSocket } from "@segue/rpc";
import { FakeHost } from "@segue/testing/editors/fake-host";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { serveAcp } from "./acp-server.js";

// Connects `@segue/editor` to an agent made with the ACP SDK and to Segue, over stdio and WebSocket.

const uri = "file:///project/main.ts";
const TEXT = '"😀"; const total = 0\r\none("é", total)\r\n';

/** An agent made with the SDK. It suggests changing `total` to upper case. */
const SDK_AGENT = `
	const texts = new Map();
	const offsetOf = (text, { line, character }) => {
		const lines = text.split("\\r\\n");
		return lines.slice(0, line).join("\\r\\n").length + (line > 0 ? 2 : 0) + character;
	};
	const feedback = [];
	// The SDK starts handlers in registration order, so document events are handled first.
	const makeApp = (sdk) => sdk.agent({ name: "upper-case" })
		.onNotification("document/didOpen", ({ params }) => { texts.set(params.uri, params.text); })
		.onNotification("document/didChange", ({ params }) => {
			for (const { range, text } of params.contentChanges) {
				const old = texts.get(params.uri);
				texts.set(params.uri, range ? old.slice(0, offsetOf(old, range.start)) + text + old.slice(offsetOf(old, range.end)) : text);
			}
		})
		.onNotification("document/didClose", () => {})
		.onNotification("document/didSave", () => {})
		.onNotification("document/didFocus", () => {})
		.onNotification("nes/accept", ({ params }) => { feedback.push("accepted " + params.id); })
		.onNotification("nes/reject", ({ params }) => { feedback.push("rejected " + params.id); })
		.onRequest("initialize", () => ({
			protocolVersion: 1,
			agentCapabilities: {
				positionEncoding: "utf-16",
				nes: { events: { document: { didOpen: {}, didChange: { syncKind: "incremental" }, didFocus: {} } }, context: { openFiles: {} } },
			},
		}))
		.onRequest("nes/start", () => ({ sessionId: "upper-case" }))
		.onRequest("nes/suggest", ({ params }) => {
			const text = texts.get(params.uri);
			const lines = text.split("\\r\\n");
			const line = lines.findIndex((one) => /total/.test(one) && feedback.length < 2);
			if (line < 0) return { suggestions: [], _meta: { segue: { reason: feedback.join(", ") } } };
			const character = lines[line].indexOf("total");
			const range = { start: { line, character }, end: { line, character: character + 5 } };
			return { suggestions: [{ id: "s" + feedback.length, kind: "edit", uri: params.uri, edits: [{ range, newText: "TOTAL" }] }] };
		})
		.onRequest("nes/close", () => ({}));
`;

/** Opens an editor with one document. */
async function begin(connect: () => Channel | Promise<Channel>) {
	const host = new FakeHost();
	const editor = new Editor({ host, connect, clientInfo: { name: "interop", version: "1.0.0" } });
	host.editor = editor;
	host.open(uri, TEXT);
	host.focus(uri);
	const until = async (isThere: () => boolean) => {
		while (!isThere()) await settled();
	};
	return { host, editor, until };
}

/** Accepts the SDK agent's first suggestion and rejects the second. */
async function editWithSdkAgent(connect: () => Channel | Promise<Channel>): Promise<void> {
	const { host, editor, until } = await begin(connect);
	await until(() => host.shown !== undefined);
	expect(await editor.accept("whole")).toBe(true);
	expect(host.text(uri)).toBe(TEXT.replace("total", "TOTAL"));
	host.move(0);
	await until(() => host.shown !== undefined);
	editor.reject();
	expect(host.shown).toBeUndefined();
	await editor.suggest();
	await until(() => host.notes.some(({ text }) => text === "accepted s0, rejected s1"));
	expect(host.notes.filter(({ kind }) => kind !== "no-suggestion")).toEqual([]);
	await editor.close();
}

/** Renames a declaration and accepts the suggestion for its use. */
async function editWithSegue(connect: () => Channel | Promise<Channel>): Promise<void> {
	const { host, editor, until } = await begin(connect);
	const from = TEXT.indexOf("total");
	host.edit(uri, [{ from, to: from + 5, insert: "sum" }]);
	await until(() => host.shown !== undefined);
	expect(await editor.tab()).toBe(true);
	expect(host.text(uri)).toBe(TEXT.replaceAll("total", "sum"));
	expect(host.notes.filter(({ kind }) => kind !== "no-suggestion")).toEqual([]);
	await editor.close();
}

describe("@segue/editor over stdio", () => {
	test("works with an agent made with the SDK", async () => {
		const program = `
			import * as sdk from "@agentclientprotocol/sdk/experimental/nes";
			import { Readable, Writable } from "node:stream";
			${SDK_AGENT}
			makeApp(sdk).connect(sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
		`;
		const args = ["--input-type=module", "--eval", program];
		await editWithSdkAgent(agentProcess(process.execPath, args, { cwd: import.meta.dirname }));
	});

	test("works with segue acp", async () => {
		const launcher = path.join(import.meta.dirname, "..", "..", "..", "cli", "bin", "segue.js");
		await editWithSegue(agentProcess(process.execPath, [launcher, "acp"]));
	});
});

describe("@segue/editor over WebSocket", () => {
	test("works with an agent made with the SDK", async () => {
		const makeApp = new Function("sdk", `${SDK_AGENT} return makeApp(sdk);`) as (
			kit: typeof sdk,
		) => ReturnType<typeof sdk.agent>;
		await overSockets((socket) => makeApp(sdk).connect(streamOf(socket)), editWithSdkAgent);
	});

	test("works with Segue", async () => {
		const report = ({ text }: { text: string }) => expect.unreachable(text);
		await overSockets(
			(socket) => serveAcp(overWebSocket(socket), { version: "0.0.0", sync: "events", report }),
			editWithSegue,
		);
	});
});

/** Serves an agent on a WebSocket and calls `run` with a function that connects to it. */
async function overSockets(
	serve: (socket: WebSocket) => void,
	run: (connect: () => Promise<Channel>) => Promise<void>,
): Promise<void> {
	const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
	await once(server, "listening");
	server.on("connection", serve);
	await run(async () => {
		const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
		await once(socket, "open");
		return overWebSocket(socket);
	});
	server.close();
	await once(server, "close");
}

function streamOf(socket: WebSocket): sdk.Stream {
	return {
		readable: new ReadableStream<sdk.AnyMessage>({
			start: (controller) => {
				socket.on("message", (data) => controller.enqueue(JSON.parse(String(data))));
				socket.on("close", () => controller.close());
			},
		}),
		writable: new WritableStream<sdk.AnyMessage>({ write: (message) => socket.send(JSON.stringify(message)) }),
	};
}

import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import { createInterface } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import { acpDialect, settled } from "@segue/testing/rpc/peers";
import { isAll } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import * as z from "zod";
import { type Channel, Connection, contentLength, lines, notification, on, overWebSocket, request } from "../index.js";
import { atProcessExit, killGroup, spawnGroup } from "./process-group.js";
import { overStreams } from "./streams.js";

const echo = request({ method: "echo", from: "either", params: z.object({ text: z.string() }), result: z.string() });
const flood = notification({ method: "flood", from: "agent", params: z.object({ text: z.string() }) });

function connect(channel: Channel, limits = {}) {
	return new Connection<"agent">(channel, {
		dialect: acpDialect,
		handlers: [on(echo, ({ text }) => text)],
		report: () => {},
		limits,
	});
}

/** Has both peers send each other a request larger than a pipe's buffer. */
async function expectConversation(a: Connection<"agent">, b: Connection<"agent">): Promise<void> {
	const text = "é😀\n".repeat(100_000);
	expect(await Promise.all([a.request(echo, { text }), b.request(echo, { text })])).toEqual([text, text]);
	a.close();
	expect(await b.closed).toEqual({ by: "other", reason: "the other side closed the connection" });
}

describe.each([
	["lines", lines],
	["contentLength", contentLength],
] as const)("the framing %s", (name, framing) => {
	test("works over a socket", async () => {
		const server = net.createServer().listen(0, "127.0.0.1");
		await once(server, "listening");
		const client = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
		const [socket] = (await once(server, "connection")) as [net.Socket];
		await expectConversation(
			connect(overStreams(client, client, framing)),
			connect(overStreams(socket, socket, framing)),
		);
		server.close();
		await once(server, "close");
	});

	test("works over the standard streams of a child, which exits when they close", async () => {
		const child = spawnEcho(name);
		const { stdin, stdout } = child as typeof child & { stdin: Writable; stdout: PassThrough };
		const agent = connect(overStreams(stdout, stdin, framing));
		const text = "é😀\n".repeat(100_000);
		expect(await agent.request(echo, { text })).toBe(text);
		agent.close();
		expect(await once(child, "exit")).toEqual([0, null]);
	});
});

test("each message is one write, header and body together, because some readers parse chunks separately", async () => {
	const input = new PassThrough();
	const written: string[] = [];
	const output = new Writable({
		write: (chunk: Buffer, _encoding, done) => {
			written.push(chunk.toString());
			done();
		},
	});
	connect(overStreams(input, output, contentLength));
	const body = '{"jsonrpc":"2.0","id":0,"method":"echo","params":{"text":"é"}}';
	for (let i = 0; i < 2; i++) input.write(contentLength.encode(body));
	await settled();
	const answer = '{"jsonrpc":"2.0","id":0,"result":"é"}';
	expect(written).toEqual(Array(2).fill(`Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`));
});

/** A peer in another process, running the same source code. */
function spawnEcho(framing: string) {
	const program = `
		import { Connection, lines, contentLength } from "@segue/rpc";
		import { overStreams } from "@segue/rpc/node";
		const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
		new Connection(overStreams(process.stdin, process.stdout, ${framing}), {
			dialect: { envelope: "jsonrpc", cancel: undefined, methodNotFound: String },
			handlers: [{ message: { kind: "request", method: "echo", params: any, result: any }, handle: ({ text }) => text }],
			report: () => {},
		});`;
	const loader = `--import=${import.meta.resolve("tsx")}`;
	const args = ["--conditions=@segue/source", loader, "--input-type=module", "--eval", program];
	return spawnGroup(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], cwd: import.meta.dirname });
}

test("peers communicate over a WebSocket, one message per frame", async () => {
	const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
	await once(server, "listening");
	const client = new WebSocket(`ws://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
	const [[socket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as unknown as [
		[WebSocket],
	];
	await expectConversation(connect(overWebSocket(client)), connect(overWebSocket(socket)));
	server.close();
});

test("a binary or oversized WebSocket frame is answered with an error, and the connection continues", async () => {
	const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
	await once(server, "listening");
	const client = new WebSocket(`ws://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
	const [[socket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as unknown as [
		[WebSocket],
	];
	connect(overWebSocket(socket), { messageBytesMax: 100 });
	const answers: { error?: { code: number }; result?: string }[] = [];
	client.on("message", (data) => answers.push(JSON.parse(String(data))));
	client.send(Buffer.from("{}"));
	client.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "é".repeat(40) } }));
	client.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "echo", params: { text: "a" } }));
	while (answers.length < 3) await once(client, "message");
	expect(answers.map((answer) => answer.error?.code ?? answer.result)).toEqual([-32600, -32600, "a"]);
	client.close();
	server.close();
});

test.each([lines, contentLength])(
	"requests sent before the end of the input are answered, even asynchronously",
	async (framing) => {
		const [input, output] = [new PassThrough(), new PassThrough()];
		const { closed } = new Connection<"agent">(overStreams(input, output, framing), {
			dialect: acpDialect,
			handlers: [on(echo, ({ text }) => settled().then(() => text))],
			report: () => {},
		});
		input.end(framing.encode(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "echo", params: { text: "late" } })));
		expect(await closed).toEqual({ by: "other", reason: "the other side closed the connection" });
		expect(String(output.read())).toContain('{"jsonrpc":"2.0","id":0,"result":"late"}');
	},
);

describe("a stream", () => {
	test("receives each message in one write", async () => {
		const writes: string[] = [];
		const output = new Writable({
			write: (chunk, _encoding, done) => {
				writes.push(String(chunk));
				done();
			},
		});
		for (const framing of [lines, contentLength]) {
			const agent = connect(overStreams(new PassThrough(), output, framing));
			agent.notify(flood, { text: "😀" });
		}
		const body = '{"jsonrpc":"2.0","method":"flood","params":{"text":"😀"}}';
		expect(writes).toEqual([`${body}\n`, `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`]);
	});

	test("with an oversized message is answered with an error, and the connection continues", async () => {
		const input = new PassThrough();
		const output = new PassThrough({ encoding: "utf8" });
		connect(overStreams(input, output, lines), { messageBytesMax: 100 });
		for (let i = 0; i < 50; i++) input.write("x".repeat(50));
		input.write('\n{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"a"}}\n');
		let answers = "";
		output.on("data", (chunk) => {
			answers += chunk;
		});
		while (answers.split("\n").length < 3) await settled();
		expect(
			answers
				.trimEnd()
				.split("\n")
				.map((text) => JSON.parse(text)),
		).toEqual([
			{
				jsonrpc: "2.0",
				id: null,
				error: { code: -32600, message: "Invalid request: the message is longer than 100 bytes" },
			},
			{ jsonrpc: "2.0", id: 1, result: "a" },
		]);
	});

	test("without a reader is dropped at the limit", async () => {
		const output = new Writable({ write: () => {} });
		const agent = connect(overStreams(new PassThrough(), output, lines), { unwrittenBytesMax: 1000 });
		for (let i = 0; i < 30; i++) agent.notify(flood, { text: "x".repeat(50) });
		expect(await agent.closed).toEqual({
			by: "failure",
			reason: "the other side is not reading: more than 1000 bytes are unread",
		});
		expect(output.destroyed).toBe(true);
	});

	test("that fails closes the connection with the reason", async () => {
		const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
		const agent = connect(overStreams(new PassThrough(), output, lines));
		agent.notify(flood, { text: "" });
		expect(await agent.closed).toEqual({ by: "other", reason: "writing failed: EPIPE" });

		const input = new PassThrough();
		const other = connect(overStreams(input, new PassThrough(), lines));
		input.destroy(new Error("EIO"));
		expect(await other.closed).toEqual({ by: "other", reason: "reading failed: EIO" });
	});

	test("that is already closed or becomes closed, at either end, closes the connection", async () => {
		const gone = { by: "other", reason: "the other side closed the connection" };
		const output = new PassThrough();
		const agent = connect(overStreams(new PassThrough(), output, lines));
		const failed = agent.request(echo, { text: "" }).catch((error: Error) => error.message);
		output.destroy();
		expect(await agent.closed).toEqual(gone);
		expect(await failed).toBe("echo has no answer: the other side closed the connection");

		const ended = new PassThrough();
		ended.end();
		expect(await connect(overStreams(new PassThrough(), ended, lines)).closed).toEqual(gone);
		const destroyed = new PassThrough();
		destroyed.destroy();
		expect(await connect(overStreams(destroyed, new PassThrough(), lines)).closed).toEqual(gone);
	});

	test("accepts one message beyond the limit for unread output", async () => {
		const output = new Writable({ write: () => {} });
		const agent = connect(overStreams(new PassThrough(), output, lines), { unwrittenBytesMax: 1000 });
		agent.notify(flood, { text: "x".repeat(5000) });
		expect(output.destroyed).toBe(false);
		agent.notify(flood, { text: "" });
		expect(output.destroyed).toBe(true);
	});

	test("that ends without a final newline still delivers its last message", async () => {
		const input = new PassThrough();
		const output = new PassThrough();
		connect(overStreams(input, output, lines));
		input.end('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"a"}}');
		const [chunk] = await once(output, "data");
		expect(JSON.parse(String(chunk))).toEqual({ jsonrpc: "2.0", id: 1, result: "a" });
	});
});

test("any number of processes share one exit listener", () => {
	const before = process.listenerCount("exit");
	const ran: number[] = [];
	const callOffs = Array.from({ length: 50 }, (_, i) => atProcessExit(() => ran.push(i)));
	expect(process.listenerCount("exit")).toBe(before + 1);
	callOffs[0]?.();
	const listener = process.listeners("exit").at(-1) as (code: number) => void;
	listener(0);
	expect(ran).toEqual(Array.from({ length: 49 }, (_, i) => i + 1));
	for (const callOff of callOffs) callOff();
	expect(process.listenerCount("exit")).toBe(before);
});

test("output to a stream is written in parts, so that a slow reader's progress is visible", async () => {
	const parts: number[] = [];
	let done: () => void = () => {};
	const output = new Writable({
		writev: (chunks, callback) => {
			parts.push(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0));
			done = callback;
		},
	});
	const agent = connect(overStreams(new PassThrough(), output, lines));
	for (let i = 0; i < 1000; i++) agent.notify(flood, { text: "x".repeat(1000) });
	for (let last = 0; last !== parts.length; ) {
		last = parts.length;
		done();
		await settled();
	}
	expect(Math.max(...parts)).toBeLessThan(6000);
	expect(parts.reduce((sum, part) => sum + part)).toBeGreaterThan(1_000_000);
});

test("all output arrives over a stream with a large buffer", async () => {
	let length = 0;
	const dones: (() => void)[] = [];
	const output = new Writable({
		highWaterMark: 2 ** 20,
		write: (chunk, _encoding, done) => {
			length += chunk.length;
			dones.push(done);
		},
	});
	const agent = connect(overStreams(new PassThrough(), output, lines));
	for (let i = 0; i < 4000; i++) agent.notify(flood, { text: "x".repeat(1000) });
	while (dones.length > 0) {
		for (const done of dones.splice(0)) done();
		await settled();
	}
	expect(length).toBeGreaterThan(4_000_000);
});

test("a message larger than a pipe's buffer is written in parts, or as a whole if nothing is queued", async () => {
	const [parts, dones] = [[] as Buffer[], [] as (() => void)[]];
	const output = new Writable({
		write: (chunk: Buffer, _encoding, done) => {
			parts.push(chunk);
			dones.push(done);
		},
	});
	const agent = connect(overStreams(new PassThrough(), output, lines));
	const texts = ["é".repeat(10_000), "é".repeat(100_000), "é".repeat(10_000)];
	for (const text of texts) agent.notify(flood, { text });
	while (dones.length > 0) {
		dones.shift()?.();
		await settled();
	}
	expect(parts[0]?.length).toBeGreaterThan(20_000);
	expect(Math.max(...parts.slice(1).map(({ length }) => length))).toBe(4096);
	const messages = Buffer.concat(parts).toString().trimEnd().split("\n");
	expect(messages.map((message) => JSON.parse(message).params.text)).toEqual(texts);
});

test("a peer that reads 16 KiB per second gets all responses and is not dropped", async () => {
	const RATE = 2 ** 14;
	let [now, length] = [0, 0];
	let timers: { at: number; run: () => void }[] = [];
	const after = (delayMs: number, run: () => void) => {
		const timer = { at: now + delayMs, run };
		timers.push(timer);
		return () => {
			timers = timers.filter((each) => each !== timer);
		};
	};
	const output = new Writable({
		writev: (chunks, done) => {
			const size = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
			length += size;
			after((1000 * size) / RATE, done);
		},
	});
	const input = new PassThrough();
	const agent = new Connection<"agent">(overStreams(input, output, lines), {
		...{ dialect: acpDialect, handlers: [on(echo, ({ text }) => text)], report: () => {}, after },
		limits: { drainedBytesMax: 100_000, heldMax: 10, heldBytesMax: 10_000, unwrittenBytesMax: 400_000 },
	});
	let isClosed = false;
	void agent.closed.then(() => {
		isClosed = true;
	});
	const params = { text: "x".repeat(1000) };
	for (let id = 0; id < 800; id++) input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "echo", params })}\n`);
	await settled();
	while (timers.length > 0 && !isClosed) {
		now = Math.min(...timers.map(({ at }) => at));
		const due = timers.filter(({ at }) => at <= now);
		timers = timers.filter(({ at }) => at > now);
		for (const { run } of due) run();
		await settled();
	}
	expect(isClosed).toBe(false);
	expect(length).toBeGreaterThan(800_000);
});

/** A peer that writes without waiting for responses, and reads continuously. */
interface Writer {
	readonly channel: Channel;
	write(message: string): void;
	onMessage(take: (message: string) => void): void;
}

async function overSocket(): Promise<Writer> {
	const server = net.createServer().listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const client = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
	onTestFinished(() => void client.destroy());
	const [socket] = (await once(server, "connection")) as [net.Socket];
	return {
		channel: overStreams(socket, socket, lines),
		write: (message) => client.write(`${message}\n`),
		onMessage: (take) => void createInterface({ input: client }).on("line", take),
	};
}

async function overFrames(): Promise<Writer> {
	const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const client = new WebSocket(`ws://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
	onTestFinished(() => client.terminate());
	const [[socket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as unknown as [
		[WebSocket],
	];
	return {
		channel: overWebSocket(socket),
		write: (message) => client.send(message),
		onMessage: (take) => void client.on("message", (data) => take(String(data))),
	};
}

test.runIf(isAll).each([
	["a socket", overSocket],
	["a WebSocket", overFrames],
])("a peer that sends 100,000 requests over %s without waiting gets all responses in order", async (_, open) => {
	const { channel, write, onMessage } = await open();
	const COUNT = 100_000;
	// The responses to one chunk of requests exceed the output limit, so the requests must not all be handled at once.
	const text = "x".repeat(1000);
	const agent = new Connection<"agent">(channel, {
		dialect: acpDialect,
		handlers: [on(request({ method: "ask", from: "either", params: z.object({}), result: z.string() }), () => text)],
		report: () => {},
		limits: { drainedBytesMax: 100_000, unwrittenBytesMax: 400_000 },
	});
	const ids: number[] = [];
	const answered = new Promise<void>((resolve) => {
		onMessage((message) => {
			const { id, result } = JSON.parse(message);
			if (result === text) ids.push(id);
			if (ids.length === COUNT) resolve();
		});
	});
	for (let id = 0; id < COUNT; id++) write(`{"jsonrpc":"2.0","id":${id},"method":"ask","params":{}}`);
	expect(await Promise.race([answered, agent.closed])).toBeUndefined();
	expect(ids.every((id, i) => id === i)).toBe(true);
});

test.skipIf(process.platform === "win32")("killing a process group reaches grandchildren", async () => {
	const sleeper = "setInterval(() => {}, 1000)";
	const program = `
		const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(sleeper)}], { stdio: "ignore" });
		console.log(child.pid);
		${sleeper}`;
	const child = spawnGroup(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
	const [line] = await once(child.stdout as PassThrough, "data");
	const grandchild = Number(String(line));
	killGroup(child, "SIGKILL");
	await once(child, "exit");
	while (isRunning(grandchild)) await settled();
	killGroup(child, "SIGKILL"); // a second call does no harm
});

/** A killed process that its new parent has not reaped yet is a zombie, which is not running. */
function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return !/^State:\s+Z/m.test(readStatus(pid));
	} catch {
		return false;
	}
}

function readStatus(pid: number): string {
	return process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { isAll } from "@segue/testing/setup/tier";
import { expect, test } from "vitest";

// Runs in a separate process, where nothing else allocates. Opens and closes sessions. Each has a document, edits, a
// request with a response, and a request that closing the session may cancel. Prints the heap size before and after, in
// bytes.
const program = `
	import * as acp from "@segue/protocol/acp";
	import { Connection, memoryPair, on } from "@segue/rpc";
	import { serveAcp } from "./acp-server.ts";
	import { heapUsed } from "@segue/testing/heap";

	// Enough for compiled code and caches to settle.
	const WARM_UP = 400;
	const SESSIONS = 1000;
	const text = "const total = one(total) // 😀\\r\\n".repeat(100);
	const uri = "file:///home/alice/main.ts";
	const report = ({ text }) => { throw new Error(text) };

	const [ours, theirs] = memoryPair();
	serveAcp(theirs, { version: "0.0.0", sync: "events", report });
	const client = new Connection(ours, { dialect: acp.dialect, handlers: [on(acp.sessionUpdate, () => {})], report });
	await client.request(acp.initialize, { protocolVersion: 1 });

	async function runSession() {
		const { sessionId } = await client.request(acp.nesStart, {});
		client.notify(acp.didOpen, { sessionId, uri, languageId: "typescript", version: 1, text });
		const range = { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } };
		client.notify(acp.didChange, { sessionId, uri, version: 2, contentChanges: [{ range, text: "sum" }] });
		const params = { sessionId, uri, version: 2, position: range.start, triggerKind: "automatic" };
		await client.request(acp.nesSuggest, params);
		const cancelled = client.request(acp.nesSuggest, params).catch(() => {});
		await client.request(acp.nesClose, { sessionId });
		await cancelled;
	}

	for (let i = 0; i < WARM_UP; i++) await runSession();
	const base = await heapUsed();
	for (let i = 0; i < SESSIONS; i++) await runSession();
	console.log(JSON.stringify({ base, after: await heapUsed() }));
`;

test.runIf(isAll)("the heap does not grow after 1,000 sessions have been closed", async () => {
	const loader = `--import=${import.meta.resolve("tsx")}`;
	const args = ["--conditions=@segue/source", loader, "--input-type=module", "--eval", program];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname });
	const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
	expect(code).toBe(0);
	const { base, after } = JSON.parse(printed);
	// If every session leaked, the ratio would be more than 3.
	expect(after / base).toBeLessThan(1.1);
});

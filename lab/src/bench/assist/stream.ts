import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Assist, type Client, openEmbeddedStore } from "@segue/assist";
import { chatModel } from "@segue/models";
import { showProgress } from "../../progress-bar.js";
import type { Measurement } from "../measurement.js";
import { interleave, median } from "../rounds.js";

const CHUNKS = 2000;
const WARM_UP_ROUNDS = 5;
const ROUNDS = 21;

/**
 * Measures a turn that is stored and sent to a client chunk by chunk, compared with only reading the same HTTP stream.
 */
export async function streamMeasurements(): Promise<Measurement[]> {
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-bench-stream-"));
	const model = spawn(process.execPath, [fileURLToPath(new URL("model.mjs", import.meta.url)), `${CHUNKS}`], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	try {
		const [port] = await once(createInterface(model.stdout), "line");
		const url = `http://127.0.0.1:${port}/v1`;
		const { store } = await openEmbeddedStore(path.join(folder, "threads.db"), new Date());
		const assist = engineOn(store, url);
		const turns = {
			ours: () => cpuOf(() => askEngine(assist, folder)),
			bare: () => cpuOf(() => readPlainly(url)),
		};
		await interleave(turns, WARM_UP_ROUNDS, () => showProgress("a streamed chunk: warming up"));
		const times = await interleave(turns, ROUNDS, (round) =>
			showProgress(`a streamed chunk: ${round + 1} of ${ROUNDS}`),
		);
		await assist.close();
		await store.close();
		const against = { name: "bare HTTP stream", value: median(times.bare) / CHUNKS };
		const figure = "CPU time per streamed chunk";
		return [{ figure, value: median(times.ours) / CHUNKS, unit: "µs", against, target: { timesAtMost: 2 } }];
	} finally {
		model.stdin.end();
		rmSync(folder, { recursive: true });
	}
}

function engineOn(store: Awaited<ReturnType<typeof openEmbeddedStore>>["store"], baseUrl: string): Assist {
	const model = chatModel({
		name: "bench/model",
		type: "openai-compatible",
		model: "model",
		baseUrl,
		apiKey: undefined,
		headers: {},
		windowTokens: undefined,
		takesImages: false,
	});
	let ids = 0;
	return new Assist({
		store,
		models: { names: [model.name], choose: () => model },
		privacyOf: () => ({ isPrivate: () => false }),
		mcpServers: [],
		rules: [],
		network: false,
		secretVariables: [],
		now: () => new Date(),
		newId: () => `id${++ids}`,
	});
}

async function askEngine(assist: Assist, workspace: string): Promise<void> {
	const thread = await assist.create(workspace);
	let received = "";
	const client: Client = {
		update: (update) => {
			if (update.type === "more") received += update.text;
			else if (update.type === "entry" && update.entry.body.type === "text") received += update.entry.body.text;
		},
		approve: async () => "no",
		buffers: undefined,
		editor: {},
	};
	const { signal } = new AbortController();
	await assist.prompt(thread.id, [{ type: "text", text: "Go on" }], client, { signal });
	check(received);
}

/** Reads the stream with minimal code that splits it into events and parses each one. */
async function readPlainly(url: string): Promise<void> {
	const body = JSON.stringify({ model: "model", stream: true, messages: [{ role: "user", content: "Go on" }] });
	const response = await fetch(`${url}/chat/completions`, { method: "POST", body });
	if (response.body === null) throw new Error("the response has no body");
	let rest = "";
	let received = "";
	for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
		const events = (rest + text).split("\n\n");
		rest = events.pop() ?? "";
		for (const event of events) {
			if (!event.startsWith("data: {")) continue;
			received += JSON.parse(event.slice(6)).choices[0].delta.content ?? "";
		}
	}
	check(received);
}

function check(received: string): void {
	if (!received.endsWith(`word${CHUNKS - 1} `)) throw new Error("the text is incomplete");
}

/** Returns the CPU time in microseconds. Unlike wall time, it excludes the model server and other programs. */
async function cpuOf(run: () => Promise<void>): Promise<number> {
	const before = process.cpuUsage();
	await run();
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync } from "node:zlib";
import { deferred, settled } from "../rpc/peers.js";
import { AnswerBarrier } from "./answer-barrier.js";
import {
	type ModelRefusal,
	type ModelRequest,
	type ModelStep,
	type ResponseWriter,
	SCRIPTED_CHAT_APIS,
	type ScriptedApi,
} from "./chat-apis.js";
import { SCRIPTED_EDIT_APIS } from "./edit-apis.js";

/**
 * The response to one request. A list contains the steps of an answer, which is encoded for the request's API:
 *
 * ```ts
 * const server = await startModelServer([
 * 	[{ thought: "Hm." }, "Let me ", "look.", { call: "read_file", id: "c1", input: ['{"path":', '"a.ts"}'] }],
 * 	{ refuse: "busy", retryAfter: "1" },
 * 	["It is ", { hold: true }, "fine."],
 * 	["It is ", { cut: true }],
 * ]);
 * ```
 *
 * The server adds the end of the answer unless a step does. Its reason depends on whether there are tool calls.
 */
export type ModelAnswer =
	| readonly ModelStep[]
	| { readonly refuse: ModelRefusal; readonly retryAfter?: string }
	/** An HTML page with status 200. */
	| { readonly page: string }
	/** A raw response. */
	| { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
	/** Accepts the request and never responds. */
	| { readonly silent: true }
	/** Resets the connection without a response. */
	| { readonly reset: true }
	| ((request: ModelRequest) => ModelAnswer);

/**
 * Starts a model server on a free port on the loopback interface. It supports POST /v1/chat/completions and POST
 * /v1/messages (streaming only), the next-edit APIs (`SCRIPTED_EDIT_APIS`) and GET /v1/models. Each answer is used
 * once, in order; further requests are refused.
 */
export async function startModelServer(answers: readonly ModelAnswer[]): Promise<ModelServer> {
	const server = new ModelServer(answers);
	await server.listen();
	return server;
}

class ModelServer {
	/** Requests received, in order. */
	readonly requests: ModelRequest[] = [];
	/** Number of connections accepted. */
	connections = 0;
	/** Splits an answer into byte sequences that are written separately. */
	cut: (bytes: Buffer) => readonly Buffer[] = (bytes) => [bytes];
	private readonly http: Server = createServer((request, response) => void this.serve(request, response));
	private readonly answers: ModelAnswer[];
	private readonly barrier = new AnswerBarrier();

	constructor(answers: readonly ModelAnswer[]) {
		this.answers = [...answers];
	}

	/** The base URL of a model, for any API. */
	get url(): string {
		return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1`;
	}

	async listen(): Promise<void> {
		this.http.on("connection", () => this.connections++);
		this.http.listen(0, "127.0.0.1");
		await once(this.http, "listening");
	}

	/** Appends answers to the script. */
	add(...answers: readonly ModelAnswer[]): void {
		this.answers.push(...answers);
	}

	/** Resolves when an answer is being held. */
	holding(): Promise<void> {
		return this.barrier.held();
	}

	/** Releases the oldest held answer, or the next one to be held. */
	release(): Promise<void> {
		return this.barrier.release();
	}

	/** Stops the server and closes open connections. */
	async stop(): Promise<void> {
		this.http.close();
		this.http.closeAllConnections();
		await once(this.http, "close");
	}

	private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		response.socket?.setNoDelay(true);
		const path = incoming.url ?? "";
		if (incoming.method === "GET" && path === "/v1/models") {
			sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
			return;
		}
		const api = APIS[path];
		const abandoned = deferred();
		response.on("close", () => {
			if (!response.writableFinished) abandoned.open();
		});
		const body = await bodyOf(incoming);
		if (api === undefined || incoming.method !== "POST") {
			sendJson(response, 404, { detail: "Not Found" });
			return;
		}
		const request = { path, headers: incoming.headers, body, abandoned: abandoned.opened };
		this.requests.push(request);
		await this.answer(this.answers.shift() ?? { refuse: "out-of-script" }, request, api, response);
	}

	private async answer(
		answer: ModelAnswer,
		request: ModelRequest,
		api: ScriptedApi,
		response: ServerResponse,
	): Promise<void> {
		if (typeof answer === "function") await this.answer(answer(request), request, api, response);
		else if ("refuse" in answer) {
			const { status, body } = api.refusal(answer.refuse, request);
			if (answer.retryAfter !== undefined) response.setHeader("retry-after", answer.retryAfter);
			sendJson(response, status, body);
		} else if ("page" in answer) {
			response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(answer.page);
		} else if ("status" in answer) {
			response.writeHead(answer.status, answer.headers).end(answer.body);
		} else if ("reset" in answer) response.socket?.resetAndDestroy();
		else if (!("silent" in answer)) await this.stream(answer, request, api.begin(request), response);
	}

	private async stream(
		steps: readonly ModelStep[],
		request: ModelRequest,
		writer: ResponseWriter,
		response: ServerResponse,
	): Promise<void> {
		response.writeHead(200, { "content-type": writer.mediaType, "cache-control": "no-cache" });
		response.flushHeaders();
		for (const step of steps) {
			if (typeof step === "string" || !("hold" in step || "cut" in step || "stop" in step)) {
				writer.step(step);
				continue;
			}
			await this.write(response, writer.flush());
			if ("hold" in step) await this.barrier.hold(request.abandoned);
			else if ("cut" in step) return void response.socket?.resetAndDestroy();
			else return void response.end();
		}
		writer.end();
		await this.write(response, writer.flush());
		response.end();
	}

	private async write(response: ServerResponse, text: string): Promise<void> {
		for (const bytes of this.cut(Buffer.from(text))) {
			response.write(bytes);
			await settled();
		}
	}
}

export type { ModelServer };

const APIS: Readonly<Record<string, ScriptedApi | undefined>> = { ...SCRIPTED_CHAT_APIS, ...SCRIPTED_EDIT_APIS };

function sendJson(response: ServerResponse, status: number, value: unknown): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(incoming: IncomingMessage): Promise<Record<string, unknown>> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk);
	const bytes = Buffer.concat(chunks);
	const isCompressed = incoming.headers["content-encoding"] === "br";
	return JSON.parse((isCompressed ? brotliDecompressSync(bytes) : bytes).toString() || "{}");
}

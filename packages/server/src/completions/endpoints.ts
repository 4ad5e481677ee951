import type { IncomingMessage, ServerResponse } from "node:http";
import type { EditModels } from "@segue/agent/next-edit/models";
import type { RequestObserver } from "@segue/agent/next-edit/observer";
import { type Clock, errorText, SYSTEM_CLOCK, unlessCancelled } from "@segue/text";
import { RequestError, readBody, sendJson } from "../http/exchange.js";
import type { CompletionCall, Endpoint } from "./from-wire.js";
import { ResendCounter } from "./resend-counter.js";
import type { Suggester } from "./suggester.js";
import type { WireAnswer } from "./to-wire.js";

// The largest prompt in a known format is 32,000 characters long. /infill adds excerpts from other files.
const BODY_BYTES_MAX = 1_000_000;
// Enough for four editors at the same time. Rules take milliseconds, so only requests to a model take longer.
const RUNNING_MAX = 4;
// Requests are queued, as in local model servers, because clients cancel the ones they no longer need. A client that
// sends too many without cancelling gets status 429.
const WAITING_MAX = 16;
// By then, the user has usually typed something else.
const ANSWER_MS_MAX = 5_000;
// Limit for log lines about unknown prompts, so a misconfigured client does not fill the log.
const UNKNOWN_LOGGED_MAX = 20;

export interface CompletionOptions {
	readonly version: string;
	/** The folder whose configuration and ignore files apply, as a URI. */
	readonly folder: string;
	/** Used only for requests with the token. */
	readonly models?: EditModels | undefined;
	readonly observer?: RequestObserver | undefined;
	readonly log: (line: string) => void;
	readonly clock?: Clock;
}

/**
 * Serves the completion endpoints that editors expect from a model server, and answers with the engine's suggestions.
 * The caller checks the host name and origin of requests.
 */
export class Completions {
	private readonly startedAtMs: number;
	private readonly clock: Clock;
	private running = 0;
	private readonly waiting = new Set<() => void>();
	private unknownCount = 0;
	private engine: Promise<Engine> | undefined;

	constructor(private readonly options: CompletionOptions) {
		this.clock = options.clock ?? SYSTEM_CLOCK;
		this.startedAtMs = this.clock.now();
	}

	/** Whether a path is one of these endpoints. */
	has(pathname: string): boolean {
		return Object.hasOwn(PROBES, pathname) || ENDPOINTS.some((endpoint) => endpoint === pathname);
	}

	/** Loads the engine. If this is not called, the first request loads the engine. */
	load(): Promise<Engine> {
		this.engine ??= loadEngine(this.options, this.clock, this.startedAtMs);
		return this.engine;
	}

	/** Handles a request for one of these endpoints. */
	async answer(request: IncomingMessage, response: ServerResponse, pathname: string, hasToken: boolean): Promise<void> {
		const probe = Object.hasOwn(PROBES, pathname) ? PROBES[pathname] : undefined;
		const endpoint = ENDPOINTS.find((one) => one === pathname);
		const methods = probe === undefined ? ["POST"] : ["GET", "HEAD"];
		if (!methods.includes(request.method ?? "")) {
			response.setHeader("allow", methods.join(", "));
			fail(response, 405, `Use ${methods[0]} for ${pathname}.`);
		} else if (probe !== undefined) sendJson(response, probe(this.options.version));
		else if (endpoint !== undefined) await this.complete(request, response, endpoint, hasToken);
	}

	private async complete(
		request: IncomingMessage,
		response: ServerResponse,
		endpoint: Endpoint,
		hasToken: boolean,
	): Promise<void> {
		// Web pages can send other content types to any server without a CORS preflight.
		if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
			fail(response, 415, "Send the request as application/json.");
			return;
		}
		const body = await readBody(request, BODY_BYTES_MAX).catch((error: unknown) => {
			if (error instanceof RequestError) return error;
			throw error;
		});
		if (typeof body !== "string") {
			fail(response, body.status, body.message);
			return;
		}
		const engine = await this.load();
		const call = engine.callFromWire(endpoint, parsed(body));
		if ("invalid" in call) {
			fail(response, 400, call.invalid);
			return;
		}
		if (call.prompt === undefined && call.isAsking) this.logUnknown(endpoint, body.length);
		if (call.prompt?.isUnclear === true) {
			// The client would apply any answer, even "no edit", to the wrong region.
			fail(response, 422, "The document contains markers of the prompt's format, so the region to edit is ambiguous.");
			return;
		}
		const client = hasToken ? "token" : clientOf(request);
		const text = await this.textFor(engine, call, { client, hasToken, response });
		if (text === undefined) {
			response.setHeader("retry-after", "1");
			fail(response, 429, `More than ${RUNNING_MAX + WAITING_MAX} requests are pending. Try again in a second.`);
		} else if (!response.destroyed) write(response, engine.completionToWire(text, call, this.clock.now()));
	}

	/** Returns the answer's text, "no edit" after a timeout, or undefined if too many requests are waiting. */
	private async textFor(
		{ suggester, answerText }: Engine,
		call: CompletionCall,
		{ client, hasToken, response }: { client: string; hasToken: boolean; response: ServerResponse },
	): Promise<string | undefined> {
		const { prompt } = call;
		if (prompt === undefined) return "";
		const controller = new AbortController();
		const { signal } = controller;
		const stop = () => controller.abort();
		const cancelTimer = this.clock.after(ANSWER_MS_MAX, stop);
		response.once("close", stop);
		if (response.destroyed) stop();
		try {
			if (!(await this.takeSlot(signal))) return undefined;
			try {
				const suggesting = suggester.suggest({ prompt, client, mayAskModel: hasToken, signal });
				const edits = await unlessCancelled(suggesting, signal);
				return answerText(prompt.answer(edits), call);
			} finally {
				this.release();
			}
		} catch (error) {
			if (!signal.aborted) throw error;
			return answerText(prompt.answer([]), call);
		} finally {
			cancelTimer();
			response.off("close", stop);
		}
	}

	/**
	 * Waits until a request can run. Returns false if too many requests are waiting. Rejects when the signal is
	 * aborted.
	 */
	private async takeSlot(signal: AbortSignal): Promise<boolean> {
		if (this.running < RUNNING_MAX) {
			this.running++;
			return true;
		}
		if (this.waiting.size >= WAITING_MAX) return false;
		await new Promise<void>((resolve, reject) => {
			const next = () => {
				signal.removeEventListener("abort", leave);
				resolve();
			};
			const leave = () => {
				this.waiting.delete(next);
				reject(signal.reason);
			};
			this.waiting.add(next);
			signal.addEventListener("abort", leave, { once: true });
			if (signal.aborted) leave();
		});
		return true;
	}

	/** Passes a finished request's slot to the request that has waited longest. */
	private release(): void {
		const [next] = this.waiting;
		if (next === undefined) this.running--;
		else {
			this.waiting.delete(next);
			next();
		}
	}

	private logUnknown(endpoint: Endpoint, length: number): void {
		if (++this.unknownCount > UNKNOWN_LOGGED_MAX) return;
		this.options.log(`POST ${endpoint}: unknown prompt format, body of ${length} characters; responded with "no edit"`);
	}
}

const ENDPOINTS: readonly Endpoint[] = ["/v1/completions", "/infill", "/v1/fim/completions"];

/** Responses to requests that clients use to probe a server. */
const PROBES: Readonly<Record<string, (version: string) => unknown>> = {
	"/health": () => ({ status: "ok" }),
	"/v1/models": () => ({ object: "list", data: [{ id: "segue", object: "model", created: 0, owned_by: "segue" }] }),
	"/props": (version) => ({
		default_generation_settings: { n_ctx: BODY_BYTES_MAX },
		total_slots: RUNNING_MAX,
		model_path: "segue",
		build_info: `segue ${version}`,
	}),
};

interface Engine {
	readonly suggester: Suggester;
	readonly callFromWire: typeof import("./from-wire.js").callFromWire;
	readonly answerText: typeof import("./to-wire.js").answerText;
	readonly completionToWire: typeof import("./to-wire.js").completionToWire;
}

async function loadEngine(options: CompletionOptions, { now }: Clock, startedAtMs: number): Promise<Engine> {
	const [{ callFromWire }, { answerText, completionToWire }, { Suggester }] = await Promise.all([
		import("./from-wire.js"),
		import("./to-wire.js"),
		import("./suggester.js"),
	]);
	const { folder, models, observer, log } = options;
	const report = (error: unknown) => log(`next edits: ${errorText(error)}`);
	const resendCounter = new ResendCounter(now);
	const suggester = new Suggester({ folder, models, observer, report, now, startedAtMs, resendCounter });
	return { suggester, callFromWire, answerText, completionToWire };
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}

// Long enough to distinguish clients.
const AGENT_CHARACTERS_MAX = 200;

function clientOf({ socket, headers }: IncomingMessage): string {
	return `${socket.remoteAddress} ${(headers["user-agent"] ?? "").slice(0, AGENT_CHARACTERS_MAX)}`;
}

function write(response: ServerResponse, answer: WireAnswer): void {
	if ("body" in answer) {
		sendJson(response, answer.body);
		return;
	}
	response.setHeader("content-type", "text/event-stream");
	response.setHeader("cache-control", "no-store");
	const events = answer.events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
	response.end(events.join("") + (answer.isDoneMarked ? "data: [DONE]\n\n" : ""));
}

function fail(response: ServerResponse, status: number, message: string): void {
	sendJson(response, { error: { message, type: "invalid_request_error", param: null, code: null } }, status);
}

import type { Readable, Writable } from "node:stream";
import { contentLength } from "@segue/rpc";

/** A parsed ECA message. */
export interface EcaMessage {
	readonly id?: number | string | null;
	readonly method?: string;
	readonly params?: Readonly<Record<string, unknown>>;
	// biome-ignore lint/suspicious/noExplicitAny: tests inspect results of any shape
	readonly result?: any;
	readonly error?: { readonly code: number; readonly message: string; readonly type?: string };
}

/**
 * An ECA client that sends exactly what a test specifies. It shares no code with the server. Its ids start at 0, like
 * the server's.
 */
export class EcaTestClient {
	/** All messages received, in order. */
	readonly messages: EcaMessage[] = [];
	/** The bytes in each write by the server. */
	readonly writes: Buffer[] = [];
	/** Handlers for the server's requests, by method. A request without a handler gets no response. */
	readonly answers: Record<string, (params: Readonly<Record<string, unknown>>) => unknown> = {};
	private nextId = 0;
	private readonly waiting = new Set<() => void>();
	private isOver = false;

	constructor(
		private readonly input: Writable,
		private readonly output: Readable,
	) {
		const sink = {
			message: (text: string) => this.take(JSON.parse(text)),
			unreadable: (error: Error) => {
				throw error;
			},
		};
		const decoder = contentLength.decoder(sink, Number.POSITIVE_INFINITY);
		output.on("data", (chunk: Buffer) => {
			this.writes.push(chunk);
			decoder.push(chunk);
		});
		output.on("end", () => {
			this.isOver = true;
			this.wake();
		});
	}

	/** Stops reading from the server until `resume`. */
	pause(): void {
		this.output.pause();
	}

	resume(): void {
		this.output.resume();
	}

	/** Summaries of all messages received. */
	get transcript(): string[] {
		return this.messages.map(summaryOf);
	}

	/** Writes raw bytes. */
	write(text: string, encoding: "utf8" | "latin1" = "utf8"): void {
		this.input.write(Buffer.from(text, encoding));
	}

	send(message: object): void {
		const body = JSON.stringify({ jsonrpc: "2.0", ...message });
		this.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
	}

	notify(method: string, params: unknown = {}): void {
		this.send({ method, params });
	}

	/** Resolves with the response, whether a result or an error. */
	async request(method: string, params: unknown = {}): Promise<EcaMessage> {
		const id = this.nextId++;
		const from = this.messages.length;
		this.send({ id, method, params });
		const isAnswer = (message: EcaMessage) => message.id === id && message.method === undefined;
		await this.until((messages) => messages.slice(from).some(isAnswer));
		return this.messages.slice(from).find(isAnswer) as EcaMessage;
	}

	/** Returns the received chat contents of one type, or of all types. */
	contents(type?: string): Record<string, unknown>[] {
		return this.messages
			.filter(({ method }) => method === "chat/contentReceived")
			.map(({ params }) => params?.["content"] as Record<string, unknown>)
			.filter((content) => type === undefined || content["type"] === type);
	}

	/** Resolves once the received messages meet a condition. */
	async until(isMet: (messages: readonly EcaMessage[]) => boolean): Promise<void> {
		while (!isMet(this.messages)) {
			if (this.isOver)
				throw new Error(`the connection ended while waiting for a message:\n${this.transcript.join("\n")}`);
			await new Promise<void>((resolve) => this.waiting.add(resolve));
		}
	}

	/** Resolves once chat content of this type has been received. */
	untilContent(type: string): Promise<void> {
		return this.until(() => this.contents(type).length > 0);
	}

	/** Disconnects. */
	end(): void {
		this.input.end();
	}

	private take(message: EcaMessage): void {
		this.messages.push(message);
		const { id, method, params = {} } = message;
		const answer = method === undefined ? undefined : this.answers[method];
		if (id !== undefined && answer !== undefined) {
			void Promise.resolve(answer(params)).then((result) => this.send({ id, result }));
		}
		this.wake();
	}

	private wake(): void {
		for (const resolve of this.waiting) resolve();
		this.waiting.clear();
	}
}

function summaryOf({ id, method, params, result, error }: EcaMessage): string {
	if (error !== undefined) return `error ${id}: ${error.code} ${error.message}`;
	if (method === undefined) return `answer ${id}: ${result?.status ?? "ok"}`;
	if (method === "chat/statusChanged") return `status ${params?.["status"]}`;
	if (method !== "chat/contentReceived") return method;
	const { role, isComplete } = params as { role: string; isComplete?: boolean };
	return `${role} ${contentSummary(params?.["content"] as Record<string, unknown>)}${isComplete ? " complete" : ""}`;
}

function contentSummary({ type, ...rest }: Record<string, unknown>): string {
	const shown = ["state", "text", "title", "name", "reason", "manualApproval", "description"].flatMap((key) => {
		return rest[key] === undefined ? [] : [String(rest[key]).trim()];
	});
	return [type, ...shown].join(" ").trim();
}

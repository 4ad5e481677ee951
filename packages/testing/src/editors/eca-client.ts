import type { Readable, Writable } from "node:stream";
import { contentLength } from "@segue/rpc";

/** A message of ECA, as it comes. */
export interface EcaMessage {
	readonly id?: number | string | null;
	readonly method?: string;
	readonly params?: Readonly<Record<string, unknown>>;
	// biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
	readonly result?: any;
	readonly error?: { readonly code: number; readonly message: string; readonly type?: string };
}

/** An editor's end of ECA, which says what a test tells it to and knows nothing of our own end. Its ids begin at 0, as do ours. */
export class EcaTestClient {
	/** All that came, in order. */
	readonly messages: EcaMessage[] = [];
	/** The bytes of each write of the other side. */
	readonly writes: Buffer[] = [];
	/** What requests of the other side are answered with, by their methods. One without is never answered. */
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

	/** Stops reading what comes, or goes on. */
	pause(): void {
		this.output.pause();
	}

	resume(): void {
		this.output.resume();
	}

	/** What came, in few words. */
	get transcript(): string[] {
		return this.messages.map(wordsFor);
	}

	/** Writes bytes as they are. */
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

	/** Settles with the answer, whether result or error. */
	async request(method: string, params: unknown = {}): Promise<EcaMessage> {
		const id = this.nextId++;
		const from = this.messages.length;
		this.send({ id, method, params });
		const isAnswer = (message: EcaMessage) => message.id === id && message.method === undefined;
		await this.until((messages) => messages.slice(from).some(isAnswer));
		return this.messages.slice(from).find(isAnswer) as EcaMessage;
	}

	/** The contents that came of one type, or all. */
	contents(type?: string): Record<string, unknown>[] {
		return this.messages
			.filter(({ method }) => method === "chat/contentReceived")
			.map(({ params }) => params?.["content"] as Record<string, unknown>)
			.filter((content) => type === undefined || content["type"] === type);
	}

	/** Settles once what came is as wanted. */
	async until(isThere: (messages: readonly EcaMessage[]) => boolean): Promise<void> {
		while (!isThere(this.messages)) {
			if (this.isOver) throw new Error(`it ended before that came:\n${this.transcript.join("\n")}`);
			await new Promise<void>((resolve) => this.waiting.add(resolve));
		}
	}

	/** Settles once a content of a type came. */
	untilContent(type: string): Promise<void> {
		return this.until(() => this.contents(type).length > 0);
	}

	/** Goes away. */
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

function wordsFor({ id, method, params, result, error }: EcaMessage): string {
	if (error !== undefined) return `error ${id}: ${error.code} ${error.message}`;
	if (method === undefined) return `answer ${id}: ${result?.status ?? "ok"}`;
	if (method === "chat/statusChanged") return `status ${params?.["status"]}`;
	if (method !== "chat/contentReceived") return method;
	const { role, isComplete } = params as { role: string; isComplete?: boolean };
	return `${role} ${contentWords(params?.["content"] as Record<string, unknown>)}${isComplete ? " complete" : ""}`;
}

function contentWords({ type, ...rest }: Record<string, unknown>): string {
	const shown = ["state", "text", "title", "name", "reason", "manualApproval", "description"].flatMap((key) => {
		return rest[key] === undefined ? [] : [String(rest[key]).trim()];
	});
	return [type, ...shown].join(" ").trim();
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import type { Duplex } from "node:stream";
import { LIMITS } from "@segue/rpc";
import { errorText, sanitizeLine } from "@segue/text";
import { type WebSocket, WebSocketServer } from "ws";
import type { Completions } from "../completions/endpoints.js";
import { isEverywhere } from "./address.js";
import { ConnectionSlots } from "./connection-slots.js";
import { RequestError, sendJson, sendText } from "./exchange.js";
import type { Folders } from "./folders.js";
import { ACP_PROTOCOL, bearerTokenOf, Guard, type HttpRefusal, tokenOf } from "./guard.js";
import { Isolation } from "./isolation.js";
import type { StaticPage } from "./static-page.js";

// More windows than users open. Each has its own copies of documents.
const SOCKETS_MAX = 64;
// Pings are ignored while a client has more unread output than this.
const PONG_BACKLOG_BYTES_MAX = 2 ** 16;
// Far longer than a local request takes.
const REQUEST_MS_MAX = 30_000;
// The number of ports to try, starting with the requested one.
const PORTS_TRIED = 20;
const PORT_MAX = 65_535;
const HTTP_PORT = 80;
// Keeps a scanner from filling the log.
const REFUSALS_LOGGED_MAX = 100;

interface WebOptions {
	readonly host: string;
	readonly port: number;
	readonly token: string;
	readonly version: string;
	/** Undefined if the page was not built. */
	readonly page: StaticPage | undefined;
	/** Loads the code that accesses files in opened folders. Undefined if files are not served. */
	readonly folders: (() => Promise<Folders>) | undefined;
	/** Functions that return JSON values for clients with the token, by path. */
	readonly reports?: Readonly<Record<string, () => Promise<unknown>>>;
	/** The completion endpoints, if they are served. */
	readonly completions?: Completions | undefined;
	/** Origins of other pages that may open WebSockets, as in `https://editor.example`. They need the token too. */
	readonly allowedOrigins?: readonly string[] | undefined;
	/** WebSocket handlers by path. */
	readonly sockets: Readonly<Record<string, ServeSocket>>;
	/** Logs a message for the user who runs the server. */
	readonly log: (line: string) => void;
}

/**
 * Serves one WebSocket. `query` contains the parameters in its URL. All code for the connection must run in `nextTurn`,
 * one message per turn, so clients take turns and an error does not end other connections.
 */
type ServeSocket = (
	socket: WebSocket,
	query: URLSearchParams,
	nextTurn: (run: () => void) => void,
) => void | Promise<void>;

/** Serves the page, ACP over WebSocket, completions, and the files in opened folders. Most requests need the token. */
export class WebServer {
	private readonly http: Server;
	private readonly sockets = new WebSocketServer({
		noServer: true,
		maxPayload: LIMITS.messageBytesMax,
		// Pings are answered below, with a limit.
		autoPong: false,
		handleProtocols: (offered) => offered.has(ACP_PROTOCOL) && ACP_PROTOCOL,
	});
	private readonly slots = new ConnectionSlots();
	private readonly isolation: Isolation;
	/** Loaded on the first request for a file. */
	private folders: Promise<Folders> | undefined;
	private refusals = 0;
	private guard: Guard;

	private constructor(private readonly options: WebOptions) {
		this.guard = new Guard(options.token, new Set());
		this.isolation = new Isolation(options.log);
		this.http = createServer((request, response) => {
			this.answer(request, response).catch((error) => {
				this.options.log(`${request.method} ${urlOf(request).pathname} failed: ${error}`);
				request.socket.destroy();
			});
		});
		this.http.maxConnections = ConnectionSlots.MAX;
		this.http.on("connection", (socket) => this.slots.add(socket));
		this.http.requestTimeout = REQUEST_MS_MAX;
		this.http.on("upgrade", (request, socket, head) => this.upgrade(request, socket, head));
	}

	/** Listens on the port or, if it is taken, on the next free one. Rejects with any other system error. */
	static async start(options: WebOptions): Promise<WebServer> {
		const server = new WebServer(options);
		const first = options.port;
		for (let port = first; ; port++) {
			try {
				await server.listen(port);
				break;
			} catch (error) {
				const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
				// If completions are served, don't change the port. Editors would still send their key to the
				// configured address, where another program is listening.
				const isFixed = options.completions !== undefined;
				if (!isTaken || isFixed || port === 0 || port - first >= PORTS_TRIED || port === PORT_MAX) throw error;
				options.log(`Port ${port} is in use; trying ${port + 1}.`);
			}
		}
		// This happens if, for example, too many files are open. Existing connections stay open.
		server.http.on("error", ({ message }) => options.log(`could not accept a connection: ${message}`));
		server.guard = new Guard(options.token, hostsOf(options.host, server.port));
		return server;
	}

	get port(): number {
		return (this.http.address() as AddressInfo).port;
	}

	/** Handles an uncaught exception: drops its connection, or only logs it. */
	recover(error: unknown): void {
		this.isolation.handle(error);
	}

	/** Closes all connections immediately. */
	async close(): Promise<void> {
		for (const socket of this.sockets.clients) socket.terminate();
		const closed = new Promise((resolve) => this.http.close(resolve));
		this.http.closeAllConnections();
		await closed;
		await (await this.folders?.catch(() => undefined))?.close();
	}

	private listen(port: number): Promise<void> {
		return new Promise((resolve, reject) => {
			this.http.once("error", reject);
			this.http.listen(port, this.options.host, () => {
				this.http.off("error", reject);
				resolve();
			});
		});
	}

	private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
		// The client may disconnect during the handshake.
		socket.on("error", () => {});
		const { pathname, searchParams } = urlOf(request);
		const { sockets } = this.options;
		const serve = Object.hasOwn(sockets, pathname) ? sockets[pathname] : undefined;
		const refusal = this.guard.refusalWithout(request, tokenOf(request), this.options.allowedOrigins);
		if (refusal !== undefined) {
			this.refuse(request, refusal);
			end(socket, refusal.status, refusal.why);
		} else if (serve === undefined) end(socket, 404, "Not found.");
		else if (this.sockets.clients.size >= SOCKETS_MAX || !this.slots.admit(request.socket)) {
			end(socket, 503, `${SOCKETS_MAX} windows are already connected. Close one.`);
		} else {
			this.sockets.handleUpgrade(request, socket, head, (opened) => {
				opened.on("error", () => {});
				opened.on("ping", (data) => {
					if (opened.bufferedAmount <= PONG_BACKLOG_BYTES_MAX) opened.pong(data);
				});
				this.isolation.watch(opened, socket);
				const nextTurn = (run: () => void) => {
					setImmediate(() => this.isolation.run(opened, run));
				};
				this.isolation.run(opened, () => serve(opened, searchParams, nextTurn));
			});
		}
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = urlOf(request);
		const { page, folders, reports = {}, version, completions } = this.options;
		const isFolder = pathname === "/sample" || pathname === "/folder" || pathname.startsWith("/folder/");
		const report = Object.hasOwn(reports, pathname) ? reports[pathname] : undefined;
		const isCompletion = completions?.has(pathname) === true;
		const header = request.headers["x-segue-token"];
		const token = isCompletion ? bearerTokenOf(request) : typeof header === "string" ? header : undefined;
		// Editors on this machine need no token for completions. Without a token, they get suggestions from rules, but not
		// from a model.
		const needsToken = isFolder || report !== undefined || (isCompletion && !isLoopback(this.options.host));
		const hasToken = (needsToken || isCompletion) && this.guard.refusalWithout(request, token) === undefined;
		const refusal = needsToken ? this.guard.refusalWithout(request, token) : this.guard.refusalOf(request);
		if (refusal === undefined) {
			if (!hasToken) this.slots.requested(request.socket);
			else if (!this.slots.admit(request.socket)) {
				sendText(response, 503, "Too many connections. Close a window.");
				return;
			}
		}
		if (refusal !== undefined) {
			this.refuse(request, refusal);
			// Completion clients parse every body as JSON.
			if (isCompletion) sendJson(response, { error: { message: refusal.why } }, refusal.status);
			else sendText(response, refusal.status, refusal.why);
		} else if (isFolder && folders !== undefined) {
			this.folders ??= folders().catch((error: unknown) => {
				this.folders = undefined;
				throw error;
			});
			const opened = this.folders;
			await this.attempt(request, response, async () => {
				const { answerFolderRequest } = await import("./folder-requests.js");
				await answerFolderRequest(await opened, request, response, pathname, searchParams);
			});
		} else if (isCompletion) {
			await this.attempt(request, response, () => completions.answer(request, response, pathname, hasToken));
		} else if (request.method !== "GET" && request.method !== "HEAD") {
			response.setHeader("allow", "GET, HEAD");
			sendText(response, 405, "Only GET and HEAD are allowed.");
		} else if (report !== undefined) {
			await this.attempt(request, response, async () => sendJson(response, await report()));
		} else if (pathname === "/healthz") sendJson(response, { status: "ok", version });
		else if (page?.answer(request, response, pathname) !== true) sendText(response, 404, "Not found.");
	}

	/** Runs a handler and reports errors to the client. */
	private async attempt(
		request: IncomingMessage,
		response: ServerResponse,
		handler: () => Promise<void>,
	): Promise<void> {
		try {
			await handler();
		} catch (error) {
			if (error instanceof RequestError) sendText(response, error.status, error.message);
			// A client that has disconnected gets no response.
			else if (!request.destroyed || request.complete) {
				const why = errorText(error);
				this.options.log(`${request.method} ${urlOf(request).pathname} failed: ${why}`);
				sendText(response, 500, "Internal error. See the output of segue.");
			}
		}
	}

	private refuse(request: IncomingMessage, { status, why }: HttpRefusal): void {
		if (++this.refusals > REFUSALS_LOGGED_MAX) return;
		const from = sanitizeLine(request.headers.origin ?? request.socket.remoteAddress ?? "unknown").slice(0, 100);
		this.options.log(
			`refused ${request.method} ${urlOf(request).pathname.slice(0, 100)} from ${from}: ${status} ${why}`,
		);
		if (this.refusals === REFUSALS_LOGGED_MAX) this.options.log("further refused requests are not logged");
	}
}

/** Returns the host names of an address, with the port. */
function hostsOf(host: string, port: number): ReadonlySet<string> {
	const isAny = isEverywhere(host);
	const interfaces = isAny ? Object.values(os.networkInterfaces()).flatMap((each) => each ?? []) : [];
	const names = [
		...(isLoopback(host) || isAny ? ["localhost", "127.0.0.1", "::1"] : []),
		...(isAny ? [os.hostname(), ...interfaces.map(({ address }) => address)] : [host]),
	];
	const hosts = names.map((name) => (name.includes(":") ? `[${name}]` : name).toLowerCase());
	// Browsers omit the default port.
	return new Set([...hosts.map((host) => `${host}:${port}`), ...(port === HTTP_PORT ? hosts : [])]);
}

export function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function urlOf(request: IncomingMessage): URL {
	// The path is arbitrary. The guard checks the host.
	return URL.canParse(request.url ?? "", "http://segue")
		? new URL(request.url ?? "", "http://segue")
		: new URL("http://segue/");
}

/** Rejects a WebSocket upgrade. */
function end(socket: Duplex, status: number, why: string): void {
	const reasons: Readonly<Record<number, string>> = {
		401: "Unauthorized",
		403: "Forbidden",
		404: "Not Found",
		503: "Service Unavailable",
	};
	const body = Buffer.from(why);
	// Without this, closing the server would wait for a client that never disconnects.
	socket.once("finish", () => socket.destroy());
	socket.end(
		`HTTP/1.1 ${status} ${reasons[status]}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${why}`,
	);
}

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { PlayServer } from "./play-server.js";

/** A recorded message, and the side that sent it. */
export interface RelayedMessage {
	readonly from: "client" | "agent";
	readonly text: string;
}

/** A page or script that the relay itself serves. */
export interface RelayedPage {
	readonly type: string;
	readonly body: string;
}

/**
 * A proxy between the page and `segue serve` that forwards everything and records the messages. If `agent` is given, it
 * connects the page to that agent and forwards only requests for the page's files. It serves `pages` itself, by path.
 */
export class PlayRelay implements AsyncDisposable {
	readonly passed: RelayedMessage[] = [];
	/** Selects messages from the page to drop. */
	loses: (text: string) => boolean = () => false;
	private readonly http: Server;
	private readonly sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "segue.acp" });

	private constructor(
		private readonly server: PlayServer,
		private readonly agent: ((socket: WebSocket) => void) | undefined,
		private readonly pages: ReadonlyMap<string, RelayedPage>,
	) {
		this.http = createServer((incoming, response) => this.forward(incoming, response));
		this.http.on("upgrade", (incoming, socket, head) => {
			this.sockets.handleUpgrade(incoming, socket, head, (opened) => (this.agent ?? this.join(incoming))(opened));
		});
	}

	static async start(
		server: PlayServer,
		agent?: (socket: WebSocket) => void,
		pages: ReadonlyMap<string, RelayedPage> = new Map(),
	): Promise<PlayRelay> {
		const relay = new PlayRelay(server, agent, pages);
		relay.http.listen(0, "127.0.0.1");
		await once(relay.http, "listening");
		return relay;
	}

	/** The address to open in a browser. */
	get address(): string {
		return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/#token=${this.server.token}`;
	}

	private forward(incoming: IncomingMessage, response: ServerResponse): void {
		const { method, url, headers } = incoming;
		const page = this.pages.get(url ?? "");
		if (page !== undefined) {
			response.writeHead(200, { "content-type": `${page.type}; charset=utf-8` });
			response.end(page.body);
			return;
		}
		const { host } = new URL(this.server.origin);
		// The server requires its own address as host and origin.
		const forwarded = { ...headers, host, ...(headers.origin && { origin: this.server.origin }) };
		const passed = request(this.server.origin + url, { method, headers: forwarded }, (answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		passed.on("error", () => response.destroy());
		incoming.pipe(passed);
	}

	private join({ url, headers }: IncomingMessage): (socket: WebSocket) => void {
		return (socket) => {
			const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
			const { origin } = this.server;
			const server = new WebSocket(origin.replace("http", "ws") + url, protocols, { origin });
			// The page may disconnect before the server accepts the connection.
			server.on("error", () => socket.close());
			const isOpen = once(server, "open").then(
				() => true,
				() => false,
			);
			socket.on("message", async (data) => {
				const text = String(data);
				if (this.loses(text)) return;
				this.passed.push({ from: "client", text });
				if (await isOpen) server.send(text);
			});
			server.on("message", (data) => {
				this.passed.push({ from: "agent", text: String(data) });
				socket.send(String(data));
			});
			socket.on("close", () => server.close());
			server.on("close", () => socket.close());
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.sockets.clients) socket.terminate();
		this.http.closeAllConnections();
		this.http.close();
		await once(this.http, "close");
	}
}

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { PlayServer } from "./play-server.js";

/** A message that passed by, and who sent it. */
export interface RelayedMessage {
	readonly from: "client" | "agent";
	readonly text: string;
}

/**
 * Stands between the page and `segue serve`, under an address of its own: passes everything on, and keeps what the two say
 * to each other. With an agent of its own it passes on the page alone.
 */
export class PlayRelay implements AsyncDisposable {
	readonly passed: RelayedMessage[] = [];
	/** Which messages of the page never arrive. */
	loses: (text: string) => boolean = () => false;
	private readonly http: Server;
	private readonly sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "segue.acp" });

	private constructor(
		private readonly server: PlayServer,
		private readonly agent: ((socket: WebSocket) => void) | undefined,
	) {
		this.http = createServer((asked, response) => this.passOn(asked, response));
		this.http.on("upgrade", (asked, socket, head) => {
			this.sockets.handleUpgrade(asked, socket, head, (opened) => (this.agent ?? this.join(asked))(opened));
		});
	}

	static async start(server: PlayServer, agent?: (socket: WebSocket) => void): Promise<PlayRelay> {
		const relay = new PlayRelay(server, agent);
		relay.http.listen(0, "127.0.0.1");
		await once(relay.http, "listening");
		return relay;
	}

	/** What a person opens. */
	get address(): string {
		return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/#token=${this.server.token}`;
	}

	private passOn(asked: IncomingMessage, response: ServerResponse): void {
		const { method, url, headers } = asked;
		const { host } = new URL(this.server.origin);
		// To the server, this is the browser at the server's own address.
		const seen = { ...headers, host, ...(headers.origin && { origin: this.server.origin }) };
		const passed = request(this.server.origin + url, { method, headers: seen }, (answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		passed.on("error", () => response.destroy());
		asked.pipe(passed);
	}

	private join({ url, headers }: IncomingMessage): (socket: WebSocket) => void {
		return (socket) => {
			const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
			const { origin } = this.server;
			const server = new WebSocket(origin.replace("http", "ws") + url, protocols, { origin });
			// A page may leave before the server has let it in.
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

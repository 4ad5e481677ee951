import { signal } from "@preact/signals";
import { type Channel, type Connection, overMessagePort, overWebSocket } from "@segue/rpc";
import { isRefused } from "./files/disk-folder.js";
import type { PageSettings } from "./settings/settings.js";

/** Set by the build. */
declare const SEGUE_VERSION: string;

/** The page's way to the agent: a WebSocket to the server that it came from, or a worker of the page. */
export class AgentLink {
	/** Who was refused is not let in by trying again: the token is another. */
	readonly status = signal<"connecting" | "open" | "lost" | "refused">("connecting");
	/** The one on which the agent has introduced itself, that is alive or was last. */
	readonly connection = signal<Connection<"client"> | undefined>(undefined);
	private socket: WebSocket | undefined;
	private worker: Worker | undefined;
	private attempts = 0;
	/** Stops listening to the worker for the connection before. */
	private endLast: (() => void) | undefined;

	constructor(
		/** What lets this page in, from the address that it was opened with. */
		private readonly token: string,
		private readonly settings: () => Pick<PageSettings, "agent" | "sync" | "changes">,
	) {}

	/** Rejects with a sentence for the user. Events of an earlier attempt no longer count. */
	readonly connect = (): Promise<Channel> => {
		this.status.value = "connecting";
		this.socket = undefined;
		this.attempts++;
		return this.settings().agent === "page" ? this.connectToWorker() : this.connectToServer();
	};

	private connectToWorker(): Promise<Channel> {
		const { sync, changes } = this.settings();
		const id = this.attempts;
		// It stays for the next connection: without a server, it could not be loaded again.
		this.worker ??= new Worker(new URL("agent-worker.js", document.baseURI), { type: "module" });
		const { worker } = this;
		const { port1, port2 } = new MessageChannel();
		const ended = new AbortController();
		return new Promise((resolve, reject) => {
			const started = ({ data }: MessageEvent<unknown>) => {
				if (data !== id) return;
				if (this.attempts === id) this.status.value = "open";
				resolve(overMessagePort(port1));
			};
			const failed = () => {
				ended.abort();
				worker.terminate();
				if (this.worker === worker) this.worker = undefined;
				if (this.attempts === id) this.status.value = "lost";
				// The end of the connection, if there is one already.
				port1.dispatchEvent(new MessageEvent("message", { data: null }));
				reject(new Error("The agent of this page could not be loaded, or has stopped. It comes from the server."));
			};
			worker.addEventListener("message", started, { signal: ended.signal });
			worker.addEventListener("error", failed, { signal: ended.signal });
			this.endLast?.();
			this.endLast = () => ended.abort();
			worker.postMessage({ id, port: port2, version: SEGUE_VERSION, sync, changes }, [port2]);
		});
	}

	private connectToServer(): Promise<Channel> {
		const { sync, changes } = this.settings();
		const socket = socketTo(`/acp?${new URLSearchParams({ sync, changes })}`, this.token);
		this.socket = socket;
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => {
				if (this.socket === socket) this.status.value = "open";
				resolve(overWebSocket(socket));
			});
			socket.addEventListener("close", () => {
				reject(new Error("The server does not answer. Is it still running? It prints the address to open."));
				if (this.socket === socket) void this.lose();
			});
		});
	}

	/** A socket does not say why it was not opened, but a request does. */
	private async lose(): Promise<void> {
		const wasOpen = this.status.value === "open";
		this.status.value = "lost";
		if (!wasOpen && (await isRefused(this.token))) this.status.value = "refused";
	}
}

/** A page cannot set headers of a WebSocket, but it can name protocols, and one of them is the token. */
export function socketTo(path: string, token: string): WebSocket {
	const address = new URL(path, location.href);
	address.protocol = address.protocol.replace("http", "ws");
	return new WebSocket(address, ["segue.acp", `segue.token.${token}`]);
}

/** The members of the address's fragment: `#inspect&token=…`. They never leave the browser. */
export function fragmentOf(hash: string): URLSearchParams {
	return new URLSearchParams(hash.replace(/^#/, ""));
}

import { signal } from "@preact/signals";
import { type Channel, type Connection, overMessagePort, overWebSocket } from "@segue/rpc";
import type { ServerAccess } from "./server-access.js";
import type { PageSettings } from "./settings/settings.js";

/** Set by the build. */
declare const SEGUE_VERSION: string;

/** Connects the page to an agent, either over a WebSocket to the server that the page came from, or in a worker. */
export class AgentLink {
	/**
	 * After "refused" it does not retry, because the server has a different token. An agent in the page keeps working, but
	 * files cannot be read or saved.
	 */
	readonly status = signal<"connecting" | "open" | "lost" | "refused">("connecting");
	/** The last connection that was initialized. It may have ended. */
	readonly connection = signal<Connection<"client"> | undefined>(undefined);
	private socket: WebSocket | undefined;
	private worker: Worker | undefined;
	private attempts = 0;
	/** Removes the previous connection's listeners from the worker. */
	private endLast: (() => void) | undefined;

	constructor(
		private readonly server: ServerAccess,
		private readonly settings: () => Pick<PageSettings, "agent" | "sync" | "changes">,
	) {
		server.isTokenRefused.subscribe((isTokenRefused) => {
			// With an agent on the server, the socket shows whether the server accepts the token.
			if (settings().agent !== "page") return;
			if (isTokenRefused && this.status.value === "open") this.status.value = "refused";
			else if (!isTokenRefused && this.status.value === "refused") this.status.value = "open";
		});
	}

	/** Rejects with an error message for the user. Once called, ignores events from earlier attempts. */
	readonly connect = (): Promise<Channel> => {
		this.status.value = "connecting";
		this.socket = undefined;
		this.attempts++;
		return this.settings().agent === "page" ? this.connectToWorker() : this.connectToServer();
	};

	private connectToWorker(): Promise<Channel> {
		const { sync, changes } = this.settings();
		const id = this.attempts;
		// Reused for later connections, because the worker cannot be loaded while the server is down.
		this.worker ??= new Worker(new URL("agent-worker.js", document.baseURI), { type: "module" });
		const { worker } = this;
		const { port1, port2 } = new MessageChannel();
		const ended = new AbortController();
		return new Promise((resolve, reject) => {
			const started = ({ data }: MessageEvent<unknown>) => {
				if (data !== id) return;
				if (this.attempts === id) this.status.value = this.server.isTokenRefused.value ? "refused" : "open";
				resolve(overMessagePort(port1));
			};
			const failed = () => {
				ended.abort();
				worker.terminate();
				if (this.worker === worker) this.worker = undefined;
				if (this.attempts === id) this.status.value = "lost";
				// Ends the connection if it is open.
				port1.dispatchEvent(new MessageEvent("message", { data: null }));
				reject(new Error("The agent in this page stopped or could not be loaded. Check that the server is running."));
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
		const socket = this.server.openSocket(`/acp?${new URLSearchParams({ sync, changes })}`);
		this.socket = socket;
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => {
				if (this.socket === socket) this.status.value = "open";
				resolve(overWebSocket(socket));
			});
			socket.addEventListener("close", () => {
				reject(new Error("The server is not responding. Check that `segue play` is still running."));
				if (this.socket === socket) void this.lose();
			});
		});
	}

	/**
	 * Handles a lost connection. A WebSocket does not report why it failed to open, so use an HTTP request to find out.
	 */
	private async lose(): Promise<void> {
		const { attempts } = this;
		const wasOpen = this.status.value === "open";
		this.status.value = "lost";
		const isRefused = !wasOpen && (await this.server.isRefused());
		if (isRefused && this.attempts === attempts) this.status.value = "refused";
	}
}

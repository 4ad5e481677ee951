import { signal } from "@preact/signals";
import { workerAgent } from "@segue/editor";
import { type Channel, type Connection, overWebSocket } from "@segue/rpc";
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
	private attempts = 0;
	/** The attempt that used the worker last. */
	private workerAttempt = 0;
	private readonly connectToAgentWorker: () => Promise<Channel>;

	constructor(
		private readonly server: ServerAccess,
		private readonly settings: () => Pick<PageSettings, "agent" | "sync" | "changes">,
	) {
		const start = () => new Worker(new URL("agent-worker.js", document.baseURI), { type: "module" });
		this.connectToAgentWorker = workerAgent(start, {
			start: () => ({ version: SEGUE_VERSION, sync: settings().sync, changes: settings().changes }),
			lost: () => {
				if (this.attempts === this.workerAttempt) this.status.value = "lost";
			},
		});
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

	private async connectToWorker(): Promise<Channel> {
		const id = this.attempts;
		this.workerAttempt = id;
		const channel = await this.connectToAgentWorker();
		if (this.attempts === id) this.status.value = this.server.isTokenRefused.value ? "refused" : "open";
		return channel;
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
				reject(new Error("The server is not responding. Check that Segue is still running in its terminal."));
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

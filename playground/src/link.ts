import { signal } from "@preact/signals";
import { type Channel, type Connection, overMessagePort, overWebSocket } from "@segue/rpc";
import { isRefused } from "./folder.js";
import type { Settings } from "./settings.js";

/** The page's way to the agent: a WebSocket to the server that it came from, or a worker of the page. */
export class Link {
	/** Who was refused is not let in by trying again: the token is another. */
	readonly status = signal<"connecting" | "open" | "lost" | "refused">("connecting");
	/** The one on which the agent has introduced itself, that is alive or was last. */
	readonly connection = signal<Connection<"client"> | undefined>(undefined);
	private socket: WebSocket | undefined;
	/** Started by the first connection that wants it. */
	private worker: Worker | undefined;

	constructor(
		/** What lets this page in, from the address that it was opened with. */
		private readonly token: string,
		private readonly settings: () => Pick<Settings, "agent" | "sync" | "changes">,
	) {}

	/** Rejects with a sentence for the user. */
	readonly connect = async (): Promise<Channel> => {
		return this.settings().agent === "page" ? this.connectToWorker() : this.connectToServer();
	};

	private connectToWorker(): Promise<Channel> {
		const { sync, changes } = this.settings();
		this.status.value = "connecting";
		this.socket = undefined;
		this.worker ??= new Worker(new URL("agent-worker.js", document.baseURI), { type: "module" });
		const { worker } = this;
		const { port1, port2 } = new MessageChannel();
		worker.postMessage({ port: port2, sync, changes }, [port2]);
		return new Promise((resolve, reject) => {
			const started = () => {
				this.status.value = "open";
				resolve(overMessagePort(port1));
			};
			const failed = () => {
				this.worker = undefined;
				this.status.value = "lost";
				reject(new Error("The agent of this page could not be started. Reload the page."));
			};
			worker.addEventListener("message", started, { once: true });
			worker.addEventListener("error", failed, { once: true });
		});
	}

	private connectToServer(): Promise<Channel> {
		this.status.value = "connecting";
		const { sync, changes } = this.settings();
		const socket = socketTo(`/acp?${new URLSearchParams({ sync, changes })}`, this.token);
		this.socket = socket;
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => {
				this.status.value = "open";
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

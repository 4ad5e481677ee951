import { type Channel, overMessagePort, overWebSocket, type Receiver } from "@segue/rpc";

/** The plugin's name and version, sent to agents. */
export const MONACO_CLIENT = { name: "segue-monaco", version: "0.1.0" };

/**
 * Returns a function that connects to `segue serve`, for example at `ws://127.0.0.1:4747/acp`. It rejects with a message
 * for the user.
 */
export function agentServer(address: string | URL, token: string): () => Promise<Channel> {
	return () => {
		// A page cannot set the headers of a WebSocket, so the token is a subprotocol.
		const socket = new WebSocket(address, ["segue.acp", `segue.token.${token}`]);
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => resolve(overWebSocket(socket)));
			socket.addEventListener("close", () => {
				const next = "Start it with `segue serve`, and check the address and the token.";
				reject(new Error(`No Segue server answers at ${address}. ${next}`));
			});
		});
	};
}

/**
 * Returns a function that starts an agent in a web worker whose script is `@segue/monaco/agent-worker`. It rejects with
 * a message for the user. Each connection has a worker of its own, which ends with the connection.
 */
export function agentWorker(start: () => Worker): () => Promise<Channel> {
	return () => {
		const worker = start();
		const { port1, port2 } = new MessageChannel();
		return new Promise((resolve, reject) => {
			// A worker that fails to load sends nothing on the port.
			worker.addEventListener("message", () => resolve(new WorkerChannel(port1, worker)), { once: true });
			worker.addEventListener("error", () => {
				worker.terminate();
				// Ends the connection if it is open.
				port1.dispatchEvent(new MessageEvent("message", { data: null }));
				reject(new Error("Segue's worker stopped or could not be loaded. Check the address of agent-worker.js."));
			});
			worker.postMessage({ id: 1, port: port2, version: MONACO_CLIENT.version, sync: "events" }, [port2]);
		});
	};
}

/** A channel to an agent in a worker. Stops the worker when it is closed. */
class WorkerChannel implements Channel {
	private readonly inner: Channel;

	constructor(
		port: MessagePort,
		private readonly worker: Worker,
	) {
		this.inner = overMessagePort(port);
	}

	open(receiver: Receiver, messageBytesMax: number): void {
		this.inner.open(receiver, messageBytesMax);
	}

	send(text: string): void {
		this.inner.send(text);
	}

	get unwrittenBytes(): number {
		return this.inner.unwrittenBytes;
	}

	close(done: () => void): void {
		this.inner.close(() => {
			this.worker.terminate();
			done();
		});
	}

	drop(): void {
		this.inner.drop();
		this.worker.terminate();
	}
}

import { type Channel, overMessagePort, overWebSocket } from "@segue/rpc";

/** The plugin's name and version, sent to agents. */
export const CLIENT_INFO = { name: "segue-codemirror", version: "0.1.0" };

/**
 * Returns a function that connects to `segue serve`, for example at `ws://127.0.0.1:4747/acp`. It rejects with a message
 * for the user.
 */
export function serverAgent(address: string, token: string): () => Promise<Channel> {
	return () => {
		// A page cannot set the headers of a WebSocket, so the token is a subprotocol.
		const socket = new WebSocket(address, ["segue.acp", `segue.token.${token}`]);
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => resolve(overWebSocket(socket)));
			socket.addEventListener("close", () => {
				const next = "Start one with `segue serve`, and check the address and the token.";
				reject(new Error(`No agent answers at ${address}. ${next}`));
			});
		});
	};
}

export interface WorkerAgentOptions {
	/** Called when the worker cannot be loaded or stops. The next connection starts another. */
	readonly lost?: () => void;
	/** Returns more fields of the message that starts a connection, to override the agent's defaults. */
	readonly start?: () => Readonly<Record<string, string>>;
}

/**
 * Returns a function that connects to an agent in a web worker whose script is `@segue/codemirror/agent-worker`. It
 * rejects with a message for the user. The worker is started once and reused for later connections.
 */
export function workerAgent(startWorker: () => Worker, options: WorkerAgentOptions = {}): () => Promise<Channel> {
	let worker: Worker | undefined;
	let connections = 0;
	/** Removes the previous connection's listeners from the worker. */
	let endLast = () => {};
	return () => {
		const id = ++connections;
		worker ??= startWorker();
		const used = worker;
		const { port1, port2 } = new MessageChannel();
		const ended = new AbortController();
		const { signal } = ended;
		endLast();
		endLast = () => ended.abort();
		return new Promise((resolve, reject) => {
			used.addEventListener(
				"message",
				({ data }: MessageEvent<unknown>) => {
					if (data === id) resolve(overMessagePort(port1));
				},
				{ signal },
			);
			const failed = () => {
				ended.abort();
				used.terminate();
				if (worker === used) worker = undefined;
				options.lost?.();
				// Ends the connection if it is open.
				port1.dispatchEvent(new MessageEvent("message", { data: null }));
				reject(new Error("The agent's worker stopped or could not be loaded. Check the address of agent-worker.js."));
			};
			used.addEventListener("error", failed, { signal });
			const settings = { version: CLIENT_INFO.version, sync: "events", ...options.start?.() };
			used.postMessage({ ...settings, id, port: port2 }, [port2]);
		});
	};
}

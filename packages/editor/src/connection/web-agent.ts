import { type Channel, overMessagePort, overWebSocket } from "@segue/rpc";

/** The version of this package and of the plugins that are built on it, which have the same version. */
export const EDITOR_VERSION = "0.1.0";

/**
 * Returns a function that connects to `segue serve`, for example at `ws://127.0.0.1:4747/acp`. It rejects with a message
 * for the user.
 */
export function serverAgent(address: string | URL, token: string): () => Promise<Channel> {
	return () => {
		// A page cannot set the headers of a WebSocket, so the token is a subprotocol.
		const socket = openSocket(address, token.trim());
		if (socket === undefined) {
			const next = "Check the address, and that the token contains only letters, digits and hyphens.";
			return Promise.reject(new Error(`Cannot connect to ${address}. ${next}`));
		}
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => resolve(overWebSocket(socket)));
			socket.addEventListener("close", () => {
				const next = "Start one with `segue serve`, and check the address, the token and `--allow-origin`.";
				reject(new Error(`No agent answers at ${address}. ${next}`));
			});
		});
	};
}

/** Returns undefined for an invalid address or token. The browser's error would show the token to the user. */
function openSocket(address: string | URL, token: string): WebSocket | undefined {
	try {
		return new WebSocket(address, ["segue.acp", `segue.token.${token}`]);
	} catch {
		return undefined;
	}
}

export interface WorkerAgentOptions {
	/** Called when a worker cannot be loaded or stops. */
	readonly lost?: () => void;
	/** Returns more fields of the message that starts the agent, to override its defaults. */
	readonly start?: () => Readonly<Record<string, string>>;
}

/**
 * Returns a function that connects to an agent in a web worker whose script is `agent-worker.js` of a plugin's package.
 * It rejects with a message for the user. Each connection starts a worker, so that a worker that hangs is replaced, and
 * stops it when it ends.
 */
export function workerAgent(startWorker: () => Worker, options: WorkerAgentOptions = {}): () => Promise<Channel> {
	return () => {
		const worker = startWorker();
		const { port1, port2 } = new MessageChannel();
		const channel = overMessagePort({
			postMessage: (data) => port1.postMessage(data),
			addEventListener: (type, listener) => port1.addEventListener(type, listener),
			start: () => port1.start(),
			close: () => {
				port1.close();
				worker.terminate();
			},
		});
		return new Promise((resolve, reject) => {
			// A worker that fails to load sends nothing on the port.
			worker.addEventListener("message", () => resolve(channel), { once: true });
			worker.addEventListener("error", () => {
				worker.terminate();
				options.lost?.();
				// Ends the connection if it is open.
				port1.dispatchEvent(new MessageEvent("message", { data: null }));
				reject(new Error("The agent's worker stopped or could not be loaded. Check the address of agent-worker.js."));
			});
			const settings = { version: EDITOR_VERSION, sync: "events", ...options.start?.() };
			worker.postMessage({ ...settings, id: 1, port: port2 }, [port2]);
		});
	};
}

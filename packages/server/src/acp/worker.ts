import { overMessagePort, type Port } from "@segue/rpc";
import { type AcpOptions, serveAcp } from "./acp-server.js";

// The entry point of a web worker that serves next edits to its page, so the page needs no server.

// Keeps one faulty connection from flooding the console.
const LOGGED_PROBLEMS_MAX = 100;

/** The message that a page posts for each connection. */
interface WorkerStart extends Pick<AcpOptions, "version" | "sync" | "changes"> {
	readonly port: Port;
	/** Posted back once the server is running. */
	readonly id: number;
}

addEventListener("message", ({ data }: MessageEvent<WorkerStart>) => {
	const { port, id, ...options } = data;
	let left = LOGGED_PROBLEMS_MAX;
	serveAcp(overMessagePort(port), {
		...options,
		showsDocuments: true,
		report: ({ kind, method, text }) => {
			if (left-- <= 0) return;
			const about = method === undefined ? kind : `${kind} ${method}`;
			// biome-ignore lint/suspicious/noConsole: a worker logs to the browser's console
			console.warn(`segue: ${about}: ${text}`);
		},
	});
	// The page waits for this, because a worker that fails to load sends nothing on the port.
	postMessage(id);
});

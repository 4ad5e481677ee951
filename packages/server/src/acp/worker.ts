import { overMessagePort, type Port } from "@segue/rpc";
import { type AcpOptions, serveAcp } from "./acp-server.js";

// What one connection does wrong after that does not fill the console.
const PROBLEMS_TOLD_MAX = 100;

// The entry of a web worker that serves next edits to the page that started it, without a server and without a network.

/** What a page posts, once for each connection. */
interface WorkerStart extends Pick<AcpOptions, "version" | "sync" | "changes"> {
	readonly port: Port;
	/** Posted back once the connection is served. */
	readonly id: number;
}

addEventListener("message", ({ data }: MessageEvent<WorkerStart>) => {
	const { port, id, ...options } = data;
	let left = PROBLEMS_TOLD_MAX;
	serveAcp(overMessagePort(port), {
		...options,
		showsDocuments: true,
		report: ({ kind, method, text }) => {
			if (left-- <= 0) return;
			const about = method === undefined ? kind : `${kind} ${method}`;
			// biome-ignore lint/suspicious/noConsole: the console of the browser is the log of a worker
			console.warn(`segue: ${about}: ${text}`);
		},
	});
	// The page waits for this, because a worker that cannot be loaded says nothing on the port.
	postMessage(id);
});

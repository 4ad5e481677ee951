import { overMessagePort, type Port } from "@segue/rpc";
import { type AcpOptions, serveAcp } from "./door.js";

// The entry of a web worker that serves next edits to the page that started it, without a server and without a network.

/** Replaced by whoever bundles the worker. */
declare const SEGUE_VERSION: string;

/** What a page posts, once for each connection. */
export interface Start extends Pick<AcpOptions, "sync" | "changes"> {
	readonly port: Port;
}

addEventListener("message", ({ data }: MessageEvent<Start>) => {
	const { port, ...options } = data;
	serveAcp(overMessagePort(port), {
		...options,
		version: SEGUE_VERSION,
		showsDocuments: true,
		report: ({ kind, method, text }) => {
			const about = method === undefined ? kind : `${kind} ${method}`;
			// biome-ignore lint/suspicious/noConsole: the console of the browser is the log of a worker
			console.warn(`segue: ${about}: ${text}`);
		},
	});
	// The page waits for this, because a worker that cannot be loaded says nothing on the port.
	postMessage("started");
});

import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { BlockList, isIP } from "node:net";
import { Readable } from "node:stream";

/** DNS and HTTP, replaceable in tests. */
export interface Network {
	/** Resolves a host name to its addresses, and an address to itself. */
	lookup(host: string, signal: AbortSignal): Promise<readonly string[]>;
	/** Requests a page from this exact address. Does not follow redirects. */
	fetch(url: URL, address: string, signal: AbortSignal): Promise<Response>;
}

/** The real network. */
export const internet: Network = {
	lookup: (host, signal) =>
		new Promise((resolve, reject) => {
			// A DNS lookup cannot be cancelled, only ignored.
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
			lookup(host, { all: true }).then((found) => resolve(found.map(({ address }) => address)), reject);
		}),
	// Node's `fetch` would resolve the name again, possibly to an address that was not checked.
	fetch: (url, address, signal) =>
		new Promise((resolve, reject) => {
			const { request } = url.protocol === "https:" ? https : http;
			const family = isIP(address);
			request(url, {
				signal,
				agent: false,
				headers: {
					"user-agent": "segue",
					accept: "text/*, application/json, */*;q=0.1",
					"accept-encoding": "identity",
				},
				lookup: (_host, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
			})
				.on("error", reject)
				.on("response", (message) => resolve(responseOf(message)))
				.end();
		}),
};

function responseOf(message: http.IncomingMessage): Response {
	const headers = new Headers();
	for (const [name, values] of Object.entries(message.headersDistinct)) {
		for (const value of values ?? []) headers.append(name, value);
	}
	const status = message.statusCode ?? 0;
	// `Response` throws if it has a body and one of these statuses.
	const isBodiless = [204, 205, 304].includes(status);
	if (isBodiless) message.resume();
	return new Response(isBodiless ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>), { status, headers });
}

/** Whether an address is publicly routable: not loopback, private, link-local or reserved. */
export function isPublic(address: string): boolean {
	const family = isIP(address);
	if (family === 4) return !LOCAL.check(address, "ipv4");
	return family === 6 && GLOBAL.check(address, "ipv6") && !LOCAL.check(address, "ipv6");
}

const GLOBAL = new BlockList();
GLOBAL.addSubnet("2000::", 3, "ipv6");

const LOCAL = new BlockList();
for (const [net, bits] of [
	["0.0.0.0", 8],
	["10.0.0.0", 8],
	["100.64.0.0", 10],
	["127.0.0.0", 8],
	["169.254.0.0", 16],
	["172.16.0.0", 12],
	["192.0.0.0", 24],
	["192.0.2.0", 24],
	["192.88.99.0", 24],
	["192.168.0.0", 16],
	["198.18.0.0", 15],
	["198.51.100.0", 24],
	["203.0.113.0", 24],
	["224.0.0.0", 3],
] as const) {
	LOCAL.addSubnet(net, bits, "ipv4");
}
// Tunnel addresses, which embed an IPv4 address, and documentation addresses.
for (const [net, bits] of [
	["2001::", 23],
	["2001:db8::", 32],
	["2002::", 16],
	["3fff::", 20],
] as const) {
	LOCAL.addSubnet(net, bits, "ipv6");
}

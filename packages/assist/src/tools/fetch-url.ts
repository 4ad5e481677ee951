import * as z from "zod";
import { ToolError } from "../failures.js";
import { htmlToText } from "./html.js";
import { isPublic, type Network } from "./network.js";
import type { Tool, ToolAction, ToolOutcome } from "./tool.js";
import { truncateHead } from "./truncate.js";

// Ten times the size of a typical documentation page.
const BODY_BYTES_MAX = 2 * 2 ** 20;
// About 12,000 tokens.
const TEXT_CHARACTERS_MAX = 50_000;
// Browsers follow more, but real pages need only two or three.
const REDIRECTS_MAX = 5;

const input = z.object({ url: z.string().describe("The URL of a page, starting with http:// or https://.") });

type Input = z.infer<typeof input>;

/** The time limit includes name resolution, redirects and the body. */
export function fetchUrlTool(network: Network, timeLimitMs: number): Tool<Input> {
	return {
		name: "fetch_url",
		description:
			"Fetches a web page as text. Supports public addresses and text formats only: HTML, plain text, JSON, XML. " +
			"May need the user's approval.",
		kind: "fetch",
		input,
		prepare: async ({ url: written }): Promise<ToolAction> => {
			const url = urlOf(written);
			return {
				title: `Fetch ${url.href}`,
				locations: [],
				diffs: [],
				permissions: [{ kind: "network", subject: url.origin }],
				run: (signal) => read(url, network, signal, AbortSignal.timeout(timeLimitMs)),
			};
		},
	};
}

function urlOf(written: string): URL {
	const url = URL.canParse(written) ? new URL(written) : undefined;
	if (url === undefined) throw new ToolError(`${JSON.stringify(written)} is not a complete URL.`);
	if (url.protocol !== "http:" && url.protocol !== "https:") {
		throw new ToolError(`Only http and https URLs can be fetched, not ${url.protocol.slice(0, -1)}.`);
	}
	if (url.username !== "" || url.password !== "")
		throw new ToolError("URLs with a user name or password cannot be fetched.");
	return url;
}

async function read(start: URL, network: Network, turn: AbortSignal, limit: AbortSignal): Promise<ToolOutcome> {
	const signal = AbortSignal.any([turn, limit]);
	try {
		const { url, response } = await follow(start, network, signal);
		const text = await textOf(response);
		const left = text.length - TEXT_CHARACTERS_MAX;
		const shown = left > 0 ? `${truncateHead(text, TEXT_CHARACTERS_MAX)}\n\n(${left} characters omitted)` : text;
		if (response.ok) return { output: shown, read: [], failed: false };
		return { output: `${url.href} returned status ${response.status}.\n\n${shown}`, read: [], failed: true };
	} catch (error) {
		turn.throwIfAborted();
		if (error instanceof ToolError) throw error;
		if (limit.aborted) throw new ToolError(`${start.href} took too long to respond.`);
		throw new ToolError(`${start.href} could not be fetched: ${(error as Error).message}.`);
	}
}

/** Follows redirects only within the origin, because that is what the user approved. */
async function follow(start: URL, network: Network, signal: AbortSignal): Promise<{ url: URL; response: Response }> {
	let url = start;
	for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
		const response = await network.fetch(url, await addressOf(url, network, signal), signal);
		const location = response.headers.get("location");
		if (location === null || !REDIRECT.includes(response.status)) return { url, response };
		await response.body?.cancel();
		if (!URL.canParse(location, url.href)) throw new ToolError(`${url.href} redirects to an invalid URL: ${location}`);
		const next = urlOf(new URL(location, url).href);
		if (next.origin !== start.origin) {
			await addressOf(next, network, signal);
			throw new ToolError(`${url.href} redirects to another site. To follow it, fetch ${next.href}`);
		}
		url = next;
	}
	throw new ToolError(`${start.href} redirects more than ${REDIRECTS_MAX} times.`);
}

const REDIRECT = [301, 302, 303, 307, 308];

/**
 * Resolves with the address to connect to. All of the host's addresses must be public, or a page could reach the local
 * network.
 */
async function addressOf(url: URL, network: Network, signal: AbortSignal): Promise<string> {
	const addresses = await network.lookup(url.hostname.replace(/^\[|\]$/g, ""), signal);
	const [first] = addresses;
	if (first === undefined) throw new ToolError(`${url.hostname} has no address.`);
	if (!addresses.every(isPublic)) {
		throw new ToolError(`${url.hostname} is a local or private address. Only public addresses can be fetched.`);
	}
	return first;
}

async function textOf(response: Response): Promise<string> {
	const [type = "", ...parameters] = (response.headers.get("content-type") ?? "text/plain").toLowerCase().split(";");
	if (!TEXT_TYPE.test(type.trim())) throw new ToolError(`The page is not text: its type is ${type.trim()}.`);
	const encoding = response.headers.get("content-encoding") ?? "identity";
	if (encoding !== "identity")
		throw new ToolError(`The page is compressed with ${encoding}, although the request did not allow compression.`);
	const charset = /charset="?([^";]+)/.exec(parameters.join(";"))?.[1]?.trim() ?? "utf-8";
	const text = decode(await bytesOf(response), charset);
	return HTML_TYPE.test(type.trim()) ? htmlToText(text) : text;
}

const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|x-ndjson|yaml|toml))$/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;

function decode(bytes: Uint8Array, charset: string): string {
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return new TextDecoder().decode(bytes); // an unknown encoding is usually UTF-8 misspelled
	}
}

async function bytesOf(response: Response): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of response.body ?? []) {
		length += chunk.length;
		if (length > BODY_BYTES_MAX) throw new ToolError(`The page has more than ${BODY_BYTES_MAX} bytes.`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

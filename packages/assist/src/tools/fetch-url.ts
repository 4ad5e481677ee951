import * as z from "zod";
import { ToolError } from "../failures.js";
import { htmlToText } from "./html.js";
import { isPublic, type Network } from "./network.js";
import type { Tool, ToolAction, ToolOutcome } from "./tool.js";
import { truncateHead } from "./truncate.js";

// A page of documentation is a tenth of this.
const BODY_BYTES_MAX = 2 * 2 ** 20;
// About 12,000 tokens.
const TEXT_CHARACTERS_MAX = 50_000;
// Browsers follow more; a page that somebody reads is behind two or three.
const REDIRECTS_MAX = 5;

const input = z.object({ url: z.string().describe("The address of a page, with http:// or https://.") });

type Input = z.infer<typeof input>;

/** The time is for all of a page: names, redirects and the body. */
export function fetchUrlTool(network: Network, timeLimitMs: number): Tool<Input> {
	return {
		name: "fetch_url",
		description:
			"Reads a page from the web as text. Only public addresses, and only what is text: HTML, plain text, JSON, XML. " +
			"The user may be asked first.",
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
	if (url === undefined) throw new ToolError(`${JSON.stringify(written)} is no complete URL.`);
	if (url.protocol !== "http:" && url.protocol !== "https:") {
		throw new ToolError(`Only http and https can be fetched, not ${url.protocol.slice(0, -1)}.`);
	}
	if (url.username !== "" || url.password !== "")
		throw new ToolError("A URL with a name or a password is not fetched.");
	return url;
}

async function read(start: URL, network: Network, turn: AbortSignal, limit: AbortSignal): Promise<ToolOutcome> {
	const signal = AbortSignal.any([turn, limit]);
	try {
		const { url, response } = await follow(start, network, signal);
		const text = await textOf(response);
		const left = text.length - TEXT_CHARACTERS_MAX;
		const shown = left > 0 ? `${truncateHead(text, TEXT_CHARACTERS_MAX)}\n\n(${left} characters left out.)` : text;
		if (response.ok) return { output: shown, read: [], failed: false };
		return { output: `${url.href} answers with status ${response.status}.\n\n${shown}`, read: [], failed: true };
	} catch (error) {
		turn.throwIfAborted();
		if (error instanceof ToolError) throw error;
		if (limit.aborted) throw new ToolError(`${start.href} took too long to answer.`);
		throw new ToolError(`${start.href} could not be fetched: ${(error as Error).message}.`);
	}
}

/** Goes where a page has gone, as long as that is the same origin, which is what was allowed. */
async function follow(start: URL, network: Network, signal: AbortSignal): Promise<{ url: URL; response: Response }> {
	let url = start;
	for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
		const response = await network.fetch(url, await addressOf(url, network, signal), signal);
		const location = response.headers.get("location");
		if (location === null || !REDIRECT.includes(response.status)) return { url, response };
		await response.body?.cancel();
		if (!URL.canParse(location, url.href)) throw new ToolError(`${url.href} leads to ${location}, which is no URL.`);
		const next = urlOf(new URL(location, url).href);
		if (next.origin !== start.origin) {
			await addressOf(next, network, signal);
			throw new ToolError(`${url.href} leads to another site. To go on, fetch ${next.href}`);
		}
		url = next;
	}
	throw new ToolError(`${start.href} leads from one address to the next, more than ${REDIRECTS_MAX} times.`);
}

const REDIRECT = [301, 302, 303, 307, 308];

/** The address to connect to. All that a name stands for have to be public, or one could be a way in. */
async function addressOf(url: URL, network: Network, signal: AbortSignal): Promise<string> {
	const addresses = await network.lookup(url.hostname.replace(/^\[|\]$/g, ""), signal);
	const [first] = addresses;
	if (first === undefined) throw new ToolError(`${url.hostname} has no address.`);
	if (!addresses.every(isPublic)) {
		throw new ToolError(`${url.hostname} is an address of this machine or its network, which is not fetched.`);
	}
	return first;
}

async function textOf(response: Response): Promise<string> {
	const [type = "", ...parameters] = (response.headers.get("content-type") ?? "text/plain").toLowerCase().split(";");
	if (!TEXT_TYPE.test(type.trim())) throw new ToolError(`The page is no text but ${type.trim()}.`);
	const encoding = response.headers.get("content-encoding") ?? "identity";
	if (encoding !== "identity")
		throw new ToolError(`The page is packed with ${encoding}, which it was asked not to be.`);
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
		return new TextDecoder().decode(bytes); // an encoding that nobody knows is mostly a misspelt UTF-8
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

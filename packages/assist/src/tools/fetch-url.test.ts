import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, onTestFinished, test } from "vitest";
import { fetchUrlTool } from "./fetch-url.js";
import { internet, isPublic, type Network } from "./network.js";

const LONG_MS = 2 ** 30;
const PUBLIC = "93.184.215.14";

/** The response for each URL: a page or a redirect. */
type Pages = Readonly<Record<string, string | { readonly to: string } | Response>>;

/** A network with these pages. Hosts without an entry in `addresses` have a public address. */
function networkOf(
	pages: Pages,
	addresses: Readonly<Record<string, readonly string[]>> = {},
): Network & { requests: string[] } {
	const requests: string[] = [];
	return {
		requests,
		lookup: async (host) => addresses[host] ?? [PUBLIC],
		fetch: async ({ href }, address) => {
			requests.push(`${href} at ${address}`);
			const page = pages[href];
			if (page === undefined) return new Response("none", { status: 404, headers: { "content-type": "text/plain" } });
			if (page instanceof Response) return page;
			if (typeof page !== "string") return new Response("", { status: 302, headers: { location: page.to } });
			return new Response(page, { headers: { "content-type": "text/plain" } });
		},
	};
}

async function fetched(url: string, network: Network): Promise<string> {
	const box = await ToolFixture.draw({});
	return box.call(fetchUrlTool(network, LONG_MS), { url });
}

describe("fetch_url", () => {
	test("fetches a page and needs permission for its origin", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(fetchUrlTool(networkOf({ "https://a.com/b?c": "text" }), LONG_MS), {
			url: "https://A.com/b?c",
		});
		expect(action).toMatchObject({
			title: "Fetch https://a.com/b?c",
			permissions: [{ kind: "network", subject: "https://a.com" }],
		});
		expect(await action.run(box.calling.signal, () => {})).toEqual({ output: "text", read: [], failed: false });
	});

	test.each([
		["ftp://a.com/", "Only http and https URLs can be fetched, not ftp."],
		["file:///etc/passwd", "Only http and https URLs can be fetched, not file."],
		["javascript:alert(1)", "Only http and https URLs can be fetched, not javascript."],
		["a.com/b", '"a.com/b" is not a complete URL.'],
		["https://me:word@a.com/", "URLs with a user name or password cannot be fetched."],
	])("refuses %s without a request", async (url, message) => {
		const network = networkOf({});
		expect(await fetched(url, network)).toBe(`refused: ${message}`);
		expect(network.requests).toEqual([]);
	});

	const LOCAL = [
		...["127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
		...["169.254.169.254", "100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
		...["::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:7f00:1"],
		...["64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "::127.0.0.1", "not an address"],
	];

	test.each(LOCAL)(
		"refuses a host with the address %s, even next to a public address or after a redirect",
		async (address) => {
			const message = "is a local or private address. Only public addresses can be fetched.";
			for (const addresses of [[address], [PUBLIC, address]]) {
				const network = networkOf({ "http://a.com/": { to: "http://b.com/" } }, { "b.com": addresses });
				expect(await fetched("http://b.com/", network)).toBe(`refused: b.com ${message}`);
				expect(network.requests).toEqual([]);
				expect(await fetched("http://a.com/", network)).toBe(`refused: b.com ${message}`);
				expect(network.requests).toEqual([`http://a.com/ at ${PUBLIC}`]);
			}
		},
	);

	test("checks the address again after a redirect", async () => {
		const network = networkOf({ "http://a.com/": { to: "/b" } });
		let times = 0;
		const changing: Network = { ...network, lookup: async () => (times++ === 0 ? [PUBLIC] : ["127.0.0.1"]) };
		expect(await fetched("http://a.com/", changing)).toMatch(/^refused: a\.com is a local or private address/);
		expect(network.requests).toEqual([`http://a.com/ at ${PUBLIC}`]);
	});

	test.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"])("treats %s as public", (address) => {
		expect(isPublic(address)).toBe(true);
	});

	test.each(["http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://[::1]/", "http://localhost/"])(
		"refuses %s, which refers to this machine",
		async (url) => {
			expect(await fetched(url, internet)).toMatch(/^refused: .* is a local or private address/);
		},
	);

	test.each<readonly [string, Pages, string]>([
		["follows redirects on the same site", { "http://a.com/": { to: "/b" }, "http://a.com/b": "text" }, "text"],
		[
			"reports a redirect to another site, which needs separate permission",
			{ "http://a.com/": { to: "https://a.com/" } },
			"refused: http://a.com/ redirects to another site. To follow it, fetch https://a.com/",
		],
		[
			"does not follow a redirect to a file",
			{ "http://a.com/": { to: "file:///etc/passwd" } },
			"refused: Only http and https URLs can be fetched, not file.",
		],
		[
			"stops at a redirect loop",
			{ "http://a.com/": { to: "/" } },
			"refused: http://a.com/ redirects more than 5 times.",
		],
		["reports a missing page", {}, "http://a.com/ returned status 404.\n\nnone"],
		["converts HTML to text", page("<p>one</p><p>two</p>", "text/html; charset=utf-8"), "one\n\ntwo"],
		["returns JSON unchanged", page('{"a":"<p>"}', "application/ld+json"), '{"a":"<p>"}'],
		["decodes other encodings", page(Buffer.from("caf\xe9", "latin1"), 'text/plain; charset="ISO-8859-1"'), "café"],
		["decodes unknown encodings as UTF-8", page("é", "text/plain; charset=utf8mb4"), "é"],
		["refuses an image", page("x", "image/png"), "refused: The page is not text: its type is image/png."],
		[
			"refuses a compressed page",
			page("x", "text/plain", "gzip"),
			"refused: The page is compressed with gzip, although the request did not allow compression.",
		],
		[
			"refuses a page that is too large",
			page("x".repeat(2 ** 21 + 1), "text/plain"),
			"refused: The page has more than 2097152 bytes.",
		],
		[
			"truncates a long page",
			page("x".repeat(50_001), "text/plain"),
			`${"x".repeat(50_000)}\n\n(1 characters omitted)`,
		],
	])("%s", async (_title, pages, output) => {
		expect(await fetched("http://a.com/", networkOf(pages))).toBe(output);
	});

	function page(body: string | Uint8Array<ArrayBuffer>, type: string, encoding?: string): Pages {
		const headers = { "content-type": type, ...(encoding === undefined ? {} : { "content-encoding": encoding }) };
		return { "http://a.com/": new Response(body, { headers }) };
	}

	/** A network whose only public address belongs to a server on this machine. */
	async function serving(respond: RequestListener): Promise<{ network: Network; url: string }> {
		const server = createServer(respond).listen(0, "127.0.0.1");
		onTestFinished(() => {
			server.closeAllConnections();
			server.close();
		});
		await new Promise((resolve) => server.once("listening", resolve));
		const { port } = server.address() as AddressInfo;
		const network: Network = {
			lookup: async () => [PUBLIC],
			fetch: (url, _address, signal) => internet.fetch(url, "127.0.0.1", signal),
		};
		return { network, url: `http://pages.test:${port}/` };
	}

	test("connects to the checked address and sends the host name of the URL, over a real socket", async () => {
		const { network, url } = await serving(({ headers }, response) => {
			response.setHeader("content-type", "text/plain").end(`${headers.host} ${headers["accept-encoding"]}`);
		});
		expect(await fetched(url, network)).toBe(`${new URL(url).host} identity`);
	});

	test("reports a dropped connection", async () => {
		const { network, url } = await serving((_request, response) => {
			response.writeHead(200, { "content-type": "text/plain" }).write("one", () => response.destroy());
		});
		expect(await fetched(url, network)).toMatch(/^refused: .* could not be fetched: /);
	});

	test("times out if a page never arrives", async () => {
		const { network, url } = await serving(() => {});
		const box = await ToolFixture.draw({});
		expect(await box.call(fetchUrlTool(network, 50), { url })).toBe(`refused: ${url} took too long to respond.`);
	});

	test("stops when the turn is cancelled", async () => {
		const box = await ToolFixture.draw({});
		const { network, url } = await serving(() => box.calling.abort());
		const action = await box.prepare(fetchUrlTool(network, LONG_MS), { url });
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(/aborted/);
	});
});

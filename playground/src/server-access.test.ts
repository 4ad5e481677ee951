import { settled } from "@segue/testing/rpc/peers";
import { afterEach, expect, test, vi } from "vitest";
import { RequestRefused, ServerAccess, tokenIn } from "./server-access.js";

afterEach(() => void vi.unstubAllGlobals());

test.each<[string, string, string | undefined]>([
	["a link", "http://127.0.0.1:4747/#token=abcdefgh-IJKL_mnop", "abcdefgh-IJKL_mnop"],
	["a link with white space around it", "  http://127.0.0.1:4747/#token=abcdefgh12345678\n", "abcdefgh12345678"],
	["a fragment", "#inspect&token=abcdefgh12345678", "abcdefgh12345678"],
	["a token", "abcdefgh12345678", "abcdefgh12345678"],
	["a link without a token", "http://127.0.0.1:4747/", undefined],
	["a link with another fragment", "http://127.0.0.1:4747/#inspect", undefined],
	["a token that is too short", "abc", undefined],
	["nothing", "", undefined],
])("finds the token in %s", (_, pasted, token) => {
	expect(tokenIn(pasted)).toBe(token);
});

/** Simulates a page and a server that accepts one token. If the token is undefined, the server does not respond. */
function stubPage(accepted: string | undefined, hash: string, status = 200) {
	const listeners = new Map<string, () => void>();
	let receive: (event: { data: unknown }) => void = () => {};
	const location = { hash };
	vi.stubGlobal("location", location);
	vi.stubGlobal("history", { state: null, replaceState: (_: unknown, __: string, to: string) => (location.hash = to) });
	vi.stubGlobal("addEventListener", (name: string, listener: () => void) => listeners.set(name, listener));
	vi.stubGlobal(
		"BroadcastChannel",
		class {
			addEventListener(_: string, listener: typeof receive) {
				receive = listener;
			}
			postMessage() {}
		},
	);
	const server = { accepted };
	vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
		if (server.accepted === undefined) throw new TypeError("no server");
		return new Response("", { status: headers["x-segue-token"] === server.accepted ? status : 401 });
	});
	return {
		location,
		server,
		visit: (to: string) => {
			location.hash = to;
			listeners.get("hashchange")?.();
		},
		receive: (data: unknown) => receive({ data }),
	};
}

test.each<[string, string | undefined, string, string, string]>([
	["uses a token that the server accepts", "new", "#inspect&token=new", "new", "#inspect&token=new"],
	["restores the address after a refused token", "old", "#inspect&token=new", "old", "#inspect&token=old"],
	["keeps its token while the server is not responding", undefined, "#token=new", "old", "#token=new"],
])("a new address %s", async (_, accepted, visited, token, hash) => {
	const page = stubPage(accepted, "#token=old");
	const access = new ServerAccess("old");
	access.shareTokens();
	page.visit(visited);
	await settled();
	expect({ token: access.token.value, hash: page.location.hash }).toEqual({ token, hash });
});

test.each<[string, string | undefined, string]>([
	["uses a token that the server accepts", "new", "new"],
	["ignores a refused token", "old", "old"],
	["ignores a token while the server is not responding", undefined, "old"],
])("a message from another window %s", async (_, accepted, token) => {
	const page = stubPage(accepted, "#token=old");
	const access = new ServerAccess("old");
	access.shareTokens();
	page.receive("new");
	await settled();
	expect({ token: access.token.value, hash: page.location.hash }).toEqual({ token, hash: `#token=${token}` });
});

test.each<[number, string]>([
	[404, "new"],
	[403, "old"],
	[503, "old"],
])("after status %i for a new token, the page uses the %s token", async (status, token) => {
	const page = stubPage("new", "#token=old", status);
	const access = new ServerAccess("old");
	access.shareTokens();
	page.receive("new");
	await settled();
	expect(access.token.value).toBe(token);
});

test("a request that is refused because of its token marks the token as expired until there is a new one", async () => {
	const { server } = stubPage("old", "#token=old");
	const access = new ServerAccess("old");
	await access.request("/folder");
	expect(access.isTokenRefused.value).toBe(false);
	server.accepted = "new";
	await expect(access.request("/folder")).rejects.toThrow(RequestRefused);
	expect(access.isTokenRefused.value).toBe(true);
	access.useToken("new");
	expect(access.isTokenRefused.value).toBe(false);
});

test("a late response to a request with the previous token does not mark the new one as expired", async () => {
	stubPage("new", "#token=old");
	const access = new ServerAccess("old");
	const late = access.request("/folder");
	access.useToken("new");
	await expect(late).rejects.toThrow(RequestRefused);
	expect(access.isTokenRefused.value).toBe(false);
});

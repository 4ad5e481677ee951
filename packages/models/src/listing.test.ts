import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { ModelFailure } from "./failure.js";
import { listModels } from "./listing.js";
import type { Api, EditModelSettings } from "./settings.js";

/** Starts a server that sends this response to every request and records the requests. */
async function answering(status: number, body: string) {
	const requests: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		requests.push(request);
		response.writeHead(status).end(body);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const stop = async () => {
		server.close();
		server.closeAllConnections();
		await once(server, "close");
	};
	return { url, requests, [Symbol.asyncDispose]: stop };
}

function settingsFor(api: Api, baseUrl: string): EditModelSettings {
	const model = { name: "mine/a", model: "a", apiKey: "sk-mine", headers: { "x-team": "blue" } };
	return { ...model, api, baseUrl, windowTokens: undefined, format: undefined, tellsVerdicts: false };
}

const list = (settings: Parameters<typeof listModels>[0]) => listModels(settings, new AbortController().signal);

describe("listModels", () => {
	const OPENAI = JSON.stringify({ object: "list", data: [{ id: "a" }, { id: "b" }, { odd: true }] });
	const OLLAMA = JSON.stringify({ models: [{ name: "a:latest", model: "a:latest" }] });

	test.for<[Api, string, string, string, readonly string[]]>([
		["openai", "/v1", OPENAI, "/v1/models", ["a", "b"]],
		["openai", "", OPENAI, "/v1/models", ["a", "b"]],
		["llamacpp", "/v1", OPENAI, "/v1/models", ["a", "b"]],
		["mistral", "/v1/", OPENAI, "/v1/models", ["a", "b"]],
		["inception", "/v1", OPENAI, "/v1/models", ["a", "b"]],
		["anthropic", "/v1", OPENAI, "/v1/models?limit=1000", ["a", "b"]],
		["ollama", "/v1", OLLAMA, "/api/tags", ["a:latest"]],
		["openai", "/v1", JSON.stringify([{ id: "c" }]), "/v1/models", ["c"]],
	])("requests the list of models from the %s API at %j", async ([api, base, body, path, names]) => {
		await using server = await answering(200, body);
		expect(await list(settingsFor(api, `${server.url}${base}`))).toEqual(names);
		const [{ url, headers }] = server.requests as [IncomingMessage];
		expect(url).toBe(path);
		expect(headers["x-team"]).toBe("blue");
		expect(api === "anthropic" ? headers["x-api-key"] : headers["authorization"]).toContain("sk-mine");
	});

	test.for<[Api, string, string]>([
		["openai", "Authorization", "Basic own"],
		["ollama", "Authorization", "Basic own"],
		["anthropic", "X-API-Key", "own"],
	])("sends the %s API a configured %s header instead of the key", async ([api, name, value]) => {
		await using server = await answering(200, OPENAI);
		await list({ ...settingsFor(api, server.url), headers: { [name]: value } });
		expect(server.requests[0]?.headers[name.toLowerCase()]).toBe(value);
	});

	test("accepts a chat model's settings", async () => {
		await using server = await answering(200, OPENAI);
		const { format: _, tellsVerdicts: __, api: ___, ...model } = settingsFor("openai", `${server.url}/v1`);
		expect(await list({ ...model, type: "openai-compatible", takesImages: false })).toEqual(["a", "b"]);
	});

	test("returns undefined for servers and APIs without a list", async () => {
		await using server = await answering(404, "not here");
		expect(await list(settingsFor("openai", server.url))).toBeUndefined();
		expect(await list(settingsFor("sweep", server.url))).toBeUndefined();
		expect(server.requests).toHaveLength(1);
	});

	test.for<[number, string, string, RegExp]>([
		[401, "{}", "wrong-key", /mine does not accept your key\. Run "segue login mine"/],
		[500, "oh", "busy", /mine is busy or unavailable \(500\): oh\./],
		[200, "<html>", "malformed", /did not answer with a list of models\. Check/],
		[200, "null", "malformed", /did not answer with a list/],
		[302, "", "malformed", /redirects to another address\. Check that the base URL/],
		[502, "<html><h1>Bad gateway</h1>", "busy", /^mine is busy or unavailable \(502\)\.$/],
	])("throws a ModelFailure for status %i with body %j", async ([status, body, kind, message]) => {
		await using server = await answering(status, body);
		const failure = await list(settingsFor("openai", server.url)).catch((error: unknown) => error);
		expect((failure as ModelFailure).kind).toBe(kind);
		expect((failure as ModelFailure).message).toMatch(message);
	});

	test("rejects with the signal's reason when aborted", async () => {
		await using server = await answering(200, OPENAI);
		const reason = new Error("enough");
		await expect(listModels(settingsFor("openai", server.url), AbortSignal.abort(reason))).rejects.toBe(reason);
	});
});

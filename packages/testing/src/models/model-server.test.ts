import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "./model-server.js";

const PATHS = ["/chat/completions", "/messages", "/completions", "/fim/completions", "/edit/completions"];
let server: ModelServer;

afterEach(() => server.stop());

describe("a model server", () => {
	it("lists its model", async () => {
		server = await startModelServer([]);
		const response = await fetch(`${server.url}/models`);
		expect(await response.json()).toMatchObject({ data: [{ id: "scripted" }] });
	});

	it.each(PATHS)("records requests to %s", async (path) => {
		server = await startModelServer([["Yes."]]);
		await post(path, { model: "m", stream: true }, { "x-team": "blue" });
		expect(server.requests).toMatchObject([
			{ path: `/v1${path}`, headers: { "x-team": "blue" }, body: { model: "m", stream: true } },
		]);
	});

	it.each(PATHS)("uses each answer once at %s and refuses further requests", async (path) => {
		server = await startModelServer([["One."]]);
		server.add((request) => [`Two for ${request.body["model"]}.`]);
		expect(await (await post(path, { model: "m" })).text()).toContain("One.");
		expect(await (await post(path, { model: "m" })).text()).toContain("Two for m.");
		const third = await post(path, { model: "m" });
		expect(third.status).toBe(400);
		expect(await third.text()).toContain("The script has no answer");
	});

	it("releases held answers in request order", async () => {
		server = await startModelServer([
			["a", { hold: true }],
			["b", { hold: true }],
		]);
		const first = (await post("/messages", {})).text();
		await server.holding();
		const second = (await post("/messages", {})).text();
		await server.release();
		expect(await first).toContain('"a"');
		await server.release();
		expect(await second).toContain('"b"');
	});

	it("responds with 404 to other requests", async () => {
		server = await startModelServer([]);
		expect((await post("/elsewhere", {})).status).toBe(404);
		expect((await fetch(`${server.url}/messages`)).status).toBe(404);
	});
});

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
	return fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

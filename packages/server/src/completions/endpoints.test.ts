import { once } from "node:events";
import http from "node:http";
import type { EditModels } from "@segue/agent/next-edit/models";
import type { ObservedResponse, RequestObserver } from "@segue/agent/next-edit/observer";
import type { Settings } from "@segue/agent/next-edit/settings";
import { decodePrompt } from "@segue/models/prompts";
import type { Prediction, Scene } from "@segue/predict";
import { FakeClock } from "@segue/testing/clock";
import { completionPromptOf, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { regionAfter } from "@segue/testing/models/zed-parsers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WebServer } from "../http/web-server.js";
import { type CompletionOptions, Completions } from "./endpoints.js";

const TOKEN = "a-token-that-nobody-guesses";
const NO_EDIT = "<|marker_1|><|marker_1|><[end▁of▁sentence]>";

/** Starts a server with the endpoints, which is closed after the test. */
async function start(more: Partial<CompletionOptions> = {}, host = "127.0.0.1") {
	const logged: string[] = [];
	const log = (line: string) => logged.push(line);
	const completions = new Completions({ version: "1.2.3", folder: "file:///work/shop", log, ...more });
	const server = await WebServer.start({
		...{ host, port: 0, token: TOKEN, version: "1.2.3", page: undefined, folders: undefined, log, sockets: {} },
		completions,
	});
	onTestFinished(() => server.close());
	return { port: server.port, logged };
}

type Headers = Readonly<Record<string, string>>;

async function post(port: number, path: string, body: unknown, headers: Headers = {}) {
	const response = await fetch(`http://127.0.0.1:${port}${path}`, {
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
	return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Requests a completion and returns its text. */
async function complete(port: number, prompt: string, more: object = {}, headers: Headers = {}): Promise<string> {
	const { status, text } = await post(
		port,
		"/v1/completions",
		{ model: "m", prompt, max_tokens: 512, ...more },
		headers,
	);
	expect(status).toBe(200);
	return JSON.parse(text).choices[0].text;
}

/**
 * Requests an answer for the document in `drawn`, whose edits and cursor are marked, and applies it as an editor would.
 * Returns "no edit" if nothing changes.
 */
async function answered(
	format: string,
	drawn: string,
	beside: Parameters<typeof readPromptInput>[1] = {},
	port?: number,
) {
	const prompt = completionPromptOf(format, readPromptInput(drawn, beside)) ?? "";
	const at = port ?? (await start()).port;
	const answer = await complete(at, prompt);
	const { parts, format: name } = decodePrompt(prompt) ?? { parts: undefined, format: "" };
	if (parts === undefined) throw new Error(`no prompt for ${format}`);
	const region = regionAfter(name, parts, answer) ?? parts.region;
	return region === parts.region ? "no edit" : parts.before + region + parts.after;
}

const FORMATS = ["zeta-1", "zeta-2", "zeta-2.1", "sweep", "sweep-v2"];

describe.each(FORMATS)("a prompt in the format %s", (format) => {
	test("is answered with the rest of a rename", async () => {
		const drawn = "let ‹cnt→count▮› = 0;\nfor (const item of items) cnt += item.size;\nlog(cnt);\n";
		expect((await answered(format, drawn)).trimEnd()).toBe(
			"let count = 0;\nfor (const item of items) count += item.size;\nlog(count);",
		);
	});

	test("is answered with an edit that the user made twice elsewhere", async () => {
		const edits = [readPastEdit("src/total.ts", "‹log→trace›(one);\nlog(two);\nlog(three);\nlog(four);\n")];
		const drawn = "trace(one);\n‹log→trace▮›(two);\nlog(three);\nlog(four);\n";
		expect(await answered(format, drawn, { edits })).toMatch(/^trace\(one\);\ntrace\(two\);\ntrace\(three\);\n/);
	});

	test("is answered with the format's “no edit” if there is nothing to suggest", async () => {
		expect(await answered(format, "one();\ntwo();‹→ // done▮›\n")).toBe("no edit");
		expect(await answered(format, "one();\n▮two();\n")).toBe("no edit");
		expect(await answered(format, "▮")).toBe("no edit");
	});

	test("is answered using edits in other files", async () => {
		const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥‹prise→price›: number;\n}\n")];
		const drawn = "import { Item } from './item';\n\nexport const sum = (item: Item) => item.prise▮;\n";
		const related = [{ path: "src/item.ts", first: 0, last: 2, text: "export interface Item {\n\tprice: number;\n}" }];
		expect(await answered(format, drawn, { edits, related })).toContain("item.price;");
	});
});

test("an edit far above the excerpt is taken into account", async () => {
	const filler = Array.from({ length: 200 }, (_, i) => `step${i}();`).join("\n");
	const before = `export const cnt = 1;\n${filler}\n`;
	const edits = [readPastEdit("src/total.ts", `export const ‹cnt→count› = 1;\n${filler}\nlog(cnt);\n`)];
	const drawn = `${before.replace("cnt", "count")}log(▮cnt);\n`;
	expect(await answered("zeta-2.1", drawn, { edits })).toContain("log(count);");
});

test("a diff that cannot be located is skipped, and the other diffs are used", async () => {
	const prompt =
		completionPromptOf("zeta-2.1", readPromptInput("let ‹cnt→count▮› = 0;\nlog(cnt);\n", { edits: [] })) ?? "";
	const misfit = "--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,1 +1,1 @@\n-gone();\n+came();\n";
	const { port } = await start();
	const answer = await complete(port, prompt.replace("edit_history\n", `edit_history\n${misfit}`));
	expect(answer).toContain("log(count);");
});

test("two paths that refer to the same file do not replace each other", async () => {
	const prompt =
		completionPromptOf("zeta-2.1", readPromptInput("let ‹cnt→count▮› = 0;\nlog(cnt);\n", { path: "shop/a.ts" })) ?? "";
	const { port } = await start();
	const diff =
		"--- a/a.ts\n+++ b/a.ts\n@@ -70,1 +70,1 @@\n-long ago and far away, in another part of the file();\n+gone();\n";
	const files = "<[fim-prefix]><filename>a.ts\nanother();\n...\n\n";
	const answer = await complete(
		port,
		prompt.replace("<[fim-prefix]>", files).replace("edit_history\n", `edit_history\n${diff}`),
	);
	expect(answer).toContain("log(count);");
});

test("suggestions are reported once, and never as accepted", async () => {
	const verdicts: string[] = [];
	let requests = 0;
	const observer: RequestObserver = {
		begin: () => {
			requests++;
			return { watch: () => {}, recordResponse: () => {}, recordOutcome: (_, { kind }) => verdicts.push(kind) };
		},
	};
	const { port } = await start({ observer });
	const prompt =
		completionPromptOf("zeta-2.1", readPromptInput("let ‹cnt→count▮› = 0;\nlog(cnt);\nlog(cnt, 2);\n")) ?? "";
	expect(await complete(port, prompt)).toContain("log(count);\nlog(count, 2);");
	expect([requests, verdicts]).toEqual([1, []]);
});

test.each([
	["zeta-1", "<|editable_region_start|>\n\n<|editable_region_end|>"],
	["zeta-2", "\n>>>>>>> UPDATED\n"],
	["zeta-2.1", NO_EDIT],
])("a prompt for an empty file is answered with the complete “no edit” text of %s", async (format, expected) => {
	const { port } = await start();
	expect(await complete(port, completionPromptOf(format, readPromptInput("▮")) ?? "", { stop: ["e"] })).toBe(expected);
});

describe("text at the cursor", () => {
	const lines = 'function a() {\n\tconsole.log("one", value);\n}\nfunction b() {\n\tconsole.log("one", value);\n}\n';
	const prefix = `${lines}function c() {\n\tconsole.log(`;
	const suffix = "\n}\n";

	test.each([
		["FIM tokens", "/v1/completions", { prompt: `<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>` }],
		["prompt and suffix", "/v1/completions", { prompt: prefix, suffix }],
		["the format of Mistral's endpoint", "/v1/fim/completions", { prompt: prefix, suffix }],
		[
			"the format of llama.cpp's endpoint",
			"/infill",
			{ input_prefix: prefix.slice(0, 50), prompt: prefix.slice(50), input_suffix: suffix },
		],
	])("is completed for a request with %s", async (_, path, body) => {
		const { port } = await start();
		const { text } = await post(port, path, body);
		const { content, choices } = JSON.parse(text);
		expect(content ?? choices[0].text ?? choices[0].message.content).toBe('"one", value);');
	});

	test("is based on other files in the request", async () => {
		const { port } = await start();
		const input_extra = [{ filename: "test/a.ts", text: lines }];
		const { text } = await post(port, "/infill", {
			input_prefix: "function c() {\n",
			prompt: "\tconsole.log(",
			input_suffix: "\n",
			input_extra,
		});
		expect(JSON.parse(text).content).toBe('"one", value);');
	});

	test("is truncated at a stop sequence", async () => {
		const { port } = await start();
		const { text } = await post(port, "/v1/completions", { prompt: prefix, suffix, stop: [", "] });
		expect(JSON.parse(text).choices[0].text).toBe('"one"');
	});

	test("is empty for a request that warms up a cache", async () => {
		const { port, logged } = await start();
		const { text } = await post(port, "/infill", {
			input_prefix: prefix,
			prompt: "",
			input_suffix: suffix,
			n_predict: 0,
		});
		expect(JSON.parse(text)).toMatchObject({ content: "", stop: true });
		expect(logged).toEqual([]);
	});
});

describe("a stream", () => {
	const drawn = "let ‹cnt→count▮› = 0;\nlog(cnt);\n";
	const eventsIn = (text: string) =>
		text
			.split("\n\n")
			.filter((line) => line !== "")
			.map((line) => line.replace(/^data: /, ""));

	test("sends the text in events, followed by an end event", async () => {
		const { port } = await start();
		const prompt = completionPromptOf("zeta-2.1", readPromptInput(drawn)) ?? "";
		const { headers, text } = await post(port, "/v1/completions", { prompt, stream: true });
		expect(headers.get("content-type")).toBe("text/event-stream");
		const events = eventsIn(text);
		expect(events.pop()).toBe("[DONE]");
		const choices = events.map((event) => JSON.parse(event).choices[0]);
		expect(choices.map((choice) => choice.text).join("")).toBe(await complete(port, prompt));
		expect(choices.map((choice) => choice.finish_reason)).toEqual([null, "stop"]);
	});

	test("uses the Mistral and llama.cpp formats at their endpoints", async () => {
		const { port } = await start();
		const [fim, infill] = await Promise.all([
			post(port, "/v1/fim/completions", { prompt: "a", suffix: "b", stream: true }),
			post(port, "/infill", { input_prefix: "a", input_suffix: "b", stream: true }),
		]);
		expect(JSON.parse(eventsIn(fim.text)[0] ?? "").choices[0].delta).toEqual({ role: "assistant", content: "" });
		expect(eventsIn(infill.text).map((event) => JSON.parse(event).stop)).toEqual([false, true]);
	});
});

test("the end marker is omitted for a client that lists it as a stop sequence", async () => {
	const { port } = await start();
	const drawn = "let ‹cnt→count▮› = 0;\nlog(cnt);\n";
	for (const [format, end] of [
		["zeta-1", "<|editable_region_end|>"],
		["zeta-2", ">>>>>>> UPDATED"],
		["zeta-2.1", "<[end▁of▁sentence]>"],
	] as const) {
		const prompt = completionPromptOf(format, readPromptInput(drawn, { path: `${format}.ts` })) ?? "";
		const parts = decodePrompt(prompt)?.parts;
		const whole = await complete(port, prompt);
		const cut = await complete(port, prompt, { stop: [end] });
		expect([whole.includes(end), cut.includes(end)]).toEqual([true, false]);
		expect(parts && regionAfter(format, parts, cut)).toBe(parts && regionAfter(format, parts, whole));
		// Truncating at a stop sequence inside the region would delete the user's text.
		expect(await complete(port, prompt, { stop: ["log"] })).toContain("log(count);");
	}
});

describe("an invalid request", () => {
	test.each([
		["is not JSON", "{", 400],
		["is not an object", "[]", 400],
		["has no prompt", "{}", 400],
		["has a prompt consisting of numbers", '{"prompt":[1,2]}', 400],
		["has a stop sequence that is not a string", '{"prompt":"a","stop":1}', 400],
		["is too large", JSON.stringify({ prompt: "a".repeat(1_000_000) }), 413],
	])("%s", async (_, body, status) => {
		const { port } = await start();
		const response = await post(port, "/v1/completions", body);
		expect(response.status).toBe(status);
		expect(JSON.parse(response.text).error.type).toBe("invalid_request_error");
	});

	test("is not sent as JSON", async () => {
		const { port } = await start();
		expect((await post(port, "/v1/completions", '{"prompt":"a"}', { "content-type": "text/plain" })).status).toBe(415);
		expect(
			(await post(port, "/v1/completions", { prompt: "a" }, { "content-type": "application/json; charset=utf-8" }))
				.status,
		).toBe(200);
	});

	test("gets no text and is logged without its prompt if the prompt's format is unknown", async () => {
		const { port, logged } = await start();
		expect(await complete(port, "Tell me the secret of the sea.")).toBe("");
		expect(logged).toEqual([
			expect.stringMatching(/^POST \/v1\/completions: unknown prompt format, body of \d+ characters/),
		]);
		for (let i = 0; i < 30; i++) await complete(port, "Again.");
		expect(logged).toHaveLength(20);
	});

	test("comes from a web page or has another host name", async () => {
		const { port } = await start();
		expect((await post(port, "/v1/completions", { prompt: "a" }, { origin: "http://evil.example" })).status).toBe(403);
		const [response] = (await once(
			http.get({ port, host: "127.0.0.1", path: "/v1/models", headers: { host: "evil.example" } }),
			"response",
		)) as [http.IncomingMessage];
		response.resume();
		expect(response.statusCode).toBe(403);
	});

	test("has the wrong method", async () => {
		const { port } = await start();
		const response = await fetch(`http://127.0.0.1:${port}/infill`);
		expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
		expect((await post(port, "/v1/models", {})).status).toBe(405);
	});
});

test("responds to clients that probe the server", async () => {
	const { port } = await start();
	const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
	expect(await get("/health")).toEqual({ status: "ok" });
	expect((await fetch(`http://127.0.0.1:${port}/health`, { method: "HEAD" })).status).toBe(200);
	expect(await get("/v1/models")).toMatchObject({ object: "list", data: [{ id: "segue", object: "model" }] });
	expect(await get("/props")).toMatchObject({ total_slots: 4, default_generation_settings: {} });
});

test("the endpoints are not served unless the option is set", async () => {
	const server = await WebServer.start({
		...{ host: "127.0.0.1", port: 0, token: TOKEN, version: "1.2.3", page: undefined, folders: undefined },
		...{ log: () => {}, sockets: {} },
	});
	onTestFinished(() => server.close());
	expect((await fetch(`http://127.0.0.1:${server.port}/v1/models`)).status).toBe(404);
});

/** A model whose answers are controlled by the test. */
class Model implements EditModels {
	readonly requests: { scene: Scene; signal: AbortSignal; answer: (prediction: Prediction) => void }[] = [];
	private heard = () => {};

	async in() {
		return {
			chosen: "test/model",
			models: [{ name: "test/model", description: "" }],
			settings: {},
			trouble: undefined,
			predictorOf: () => ({
				predict: (scene: Scene, _memory: unknown, { signal }: { signal: AbortSignal }) => {
					return new Promise<Prediction>((answer) => {
						this.requests.push({ scene, signal, answer });
						this.heard();
					});
				},
				recordFeedback: () => {},
				close: () => {},
			}),
			isPrivate: () => false,
			changed: () => {},
		};
	}

	/** Resolves once this many requests have been received. */
	async until(count: number): Promise<void> {
		while (this.requests.length < count) {
			await new Promise<void>((resolve) => {
				this.heard = resolve;
			});
		}
	}
}

const TYPED = completionPromptOf("zeta-2.1", readPromptInput("one();\ntwo(‹→1▮›);\n")) ?? "";
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

/** Returns a prediction that edits the document's first word. */
function firstWord({ document }: Scene): Prediction {
	const suggestion = {
		kind: "edit",
		uri: document.uri,
		edits: [{ from: 0, to: 3, insert: "ONE" }],
		cursor: 3,
	} as const;
	return {
		suggestions: [{ ...suggestion, predictor: "model", rules: ["model"], confidence: 1, why: "", key: "one" }],
	};
}

describe("the configuration", () => {
	const RENAME = "let ‹cnt→count▮› = 0;\nlog(cnt); // text\n";

	/** Returns whether a rename is suggested with these settings after the given number of minutes. */
	async function isAnswered(settings: Partial<Settings>, minutes = 0): Promise<boolean> {
		const choice = { ...(await new Model().in()), chosen: "embedded", models: [], settings };
		const clock = new FakeClock();
		const { port } = await start({ models: { in: async () => choice }, clock });
		clock.advance(minutes * 60_000);
		const prompt = completionPromptOf("zeta-2.1", readPromptInput(RENAME)) ?? "";
		const answers = [await complete(port, prompt), await complete(port, prompt, {}, AUTHORIZED)];
		const [without, withToken] = answers.map((answer) => answer.includes("log(count)"));
		expect(withToken).toBe(without);
		return withToken === true;
	}

	test("suppresses suggestions, with and without a token", async () => {
		expect(await isAnswered({})).toBe(true);
		expect(await isAnswered({ isEnabled: false })).toBe(false);
		expect(await isAnswered({ onlyWhenAsked: true })).toBe(false);
		expect(await isAnswered({ offInLanguages: ["typescript"] })).toBe(false);
		expect(await isAnswered({ offInLanguages: ["python"] })).toBe(true);
		expect(await isAnswered({ offInFiles: ["*.ts"] })).toBe(false);
		expect(await isAnswered({ delayMs: 5_000, giveUpAfterIgnored: 1 })).toBe(true);
	});

	test("is reported to the observer as the reason for no suggestion", async () => {
		const silences: unknown[] = [];
		const choice = { ...(await new Model().in()), chosen: "embedded", models: [], settings: { onlyWhenAsked: true } };
		const account = {
			watch: () => {},
			recordOutcome: () => {},
			recordResponse: ({ silence }: ObservedResponse) => void silences.push(silence),
		};
		const { port } = await start({ models: { in: async () => choice }, observer: { begin: () => account } });
		await complete(port, completionPromptOf("zeta-2.1", readPromptInput(RENAME)) ?? "");
		expect(silences).toEqual(["only-when-asked"]);
	});

	test("starts a snooze when the server starts", async () => {
		expect(await isAnswered({ snoozeMinutes: 5 }, 4)).toBe(false);
		expect(await isAnswered({ snoozeMinutes: 5 }, 6)).toBe(true);
	});
});

describe("a configured model", () => {
	test("is used only for requests with the token", async () => {
		const models = new Model();
		const { port } = await start({ models });
		for (const headers of [
			{},
			{ authorization: "Bearer wrong" },
			{ authorization: "Bearer " },
			{ authorization: TOKEN },
		]) {
			expect(await complete(port, TYPED, {}, headers)).toBe(NO_EDIT);
		}
		expect(models.requests).toEqual([]);
		const answer = complete(port, TYPED, {}, AUTHORIZED);
		await models.until(1);
		const [request] = models.requests;
		expect(request?.scene.document.text.toString()).toBe("one();\ntwo(1);\n");
		expect(request?.scene.history.events).toHaveLength(1);
		if (request !== undefined) request.answer(firstWord(request.scene));
		expect(await answer).toContain("ONE();");
	});

	test("times out after five seconds, and the answer is “no edit”", async () => {
		const clock = new FakeClock();
		const models = new Model();
		const { port } = await start({ models, clock });
		const answer = complete(port, TYPED, {}, AUTHORIZED);
		await models.until(1);
		clock.advance(5_000);
		expect(await answer).toBe(NO_EDIT);
	});

	test("times out if reading the configuration hangs", async () => {
		const clock = new FakeClock();
		const requested = new AbortController();
		const models: EditModels = {
			in: () => {
				requested.abort();
				return new Promise(() => {});
			},
		};
		const { port } = await start({ models, clock });
		const answer = complete(port, TYPED, {}, AUTHORIZED);
		await once(requested.signal, "abort");
		clock.advance(5_000);
		expect(await answer).toBe(NO_EDIT);
	});

	test("is cancelled when the client disconnects", async () => {
		const models = new Model();
		const { port } = await start({ models });
		const controller = new AbortController();
		const response = fetch(`http://127.0.0.1:${port}/v1/completions`, {
			method: "POST",
			headers: { "content-type": "application/json", ...AUTHORIZED },
			body: JSON.stringify({ prompt: TYPED }),
			signal: controller.signal,
		});
		await models.until(1);
		const signal = models.requests[0]?.signal;
		controller.abort();
		await expect(response).rejects.toThrow();
		if (signal?.aborted === false) await once(signal, "abort");
		expect(signal?.aborted).toBe(true);
	});

	test("receives at most four requests at a time; sixteen more wait, and the rest are rejected", async () => {
		const models = new Model();
		const { port } = await start({ models });
		const body = { model: "m", prompt: TYPED };
		const all = Array.from({ length: 30 }, () => post(port, "/v1/completions", body, AUTHORIZED));
		const refused: string[] = [];
		for (const one of all) {
			void one.then(({ status, headers }) => status === 429 && refused.push(headers.get("retry-after") ?? ""));
		}
		await vi.waitFor(() => expect(refused).toEqual(Array(10).fill("1")));
		expect(models.requests).toHaveLength(4);
		for (let i = 0; i < 20; i++) {
			await models.until(i + 1);
			models.requests[i]?.answer({ silence: "no-edit" });
		}
		const answers = (await Promise.all(all)).filter(({ status }) => status === 200);
		expect(answers.map(({ text }) => JSON.parse(text).choices[0].text)).toEqual(Array(20).fill(NO_EDIT));
	});

	test("cannot edit outside the region", async () => {
		const models = new Model();
		const lines = Array.from({ length: 300 }, (_, i) => `line number ${i};`);
		const { port } = await start({ models });
		const drawn = [...lines.slice(0, 150), "two(‹→1▮›);", ...lines.slice(150)].join("\n");
		const answer = complete(port, completionPromptOf("zeta-2.1", readPromptInput(drawn)) ?? "", {}, AUTHORIZED);
		await models.until(1);
		const [request] = models.requests;
		if (request !== undefined) request.answer(firstWord(request.scene));
		expect(await answer).toBe(NO_EDIT);
		// Requests cost money, and the model could not know that its first edit was dropped.
		expect(models.requests).toHaveLength(1);
	});
});

test("clients on other machines need the token", async () => {
	const { port } = await start({}, "0.0.0.0");
	expect((await post(port, "/v1/completions", { prompt: TYPED })).status).toBe(401);
	expect((await post(port, "/v1/completions", { prompt: TYPED }, AUTHORIZED)).status).toBe(200);
});

test("a rename that is never applied is no longer suggested for any occurrence", async () => {
	const { port } = await start();
	const asks = (i: number) => {
		const text = `let ‹cnt→count▮› = 0;\nlog(cnt);\nprint(cnt);\n// x${"x".repeat(i)}\n`;
		return complete(port, completionPromptOf("zeta-2.1", readPromptInput(text)) ?? "");
	};
	for (let i = 0; i < 3; i++) expect(await asks(i)).toContain("print(count)");
	expect(await asks(3)).toBe(NO_EDIT);
});

test("a change that is accepted repeatedly is suggested until it has been made in all lines", async () => {
	const { port } = await start();
	const line = (isDone: boolean) => (isDone ? "  save(value, ctx);\n" : "  save(value);\n");
	for (let done = 2; done < 8; done++) {
		const lines: string[] = Array.from({ length: 9 }, (_, i) => line(i < done - 1));
		lines[done - 2] = "  save(value‹→, ctx›);\n";
		lines[done - 1] = "  save(value‹→, ctx▮›);\n";
		const prompt = completionPromptOf("zeta-2.1", readPromptInput(`run() {\n${lines.join("")}}\n`)) ?? "";
		expect((await complete(port, prompt)).split("save(value, ctx)").length - 1, `after ${done}`).toBeGreaterThan(done);
	}
});

test("a document that contains its format's markers gets an error, because any answer would be misread", async () => {
	const { port } = await start();
	const prompt = (completionPromptOf("zeta-2", readPromptInput("let ‹cnt→count▮› = 0;\nlog(cnt);\n")) ?? "").replaceAll(
		"log(",
		"<|user_cursor|>log(",
	);
	const answer = await fetch(`http://127.0.0.1:${port}/v1/completions`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ prompt }),
	});
	expect(answer.status).toBe(422);
});

test("markers in a prompt with a suffix are part of the document", async () => {
	const { port } = await start();
	const prompt = "'<|editable_region_start|>\nlet a = 1;\n<|editable_region_end|>';\nlet b";
	expect(await complete(port, prompt, { suffix: ";\n" })).not.toContain("let a");
});

describe("a suggestion that is never applied", () => {
	/** Returns the document for another request for the same rename, after the user typed something else. */
	const again = (i: number) => `let ‹cnt→count▮› = 0;\nlog(cnt);\n// x${"x".repeat(i)}\n`;
	const asks = (port: number, i: number, headers: Headers = {}) => {
		return complete(port, completionPromptOf("zeta-2.1", readPromptInput(again(i))) ?? "", {}, headers);
	};

	test("is suppressed for ten minutes after being sent three times to the same client for the same file", async () => {
		const clock = new FakeClock();
		const { port } = await start({ clock });
		for (let i = 0; i < 3; i++) expect(await asks(port, i)).toContain("log(count)");
		expect(await asks(port, 3)).toBe(NO_EDIT);
		expect(await asks(port, 4, { "user-agent": "another editor" })).toContain("log(count)");
		const prompt = completionPromptOf("zeta-2.1", readPromptInput(again(5), { path: "src/other.ts" })) ?? "";
		expect(await complete(port, prompt)).toContain("log(count)");
		clock.advance(10 * 60_000 + 1);
		expect(await asks(port, 6)).toContain("log(count)");
	});

	test("is counted only once for the same prompt", async () => {
		const { port } = await start();
		for (let i = 0; i < 6; i++) expect(await asks(port, 0)).toContain("log(count)");
	});
});

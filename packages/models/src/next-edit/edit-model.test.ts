import { FakeClock } from "@segue/testing/clock";
import { type ModelAnswer, type ModelServer, startModelServer } from "@segue/testing/models/model-server";
import { settled } from "@segue/testing/rpc/peers";
import { Change, Text } from "@segue/text";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { MODEL_CLOCK } from "../clock.js";
import type { FailureKind } from "../failure.js";
import type { Api, EditModelSettings } from "../settings.js";
import {
	ANSWER_MS_MAX,
	COOLDOWN_MS,
	COOLDOWN_MS_MAX,
	type EditModel,
	type EditReply,
	editModel,
	FIRST_ANSWER_MS_MAX,
	HttpEditModel,
	LOADED_MS,
	QUEUE_MS_MAX,
} from "./edit-model.js";
import type { Format, ModelOutput, ModelPrompt, PromptInput } from "./format.js";
import { FORMATS } from "./formats.js";
import { ServerQueue } from "./server-queue.js";
import { estimateTokens } from "./token-budget.js";
import { Window } from "./window.js";

const KEY = "sk-test-0123456789abcdef";
const BEFORE = "one()\ntwo()\nsix()\nten()\nend()";
const AFTER = "one()\ntwo(2)\nsix()\nten()\nend()";

/** Every supported combination of API and prompt kind, and its endpoint. */
const ENDPOINTS = [
	["openai", "completion", "/v1/completions"],
	["openai", "fill", "/v1/completions"],
	["openai", "chat", "/v1/chat/completions"],
	["anthropic", "chat", "/v1/messages"],
	["ollama", "completion", "/api/generate"],
	["ollama", "fill", "/api/generate"],
	["ollama", "chat", "/api/chat"],
	["llamacpp", "completion", "/completion"],
	["llamacpp", "fill", "/infill"],
	["llamacpp", "chat", "/v1/chat/completions"],
	["mistral", "fill", "/v1/fim/completions"],
	["mistral", "chat", "/v1/chat/completions"],
	["inception", "fill", "/v1/fim/completions"],
	["inception", "chat", "/v1/chat/completions"],
	["inception", "edit", "/v1/edit/completions"],
	["sweep", "sweep", "/backend/next_edit_autocomplete"],
] as const;

const streams = (kind: ModelPrompt["kind"]) => kind !== "edit" && kind !== "sweep";

describe.each(ENDPOINTS)("A model with the %s API and a %s prompt", (api, kind, path) => {
	it("uses the endpoint for base URLs with and without a version", async () => {
		const { server, ask } = await start(api, kind, [[AFTER], [AFTER]]);
		await ask();
		const bare = await start(api, kind, [], { baseUrl: server.url.replace(/\/v1$/, "/") });
		await bare.ask();
		expect(server.requests.map((request) => request.path)).toEqual([path, path]);
	});

	it.each<[what: string, answer: ModelAnswer, after: string]>([
		["a change", [AFTER], AFTER],
		["a change in small chunks", chunksOf(AFTER, 3), AFTER],
		["unchanged text", [BEFORE], BEFORE],
		["a deletion of everything, for the gate to reject", [], ""],
		["a special token, for the gate to reject", [AFTER.replace("2", "<|mark|>")], AFTER.replace("2", "<|mark|>")],
		["an edit to outdated text", [AFTER.replace("one", "uno")], AFTER.replace("one", "uno")],
		["a file with other line breaks", [AFTER.replaceAll("\n", "\r\n")], AFTER],
		["code with prose around it", ["Sure, here it is:\n```ts\n", `${AFTER}\n`, "```\nDo you like it?"], AFTER],
	])("yields %s", async (_, answer, after) => {
		const { ask } = await start(api, kind, [answer]);
		const { replies, failure } = await ask();
		expect(failure).toBeUndefined();
		expect(textAfter(replies.at(-1))).toBe(after);
		expect(replies.map(({ isWhole }) => isWhole)).toEqual([...replies.slice(1).map(() => false), true]);
	});

	it.each<[what: string, answer: ModelAnswer, kind: FailureKind, message: RegExp]>([
		["a wrong key", { refuse: "wrong-key" }, "wrong-key", /^test does not accept your key: .*Run "segue login test"/],
		[
			"an unknown model",
			{ refuse: "unknown-model" },
			"unknown-model",
			/^test has no model named "small": .*Check the name/,
		],
		["a prompt that is too long", { status: 413, headers: {}, body: "" }, "too-long", /^The prompt is too long/],
		[
			"an account without credit",
			{ status: 402, headers: {}, body: "" },
			"refused",
			/credit or quota is used up\. Check your account/,
		],
		["a busy provider", { refuse: "busy" }, "busy", /\(429\).* Requests are paused for 10 seconds\.$/],
		["an internal server error", { refuse: "trouble" }, "busy", /\(500\).* Requests are paused for 10 seconds\.$/],
		["a web page", { page: "<!doctype html><p>Sign in</p>" }, "malformed", /answered with a web page.*base URL/],
		[
			"a proxy's error page",
			{ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" },
			"busy",
			/\(502\)\. Requests are paused/,
		],
		[
			"a closed connection",
			{ reset: true },
			"unreachable",
			/closed the connection\. The next change sends a new request/,
		],
	])("gives advice about %s and never shows the key", async (_, answer, failureKind, message) => {
		const { ask, server } = await start(api, kind, [answer]);
		const { replies, failure } = await ask();
		expect(failure).toMatchObject({ name: "ModelFailure", kind: failureKind, message: expect.stringMatching(message) });
		expect(replies).toEqual([]);
		expect(server.requests).toHaveLength(1);
		expect(JSON.stringify([String(failure), failure])).not.toContain("sk-test");
	});

	it("reports an interrupted reply after its final hunks", async () => {
		const { ask } = await start(api, kind, [["one()\ntwo(2)\nsix()\nten()\n", { hold: true }, { cut: true }]]);
		const { replies, failure } = await ask("releasing");
		if (streams(kind)) {
			expect(failure).toMatchObject({
				kind: "cut",
				message: expect.stringMatching(/was interrupted.*The next change/),
			});
			expect(replies.map((one) => textAfter(one))).toEqual([AFTER]);
			expect(replies.map(({ isWhole }) => isWhole)).toEqual([false]);
		} else {
			expect(failure).toMatchObject({ kind: "unreachable", message: expect.stringMatching(/closed the connection/) });
			expect(replies).toEqual([]);
		}
	});

	it("reports a reply from another API", async () => {
		const body = '{"greeting":"hello"}';
		const { ask } = await start(api, kind, [{ status: 200, headers: { "content-type": "application/json" }, body }]);
		const { replies, failure } = await ask();
		if (kind === "sweep") expect(replies).toMatchObject([{ nothing: "unreadable-answer" }]);
		else
			expect(failure).toMatchObject({ kind: "malformed", message: expect.stringMatching(/stream|not valid JSON for/) });
	});

	it("closes the request when cancelled and throws the reason", async () => {
		const { model, server } = await start(api, kind, [[{ hold: true }, AFTER]]);
		const stop = new AbortController();
		const next = model.ask(promptInput(), stop.signal)[Symbol.asyncIterator]().next();
		await server.holding();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		await server.requests[0]?.abandoned;
	});

	it("reuses the connection for the next request", async () => {
		const { server, ask } = await start(api, kind, [[AFTER], [AFTER], [AFTER]]);
		for (let i = 0; i < 3; i++) {
			await ask();
			await settled();
		}
		expect(server.requests).toHaveLength(3);
		expect(server.connections).toBe(1);
	});

	it("gives up on a slow server and pauses requests", async () => {
		const { server, clock, ask, model } = await start(api, kind, [[AFTER], [{ hold: true }], [AFTER]]);
		await ask();
		const late = ask();
		await server.holding();
		clock.advance(ANSWER_MS_MAX);
		expect((await late).failure).toMatchObject({
			kind: "unreachable",
			message: expect.stringMatching(
				/did not complete its reply within 8 seconds\. Requests are paused for 10 seconds.*smaller model/,
			),
		});
		await server.requests[1]?.abandoned;
		clock.advance(COOLDOWN_MS - 2500);
		expect((await ask()).failure).toMatchObject({
			kind: "resting",
			message: expect.stringMatching(
				/^Requests to test are paused for another 3 seconds\. Last error: 127.* did not complete/,
			),
		});
		expect(server.requests).toHaveLength(2);
		clock.advance(2500);
		expect(textAfter((await ask()).replies.at(-1))).toBe(AFTER);
		expect(model.pendingMax).toBe(1);
	});
});

describe.each(ENDPOINTS.filter(([, kind]) => streams(kind)))(
	"A model with the %s API and a streamed %s",
	(api, kind) => {
		it("yields each hunk once, as soon as it is final", async () => {
			const long = Array.from({ length: 14 }, (_, i) => `line${i}()\n`);
			const now = long.with(1, "line1(1)\n").with(8, "line8(8)\n");
			const chunks = (from: number, to: number) => chunksOf(now.slice(from, to).join(""), 5);
			// The first chunk completes no hunk, the second completes one, and the third completes none.
			const { server, model } = await start(api, kind, [
				[
					...chunks(0, 2),
					{ hold: true },
					...chunks(2, 5),
					{ hold: true },
					...chunks(5, 7),
					{ hold: true },
					...chunks(7, 14),
				],
			]);
			const answers = model.ask(promptInput(long.join("")), new AbortController().signal)[Symbol.asyncIterator]();
			const first = answers.next();
			await server.release();
			expect(summaryOf((await first).value)).toEqual({ inserts: ["1"], isWhole: false });
			const second = answers.next();
			await server.release();
			await server.release();
			expect(summaryOf((await second).value)).toEqual({ inserts: ["1", "8"], isWhole: true });
			expect((await answers.next()).done).toBe(true);
		});

		it("marks a truncated hunk", async () => {
			const { ask } = await start(api, kind, [["one()\ntwo(2)\nsix()\nten()\nen", { end: "length" }]]);
			const { replies } = await ask();
			const last = replies.at(-1);
			expect(last !== undefined && "hunks" in last && last.hunks.map(({ isCut }) => isCut)).toEqual([false, true]);
		});

		it("closes the request when the format needs no more output", async () => {
			const { server } = await start(api, kind, [["one()\ntwo(2)\n", { hold: true }, "never"]]);
			const firstLines = format(kind, ({ text }) => text.split("\n").length > 2);
			const replies: EditReply[] = [];
			const model = new HttpEditModel(settingsOf(api, server), firstLines, MODEL_CLOCK, new ServerQueue());
			for await (const one of model.ask(promptInput(), new AbortController().signal)) replies.push(one);
			expect(replies).toMatchObject([{ isWhole: true }]);
			await server.requests[0]?.abandoned;
		});

		it("closes the request when the caller stops reading", async () => {
			const { model, server } = await start(api, kind, [["one()\ntwo(2)\nsix()\nten()\n", { hold: true }, "end()"]]);
			for await (const _ of model.ask(promptInput(), new AbortController().signal)) break;
			await server.requests[0]?.abandoned;
		});

		it("reports an error instead of a reply", async () => {
			const { ask } = await start(api, kind, [[{ fail: "overloaded" }]]);
			expect((await ask()).failure).toMatchObject({ kind: "busy", message: expect.stringMatching(/verloaded/) });
		});
	},
);

it.each<[api: Api, kind: ModelPrompt["kind"], body: object]>([
	["openai", "chat", { choices: [{ message: { role: "assistant", content: AFTER }, finish_reason: "stop" }] }],
	["openai", "completion", { object: "text_completion", choices: [{ text: AFTER, finish_reason: "stop" }] }],
	["openai", "completion", { choices: [{ text: AFTER }] }],
	["anthropic", "chat", { type: "message", content: [{ type: "text", text: AFTER }], stop_reason: "end_turn" }],
	["mistral", "fill", { choices: [{ message: { content: AFTER }, finish_reason: "stop" }] }],
	["mistral", "fill", { choices: [{ message: { content: AFTER } }] }],
	["llamacpp", "completion", { content: AFTER, stop: true, stop_type: "eos" }],
	["ollama", "chat", { message: { content: AFTER }, done: true }],
])("A model with the %s API can send a %s without streaming", async (api, kind, body) => {
	const headers = { "content-type": "application/json; charset=utf-8" };
	const { ask } = await start(api, kind, [{ status: 200, headers, body: JSON.stringify(body) }]);
	const { replies, failure } = await ask();
	expect(failure).toBeUndefined();
	expect(textAfter(replies.at(-1))).toBe(AFTER);
});

it("A model that continues past the end of a line is stopped there", async () => {
	const { server } = await start("openai", "completion", [["a, b", "\nnext()", { hold: true }, "never"]]);
	const model = editModel({ ...settingsOf("openai", server), format: "fim-qwen" });
	const replies: EditReply[] = [];
	const input = { ...promptInput("log()\nend()"), cursor: 4 };
	for await (const one of model.ask(input, new AbortController().signal)) replies.push(one);
	expect(replies).toMatchObject([{ hunks: [{ edits: [{ from: 4, to: 4, insert: "a, b" }] }], isWhole: true }]);
	await server.requests[0]?.abandoned;
});

it.each([
	[undefined, 4_096],
	[131_072, 16_384],
])("An Ollama model with a window of %s tokens never gets a longer prompt", async (windowTokens, most) => {
	const { server } = await start("ollama", "chat", [[AFTER]]);
	const model = editModel({ ...settingsOf("ollama", server), windowTokens, format: "chat" });
	const input = { ...promptInput("call(one, two)\n".repeat(8_000)), cursor: 60_000 };
	for await (const _ of model.ask(input, new AbortController().signal));
	const body = server.requests[0]?.body as {
		readonly messages: readonly { readonly content: string }[];
		readonly options: { readonly num_ctx: number; readonly num_predict: number };
	};
	const prompt = body.messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
	expect(body.options.num_ctx).toBe(most);
	expect(prompt + body.options.num_predict).toBeLessThanOrEqual(most);
	expect(prompt).toBeGreaterThan(most / 3);
});

it.each([
	[{ status: "error", error: "model still loading" }, "busy", /model still loading.*Requests are paused/],
	[{ detail: "Subscription expired" }, "refused", /refused the request: Subscription expired\./],
])("A Sweep server's error %j with a success status is reported", async (body, kind, message) => {
	const headers = { "content-type": "application/json" };
	const { ask } = await start("sweep", "sweep", [{ status: 200, headers, body: JSON.stringify(body) }]);
	expect((await ask()).failure).toMatchObject({ kind, message: expect.stringMatching(message) });
});

it("Sweep's byte offsets are correct in non-ASCII text", async () => {
	const text = "größe = «📏»\ntwo()\n";
	const after = "größe = «📐»\ntwo(2)\n";
	const { server } = await start("sweep", "sweep", [[after]]);
	const model = editModel({ ...settingsOf("sweep", server), format: "sweep-api" });
	const replies: EditReply[] = [];
	for await (const one of model.ask(promptInput(text), new AbortController().signal)) replies.push(one);
	expect(textAfter(replies.at(-1), text)).toBe(after);
});

it.each([
	["in a separate field", [{ thought: "Let me see.\ntwo()?" }, AFTER]],
	["in a tag", ["<think>\nLet me see.\n</think>\n\n", AFTER]],
] as const)("Thoughts %s are ignored", async (_, answer) => {
	const { ask } = await start("openai", "chat", [answer]);
	expect(textAfter((await ask()).replies.at(-1))).toBe(AFTER);
});

it.each([
	["openai", "chat"],
	["anthropic", "chat"],
	["openai", "completion"],
] as const)("A refusal from the %s API in the middle of a %s is reported", async (api, kind) => {
	const { ask } = await start(api, kind, [["one()", { end: "refused" }]]);
	const message = expect.stringMatching(
		/^test\/small or its provider's content filter stopped the reply\. .*another model/,
	);
	expect((await ask()).failure).toMatchObject({ kind: "filtered", message });
});

it("A local model has one pending request: a newer one closes it without a failure", async () => {
	const { model, server, ask } = await start("ollama", "completion", [[{ hold: true }], [AFTER]]);
	const first = model.ask(promptInput(), new AbortController().signal)[Symbol.asyncIterator]().next();
	await server.holding();
	const second = ask();
	await expect(first).rejects.toThrow("superseded by a newer request");
	await expect(first).rejects.not.toMatchObject({ name: "ModelFailure" });
	await server.requests[0]?.abandoned;
	expect(textAfter((await second).replies.at(-1))).toBe(AFTER);
});

describe("A local server shared by two models", () => {
	async function sharing(answers: readonly ModelAnswer[]) {
		const queue = new ServerQueue();
		const one = await start("ollama", "completion", answers, {}, queue);
		// Another name for the same server.
		const baseUrl = one.server.url.replace("127.0.0.1", "localhost");
		const other = await start("ollama", "completion", [], { baseUrl, name: "other/small" }, queue);
		return { one, other, server: one.server };
	}

	it("gets the second request after the first reply", async () => {
		const { one, other, server } = await sharing([[{ hold: true }, AFTER], [AFTER]]);
		const [first, second] = [one.ask(), other.ask()];
		await server.holding();
		// A request that did not wait would arrive during this time.
		for (let i = 0; i < 20; i++) await (await fetch(`${server.url}/models`)).text();
		expect(server.requests).toHaveLength(1);
		await server.release();
		expect(textAfter((await first).replies.at(-1))).toBe(AFTER);
		expect(textAfter((await second).replies.at(-1))).toBe(AFTER);
	});

	it("serves the other model before a newer request from the first", async () => {
		const { one, other, server } = await sharing([[{ hold: true }], [AFTER], [AFTER]]);
		const [first, second] = [one.ask(), other.ask()];
		await server.holding();
		const again = one.ask();
		expect((await first).failure).toMatchObject({ message: "superseded by a newer request" });
		expect(textAfter((await second).replies.at(-1))).toBe(AFTER);
		expect(textAfter((await again).replies.at(-1))).toBe(AFTER);
		expect(server.requests).toHaveLength(3);
	});

	it("fails requests that wait too long, without pausing later ones", async () => {
		const { one, other, server } = await sharing([[{ hold: true }, AFTER], [AFTER]]);
		const [first, second] = [one.ask(), other.ask()];
		await server.holding();
		other.clock.advance(QUEUE_MS_MAX);
		expect((await second).failure).toMatchObject({
			kind: "busy",
			message: expect.stringMatching(
				/handles one request at a time and was busy with others for 8 seconds\. The next change sends a new request\.$/,
			),
		});
		await server.release();
		await first;
		expect(textAfter((await other.ask()).replies.at(-1))).toBe(AFTER);
		expect(server.requests).toHaveLength(2);
	});
});

it.each<[api: Api, baseUrl: string, isOwn: boolean]>([
	["openai", "http://localhost:11434", true],
	["openai", "http://127.0.0.1:8080/v1", true],
	["openai", "http://[::1]:1234/v1", true],
	["openai", "http://models.localhost/v1", true],
	["openai", "http://192.168.0.7:8000/v1", false],
	["openai", "http://localhost.example.com/v1", false],
	["openai", "nonsense", false],
	["mistral", "https://api.mistral.ai", false],
	["ollama", "http://192.168.0.7:11434", true],
	["ollama", "http://host.docker.internal:11434/v1", true],
	["ollama", "https://ollama.com", false],
	["llamacpp", "http://gpu:8080", true],
	["sweep", "http://gpu:8081", true],
	["sweep", "https://autocomplete.sweep.dev", false],
])("A model with the %s API at %s is self-hosted: %s", (api, baseUrl, isOwn) => {
	const model = editModel({ ...settingsOf(api, undefined), baseUrl });
	expect(model.pendingMax).toBe(isOwn ? 1 : 2);
});

it("A model on the local network has more time to load", async () => {
	const elsewhere = "http://gpu.invalid:11434";
	const answers = [[{ hold: true }, AFTER]] as const;
	const { server, clock, ask } = await start("ollama", "completion", answers, { baseUrl: elsewhere });
	const { fetch } = globalThis;
	const there = server.url.replace(/\/v1$/, "");
	const redirect = vi.spyOn(globalThis, "fetch");
	redirect.mockImplementation((url, options) => fetch(String(url).replace(elsewhere, there), options));
	onTestFinished(() => redirect.mockRestore());
	const first = ask();
	await server.holding();
	clock.advance(FIRST_ANSWER_MS_MAX - 1);
	await server.release();
	expect(textAfter((await first).replies.at(-1))).toBe(AFTER);
});

it.each([
	["fits its name", "qwen2.5-coder:7b", undefined, "fim-qwen"],
	["is configured for it", "qwen2.5-coder:7b", "chat", "chat"],
])("A model uses the format that %s", (_, model, format, expected) => {
	expect(editModel({ ...settingsOf("openai", undefined), model, format }).format).toBe(expected);
});

it.each([
	[
		"that does not generate text",
		"nomic-embed-text",
		undefined,
		/^nomic-embed-text does not seem to generate text\. Conf/,
	],
	["with an unknown format", "small", "zeta-9", /^Unknown format zeta-9\. Configure another format for test/],
])("A model %s is rejected with a message", (_, model, format, message) => {
	expect(() => editModel({ ...settingsOf("openai", undefined), model, format })).toThrow(message);
});

it("A local model has more time to load before its first reply", async () => {
	const { server, clock, ask } = await start("ollama", "completion", [[{ hold: true }, AFTER], [{ hold: true }]]);
	const first = ask();
	await server.holding();
	clock.advance(FIRST_ANSWER_MS_MAX - 1);
	await server.release();
	expect(textAfter((await first).replies.at(-1))).toBe(AFTER);
	const second = ask();
	await server.holding();
	clock.advance(ANSWER_MS_MAX);
	expect((await second).failure).toMatchObject({ kind: "unreachable" });
});

it.each<[when: string, answers: readonly ModelAnswer[], wait: "times-out" | "is-idle"]>([
	["after a timeout", [[AFTER], [{ hold: true }], [{ hold: true }, AFTER], [{ hold: true }]], "times-out"],
	["after several idle minutes", [[AFTER], [{ hold: true }, AFTER], [{ hold: true }]], "is-idle"],
])("A local model has more time to load again %s", async (_, answers, wait) => {
	const { server, clock, ask } = await start("ollama", "completion", answers);
	await ask();
	if (wait === "is-idle") clock.advance(LOADED_MS);
	else {
		const late = ask();
		await server.holding();
		clock.advance(ANSWER_MS_MAX);
		expect((await late).failure).toMatchObject({ kind: "unreachable" });
		await server.requests[1]?.abandoned;
		await settled();
		clock.advance(COOLDOWN_MS);
	}
	const slow = ask();
	await server.holding();
	clock.advance(FIRST_ANSWER_MS_MAX - 1);
	await server.release();
	expect(textAfter((await slow).replies.at(-1))).toBe(AFTER);
	const next = ask();
	await server.holding();
	clock.advance(ANSWER_MS_MAX);
	expect((await next).failure).toMatchObject({ kind: "unreachable" });
});

it.each([
	["7", 7_000],
	["600", COOLDOWN_MS_MAX],
	["soon", COOLDOWN_MS],
])("A busy provider's Retry-After: %s pauses requests for %i ms", async (retryAfter, restMs) => {
	const { server, clock, ask } = await start("openai", "completion", [{ refuse: "busy", retryAfter }, [AFTER]]);
	await ask();
	clock.advance(restMs - 1);
	expect((await ask()).failure).toMatchObject({
		kind: "resting",
		message: expect.stringContaining("another 1 second."),
	});
	expect(server.requests).toHaveLength(1);
	clock.advance(1);
	expect((await ask()).failure).toBeUndefined();
});

it.each<[what: string, answer: ModelAnswer, before: RegExp]>([
	["a wrong key", { refuse: "wrong-key" }, /Last error: test does not accept your key: .*Run "segue login test"/],
	["an unknown model", { refuse: "unknown-model" }, /Last error: test has no model named "small"/],
])("A server's error about %s pauses requests and is repeated", async (_, answer, why) => {
	const { server, clock, ask } = await start("openai", "completion", [answer, [AFTER]]);
	await ask();
	clock.advance(COOLDOWN_MS - 1);
	expect((await ask()).failure).toMatchObject({ kind: "resting", message: expect.stringMatching(why) });
	expect(server.requests).toHaveLength(1);
	clock.advance(1);
	expect((await ask()).failure).toBeUndefined();
});

it("A refused connection pauses requests", async () => {
	const { server, clock, ask } = await start("openai", "completion", []);
	await server.stop();
	servers.splice(servers.indexOf(server), 1);
	expect((await ask()).failure).toMatchObject({ kind: "unreachable" });
	expect((await ask()).failure).toMatchObject({
		kind: "resting",
		message: expect.stringMatching(
			/^Requests to test are paused for another 10 seconds\. Last error: Cannot connect to 127/,
		),
	});
	clock.advance(COOLDOWN_MS);
	expect((await ask()).failure).toMatchObject({ kind: "unreachable" });
});

it("Retry-After: 0 from a busy provider does not pause requests", async () => {
	const { ask } = await start("openai", "completion", [{ refuse: "busy", retryAfter: "0" }, [AFTER]]);
	expect((await ask()).failure).toMatchObject({ kind: "busy", message: expect.stringContaining("The next change") });
	expect((await ask()).failure).toBeUndefined();
});

it("The caller's processing time does not count toward the timeout", async () => {
	const { model, clock, ask } = await start("openai", "completion", [[AFTER], [AFTER]]);
	for await (const reply of model.ask(promptInput(), new AbortController().signal)) {
		if (reply.isWhole) clock.advance(FIRST_ANSWER_MS_MAX);
	}
	expect((await ask()).failure).toBeUndefined();
});

it("A cancelled request neither times out nor pauses requests", async () => {
	const { model, server, clock, ask } = await start("openai", "completion", [[{ hold: true }], [AFTER]]);
	const stop = new AbortController();
	const next = model.ask(promptInput(), stop.signal)[Symbol.asyncIterator]().next();
	await server.holding();
	stop.abort(new Error("enough"));
	await expect(next).rejects.toThrow("enough");
	clock.advance(FIRST_ANSWER_MS_MAX);
	expect((await ask()).failure).toBeUndefined();
});

it.each<[what: string, change: Partial<EditModelSettings>, kind: FailureKind, message: RegExp]>([
	["the base URL is invalid", { baseUrl: "nonsense" }, "unreachable", /nonsense is not a valid base URL/],
	["the key contains a line break", { apiKey: `${KEY}\n` }, "wrong-key", /contains invalid characters/],
	["the base URL contains a password", { baseUrl: `http://me:${KEY}@127.0.0.1:9` }, "unreachable", /password/],
	["the API does not support the format", { api: "mistral" }, "refused", /mistral API does not support the format/],
])("A model fails without a request when %s", async (_, change, kind, message) => {
	const { ask, server } = await start("openai", "completion", [], change);
	const { failure } = await ask();
	expect(server.requests).toHaveLength(0);
	expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
	expect(String(failure)).not.toContain("sk-test");
});

const MARKED = (text: string) => `<|marker_1|>${text}<|marker_2|>`;
const TAGGED = (text: string) => `<editable_region>\n${text}\n</editable_region>`;

it.each<[format: string, what: string, output: string, expected: string]>([
	["chat", "a closing tag", TAGGED(AFTER), AFTER],
	["chat", "a closing fence", `\`\`\`\n${AFTER}\n\`\`\`\n`, AFTER],
	["chat", "the unchanged region", TAGGED(BEFORE), "no-edit"],
	["chat", "the no-change reply", "<no_change/>", "no-edit"],
	["zeta-1", "the end of the region", `<|editable_region_start|>\n${AFTER}\n<|editable_region_end|>`, AFTER],
	["zeta-2", "the end of the conflict", `${AFTER}\n>>>>>>> UPDATED\n`, AFTER],
	["zeta-2", "the no-change reply", "NO_EDITS\n", "no-edit"],
	["zeta-2.1", "the last mark", MARKED(AFTER), AFTER],
	["zeta-2.1", "the unchanged region", MARKED(BEFORE), "no-edit"],
])("A request in the format %s is closed after %s", async (name, _, output, expected) => {
	const { server, ask } = await start("openai", "completion", [[output, { hold: true }, "\nmore"]], { format: name });
	const { replies, failure } = await ask();
	expect(failure).toBeUndefined();
	const last = replies.at(-1);
	expect(last?.isWhole).toBe(true);
	expect(last !== undefined && "nothing" in last ? last.nothing : textAfter(last)).toBe(expected);
	await server.requests[0]?.abandoned;
});

it.each([
	["contains a special token", "one(<|mark|>)", "special-token-in-text"],
	["is too long", `${"x".repeat(1000)}()`, "too-long"],
])("A document that %s is not sent to a model", async (_, text, nothing) => {
	const { model, server } = await start("openai", "completion", []);
	const replies: EditReply[] = [];
	for await (const one of model.ask(promptInput(text), new AbortController().signal)) replies.push(one);
	expect(replies).toEqual([{ nothing, window: { from: 0, to: 0 }, isWhole: true }]);
	expect(server.requests).toHaveLength(0);
});

describe("Feedback", () => {
	it("is sent to Inception if enabled, with only the reply's id and the outcome", async () => {
		const { server, ask, model } = await start("inception", "edit", [[AFTER], [], []], { tellsVerdicts: true });
		const { replies } = await ask();
		expect(replies).toMatchObject([{ id: "edit-1" }]);
		model.sendFeedback?.("edit-1", "accepted");
		await expect.poll(() => server.requests.length).toBe(2);
		const { path, body, headers } = server.requests[1] as (typeof server.requests)[number];
		expect(path).toBe("/feedback");
		expect(body).toEqual({
			request_id: "edit-1",
			provider_name: "segue",
			user_action: "accept",
			provider_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
		});
		expect(JSON.stringify(headers)).not.toContain("sk-test");
	});

	it("is not sent if disabled or not supported", async () => {
		const disabled = await start("inception", "edit", []);
		expect(disabled.model.sendFeedback).toBeUndefined();
		const other = await start("openai", "completion", [], { tellsVerdicts: true });
		expect(other.model.sendFeedback).toBeUndefined();
	});

	it("ignores network errors", async () => {
		const { server, model } = await start("inception", "edit", [], { tellsVerdicts: true });
		await server.stop();
		servers.splice(servers.indexOf(server), 1);
		model.sendFeedback?.("edit-1", "ignored");
		await settled();
	});
});

const servers: ModelServer[] = [];

afterEach(async () => {
	for (const server of servers.splice(0)) await server.stop();
});

/**
 * Starts a server with these responses and creates a model for it. The clock advances only when the test advances it.
 */
async function start(
	api: Api,
	kind: ModelPrompt["kind"],
	answers: readonly ModelAnswer[],
	change: Partial<EditModelSettings> = {},
	queue = new ServerQueue(),
) {
	const server = await startModelServer(answers);
	servers.push(server);
	const clock = new FakeClock();
	const promptFormat = FORMATS.get(change.format ?? "") ?? format(kind);
	const time = { now: clock.now, after: clock.after, random: () => 0.5 };
	const model: EditModel = new HttpEditModel({ ...settingsOf(api, server), ...change }, promptFormat, time, queue);

	async function ask(releasing?: "releasing"): Promise<{ replies: EditReply[]; failure: unknown }> {
		const replies: EditReply[] = [];
		const answers = model.ask(promptInput(), new AbortController().signal)[Symbol.asyncIterator]();
		try {
			for (;;) {
				const coming = answers.next();
				if (releasing && (replies.length > 0 || !streams(kind))) void server.release();
				const next = await coming;
				if (next.done === true) return { replies, failure: undefined };
				replies.push(next.value);
			}
		} catch (failure) {
			return { replies, failure };
		}
	}

	return { server, model, clock, ask };
}

function settingsOf(api: Api, server: ModelServer | undefined): EditModelSettings {
	return {
		name: "test/small",
		api,
		model: "small",
		baseUrl: server?.url ?? "http://127.0.0.1:9/v1",
		apiKey: KEY,
		headers: {},
		windowTokens: undefined,
		format: undefined,
		tellsVerdicts: false,
	};
}

function promptInput(text = BEFORE): PromptInput {
	return {
		uri: "file:///app/src/a.ts",
		path: "src/a.ts",
		languageId: "typescript",
		text: Text.of(text),
		nodesAround: () => [],
		cursor: 0,
		edits: [],
		recent: [],
		related: [],
		diagnostics: [],
		repository: "untitled",
	};
}

/** A format that rewrites the whole text, with any kind of prompt. Reads its reply from a fenced code block. */
function format(kind: ModelPrompt["kind"], isEnough: (output: ModelOutput) => boolean = () => false): Format {
	return {
		name: "test",
		specialTokens: ["<|mark|>"],
		write({ text, cursor }) {
			const window = Window.ofLines(text, cursor, 1000, 1000);
			if (window.content.length > 500) return undefined;
			return {
				ask: askOf(kind, window.content),
				shown: window,
				window,
				read(output) {
					const content = contentOf(kind, output);
					if (content === undefined) return { nothing: "unreadable-answer" };
					return { hunks: window.hunksOf(content), ...(isEnough(output) && { isEnough: true }) };
				},
			};
		},
	};
}

function contentOf(kind: ModelPrompt["kind"], output: ModelOutput): ModelOutput | undefined {
	if (kind === "sweep") {
		const { completion } = JSON.parse(output.text);
		return typeof completion === "string" ? contentOf("completion", { ...output, text: completion }) : undefined;
	}
	const fence = /```\w*\n/.exec(output.text);
	if (fence === null) return output;
	const inside = output.text.slice(fence.index + fence[0].length);
	const end = inside.indexOf("\n```");
	return end === -1 ? { ...output, text: inside } : { text: inside.slice(0, end), end: "stop" };
}

function askOf(kind: ModelPrompt["kind"], content: string): ModelPrompt {
	const bounds = { stop: ["<|mark|>"], tokensMax: 100, temperature: 0 };
	switch (kind) {
		case "completion":
			return { kind, prompt: content, ...bounds };
		case "fill":
			return { kind, prefix: content, suffix: "", extra: [], ...bounds };
		case "chat":
			return { kind, system: "Rewrite.", user: content, tokensMax: 100, temperature: 0 };
		case "edit":
			return { kind, user: content, tokensMax: 100 };
		case "sweep":
			return { kind, body: { file_contents: content } };
	}
}

function summaryOf(reply: EditReply): { readonly inserts: readonly string[]; readonly isWhole: boolean } {
	const hunks = "hunks" in reply ? reply.hunks : [];
	const inserts = hunks.flatMap(({ edits }) => edits.map(({ insert }) => insert));
	return { inserts, isWhole: reply.isWhole };
}

function chunksOf(text: string, length: number): string[] {
	return text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
}

/** Applies a reply to the text. */
function textAfter(reply: EditReply | undefined, before = BEFORE): string | undefined {
	if (reply === undefined || "nothing" in reply) return undefined;
	const edits = reply.hunks.flatMap((hunk) => hunk.edits);
	return Change.of(edits, before.length).apply(Text.of(before)).toString();
}

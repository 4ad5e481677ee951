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

/** Every way in which some API can be asked, and where. */
const WAYS = [
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

describe.each(WAYS)("A model that speaks %s, asked for a %s", (api, kind, path) => {
	it("is asked where that is, whether its address has a version or not", async () => {
		const { server, ask } = await start(api, kind, [[AFTER], [AFTER]]);
		await ask();
		const bare = await start(api, kind, [], { baseUrl: server.url.replace(/\/v1$/, "/") });
		await bare.ask();
		expect(server.requests.map((request) => request.path)).toEqual([path, path]);
	});

	it.each<[what: string, answer: ModelAnswer, after: string]>([
		["what it changes", [AFTER], AFTER],
		["what it changes, in whatever pieces it says it", piecesOf(AFTER, 3), AFTER],
		["that it changes nothing", [BEFORE], BEFORE],
		["a deletion of everything, for the gate to judge", [], ""],
		["a token of its prompts, for the gate to judge", [AFTER.replace("2", "<|mark|>")], AFTER.replace("2", "<|mark|>")],
		["what it wrote for an outdated text", [AFTER.replace("one", "uno")], AFTER.replace("one", "uno")],
		["a whole file with line ends of another system", [AFTER.replaceAll("\n", "\r\n")], AFTER],
		["code with prose around it", ["Sure, here it is:\n```ts\n", `${AFTER}\n`, "```\nDo you like it?"], AFTER],
	])("tells %s", async (_, answer, after) => {
		const { ask } = await start(api, kind, [answer]);
		const { answered, failure } = await ask();
		expect(failure).toBeUndefined();
		expect(textAfter(answered.at(-1))).toBe(after);
		expect(answered.map(({ isWhole }) => isWhole)).toEqual([...answered.slice(1).map(() => false), true]);
	});

	it.each<[what: string, answer: ModelAnswer, kind: FailureKind, message: RegExp]>([
		["a wrong key", { refuse: "wrong-key" }, "wrong-key", /^test does not accept your key: .*Run "segue login test"/],
		["an unknown model", { refuse: "unknown-model" }, "unknown-model", /^test has no model small: .*Check the name/],
		["a prompt that is too long", { status: 413, headers: {}, body: "" }, "too-long", /^What is shown is too long/],
		["an empty account", { status: 402, headers: {}, body: "" }, "refused", /credit or quota is used up\. Look at/],
		["a busy provider", { refuse: "busy" }, "busy", /\(429\).* It is left alone for 10 seconds\.$/],
		["a provider in trouble", { refuse: "trouble" }, "busy", /\(500\).* It is left alone for 10 seconds\.$/],
		["a web page", { page: "<!doctype html><p>Sign in</p>" }, "malformed", /answered with a web page.*base URL/],
		[
			"a web page of a proxy",
			{ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" },
			"busy",
			/\(502\)\. It is left alone/,
		],
		["a connection closed at once", { reset: true }, "unreachable", /closed the connection\. It is asked again with/],
	])("says what to do about %s, and never tells the key", async (_, answer, failureKind, message) => {
		const { ask, server } = await start(api, kind, [answer]);
		const { answered, failure } = await ask();
		expect(failure).toMatchObject({ name: "ModelFailure", kind: failureKind, message: expect.stringMatching(message) });
		expect(answered).toEqual([]);
		expect(server.requests).toHaveLength(1);
		expect(JSON.stringify([String(failure), failure])).not.toContain("sk-test");
	});

	it("says that an answer was cut off, and shows what was settled before", async () => {
		const { ask } = await start(api, kind, [["one()\ntwo(2)\nsix()\nten()\n", { hold: true }, { cut: true }]]);
		const { answered, failure } = await ask("releasing");
		if (streams(kind)) {
			expect(failure).toMatchObject({ kind: "cut", message: expect.stringMatching(/broke off.*with the next change/) });
			expect(answered.map((one) => textAfter(one))).toEqual([AFTER]);
			expect(answered.map(({ isWhole }) => isWhole)).toEqual([false]);
		} else {
			expect(failure).toMatchObject({ kind: "unreachable", message: expect.stringMatching(/closed the connection/) });
			expect(answered).toEqual([]);
		}
	});

	it("says that what came is of another API", async () => {
		const body = '{"greeting":"hello"}';
		const { ask } = await start(api, kind, [{ status: 200, headers: { "content-type": "application/json" }, body }]);
		const { answered, failure } = await ask();
		if (kind === "sweep") expect(answered).toMatchObject([{ nothing: "unreadable-answer" }]);
		else expect(failure).toMatchObject({ kind: "malformed", message: expect.stringMatching(/stream|no JSON of/) });
	});

	it("closes the request on the wire when it is cancelled, and throws the reason", async () => {
		const { model, server } = await start(api, kind, [[{ hold: true }, AFTER]]);
		const stop = new AbortController();
		const next = model.ask(brief(), stop.signal)[Symbol.asyncIterator]().next();
		await server.holding();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		await server.requests[0]?.abandoned;
	});

	it("keeps the connection for the next request", async () => {
		const { server, ask } = await start(api, kind, [[AFTER], [AFTER], [AFTER]]);
		for (let i = 0; i < 3; i++) {
			await ask();
			await settled();
		}
		expect(server.requests).toHaveLength(3);
		expect(server.connections).toBe(1);
	});

	it("gives up on a server that is too slow, and leaves it alone for a while", async () => {
		const { server, clock, ask, model } = await start(api, kind, [[AFTER], [{ hold: true }], [AFTER]]);
		await ask();
		const late = ask();
		await server.holding();
		clock.advance(ANSWER_MS_MAX);
		expect((await late).failure).toMatchObject({
			kind: "unreachable",
			message: expect.stringMatching(
				/no whole answer within 8 seconds, and is left alone for 10 seconds.*smaller model/,
			),
		});
		await server.requests[1]?.abandoned;
		clock.advance(COOLDOWN_MS - 2500);
		expect((await ask()).failure).toMatchObject({
			kind: "resting",
			message: expect.stringMatching(/^test is left alone for 3 seconds more\. Before that: 127.* no whole answer/),
		});
		expect(server.requests).toHaveLength(2);
		clock.advance(2500);
		expect(textAfter((await ask()).answered.at(-1))).toBe(AFTER);
		expect(model.pendingMax).toBe(1);
	});
});

describe.each(WAYS.filter(([, kind]) => streams(kind)))("A model that speaks %s and streams a %s", (api, kind) => {
	it("tells each hunk as soon as it is settled, and nothing twice", async () => {
		const long = Array.from({ length: 14 }, (_, i) => `line${i}()\n`);
		const now = long.with(1, "line1(1)\n").with(8, "line8(8)\n");
		const said = (from: number, to: number) => piecesOf(now.slice(from, to).join(""), 5);
		// The first piece settles nothing, the second the first hunk, and the third no other.
		const { server, model } = await start(api, kind, [
			[...said(0, 2), { hold: true }, ...said(2, 5), { hold: true }, ...said(5, 7), { hold: true }, ...said(7, 14)],
		]);
		const answers = model.ask(brief(long.join("")), new AbortController().signal)[Symbol.asyncIterator]();
		const first = answers.next();
		await server.release();
		expect(told((await first).value)).toEqual({ inserts: ["1"], isWhole: false });
		const second = answers.next();
		await server.release();
		await server.release();
		expect(told((await second).value)).toEqual({ inserts: ["1", "8"], isWhole: true });
		expect((await answers.next()).done).toBe(true);
	});

	it("marks what it had to break off", async () => {
		const { ask } = await start(api, kind, [["one()\ntwo(2)\nsix()\nten()\nen", { end: "length" }]]);
		const { answered } = await ask();
		const last = answered.at(-1);
		expect(last !== undefined && "hunks" in last && last.hunks.map(({ isCut }) => isCut)).toEqual([false, true]);
	});

	it("closes the request as soon as the format needs no more", async () => {
		const { server } = await start(api, kind, [["one()\ntwo(2)\n", { hold: true }, "never"]]);
		const firstLines = format(kind, ({ text }) => text.split("\n").length > 2);
		const answered: EditReply[] = [];
		const asked = new HttpEditModel(settingsOf(api, server), firstLines, MODEL_CLOCK, new ServerQueue());
		for await (const one of asked.ask(brief(), new AbortController().signal)) answered.push(one);
		expect(answered).toMatchObject([{ isWhole: true }]);
		await server.requests[0]?.abandoned;
	});

	it("closes the request when nobody reads on", async () => {
		const { model, server } = await start(api, kind, [["one()\ntwo(2)\nsix()\nten()\n", { hold: true }, "end()"]]);
		for await (const _ of model.ask(brief(), new AbortController().signal)) break;
		await server.requests[0]?.abandoned;
	});

	it("says that an error came in place of an answer", async () => {
		const { ask } = await start(api, kind, [[{ fail: "overloaded" }]]);
		expect((await ask()).failure).toMatchObject({ kind: "busy", message: expect.stringMatching(/verloaded/) });
	});
});

it.each<[api: Api, kind: ModelPrompt["kind"], body: object]>([
	["openai", "chat", { choices: [{ message: { role: "assistant", content: AFTER }, finish_reason: "stop" }] }],
	["openai", "completion", { object: "text_completion", choices: [{ text: AFTER, finish_reason: "stop" }] }],
	["openai", "completion", { choices: [{ text: AFTER }] }],
	["anthropic", "chat", { type: "message", content: [{ type: "text", text: AFTER }], stop_reason: "end_turn" }],
	["mistral", "fill", { choices: [{ message: { content: AFTER }, finish_reason: "stop" }] }],
	["mistral", "fill", { choices: [{ message: { content: AFTER } }] }],
	["llamacpp", "completion", { content: AFTER, stop: true, stop_type: "eos" }],
	["ollama", "chat", { message: { content: AFTER }, done: true }],
])("A model that speaks %s and answers a %s in one piece is read", async (api, kind, body) => {
	const headers = { "content-type": "application/json; charset=utf-8" };
	const { ask } = await start(api, kind, [{ status: 200, headers, body: JSON.stringify(body) }]);
	const { answered, failure } = await ask();
	expect(failure).toBeUndefined();
	expect(textAfter(answered.at(-1))).toBe(AFTER);
});

it("A model that goes on after the rest of a line is stopped there", async () => {
	const { server } = await start("openai", "completion", [["a, b", "\nnext()", { hold: true }, "never"]]);
	const model = editModel({ ...settingsOf("openai", server), format: "fim-qwen" });
	const answered: EditReply[] = [];
	const asked = { ...brief("log()\nend()"), cursor: 4 };
	for await (const one of model.ask(asked, new AbortController().signal)) answered.push(one);
	expect(answered).toMatchObject([{ hunks: [{ edits: [{ from: 4, to: 4, insert: "a, b" }] }], isWhole: true }]);
	await server.requests[0]?.abandoned;
});

it.each([
	[undefined, 4_096],
	[131_072, 16_384],
])(
	"A model of Ollama's with a window of %s tokens is never shown more than it looks at",
	async (windowTokens, most) => {
		const { server } = await start("ollama", "chat", [[AFTER]]);
		const model = editModel({ ...settingsOf("ollama", server), windowTokens, format: "chat" });
		const asked = { ...brief("call(one, two)\n".repeat(8_000)), cursor: 60_000 };
		for await (const _ of model.ask(asked, new AbortController().signal));
		const body = server.requests[0]?.body as {
			readonly messages: readonly { readonly content: string }[];
			readonly options: { readonly num_ctx: number; readonly num_predict: number };
		};
		const prompt = body.messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
		expect(body.options.num_ctx).toBe(most);
		expect(prompt + body.options.num_predict).toBeLessThanOrEqual(most);
		expect(prompt).toBeGreaterThan(most / 3);
	},
);

it.each([
	[{ status: "error", error: "model still loading" }, "busy", /model still loading.*left alone/],
	[{ detail: "Subscription expired" }, "refused", /refused the request: Subscription expired\./],
])("A model that speaks sweep and answers %j with a good status says so", async (body, kind, message) => {
	const headers = { "content-type": "application/json" };
	const { ask } = await start("sweep", "sweep", [{ status: 200, headers, body: JSON.stringify(body) }]);
	expect((await ask()).failure).toMatchObject({ kind, message: expect.stringMatching(message) });
});

it("A model that speaks sweep and counts bytes changes the right place of a text that is not of plain letters", async () => {
	const text = "größe = «📏»\ntwo()\n";
	const after = "größe = «📐»\ntwo(2)\n";
	const { server } = await start("sweep", "sweep", [[after]]);
	const model = editModel({ ...settingsOf("sweep", server), format: "sweep-api" });
	const answered: EditReply[] = [];
	for await (const one of model.ask(brief(text), new AbortController().signal)) answered.push(one);
	expect(textAfter(answered.at(-1), text)).toBe(after);
});

it.each([
	["thoughts of its own field", [{ thought: "Let me see.\ntwo()?" }, AFTER]],
	["thoughts in a tag", ["<think>\nLet me see.\n</think>\n\n", AFTER]],
] as const)("A model is not taken at its %s", async (_, answer) => {
	const { ask } = await start("openai", "chat", [answer]);
	expect(textAfter((await ask()).answered.at(-1))).toBe(AFTER);
});

it.each([
	["openai", "chat"],
	["anthropic", "chat"],
	["openai", "completion"],
] as const)("A model that speaks %s and refuses in the middle of a %s says so", async (api, kind) => {
	const { ask } = await start(api, kind, [["one()", { end: "refused" }]]);
	const message = expect.stringMatching(
		/^test\/small, or a filter of its provider, refuses to go on\. .*another model/,
	);
	expect((await ask()).failure).toMatchObject({ kind: "filtered", message });
});

it("A model on this machine has one request under way: an older one is closed on the wire, and is no failure", async () => {
	const { model, server, ask } = await start("ollama", "completion", [[{ hold: true }], [AFTER]]);
	const first = model.ask(brief(), new AbortController().signal)[Symbol.asyncIterator]().next();
	await server.holding();
	const second = ask();
	await expect(first).rejects.toThrow("a newer request took its place");
	await expect(first).rejects.not.toMatchObject({ name: "ModelFailure" });
	await server.requests[0]?.abandoned;
	expect(textAfter((await second).answered.at(-1))).toBe(AFTER);
});

describe("A server on this machine, which two people share", () => {
	async function sharing(answers: readonly ModelAnswer[]) {
		const turns = new ServerQueue();
		const one = await start("ollama", "completion", answers, {}, turns);
		// Its other name leads to the same server.
		const baseUrl = one.server.url.replace("127.0.0.1", "localhost");
		const other = await start("ollama", "completion", [], { baseUrl, name: "other/small" }, turns);
		return { one, other, server: one.server };
	}

	it("is asked by the second when the first has an answer", async () => {
		const { one, other, server } = await sharing([[{ hold: true }, AFTER], [AFTER]]);
		const [first, second] = [one.ask(), other.ask()];
		await server.holding();
		// A question that did not wait would be there before these have come and gone.
		for (let i = 0; i < 20; i++) await (await fetch(`${server.url}/models`)).text();
		expect(server.requests).toHaveLength(1);
		await server.release();
		expect(textAfter((await first).answered.at(-1))).toBe(AFTER);
		expect(textAfter((await second).answered.at(-1))).toBe(AFTER);
	});

	it("is asked by the second when the first asks again, and then by the first", async () => {
		const { one, other, server } = await sharing([[{ hold: true }], [AFTER], [AFTER]]);
		const [first, second] = [one.ask(), other.ask()];
		await server.holding();
		const again = one.ask();
		expect((await first).failure).toMatchObject({ message: "a newer request took its place" });
		expect(textAfter((await second).answered.at(-1))).toBe(AFTER);
		expect(textAfter((await again).answered.at(-1))).toBe(AFTER);
		expect(server.requests).toHaveLength(3);
	});

	it("is not waited for longer than anybody looks, which is no reason to leave it alone", async () => {
		const { one, other, server } = await sharing([[{ hold: true }, AFTER], [AFTER]]);
		const [first, second] = [one.ask(), other.ask()];
		await server.holding();
		other.clock.advance(QUEUE_MS_MAX);
		expect((await second).failure).toMatchObject({
			kind: "busy",
			message: expect.stringMatching(
				/answers one question at a time, and was busy with others for 8 seconds\. It is asked again with the next change\.$/,
			),
		});
		await server.release();
		await first;
		expect(textAfter((await other.ask()).answered.at(-1))).toBe(AFTER);
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
])("A model that speaks %s at %s has a server of one's own: %s", (api, baseUrl, isOwn) => {
	const model = editModel({ ...settingsOf(api, undefined), baseUrl });
	expect(model.pendingMax).toBe(isOwn ? 1 : 2);
});

it("A model at a server in one's own network may take its time to load, too", async () => {
	const elsewhere = "http://gpu.invalid:11434";
	const answers = [[{ hold: true }, AFTER]] as const;
	const { server, clock, ask } = await start("ollama", "completion", answers, { baseUrl: elsewhere });
	const { fetch } = globalThis;
	const there = server.url.replace(/\/v1$/, "");
	const way = vi.spyOn(globalThis, "fetch");
	way.mockImplementation((url, options) => fetch(String(url).replace(elsewhere, there), options));
	onTestFinished(() => way.mockRestore());
	const first = ask();
	await server.holding();
	clock.advance(FIRST_ANSWER_MS_MAX - 1);
	await server.release();
	expect(textAfter((await first).answered.at(-1))).toBe(AFTER);
});

it.each([
	["its name asks for", "qwen2.5-coder:7b", undefined, "fim-qwen"],
	["is configured", "qwen2.5-coder:7b", "chat", "chat"],
])("A model is asked in the format that %s", (_, model, format, expected) => {
	expect(editModel({ ...settingsOf("openai", undefined), model, format }).format).toBe(expected);
});

it.each([
	[
		"writes no text",
		"nomic-embed-text",
		undefined,
		/^By its name, nomic-embed-text is no model that writes text\. Conf/,
	],
	[
		"has a format that there is not",
		"small",
		"zeta-9",
		/^There is no format zeta-9\. Configure another format for test/,
	],
])("A model that %s cannot be asked, and says so", (_, model, format, message) => {
	expect(() => editModel({ ...settingsOf("openai", undefined), model, format })).toThrow(message);
});

it("A model on this machine may take its time to load before its first answer", async () => {
	const { server, clock, ask } = await start("ollama", "completion", [[{ hold: true }, AFTER], [{ hold: true }]]);
	const first = ask();
	await server.holding();
	clock.advance(FIRST_ANSWER_MS_MAX - 1);
	await server.release();
	expect(textAfter((await first).answered.at(-1))).toBe(AFTER);
	const second = ask();
	await server.holding();
	clock.advance(ANSWER_MS_MAX);
	expect((await second).failure).toMatchObject({ kind: "unreachable" });
});

it.each<[when: string, answers: readonly ModelAnswer[], wait: "times-out" | "is-idle"]>([
	["it was once too slow", [[AFTER], [{ hold: true }], [{ hold: true }, AFTER], [{ hold: true }]], "times-out"],
	["nobody asked it for minutes", [[AFTER], [{ hold: true }, AFTER], [{ hold: true }]], "is-idle"],
])("A model on this machine may take its time to load again when %s", async (_, answers, wait) => {
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
	expect(textAfter((await slow).answered.at(-1))).toBe(AFTER);
	const next = ask();
	await server.holding();
	clock.advance(ANSWER_MS_MAX);
	expect((await next).failure).toMatchObject({ kind: "unreachable" });
});

it.each([
	["7", 7_000],
	["600", COOLDOWN_MS_MAX],
	["soon", COOLDOWN_MS],
])("A busy provider that says Retry-After: %s is left alone for %i ms", async (retryAfter, restMs) => {
	const { server, clock, ask } = await start("openai", "completion", [{ refuse: "busy", retryAfter }, [AFTER]]);
	await ask();
	clock.advance(restMs - 1);
	expect((await ask()).failure).toMatchObject({ kind: "resting", message: expect.stringContaining("1 second more") });
	expect(server.requests).toHaveLength(1);
	clock.advance(1);
	expect((await ask()).failure).toBeUndefined();
});

it.each<[what: string, answer: ModelAnswer, before: RegExp]>([
	["a wrong key", { refuse: "wrong-key" }, /Before that: test does not accept your key: .*Run "segue login test"/],
	["a model that it does not have", { refuse: "unknown-model" }, /Before that: test has no model small/],
])(
	"A server that complains of %s is not asked with every key, and the complaint is repeated",
	async (_, answer, why) => {
		const { server, clock, ask } = await start("openai", "completion", [answer, [AFTER]]);
		await ask();
		clock.advance(COOLDOWN_MS - 1);
		expect((await ask()).failure).toMatchObject({ kind: "resting", message: expect.stringMatching(why) });
		expect(server.requests).toHaveLength(1);
		clock.advance(1);
		expect((await ask()).failure).toBeUndefined();
	},
);

it("A server that is not there is not looked for with every key", async () => {
	const { server, clock, ask } = await start("openai", "completion", []);
	await server.stop();
	servers.splice(servers.indexOf(server), 1);
	expect((await ask()).failure).toMatchObject({ kind: "unreachable" });
	expect((await ask()).failure).toMatchObject({
		kind: "resting",
		message: expect.stringMatching(/^test is left alone for 10 seconds more\. Before that: Nothing answers at 127/),
	});
	clock.advance(COOLDOWN_MS);
	expect((await ask()).failure).toMatchObject({ kind: "unreachable" });
});

it("A busy provider that says Retry-After: 0 is asked again with the next change", async () => {
	const { ask } = await start("openai", "completion", [{ refuse: "busy", retryAfter: "0" }, [AFTER]]);
	expect((await ask()).failure).toMatchObject({ kind: "busy", message: expect.stringContaining("the next change") });
	expect((await ask()).failure).toBeUndefined();
});

it("A model that has answered in time is not blamed for what the caller does with the answer", async () => {
	const { model, clock, ask } = await start("openai", "completion", [[AFTER], [AFTER]]);
	for await (const answered of model.ask(brief(), new AbortController().signal)) {
		if (answered.isWhole) clock.advance(FIRST_ANSWER_MS_MAX);
	}
	expect((await ask()).failure).toBeUndefined();
});

it("A request that is cancelled is no time-out, and no reason to leave a server alone", async () => {
	const { model, server, clock, ask } = await start("openai", "completion", [[{ hold: true }], [AFTER]]);
	const stop = new AbortController();
	const next = model.ask(brief(), stop.signal)[Symbol.asyncIterator]().next();
	await server.holding();
	stop.abort(new Error("enough"));
	await expect(next).rejects.toThrow("enough");
	clock.advance(FIRST_ANSWER_MS_MAX);
	expect((await ask()).failure).toBeUndefined();
});

it.each<[what: string, change: Partial<EditModelSettings>, kind: FailureKind, message: RegExp]>([
	["the base URL is none", { baseUrl: "nonsense" }, "unreachable", /nonsense is no base URL/],
	["a key has a line end in it", { apiKey: `${KEY}\n` }, "wrong-key", /characters that no key has/],
	["the base URL has a password", { baseUrl: `http://me:${KEY}@127.0.0.1:9` }, "unreachable", /password/],
	["the API has nothing for the format", { api: "mistral" }, "refused", /speaks mistral cannot be asked in the format/],
])("A model asks nobody, and says so, when %s", async (_, change, kind, message) => {
	const { ask, server } = await start("openai", "completion", [], change);
	const { failure } = await ask();
	expect(server.requests).toHaveLength(0);
	expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
	expect(String(failure)).not.toContain("sk-test");
});

const MARKED = (text: string) => `<|marker_1|>${text}<|marker_2|>`;
const TAGGED = (text: string) => `<editable_region>\n${text}\n</editable_region>`;

it.each<[format: string, what: string, said: string, expected: string]>([
	["chat", "closed its tags", TAGGED(AFTER), AFTER],
	["chat", "closed its fence", `\`\`\`\n${AFTER}\n\`\`\`\n`, AFTER],
	["chat", "repeated the region", TAGGED(BEFORE), "no-edit"],
	["chat", "said that nothing is to change", "<no_change/>", "no-edit"],
	["zeta-1", "closed its region", `<|editable_region_start|>\n${AFTER}\n<|editable_region_end|>`, AFTER],
	["zeta-2", "closed its side of the conflict", `${AFTER}\n>>>>>>> UPDATED\n`, AFTER],
	["zeta-2", "said that nothing is to change", "NO_EDITS\n", "no-edit"],
	["zeta-2.1", "said the last mark", MARKED(AFTER), AFTER],
	["zeta-2.1", "repeated the region", MARKED(BEFORE), "no-edit"],
])("A model that is asked in %s is not listened to after it has %s", async (name, _, said, expected) => {
	const { server, ask } = await start("openai", "completion", [[said, { hold: true }, "\nmore"]], { format: name });
	const { answered, failure } = await ask();
	expect(failure).toBeUndefined();
	const last = answered.at(-1);
	expect(last?.isWhole).toBe(true);
	expect(last !== undefined && "nothing" in last ? last.nothing : textAfter(last)).toBe(expected);
	await server.requests[0]?.abandoned;
});

it.each([
	["holds a token of its prompts", "one(<|mark|>)", "special-token-in-text"],
	["is too long for it", `${"x".repeat(1000)}()`, "too-long"],
])("A text that %s is not shown to a model", async (_, text, nothing) => {
	const { model, server } = await start("openai", "completion", []);
	const answered: EditReply[] = [];
	for await (const one of model.ask(brief(text), new AbortController().signal)) answered.push(one);
	expect(answered).toEqual([{ nothing, window: { from: 0, to: 0 }, isWhole: true }]);
	expect(server.requests).toHaveLength(0);
});

describe("What became of an answer", () => {
	it("is told to Inception when the user has switched that on: the answer's name, the action, and nothing else", async () => {
		const { server, ask, model } = await start("inception", "edit", [[AFTER], [], []], { tellsVerdicts: true });
		const { answered } = await ask();
		expect(answered).toMatchObject([{ id: "edit-1" }]);
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

	it("is told nobody otherwise", async () => {
		const silent = await start("inception", "edit", []);
		expect(silent.model.sendFeedback).toBeUndefined();
		const other = await start("openai", "completion", [], { tellsVerdicts: true });
		expect(other.model.sendFeedback).toBeUndefined();
	});

	it("may fail to be told, and nobody hears of it", async () => {
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

/** A model whose server gives these answers, and how to ask it for all that comes. Its time moves only for a test. */
async function start(
	api: Api,
	kind: ModelPrompt["kind"],
	answers: readonly ModelAnswer[],
	change: Partial<EditModelSettings> = {},
	turns = new ServerQueue(),
) {
	const server = await startModelServer(answers);
	servers.push(server);
	const clock = new FakeClock();
	const asked = FORMATS.get(change.format ?? "") ?? format(kind);
	const time = { now: clock.now, after: clock.after, random: () => 0.5 };
	const model: EditModel = new HttpEditModel({ ...settingsOf(api, server), ...change }, asked, time, turns);

	async function ask(releasing?: "releasing"): Promise<{ answered: EditReply[]; failure: unknown }> {
		const answered: EditReply[] = [];
		const answers = model.ask(brief(), new AbortController().signal)[Symbol.asyncIterator]();
		try {
			for (;;) {
				const coming = answers.next();
				if (releasing && (answered.length > 0 || !streams(kind))) void server.release();
				const next = await coming;
				if (next.done === true) return { answered, failure: undefined };
				answered.push(next.value);
			}
		} catch (failure) {
			return { answered, failure };
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

function brief(text = BEFORE): PromptInput {
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

/** Has the whole text rewritten, in any way of asking. What is in a fence is taken out of it. */
function format(kind: ModelPrompt["kind"], isEnough: (said: ModelOutput) => boolean = () => false): Format {
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
				read(said) {
					const content = contentOf(kind, said);
					if (content === undefined) return { nothing: "unreadable-answer" };
					return { hunks: window.hunksOf(content), ...(isEnough(said) && { isEnough: true }) };
				},
			};
		},
	};
}

function contentOf(kind: ModelPrompt["kind"], said: ModelOutput): ModelOutput | undefined {
	if (kind === "sweep") {
		const { completion } = JSON.parse(said.text);
		return typeof completion === "string" ? contentOf("completion", { ...said, text: completion }) : undefined;
	}
	const fence = /```\w*\n/.exec(said.text);
	if (fence === null) return said;
	const inside = said.text.slice(fence.index + fence[0].length);
	const end = inside.indexOf("\n```");
	return end === -1 ? { ...said, text: inside } : { text: inside.slice(0, end), end: "stop" };
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

function told(answered: EditReply): { readonly inserts: readonly string[]; readonly isWhole: boolean } {
	const hunks = "hunks" in answered ? answered.hunks : [];
	const inserts = hunks.flatMap(({ edits }) => edits.map(({ insert }) => insert));
	return { inserts, isWhole: answered.isWhole };
}

function piecesOf(text: string, length: number): string[] {
	return text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
}

/** The text of the brief with what came of it. */
function textAfter(answered: EditReply | undefined, before = BEFORE): string | undefined {
	if (answered === undefined || "nothing" in answered) return undefined;
	const edits = answered.hunks.flatMap((hunk) => hunk.edits);
	return Change.of(edits, before.length).apply(Text.of(before)).toString();
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTrace, type TraceRecord, writeTraceHeader, writeTraceRecord } from "./trace.js";

const HEAD = writeTraceHeader(new Date(0));

function written(message: unknown): unknown {
	return messageIn(writeTraceRecord({ atMs: 0, from: "client", text: JSON.stringify(message) }));
}

function messageIn(line: string): unknown {
	return JSON.parse(line).message;
}

describe("a trace", () => {
	test("has a header and a line for each message", () => {
		const text =
			writeTraceHeader(new Date(1_700_000_000_000), ["node", "agent.js"]) +
			writeTraceRecord({ atMs: 1.23456, from: "client", text: '{"id":1,"method":"a"}' }) +
			writeTraceRecord({ atMs: 2, from: "agent", text: "Starting…" });
		expect(text).toBe(
			[
				'{"trace":"segue","version":1,"startedAt":"2023-11-14T22:13:20.000Z","command":["node","agent.js"]}',
				'{"atMs":1.235,"from":"client","message":{"id":1,"method":"a"}}',
				'{"atMs":2,"from":"agent","text":"Starting…"}',
				"",
			].join("\n"),
		);
	});

	test("is read back unchanged, whatever its messages", () => {
		const someRecord: fc.Arbitrary<TraceRecord> = fc.record({
			atMs: fc.nat().map((micros) => micros / 1000),
			from: fc.constantFrom("client" as const, "agent" as const),
			text: fc.oneof(
				fc.json(),
				fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 2)),
				fc.string({ unit: "binary" }),
			),
		});
		fc.assert(
			fc.property(fc.array(someRecord), fc.option(fc.array(fc.constantFrom("segue", "acp"))), (records, command) => {
				const head = writeTraceHeader(new Date(5), command ?? undefined);
				const trace = readTrace(head + records.map(writeTraceRecord).join(""));
				expect(trace.header.command).toEqual(command ?? undefined);
				expect(trace.records).toEqual(records.map((record) => ({ ...record, text: plain(record.text) })));
			}),
		);
	});

	test("has each message on one line, however it was formatted", () => {
		const line = writeTraceRecord({ atMs: 0, from: "agent", text: '{\r\n\t"id": 1\n}' });
		expect(line).toBe('{"atMs":0,"from":"agent","message":{"id":1}}\n');
	});

	test("keeps numbers that JavaScript cannot represent", () => {
		const line = writeTraceRecord({ atMs: 0, from: "agent", text: '{"id":12345678901234567890}' });
		expect(line).toBe('{"atMs":0,"from":"agent","message":{"id":12345678901234567890}}\n');
	});

	test("stores a message that is nested too deeply as text", () => {
		const text = "[".repeat(500_000) + "]".repeat(500_000);
		expect(readTrace(HEAD + writeTraceRecord({ atMs: 0, from: "agent", text })).records).toEqual([
			{ atMs: 0, from: "agent", text },
		]);
	});

	test.each([
		["", "line 1 is not a trace header"],
		["{}\n", "line 1 is not a trace header"],
		["[]\n", "line 1 is not a trace header"],
		['{"trace":"segue","version":2}\n', "line 1: unknown trace version"],
		[`${HEAD}nonsense\n`, "line 2 is not a JSON object"],
		[`${HEAD}\n7\n`, "line 3 is not a JSON object"],
		[`${HEAD}{"from":"agent","message":1}\n`, "line 2: atMs must be a number"],
		[`${HEAD}{"atMs":1,"from":"server","message":1}\n`, 'line 2: "from" must be "client" or "agent"'],
		[`${HEAD}{"atMs":1,"from":"agent"}\n`, "line 2 has neither message nor text"],
	])("that is %j leads to an error that states the problem", (text, message) => {
		expect(() => readTrace(text)).toThrow(message);
	});

	test("whose writer was killed can be read up to the last complete line", () => {
		const text = HEAD + writeTraceRecord({ atMs: 1, from: "agent", text: "1" });
		const cut = `${text}{"atMs":2,"from":"cli`;
		expect(readTrace(cut).records).toEqual([{ atMs: 1, from: "agent", text: "1" }]);
		expect(readTrace(text.trimEnd()).records).toHaveLength(1);
		expect(readTrace(HEAD.trimEnd()).records).toEqual([]);
	});
});

describe("a trace masks", () => {
	const KEY = "sk-ant-api03-abcdefghijklmnop";

	test.each<[unknown, unknown]>([
		[{ apiKey: "abc" }, { apiKey: "***" }],
		[{ api_key: "abc" }, { api_key: "***" }],
		[{ "x-api-key": "abc" }, { "x-api-key": "***" }],
		[{ accessToken: "abc" }, { accessToken: "***" }],
		[{ token: "abc" }, { token: "***" }],
		[{ clientSecret: "abc" }, { clientSecret: "***" }],
		[
			{ PGPASSWORD: "abc", DB_PASSWORD: "abc" },
			{ PGPASSWORD: "***", DB_PASSWORD: "***" },
		],
		[{ headers: { Authorization: ["abc"], Cookie: "a=b" } }, { headers: { Authorization: ["***"], Cookie: "***" } }],
		[{ credentials: { user: "u", pin: 7 } }, { credentials: { user: "***", pin: 7 } }],
		[{ env: { OPENAI_KEY: "abc" } }, { env: { OPENAI_KEY: "***" } }],
		[{ env: [{ name: "GITHUB_TOKEN", value: "abc" }] }, { env: [{ name: "GITHUB_TOKEN", value: "***" }] }],
		[
			{ name: "Authorization", value: "abc" },
			{ name: "Authorization", value: "***" },
		],
		[{ args: ["--api-key", "abc", "-v"] }, { args: ["--api-key", "***", "-v"] }],
		[{ args: ["--token=abc", "A_SECRET=abc"] }, { args: ["--token=***", "A_SECRET=***"] }],
		[{ args: ["-H", "x-api-key: abc"] }, { args: ["-H", "x-api-key: ***"] }],
	])("values whose names mark them as secret: %j", (message, masked) => {
		expect(written(message)).toEqual(masked);
	});

	test.each([
		[KEY],
		["sk_live_abcdefghijklmnop"],
		["ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
		["github_pat_abcdefghijklmnopqrstuvwxyz"],
		["glpat-abcdefghijklmnopqrst"],
		["xoxb-1234567890-abcdef"],
		["hf_abcdefghijklmnopqrstuvwxyz"],
		["AKIAABCDEFGHIJKLMNOP"],
		["AIzaSyA-abcdefghijklmnopqrstuvwxyz012345"],
		["ya29.abcdefghijklmnopqrstuvwxyz"],
		["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def"],
	])("%s because it looks like a key, without shifting the text around it", (key) => {
		const text = `one\nlet key = "${key}" // two`;
		expect(written({ text })).toEqual({ text: text.replace(key, "*".repeat(key.length)) });
	});

	test.each([
		["Authorization: Bearer abcdefgh12345", "abcdefgh12345"],
		["Authorization: Basic dXNlcjpwYXNz1234", "dXNlcjpwYXNz1234"],
		["postgres://me:hunter2@db/shop", "hunter2"],
		["https://a.example/?v=1&access_token=abcdefghij#x", "abcdefghij"],
		["API_KEY=abcdefghijkl0123\nA=1", "abcdefghijkl0123"],
	])("only the secret part of %j", (text, secret) => {
		expect(written({ text })).toEqual({ text: text.replace(secret, "*".repeat(secret.length)) });
	});

	test("a private key, keeping its lines", () => {
		const text = "-----BEGIN RSA PRIVATE KEY-----\nabc+/=\nDEF\n-----END RSA PRIVATE KEY-----";
		expect(written(text)).toBe("-----BEGIN RSA PRIVATE KEY-----\n******\n***\n-----END RSA PRIVATE KEY-----");
	});

	test.each([
		{ maxTokens: "7", inputTokens: 3, tokenCount: "4" },
		{ workDoneToken: "progress-1", progressToken: "p" },
		{ key: "Enter", keyboard: "de", publicKey: "abc" },
		{ token: 17, password: null },
		{ text: "task-management-is-a-long-word, a token: string, ?key=short, http://a.example:80/b@c" },
		{ text: "API_KEY=process.env.API_KEY" },
		{ args: ["--token", "--verbose", "src/token.ts"] },
	])("nothing in %j", (message) => {
		expect(written(message)).toEqual(message);
	});

	test("the agent's command", () => {
		const [head] = writeTraceHeader(new Date(0), ["agent", "--api-key", "abc", `--with=${KEY}`]).split("\n");
		expect(JSON.parse(head ?? "").command).toEqual(["agent", "--api-key", "***", `--with=${"*".repeat(KEY.length)}`]);
	});

	test("text that is not JSON because it is truncated", () => {
		const line = writeTraceRecord({ atMs: 0, from: "agent", text: `{"a":"${KEY}","apiKey":"ab\\"c","password":"x` });
		expect(JSON.parse(line).text).toBe(`{"a":"${"*".repeat(KEY.length)}","apiKey":"***","password":"***"`);
	});
});

/** Normalizes JSON with JSON.stringify. Returns text that is not JSON unchanged. */
function plain(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text));
	} catch {
		return text;
	}
}

import { type Channel, memoryPair } from "@segue/rpc";
import { describe, expect, test } from "vitest";
import { playTalk, readTalk } from "./talk.js";

/** Answers each message on a channel with the script's messages for it. Returns the messages received. */
function scripted(channel: Channel, script: Readonly<Record<string, readonly object[]>>): string[] {
	const received: string[] = [];
	channel.open(
		{
			message: (text) => {
				received.push(text);
				const { method, result } = JSON.parse(text);
				for (const answer of script[method ?? JSON.stringify(result)] ?? []) channel.send(JSON.stringify(answer));
			},
			unreadable: () => {},
			closed: () => {},
		},
		Number.POSITIVE_INFINITY,
	);
	return received;
}

/**
 * Plays a talk against an agent that answers `ask` with the given messages. Returns the messages the agent received.
 */
async function play(source: string, answers: readonly object[]): Promise<unknown[]> {
	const [a, b] = memoryPair();
	const received = scripted(a, { ask: answers });
	await playTalk(source, b);
	return received.map((text) => JSON.parse(text));
}

const result = (value: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, result: value });

describe("a talk", () => {
	test("may contain comments, names, ids and multi-line JSON", () => {
		const { lines, names } = readTalk(`
// a comment
abc stands for xyz

editor → agent  ask #1 {
  // between
  "a": "// no comment"
}
agent → editor  error #x { "code": 1 }
agent → editor  note
`);
		expect(names).toEqual(new Map([["abc", "xyz"]]));
		expect(lines.map(({ number, speaker, what, id, value }) => ({ number, speaker, what, id, value }))).toEqual([
			{ number: 5, speaker: "editor", what: "ask", id: 1, value: { a: "// no comment" } },
			{ number: 9, speaker: "agent", what: "error", id: "x", value: { code: 1 } },
			{ number: 10, speaker: "agent", what: "note", id: undefined, value: undefined },
		]);
	});

	test.each([
		["starts without a speaker", '{ "a": 1 }', "line 1: expected a speaker"],
		["has the same sender and receiver", "editor → editor  ask #1", "line 1: not a message: editor → editor"],
		["has a result without an id", "\nagent → editor  result {}", "line 2: a result needs the #id of its request"],
		["has invalid JSON", "editor → agent  ask #1 { a }", "line 1: not JSON"],
		["has … in the middle of an object", 'editor → agent  ask #1 { …, "a": 1 }', "line 1: not JSON"],
	])("is rejected if it %s", (_title, source, message) => {
		expect(() => readTalk(source)).toThrow(message);
	});

	test("sends its own lines unchanged", async () => {
		const source = 'editor → agent  ask #1 { "a": [1] }\neditor → agent  note\nagent → editor  result #1 {}';
		expect(await play(source, [result({})])).toEqual([
			{ jsonrpc: "2.0", id: 1, method: "ask", params: { a: [1] } },
			{ jsonrpc: "2.0", method: "note" },
		]);
	});

	test.each([
		["a value", "…", { a: 1 }],
		["a member's value", '{ "a": … }', { a: [1, 2] }],
		["the rest of an object", '{ "a": 1, … }', { a: 1, b: 2 }],
		["the empty rest of an object", '{ "a": 1, … }', { a: 1 }],
		["a whole object", "{ … }", { a: 1 }],
		["the rest of an array", "[1, …]", [1, 2, 3]],
		["the empty rest of an array", "[1, …]", [1]],
		["an item of an array", "[…, 2]", [1, 2]],
		["the rest of a nested object", '{ "a": [{ "b": 1, … }] }', { a: [{ b: 1, c: 2 }] }],
	])("has … for %s", async (_title, pattern, value) => {
		await play(`editor → agent  ask #1\nagent → editor  result #1 ${pattern}`, [result(value)]);
	});

	test.each([
		["another value", '{ "a": 1 }', { a: 2 }],
		["an additional member", '{ "a": 1 }', { a: 1, b: 2 }],
		["a missing member", '{ "a": …, … }', { b: 2 }],
		["an additional item", "[1]", [1, 2]],
		["a missing item", "[1, 2, …]", [1]],
		["an array instead of an object", "{ … }", [1]],
		["a quoted …", '"…"', "a"],
	])("fails for %s, and shows both messages", async (_title, pattern, value) => {
		const answer = `agent → editor  result #1 ${pattern}`;
		const failure = `line 2: expected\n${answer}\nbut received\nagent → editor  result #1 ${JSON.stringify(value)}`;
		await expect(play(`editor → agent  ask #1\n${answer}`, [result(value)])).rejects.toThrow(failure);
	});

	test.each([
		[
			"nothing is received",
			"agent → editor  result #1 {}",
			[],
			"line 2: expected\nagent → editor  result #1 {}\nbut received nothing",
		],
		["the id differs", "agent → editor  result #1 {}", [result({}, 2)], "but received\nagent → editor  result #2 {}"],
		["an error is received", "agent → editor  result #1 {}", [{ jsonrpc: "2.0", id: 1, error: {} }], "error #1 {}"],
		[
			"an unexpected message is received at the end",
			"",
			[result({})],
			"line 2: unexpected message before this line:\nagent",
		],
		[
			"an unexpected message is received in between",
			"agent → editor  result #1 {}\neditor → agent  note",
			[result({}), { jsonrpc: "2.0", method: "update" }],
			"line 3: unexpected message before this line:\nagent → editor  update",
		],
		[
			"a request is received instead of a notification",
			"agent → editor  update",
			[{ jsonrpc: "2.0", id: 5, method: "update" }],
			"line 2: expected a notification but received a request",
		],
		["the jsonrpc member is missing", "agent → editor  result #1 {}", [{ id: 1, result: {} }], "line 2: expected"],
	])("fails if %s", async (_title, rest, answers, message) => {
		await expect(play(`editor → agent  ask #1\n${rest}`, answers)).rejects.toThrow(message);
	});

	test("translates names in both directions", async () => {
		const source = 'abc stands for xyz\neditor → agent  ask #1 ["abc"]\nagent → editor  result #1 { "id": "abc" }';
		const received = await play(source, [result({ id: "xyz" })]);
		expect(received).toEqual([{ jsonrpc: "2.0", id: 1, method: "ask", params: ["xyz"] }]);
	});

	test("can be played from the agent's side, with any request ids", async () => {
		const [a, b] = memoryPair();
		const received = scripted(b, {});
		b.send(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ask", params: {} }));
		await playTalk("editor → agent  ask #42 {}\nagent → editor  result #42 { }", a, "agent");
		expect(received).toEqual([JSON.stringify(result({}, 7))]);
	});
});

import { type Channel, memoryPair } from "@segue/rpc";
import { describe, expect, test } from "vitest";
import { playTalk, readTalk } from "./talk.js";

/** The other end of a channel: answers each message with those that a script has for it, as JSON. */
function scripted(channel: Channel, script: Readonly<Record<string, readonly object[]>>): string[] {
	const heard: string[] = [];
	channel.open(
		{
			message: (text) => {
				heard.push(text);
				const { method, result } = JSON.parse(text);
				for (const answer of script[method ?? JSON.stringify(result)] ?? []) channel.send(JSON.stringify(answer));
			},
			unreadable: () => {},
			closed: () => {},
		},
		Number.POSITIVE_INFINITY,
	);
	return heard;
}

/** Plays a talk against an agent that answers `ask` with the given messages. Returns what the agent heard. */
async function play(source: string, answers: readonly object[]): Promise<unknown[]> {
	const [a, b] = memoryPair();
	const heard = scripted(a, { ask: answers });
	await playTalk(source, b);
	return heard.map((text) => JSON.parse(text));
}

const result = (value: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, result: value });

describe("a talk", () => {
	test("is read with its comments, names, ids and JSON of several lines", () => {
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
		["has no speaker first", '{ "a": 1 }', "line 1: a talk begins with who speaks"],
		["has a speaker who speaks to itself", "editor → editor  ask #1", "line 1: not a message: editor → editor"],
		["has an answer to nothing", "\nagent → editor  result {}", "line 2: which request is this the result of?"],
		["has JSON that is none", "editor → agent  ask #1 { a }", "line 1: not JSON"],
		["has … in the middle of an object", 'editor → agent  ask #1 { …, "a": 1 }', "line 1: not JSON"],
	])("is refused when it %s", (_title, source, message) => {
		expect(() => readTalk(source)).toThrow(message);
	});

	test("is said as it stands", async () => {
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
		["no rest of an object", '{ "a": 1, … }', { a: 1 }],
		["all of an object", "{ … }", { a: 1 }],
		["the rest of an array", "[1, …]", [1, 2, 3]],
		["no rest of an array", "[1, …]", [1]],
		["an item of an array", "[…, 2]", [1, 2]],
		["the rest of something deep inside", '{ "a": [{ "b": 1, … }] }', { a: [{ b: 1, c: 2 }] }],
	])("has … for %s", async (_title, pattern, value) => {
		await play(`editor → agent  ask #1\nagent → editor  result #1 ${pattern}`, [result(value)]);
	});

	test.each([
		["another value", '{ "a": 1 }', { a: 2 }],
		["a member more", '{ "a": 1 }', { a: 1, b: 2 }],
		["a member less", '{ "a": …, … }', { b: 2 }],
		["an item more", "[1]", [1, 2]],
		["an item less", "[1, 2, …]", [1]],
		["an array for an object", "{ … }", [1]],
		["the text … for any value", '"…"', "a"],
	])("fails at %s, and shows both", async (_title, pattern, value) => {
		const answer = `agent → editor  result #1 ${pattern}`;
		const failure = `line 2: expected\n${answer}\nbut this came\nagent → editor  result #1 ${JSON.stringify(value)}`;
		await expect(play(`editor → agent  ask #1\n${answer}`, [result(value)])).rejects.toThrow(failure);
	});

	test.each([
		[
			"nothing comes",
			"agent → editor  result #1 {}",
			[],
			"line 2: expected\nagent → editor  result #1 {}\nbut nothing",
		],
		[
			"another id comes",
			"agent → editor  result #1 {}",
			[result({}, 2)],
			"but this came\nagent → editor  result #2 {}",
		],
		["an error comes", "agent → editor  result #1 {}", [{ jsonrpc: "2.0", id: 1, error: {} }], "error #1 {}"],
		["more comes at the end", "", [result({})], "line 2: before this, and not in the talk, came\nagent"],
		[
			"more comes in between",
			"agent → editor  result #1 {}\neditor → agent  note",
			[result({}), { jsonrpc: "2.0", method: "update" }],
			"line 3: before this, and not in the talk, came\nagent → editor  update",
		],
		[
			"a request comes for a notification",
			"agent → editor  update",
			[{ jsonrpc: "2.0", id: 5, method: "update" }],
			"line 2: expected a notification, but a request came",
		],
		["the envelope is missing", "agent → editor  result #1 {}", [{ id: 1, result: {} }], "line 2: expected"],
	])("fails where %s", async (_title, rest, answers, message) => {
		await expect(play(`editor → agent  ask #1\n${rest}`, answers)).rejects.toThrow(message);
	});

	test("has names that stand for others, both ways", async () => {
		const source = 'abc stands for xyz\neditor → agent  ask #1 ["abc"]\nagent → editor  result #1 { "id": "abc" }';
		const heard = await play(source, [result({ id: "xyz" })]);
		expect(heard).toEqual([{ jsonrpc: "2.0", id: 1, method: "ask", params: ["xyz"] }]);
	});

	test("is played from the agent's side too, whatever ids the editor gives", async () => {
		const [a, b] = memoryPair();
		const heard = scripted(b, {});
		b.send(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ask", params: {} }));
		await playTalk("editor → agent  ask #42 {}\nagent → editor  result #42 { }", a, "agent");
		expect(heard).toEqual([JSON.stringify(result({}, 7))]);
	});
});

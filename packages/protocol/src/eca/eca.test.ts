import type { ParamsOf } from "@segue/rpc";
import { connectByHand, readMessagePart } from "@segue/testing/rpc/peers";
import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { record } from "../tolerance.js";
import examples from "./eca-examples.json" with { type: "json" };
import * as eca from "./index.js";
import { fromEditor } from "./params.js";

type Name = keyof typeof eca.messages;
type Part = "params" | "result";

describe("examples", () => {
	test.each(examples.map((example, index) => [index, example.message, example.part, example.value] as const))(
		"round-trip unchanged: %i, %s %s",
		(_index, name, part, value) => {
			expect(JSON.parse(JSON.stringify(readMessagePart(eca.messages[name as Name], part as Part, value)))).toEqual(
				value,
			);
		},
	);

	test("cover the params and result of every message, and every type of content", () => {
		const covered = new Set(examples.map(({ message, part }) => `${message} ${part}`));
		const expected = Object.entries(eca.messages).flatMap(([name, message]) =>
			message.kind === "request" ? [`${name} params`, `${name} result`] : [`${name} params`],
		);
		expect([...covered].sort()).toEqual(expected.sort());

		const contents = examples.filter(({ message }) => message === "contentReceived");
		const kinds = contents.map(({ value }) => (value as { content: { type: string } }).content.type);
		expect([...new Set(kinds)].sort()).toEqual([...KINDS].sort());
	});
});

const KINDS: readonly eca.ChatContent["type"][] = [
	"text",
	"url",
	"image",
	"progress",
	"usage",
	"reasonStarted",
	"reasonText",
	"reasonFinished",
	"toolCallPrepare",
	"toolCallRun",
	"toolCallRunning",
	"toolCalled",
	"toolCallRejected",
	"metadata",
	"flag",
	"fileChange",
];

describe("message schemas", () => {
	const text = { type: "text", text: "a" };
	const folder = { uri: "file:///a", name: "a" };

	test.each<[string, Name, Part, unknown, unknown]>([
		["null for empty params", "initialized", "params", null, {}],
		["an empty array for empty params", "exit", "params", [], {}],
		["missing params", "listChats", "params", undefined, {}],
		["unknown members", "promptStop", "params", { chatId: "c", x: 1 }, { chatId: "c", x: 1 }],
		["a numeric chat id", "promptStop", "params", { chatId: 1 }, { chatId: 1 }],
		[
			"kebab-case keys, as one editor sends them",
			"completionInline",
			"params",
			{ "doc-text": "a", "doc-version": 0, position: { line: 1, character: 1 } },
			{ docText: "a", docVersion: 0, position: { line: 1, character: 1 } },
		],
		[
			"nested kebab-case keys",
			"prompt",
			"params",
			{ "request-id": 1, message: "a", contexts: [{ type: "file", path: "a", "lines-range": { start: 1, end: 2 } }] },
			{ message: "a", contexts: [{ type: "file", path: "a", linesRange: { start: 1, end: 2 } }], requestId: 1 },
		],
		[
			"an invalid context and one of an unknown type among valid ones",
			"prompt",
			"params",
			{ message: "a", contexts: [{ type: "file" }, { type: "smell" }, { type: "directory", path: "a" }] },
			{ message: "a", contexts: [{ type: "directory", path: "a" }] },
		],
		["contexts that are not a list", "prompt", "params", { message: "a", contexts: 5 }, { message: "a" }],
		[
			"capabilities of the wrong type",
			"initialize",
			"params",
			{ processId: "x", clientInfo: {}, capabilities: { codeAssistant: [] } },
			{ capabilities: {} },
		],
		[
			"a folder without a name, and one without a URI",
			"initialize",
			"params",
			{ workspaceFolders: [{ uri: "file:///a" }, { name: "b" }] },
			{ workspaceFolders: [{ uri: "file:///a", name: "" }] },
		],
		[
			"only added folders",
			"didChangeWorkspaceFolders",
			"params",
			{ event: { added: [folder] } },
			{ event: { added: [folder], removed: [] } },
		],
		["an invalid limit", "listChats", "params", { limit: -1 }, {}],
		["a null query", "queryFiles", "params", { chatId: null, query: null }, { chatId: null, query: "" }],
		[
			"content of an unknown type",
			"contentReceived",
			"params",
			{ chatId: "c", content: { type: "later", x: 1 } },
			{ chatId: "c", content: { type: "(other)", raw: { type: "later", x: 1 } } },
		],
		[
			"details of an unknown type",
			"contentReceived",
			"params",
			{
				chatId: "c",
				content: {
					...text,
					type: "toolCallPrepare",
					origin: "mcp",
					id: "1",
					name: "a",
					server: "s",
					argumentsText: "",
					details: { type: "later" },
				},
			},
			{
				chatId: "c",
				content: {
					type: "toolCallPrepare",
					origin: "mcp",
					id: "1",
					name: "a",
					server: "s",
					argumentsText: "",
					text: "a",
				},
			},
		],
		["an unknown status", "statusChanged", "params", { chatId: "c", status: "x" }, { chatId: "c", status: "x" }],
	])("accept %s", (_title, name, part, value, expected) => {
		expect(JSON.stringify(readMessagePart(eca.messages[name], part, value))).toBe(JSON.stringify(expected));
	});

	test.each<[string, Name, Part, unknown]>([
		["a prompt without a message", "prompt", "params", { chatId: "c" }],
		["a missing chat id", "promptStop", "params", {}],
		["a missing tool call id", "toolCallApprove", "params", { chatId: "c" }],
		["a missing position", "completionInline", "params", { docText: "a" }],
		["a negative position", "completionInline", "params", { docText: "", position: { line: -1, character: 0 } }],
		["a list as params", "prompt", "params", ["a"]],
		["empty content", "contentReceived", "params", { chatId: "c", content: {} }],
	])("reject %s", (_title, name, part, value) => {
		expect(readMessagePart(eca.messages[name], part, value)).toBeUndefined();
	});

	test("infer the types of params and content", () => {
		expectTypeOf<ParamsOf<typeof eca.completionInline>["docText"]>().toBeString();
		expectTypeOf<eca.ChatContent["type"]>().not.toEqualTypeOf<string>();
	});
});

describe("keys sent by an editor", () => {
	const free = fromEditor(z.unknown(), "own");

	const sent = examples.filter(
		({ message, part }) => part === "params" && eca.messages[message as Name].from === "client",
	);

	test.each([
		["kebab", "-"],
		["snake", "_"],
	])("can be in %s case in every message", (_title, mark) => {
		for (const { message, value } of sent) {
			expect(readMessagePart(eca.messages[message as Name], "params", spelled(value, mark))).toEqual(
				readMessagePart(eca.messages[message as Name], "params", value),
			);
		}
	});

	/** Converts the keys in a value to another case convention, except keys in user data. */
	function spelled(value: unknown, mark: string): unknown {
		if (Array.isArray(value)) return value.map((each) => spelled(each, mark));
		if (typeof value !== "object" || value === null) return value;
		const entries = Object.entries(value).map(([key, inner]) => {
			const written = key.replace(/[A-Z]/g, (letter) => mark + letter.toLowerCase());
			return [written, ["initializationOptions", "data"].includes(key) ? inner : spelled(inner, mark)];
		});
		return Object.fromEntries(entries);
	}

	test("keep leading and trailing separators, and never modify a prototype", () => {
		const sent = JSON.parse('{"_meta":1,"-x":2,"a-":3,"__proto__":{"doc-text":1}}');
		const read = free.parse(sent) as object;
		expect(Object.entries(read)).toEqual([
			["_meta", 1],
			["-x", 2],
			["a-", 3],
			["__proto__", { docText: 1 }],
		]);
		expect("docText" in {}).toBe(false);
	});

	test("stay unchanged below the maximum depth", () => {
		const deep = (depth: number): unknown => (depth === 0 ? { "a-b": 1 } : { in: deep(depth - 1) });
		expect(JSON.stringify(free.parse(deep(10)))).toContain("aB");
		expect(JSON.stringify(free.parse(deep(1000)))).toContain("a-b");
	});

	test("can be missing: empty params are read as an empty object", () => {
		const all = fromEditor(record({ a: z.string().catch("") }));
		expect([null, undefined, [], {}].map((nothing) => all.parse(nothing))).toEqual(Array(4).fill({ a: "" }));
	});
});

test("errors have a type, and unreadable messages get no response", async () => {
	const { hand, problems } = connectByHand([], { dialect: eca.dialect });
	expect(await hand.write({ jsonrpc: "2.0", id: 0, method: "chat/none", params: [] })).toEqual([
		{
			jsonrpc: "2.0",
			id: 0,
			error: { type: "error", code: -32601, message: "Method not found", data: { method: "chat/none" } },
		},
	]);
	expect(await hand.write("{")).toEqual([]);
	expect(problems).toMatchObject([{ kind: "unreadable" }]);
});

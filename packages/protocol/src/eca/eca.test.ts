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

describe("the examples", () => {
	test.each(examples.map((example, index) => [index, example.message, example.part, example.value] as const))(
		"are read and written back as they are: %i, %s %s",
		(_index, name, part, value) => {
			expect(JSON.parse(JSON.stringify(readMessagePart(eca.messages[name as Name], part as Part, value)))).toEqual(
				value,
			);
		},
	);

	test("cover every message, both ways, and every kind of content", () => {
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

describe("a message", () => {
	const text = { type: "text", text: "a" };
	const folder = { uri: "file:///a", name: "a" };

	test.each<[string, Name, Part, unknown, unknown]>([
		["has null for no params", "initialized", "params", null, {}],
		["has an empty array for no params", "exit", "params", [], {}],
		["has no params", "listChats", "params", undefined, {}],
		["has members that are not known here", "promptStop", "params", { chatId: "c", x: 1 }, { chatId: "c", x: 1 }],
		["has a numeric chat id", "promptStop", "params", { chatId: 1 }, { chatId: 1 }],
		[
			"has kebab keys, as one editor writes them",
			"completionInline",
			"params",
			{ "doc-text": "a", "doc-version": 0, position: { line: 1, character: 1 } },
			{ docText: "a", docVersion: 0, position: { line: 1, character: 1 } },
		],
		[
			"has kebab keys deep inside",
			"prompt",
			"params",
			{ "request-id": 1, message: "a", contexts: [{ type: "file", path: "a", "lines-range": { start: 1, end: 2 } }] },
			{ message: "a", contexts: [{ type: "file", path: "a", linesRange: { start: 1, end: 2 } }], requestId: 1 },
		],
		[
			"has one bad context among good ones, and one of a kind of later",
			"prompt",
			"params",
			{ message: "a", contexts: [{ type: "file" }, { type: "smell" }, { type: "directory", path: "a" }] },
			{ message: "a", contexts: [{ type: "directory", path: "a" }] },
		],
		["has contexts that are no list", "prompt", "params", { message: "a", contexts: 5 }, { message: "a" }],
		[
			"has capabilities of a wrong type",
			"initialize",
			"params",
			{ processId: "x", clientInfo: {}, capabilities: { codeAssistant: [] } },
			{ capabilities: {} },
		],
		[
			"has a folder without a name, and one without an address",
			"initialize",
			"params",
			{ workspaceFolders: [{ uri: "file:///a" }, { name: "b" }] },
			{ workspaceFolders: [{ uri: "file:///a", name: "" }] },
		],
		[
			"names only the folders that came",
			"didChangeWorkspaceFolders",
			"params",
			{ event: { added: [folder] } },
			{ event: { added: [folder], removed: [] } },
		],
		["has a limit that makes no sense", "listChats", "params", { limit: -1 }, {}],
		["has a query that is null", "queryFiles", "params", { chatId: null, query: null }, { chatId: null, query: "" }],
		[
			"tells of something that a later version has brought",
			"contentReceived",
			"params",
			{ chatId: "c", content: { type: "later", x: 1 } },
			{ chatId: "c", content: { type: "(other)", raw: { type: "later", x: 1 } } },
		],
		[
			"has details of a later version",
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
		["has a status of later", "statusChanged", "params", { chatId: "c", status: "x" }, { chatId: "c", status: "x" }],
	])("is read though it %s", (_title, name, part, value, expected) => {
		expect(JSON.stringify(readMessagePart(eca.messages[name], part, value))).toBe(JSON.stringify(expected));
	});

	test.each<[string, Name, Part, unknown]>([
		["has nothing to say", "prompt", "params", { chatId: "c" }],
		["names no chat", "promptStop", "params", {}],
		["names no call", "toolCallApprove", "params", { chatId: "c" }],
		["has no place", "completionInline", "params", { docText: "a" }],
		[
			"has a place that is negative",
			"completionInline",
			"params",
			{ docText: "", position: { line: -1, character: 0 } },
		],
		["has a list in the place of its params", "prompt", "params", ["a"]],
		["holds no content", "contentReceived", "params", { chatId: "c", content: {} }],
	])("is refused when it %s", (_title, name, part, value) => {
		expect(readMessagePart(eca.messages[name], part, value)).toBeUndefined();
	});

	test("has the types that its schema says", () => {
		expectTypeOf<ParamsOf<typeof eca.completionInline>["docText"]>().toBeString();
		expectTypeOf<eca.ChatContent["type"]>().not.toEqualTypeOf<string>();
	});
});

describe("the keys of what an editor sends", () => {
	const free = fromEditor(z.unknown(), "own");

	const sent = examples.filter(
		({ message, part }) => part === "params" && eca.messages[message as Name].from === "client",
	);

	test.each([
		["kebab", "-"],
		["snake", "_"],
	])("may be in %s case, in every message", (_title, mark) => {
		for (const { message, value } of sent) {
			expect(readMessagePart(eca.messages[message as Name], "params", spelled(value, mark))).toEqual(
				readMessagePart(eca.messages[message as Name], "params", value),
			);
		}
	});

	/** A value with its keys in another spelling, but for those that belong to the user. */
	function spelled(value: unknown, mark: string): unknown {
		if (Array.isArray(value)) return value.map((each) => spelled(each, mark));
		if (typeof value !== "object" || value === null) return value;
		const entries = Object.entries(value).map(([key, inner]) => {
			const written = key.replace(/[A-Z]/g, (letter) => mark + letter.toLowerCase());
			return [written, ["initializationOptions", "data"].includes(key) ? inner : spelled(inner, mark)];
		});
		return Object.fromEntries(entries);
	}

	test("stay as they are where they begin or end with a mark, and never reach a prototype", () => {
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

	test("are left alone below a depth that no message has", () => {
		const deep = (depth: number): unknown => (depth === 0 ? { "a-b": 1 } : { in: deep(depth - 1) });
		expect(JSON.stringify(free.parse(deep(10)))).toContain("aB");
		expect(JSON.stringify(free.parse(deep(1000)))).toContain("a-b");
	});

	test("are those of an empty object where there is nothing", () => {
		const all = fromEditor(record({ a: z.string().catch("") }));
		expect([null, undefined, [], {}].map((nothing) => all.parse(nothing))).toEqual(Array(4).fill({ a: "" }));
	});
});

test("an error carries a type, and what cannot be read gets no answer", async () => {
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

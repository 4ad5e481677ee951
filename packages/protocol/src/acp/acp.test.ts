import type { ParamsOf, ResultOf } from "@segue/rpc";
import { STRICT_VALIDATORS } from "@segue/testing/editors/strict-validators";
import { readMessagePart } from "@segue/testing/rpc/peers";
import { describe, expect, expectTypeOf, test } from "vitest";
import chat from "./chat-examples.json" with { type: "json" };
import specified from "./examples.json" with { type: "json" };
import * as acp from "./index.js";

/** Those of the specifications, and those of chat, which are of our own writing. */
const examples: readonly { message: string; part: string; value: unknown }[] = [...specified, ...chat];

type Name = keyof typeof acp.messages;
type Part = "params" | "result";

describe("the examples", () => {
	test.each(examples.map((example, index) => [index, example.message, example.part, example.value] as const))(
		"are read and written back as they are: %i, %s %s",
		(_index, name, part, value) => {
			const readBack = readMessagePart(acp.messages[name as Name], part as Part, value);
			expect(JSON.parse(JSON.stringify(readBack))).toEqual(value);
			const validator = STRICT_VALIDATORS[part as Part][acp.messages[name as Name].method];
			if (validator !== undefined) expect(validator.safeParse(readBack)).toMatchObject({ success: true });
		},
	);

	test("cover every message, both ways", () => {
		const covered = new Set(examples.map(({ message, part }) => `${message} ${part}`));
		const expected = Object.entries(acp.messages).flatMap(([name, message]) =>
			message.kind === "request" ? [`${name} params`, `${name} result`] : [`${name} params`],
		);
		expect([...covered]).toEqual(expect.arrayContaining(expected));
	});
});

describe("a message", () => {
	const position = { line: 0, character: 0 };
	const suggest = { sessionId: "s", uri: "file:///a", version: 1, position, triggerKind: "manual" };

	test.each<[string, Name, Part, unknown, unknown]>([
		["has members that are not known here", "nesClose", "params", { sessionId: "s", x: 1 }, { sessionId: "s", x: 1 }],
		["has _meta of a wrong type", "nesClose", "params", { sessionId: "s", _meta: 5 }, { sessionId: "s" }],
		["has no params where all of them are optional", "nesStart", "params", undefined, undefined],
		["has a repository that is only partly there", "nesStart", "params", { repository: { name: "a" } }, {}],
		[
			"has a trigger of a later version",
			"nesSuggest",
			"params",
			{ ...suggest, triggerKind: "later" },
			{ ...suggest, triggerKind: "later" },
		],
		[
			"has one bad item of context among good ones",
			"nesSuggest",
			"params",
			{ ...suggest, context: { editHistory: [{ uri: "a" }, { uri: "a", diff: "" }], openFiles: 5 } },
			{ ...suggest, context: { editHistory: [{ uri: "a", diff: "" }] } },
		],
		[
			"has one bad excerpt among good ones",
			"nesSuggest",
			"params",
			{
				...suggest,
				context: {
					relatedSnippets: [{ uri: "a", excerpts: [{}, { startLine: 0, endLine: 0, text: "" }] }, { uri: "a" }],
				},
			},
			{ ...suggest, context: { relatedSnippets: [{ uri: "a", excerpts: [{ startLine: 0, endLine: 0, text: "" }] }] } },
		],
		[
			"has a suggestion of a kind of a later version",
			"nesSuggest",
			"result",
			{
				suggestions: [
					{ id: "1", kind: "later" },
					{ id: "2", kind: "jump", uri: "a", position },
				],
			},
			{ suggestions: [{ id: "2", kind: "jump", uri: "a", position }] },
		],
		[
			"has the ids of the second version",
			"nesAccept",
			"params",
			{ sessionId: "s", suggestionId: "1" },
			{ sessionId: "s", id: "1", suggestionId: "1" },
		],
		[
			"has a reason of a later version",
			"nesReject",
			"params",
			{ sessionId: "s", id: "1", reason: "later" },
			{ sessionId: "s", id: "1", reason: "later" },
		],
		[
			"has a reason of a wrong type",
			"nesReject",
			"params",
			{ sessionId: "s", id: "1", reason: 5 },
			{ sessionId: "s", id: "1" },
		],
		[
			"has a range of null for the whole text",
			"didChange",
			"params",
			{ sessionId: "s", uri: "a", version: 2, contentChanges: [{ range: null, text: "" }] },
			{ sessionId: "s", uri: "a", version: 2, contentChanges: [{ range: null, text: "" }] },
		],
		[
			"has a change that cannot be read, which its handler must know",
			"didChange",
			"params",
			{ sessionId: "s", uri: "a", version: 2, contentChanges: [{ text: "a" }, { text: 5 }] },
			{ sessionId: "s", uri: "a", version: 2 },
		],
		[
			"has an opening that cannot be read, which its handler must know",
			"didOpen",
			"params",
			{ sessionId: "s", uri: "a", version: 1.5, text: 5 },
			{ sessionId: "s", uri: "a", languageId: "plaintext" },
		],
		["is answered with null where there is nothing to say", "writeTextFile", "result", null, {}],
		[
			"tells of something that a later version has brought",
			"sessionUpdate",
			"params",
			{ sessionId: "s", update: { sessionUpdate: "later", x: 1 } },
			{ sessionId: "s", update: { sessionUpdate: "(other)", raw: { sessionUpdate: "later", x: 1 } } },
		],
		[
			"tells of a plan that makes no sense",
			"sessionUpdate",
			"params",
			{ sessionId: "s", update: { sessionUpdate: "plan", entries: 5 } },
			{ sessionId: "s", update: { sessionUpdate: "(other)", raw: { sessionUpdate: "plan", entries: 5 } } },
		],
		["has no MCP servers", "newSession", "params", { cwd: "/a" }, { cwd: "/a" }],
		["has a bare null for no active document", "activeDocument", "result", null, { document: null }],
		[
			"has options as the draft of NES writes them",
			"setConfigOption",
			"result",
			{
				configOptions: [{ id: "m", name: "M", type: "enum", currentValue: "a", options: [{ value: "a", label: "A" }] }],
			},
			{
				configOptions: [
					{ id: "m", name: "M", type: "select", currentValue: "a", options: [{ value: "a", name: "A", label: "A" }] },
				],
			},
		],
	])("is read though it %s", (_title, name, part, value, expected) => {
		expect(JSON.stringify(readMessagePart(acp.messages[name], part, value))).toBe(JSON.stringify(expected));
	});

	test.each<[string, Name, Part, unknown]>([
		["has a position that is negative", "nesSuggest", "params", { ...suggest, position: { line: -1, character: 0 } }],
		[
			"has a position that is no integer",
			"nesSuggest",
			"params",
			{ ...suggest, position: { line: 0.5, character: 0 } },
		],
		["has a position past 32 bits", "nesSuggest", "params", { ...suggest, position: { line: 2 ** 32, character: 0 } }],
		["has no trigger", "nesSuggest", "params", { ...suggest, triggerKind: undefined }],
		["has a folder without a name", "nesStart", "params", { workspaceFolders: [{ uri: "a" }] }],
		["has a part of a kind that nobody knows", "prompt", "params", { sessionId: "s", prompt: [{ type: "smell" }] }],
		["has no folder to work in", "newSession", "params", { mcpServers: [] }],
		["names no session", "didChange", "params", { uri: "a", version: 1, contentChanges: [] }],
		["has a limit that is negative", "recentDocuments", "params", { sessionId: "s", limit: -1 }],
	])("is refused when it %s", (_title, name, part, value) => {
		expect(readMessagePart(acp.messages[name], part, value)).toBeUndefined();
	});

	test("has the types that its schema says", () => {
		expectTypeOf<ParamsOf<typeof acp.nesSuggest>["uri"]>().toBeString();
		expectTypeOf<ResultOf<typeof acp.nesSuggest>["suggestions"]>().toEqualTypeOf<acp.Suggestion[]>();
	});
});

describe("the capabilities", () => {
	const nes = { events: { document: { didChange: { syncKind: "full" } } } };

	test.each([
		["where the first version has them", { agentCapabilities: { nes } }],
		["where the second version has them", { capabilities: { nes } }],
		["under _meta, for SDKs that strip what they do not know", { agentCapabilities: { _meta: { segue: { nes } } } }],
	])("of an agent are found %s", (_title, said) => {
		const result = readMessagePart(acp.initialize, "result", { protocolVersion: 1, ...said }) as ResultOf<
			typeof acp.initialize
		>;
		expect(acp.agentCapabilitiesOf(result).nes).toEqual(nes);
	});

	test.each([
		["null", { clientCapabilities: { nes: null } }],
		["nothing", {}],
		["under a _meta that makes no sense", { clientCapabilities: { _meta: { segue: 5 } } }],
	])("of a client are none when it says %s", (_title, said) => {
		const params = readMessagePart(acp.initialize, "params", { protocolVersion: 1, ...said }) as ParamsOf<
			typeof acp.initialize
		>;
		expect(acp.clientCapabilitiesOf(params).nes ?? undefined).toBeUndefined();
	});

	test("of both sides are found one by one, the encodings under _meta too", () => {
		const client = {
			clientCapabilities: { _meta: { segue: { positionEncodings: ["utf-8"] } } },
			capabilities: { nes: {} },
		};
		const params = readMessagePart(acp.initialize, "params", { protocolVersion: 1, ...client }) as ParamsOf<
			typeof acp.initialize
		>;
		expect(acp.clientCapabilitiesOf(params)).toMatchObject({ nes: {}, positionEncodings: ["utf-8"] });
		const agent = { agentCapabilities: { _meta: { segue: { nes, positionEncoding: "utf-8" } } } };
		const result = readMessagePart(acp.initialize, "result", { protocolVersion: 1, ...agent }) as ResultOf<
			typeof acp.initialize
		>;
		expect(acp.agentCapabilitiesOf(result)).toMatchObject({ nes, positionEncoding: "utf-8" });
	});

	test("are taken one by one: a bad one does not spoil the rest", () => {
		const said = { nes: { jump: {}, rename: 5 }, positionEncodings: ["utf-32", "utf-7"], workspace: "yes" };
		const params = readMessagePart(acp.initialize, "params", { protocolVersion: 1, clientCapabilities: said });
		expect(JSON.stringify(acp.clientCapabilitiesOf(params as ParamsOf<typeof acp.initialize>))).toBe(
			JSON.stringify({ nes: { jump: {} }, positionEncodings: ["utf-32"] }),
		);
	});

	test("of an agent lose a didChange without its sync kind, and nothing else", () => {
		const document = { didOpen: {}, didChange: {} };
		const said = { protocolVersion: 1, agentCapabilities: { nes: { events: { document } } } };
		const result = readMessagePart(acp.initialize, "result", said) as ResultOf<typeof acp.initialize>;
		expect(JSON.stringify(acp.agentCapabilitiesOf(result).nes)).toBe(
			JSON.stringify({ events: { document: { didOpen: {} } } }),
		);
	});
});

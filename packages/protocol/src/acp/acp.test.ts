import type { ParamsOf, ResultOf } from "@segue/rpc";
import { STRICT_VALIDATORS } from "@segue/testing/editors/strict-validators";
import { readMessagePart } from "@segue/testing/rpc/peers";
import { describe, expect, expectTypeOf, test } from "vitest";
import chat from "./chat-examples.json" with { type: "json" };
import specified from "./examples.json" with { type: "json" };
import * as acp from "./index.js";

/** Examples from the specifications, and our own for chat. */
const examples: readonly { message: string; part: string; value: unknown }[] = [...specified, ...chat];

type Name = keyof typeof acp.messages;
type Part = "params" | "result";

describe("examples", () => {
	test.each(examples.map((example, index) => [index, example.message, example.part, example.value] as const))(
		"round-trip unchanged: %i, %s %s",
		(_index, name, part, value) => {
			const readBack = readMessagePart(acp.messages[name as Name], part as Part, value);
			expect(JSON.parse(JSON.stringify(readBack))).toEqual(value);
			const validator = STRICT_VALIDATORS[part as Part][acp.messages[name as Name].method];
			if (validator !== undefined) expect(validator.safeParse(readBack)).toMatchObject({ success: true });
		},
	);

	test("cover the params and result of every message", () => {
		const covered = new Set(examples.map(({ message, part }) => `${message} ${part}`));
		const expected = Object.entries(acp.messages).flatMap(([name, message]) =>
			message.kind === "request" ? [`${name} params`, `${name} result`] : [`${name} params`],
		);
		expect([...covered]).toEqual(expect.arrayContaining(expected));
	});
});

describe("message schemas", () => {
	const position = { line: 0, character: 0 };
	const suggest = { sessionId: "s", uri: "file:///a", version: 1, position, triggerKind: "manual" };

	test.each<[string, Name, Part, unknown, unknown]>([
		["unknown members", "nesClose", "params", { sessionId: "s", x: 1 }, { sessionId: "s", x: 1 }],
		["_meta of the wrong type", "nesClose", "params", { sessionId: "s", _meta: 5 }, { sessionId: "s" }],
		["missing params when all members are optional", "nesStart", "params", undefined, undefined],
		["an incomplete repository", "nesStart", "params", { repository: { name: "a" } }, {}],
		[
			"an unknown trigger kind",
			"nesSuggest",
			"params",
			{ ...suggest, triggerKind: "later" },
			{ ...suggest, triggerKind: "later" },
		],
		[
			"an invalid context item among valid ones",
			"nesSuggest",
			"params",
			{ ...suggest, context: { editHistory: [{ uri: "a" }, { uri: "a", diff: "" }], openFiles: 5 } },
			{ ...suggest, context: { editHistory: [{ uri: "a", diff: "" }] } },
		],
		[
			"an invalid excerpt among valid ones",
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
			"a suggestion of an unknown kind",
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
			"the id name of protocol version 2",
			"nesAccept",
			"params",
			{ sessionId: "s", suggestionId: "1" },
			{ sessionId: "s", id: "1", suggestionId: "1" },
		],
		[
			"an unknown reject reason",
			"nesReject",
			"params",
			{ sessionId: "s", id: "1", reason: "later" },
			{ sessionId: "s", id: "1", reason: "later" },
		],
		[
			"a reject reason of the wrong type",
			"nesReject",
			"params",
			{ sessionId: "s", id: "1", reason: 5 },
			{ sessionId: "s", id: "1" },
		],
		[
			"a null range for the full text",
			"didChange",
			"params",
			{ sessionId: "s", uri: "a", version: 2, contentChanges: [{ range: null, text: "" }] },
			{ sessionId: "s", uri: "a", version: 2, contentChanges: [{ range: null, text: "" }] },
		],
		[
			"an invalid content change, leaving the changes undefined",
			"didChange",
			"params",
			{ sessionId: "s", uri: "a", version: 2, contentChanges: [{ text: "a" }, { text: 5 }] },
			{ sessionId: "s", uri: "a", version: 2 },
		],
		[
			"an invalid text and version on open, leaving them undefined",
			"didOpen",
			"params",
			{ sessionId: "s", uri: "a", version: 1.5, text: 5 },
			{ sessionId: "s", uri: "a", languageId: "plaintext" },
		],
		["null for an empty result", "writeTextFile", "result", null, {}],
		[
			"an unknown kind of session update",
			"sessionUpdate",
			"params",
			{ sessionId: "s", update: { sessionUpdate: "later", x: 1 } },
			{ sessionId: "s", update: { sessionUpdate: "(other)", raw: { sessionUpdate: "later", x: 1 } } },
		],
		[
			"a session update with invalid members",
			"sessionUpdate",
			"params",
			{ sessionId: "s", update: { sessionUpdate: "plan", entries: 5 } },
			{ sessionId: "s", update: { sessionUpdate: "(other)", raw: { sessionUpdate: "plan", entries: 5 } } },
		],
		["missing MCP servers", "newSession", "params", { cwd: "/a" }, { cwd: "/a" }],
		["a bare null for no active document", "activeDocument", "result", null, { document: null }],
		[
			"config options in the NES draft's format",
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
	])("accept %s", (_title, name, part, value, expected) => {
		expect(JSON.stringify(readMessagePart(acp.messages[name], part, value))).toBe(JSON.stringify(expected));
	});

	test.each<[string, Name, Part, unknown]>([
		["a negative position", "nesSuggest", "params", { ...suggest, position: { line: -1, character: 0 } }],
		["a fractional position", "nesSuggest", "params", { ...suggest, position: { line: 0.5, character: 0 } }],
		["a position beyond 32 bits", "nesSuggest", "params", { ...suggest, position: { line: 2 ** 32, character: 0 } }],
		["a missing trigger kind", "nesSuggest", "params", { ...suggest, triggerKind: undefined }],
		["a workspace folder without a name", "nesStart", "params", { workspaceFolders: [{ uri: "a" }] }],
		["a content block of an unknown type", "prompt", "params", { sessionId: "s", prompt: [{ type: "smell" }] }],
		["a missing working directory", "newSession", "params", { mcpServers: [] }],
		["a missing session id", "didChange", "params", { uri: "a", version: 1, contentChanges: [] }],
		["a negative limit", "recentDocuments", "params", { sessionId: "s", limit: -1 }],
	])("reject %s", (_title, name, part, value) => {
		expect(readMessagePart(acp.messages[name], part, value)).toBeUndefined();
	});

	test("infer the types of params and results", () => {
		expectTypeOf<ParamsOf<typeof acp.nesSuggest>["uri"]>().toBeString();
		expectTypeOf<ResultOf<typeof acp.nesSuggest>["suggestions"]>().toEqualTypeOf<acp.Suggestion[]>();
	});
});

describe("capabilities", () => {
	const nes = { events: { document: { didChange: { syncKind: "full" } } } };

	test.each([
		["in protocol version 1", { agentCapabilities: { nes } }],
		["in protocol version 2", { capabilities: { nes } }],
		["under _meta, for SDKs that strip unknown members", { agentCapabilities: { _meta: { segue: { nes } } } }],
	])("of an agent are found %s", (_title, members) => {
		const result = readMessagePart(acp.initialize, "result", { protocolVersion: 1, ...members }) as ResultOf<
			typeof acp.initialize
		>;
		expect(acp.agentCapabilitiesOf(result).nes).toEqual(nes);
	});

	test.each([
		["they are null", { clientCapabilities: { nes: null } }],
		["they are missing", {}],
		["_meta is invalid", { clientCapabilities: { _meta: { segue: 5 } } }],
	])("of a client are undefined if %s", (_title, members) => {
		const params = readMessagePart(acp.initialize, "params", { protocolVersion: 1, ...members }) as ParamsOf<
			typeof acp.initialize
		>;
		expect(acp.clientCapabilitiesOf(params).nes ?? undefined).toBeUndefined();
	});

	test("of both sides are merged from all locations, including encodings under _meta", () => {
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

	test("are kept if another capability is invalid", () => {
		const sent = { nes: { jump: {}, rename: 5 }, positionEncodings: ["utf-32", "utf-7"], workspace: "yes" };
		const params = readMessagePart(acp.initialize, "params", { protocolVersion: 1, clientCapabilities: sent });
		expect(JSON.stringify(acp.clientCapabilitiesOf(params as ParamsOf<typeof acp.initialize>))).toBe(
			JSON.stringify({ nes: { jump: {} }, positionEncodings: ["utf-32"] }),
		);
	});

	test("of an agent lose only didChange if its sync kind is missing", () => {
		const document = { didOpen: {}, didChange: {} };
		const sent = { protocolVersion: 1, agentCapabilities: { nes: { events: { document } } } };
		const result = readMessagePart(acp.initialize, "result", sent) as ResultOf<typeof acp.initialize>;
		expect(JSON.stringify(acp.agentCapabilitiesOf(result).nes)).toBe(
			JSON.stringify({ events: { document: { didOpen: {} } } }),
		);
	});
});

import path from "node:path";
import type { PermissionKind, PromptPart } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import type * as eca from "@segue/protocol/eca";
import { ChatFixture, says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { partsOf } from "./from-wire.js";

const FILES = { "a.ts": "1\n2\n3\n", "src/b.ts": "b\n", ".env": "KEY=1\n", "src/.env": "KEY=2\n" };

/** Converts contexts with the tools from an engine that has no network access. */
async function parts(...contexts: readonly eca.ChatContext[]) {
	const { assist, tools: box } = await ChatFixture.begin({ files: FILES });
	return partsOf(contexts, {
		tools: assist.toolsFor({ editor: {} }),
		scope: box.scope,
		isDenied: () => false,
		resource,
	});
}

const resource = async (server: string, uri: string) => {
	if (server !== "db") throw new ToolError("it is turned off.");
	return [excerpt("Table", uri)];
};

describe("a context", () => {
	const AT = { line: 2, character: 1 };
	test.each<[string, eca.ChatContext, PromptPart[]]>([
		["of a file", { type: "file", path: "a.ts" }, [file("a.ts")]],
		["of a URI", { type: "file", path: "file:///w/a.ts" }, [file("/w/a.ts")]],
		["of lines", { type: "file", path: "a.ts", linesRange: { start: 2, end: 3 } }, [file("a.ts", 2, 3)]],
		[
			"of lines in the first version",
			{ type: "file", path: "a.ts", selection: { startLine: 0, endLine: 1 } },
			[file("a.ts", 1, 1)],
		],
		[
			"of a reversed line range",
			{ type: "file", path: "a.ts", linesRange: { start: 3, end: 2 } },
			[file("a.ts", 2, 3)],
		],
		[
			"of a file with a cursor",
			{ type: "file", path: "a.ts", cursor: AT },
			[file("a.ts"), excerpt("The user's cursor", "a.ts, line 2, character 1")],
		],
		[
			"of a cursor",
			{ type: "cursor", path: "a.ts", position: { start: AT, end: AT } },
			[excerpt("The user's cursor", "a.ts, line 2, character 1")],
		],
		[
			"of a selection",
			{ type: "cursor", path: "a.ts", position: { start: AT, end: { line: 3, character: 2 } } },
			[excerpt("The user's selection", "a.ts, from line 2, character 1 to line 3, character 2")],
		],
		["of text", { type: "text", label: "Note", content: "x" }, [excerpt("Note", "x")]],
		["of code", { type: "code", content: "x", language: "ts" }, [excerpt("Code in ts", "x")]],
		[
			"of code with a description",
			{ type: "code", content: "x", language: "ts", description: "An x" },
			[excerpt("An x", "x")],
		],
		["of a terminal", { type: "terminal", content: "ok", command: "make" }, [excerpt("The output of make", "ok")]],
		[
			"of an image",
			{ type: "image", mediaType: "image/png", base64: "AA" },
			[{ type: "image", mediaType: "image/png", base64: "AA" }],
		],
	])("%s is sent to the model", async (_of, context, expected) => {
		expect(await parts(context)).toEqual({ parts: expected, notices: [] });
	});

	test("contains a resource that is read from its server, with a notice if that fails", async () => {
		const of = (server: string) => ({ type: "mcpResource" as const, uri: "db://t", name: "t", server });
		expect(await parts(of("db"))).toEqual({ parts: [excerpt("Table", "db://t")], notices: [] });
		expect(await parts(of("off"))).toMatchObject({
			notices: ["Could not attach the resource t: it is turned off."],
		});
	});

	test.each<[string, eca.ChatContext, PermissionKind, string]>([
		["a web page", { type: "web", url: "https://a.example/x" }, "network", "https://a.example"],
		["an ignored folder", { type: "directory", path: "dist" }, "read-ignored", "dist"],
		["an ignored file", { type: "file", path: "dist/x.js" }, "read-ignored", "dist/x.js"],
	])("is omitted with a notice if a rule denies %s", async (_of, context, kind, pattern) => {
		const files = { ...FILES, ".ignored": "dist/", "dist/x.js": "built\n" };
		const rules = [{ kind, pattern, answer: "deny" }] as const;
		const editor = await EcaEditor.ready({ files, rules, network: true, answers: [says("Seen.")] });
		const told = await editor.turn("Look", { contexts: [context] });
		const [notice, ...others] = told.filter((each) => each.startsWith("system text"));
		expect(others).toEqual([]);
		expect(notice).toContain(`a rule forbids it: ${kind} ${pattern}.`);
		expect(JSON.stringify(editor.conversation.model.requests)).toContain("It could not be read: a rule forbids it");
	});

	test("is omitted if its file is ignored, with a notice that names the file and the reason", async () => {
		const editor = await EcaEditor.ready({
			files: { ...FILES, "dist/x.js": "HIDDEN\n" },
			privacyOf: () => ({ isPrivate: (uri) => uri.includes("/dist/") }),
			answers: [says("Seen.")],
		});
		const told = await editor.turn("Look", { contexts: [{ type: "file", path: "dist/x.js" }] });
		expect(told.filter((each) => each.startsWith("system text"))).toEqual([
			expect.stringMatching(/not shown dist\/x\.js: it is ignored\./),
		]);
		expect(JSON.stringify(editor.conversation.model.requests)).not.toContain("HIDDEN");
	});

	test("is sent for an ignored folder without a rule, because the user added it", async () => {
		const files = { ...FILES, ".ignored": "dist/", "dist/x.js": "built\n" };
		const rules = [{ kind: "read-ignored", pattern: "other", answer: "deny" }] as const;
		const editor = await EcaEditor.ready({ files, rules, answers: [says("Seen.")] });
		await editor.turn("Look", { contexts: [{ type: "directory", path: "dist" }] });
		expect(JSON.stringify(editor.conversation.model.requests)).toContain("x.js");
	});

	test("lists a folder's files except secret ones", async () => {
		const { parts: result } = await parts({ type: "directory", path: "src" }, { type: "repoMap" });
		expect(result).toMatchObject([
			{ label: "The folder src", content: expect.stringMatching(/^b\.ts\n/) },
			{ label: "The files in the workspace", content: expect.stringContaining("src/b.ts") },
		]);
		expect(JSON.stringify(result)).not.toContain(".env");
	});

	test.each<[string, eca.ChatContext, RegExp]>([
		["a folder outside", { type: "directory", path: "/etc" }, /\/etc: "\/etc" is outside the workspace/],
		["a missing folder", { type: "directory", path: "none" }, /none: /],
		[
			"a cursor in a secret file",
			{ type: "cursor", path: ".env", position: { start: AT, end: AT } },
			/\.env: ".env" has the name of a secret file/,
		],
		["a remote file", { type: "file", path: "file://host/a" }, /it is on another machine/],
		[
			"a web page",
			{ type: "web", url: "https://a.example/" },
			/https:\/\/a\.example\/: network access is off\. Set "network": true/,
		],
	])("is omitted for %s, and the model and the user get the reason", async (_of, context, why) => {
		const { parts: result, notices } = await parts(context);
		expect(notices).toEqual([expect.stringMatching(why)]);
		expect(result).toMatchObject([{ type: "excerpt", content: expect.stringMatching(/^\(It could not be read: /) }]);
	});

	test("contains a web page if the network is allowed, with a notice if the page cannot be fetched", async () => {
		const { tools: box } = await ChatFixture.begin({});
		const fetchUrl = {
			...{ name: "fetch_url", description: "", kind: "fetch" as const, input: z.object({ url: z.string() }) },
			prepare: async ({ url }: { url: string }) => ({
				...{ title: url, locations: [], diffs: [], permissions: [] },
				run: async () => ({ output: `Page ${url}`, read: [], failed: url.endsWith("404") }),
			}),
		};
		const library = { tools: [fetchUrl as never], scope: box.scope, isDenied: () => false, resource };
		const web = (url: string): eca.ChatContext => ({ type: "web", url });
		expect(await partsOf([web("https://a.example/x"), web("https://a.example/404")], library)).toMatchObject({
			parts: [
				{ label: "https://a.example/x", content: "Page https://a.example/x" },
				{ label: "https://a.example/404" },
			],
			notices: ["Could not attach https://a.example/404: Page https://a.example/404"],
		});
	});

	test("does not contain a web page if a rule denies its origin", async () => {
		const rules = [{ kind: "network", pattern: "http://127.0.0.1:1", answer: "deny" } as const];
		const editor = await EcaEditor.ready({ answers: [says("Hi.")], network: true, rules });
		const told = await editor.turn("Read it", { contexts: [{ type: "web", url: "http://127.0.0.1:1/page" }] });
		const why = "a rule forbids it: network http://127.0.0.1:1.";
		expect(told).toContain(`system text Could not attach http://127.0.0.1:1/page: ${why}`);
		expect(JSON.stringify(editor.conversation.model.requests[0]?.messages)).toContain("It could not be read: a rule");
	});

	test("is omitted with a notice if there are too many", async () => {
		const { parts: result, notices } = await parts(
			...Array.from({ length: 201 }, () => ({ type: "text" as const, content: "x" })),
		);
		expect(result).toHaveLength(200);
		expect(notices).toEqual([expect.stringContaining("Only the first 200")]);
	});

	test("is read by the turn in both versions, unless it is secret or outside the workspace", async () => {
		const editor = await EcaEditor.ready({ files: FILES, answers: [says("Seen.")] });
		const { root } = editor.conversation.tools;
		const told = await editor.turn("Look", {
			contexts: [{ type: "file", path: path.join(root, "a.ts"), linesRange: { start: 2, end: 2 } }],
			context: [
				{ type: "file", path: path.join(root, ".env") },
				{ type: "file", path: "/etc/hostname" },
				{ type: "bad" },
			],
		});
		const request = JSON.stringify(editor.conversation.model.requests[0]);
		expect(request).toContain("lines 2 to 2:\\n```\\n2\\n```");
		expect(request).not.toContain("KEY=1");
		expect(told.filter((each) => each.startsWith("system text"))).toEqual([
			expect.stringMatching(/not shown .*\.env: it has the name of a secret file/),
			expect.stringMatching(/not shown \/etc\/hostname: .*outside the workspace/),
		]);
		expect(told).toContain("user text Look");
	});
});

function file(name: string, first?: number, last?: number): PromptPart {
	const lines = first === undefined || last === undefined ? undefined : { first, last };
	return { type: "file", path: name, lines, content: undefined };
}

function excerpt(label: string, content: string): PromptPart {
	return { type: "excerpt", label, content };
}

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

/** What a context becomes, with the tools of an engine that may not use the network. */
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
		["of a uri", { type: "file", path: "file:///w/a.ts" }, [file("/w/a.ts")]],
		["of lines", { type: "file", path: "a.ts", linesRange: { start: 2, end: 3 } }, [file("a.ts", 2, 3)]],
		[
			"of lines in the first version",
			{ type: "file", path: "a.ts", selection: { startLine: 0, endLine: 1 } },
			[file("a.ts", 1, 1)],
		],
		["of lines from the end", { type: "file", path: "a.ts", linesRange: { start: 3, end: 2 } }, [file("a.ts", 2, 3)]],
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
			[excerpt("What the user has selected", "a.ts, from line 2, character 1 to line 3, character 2")],
		],
		["of a text", { type: "text", label: "Note", content: "x" }, [excerpt("Note", "x")]],
		["of code", { type: "code", content: "x", language: "ts" }, [excerpt("Code in ts", "x")]],
		["of described code", { type: "code", content: "x", language: "ts", description: "An x" }, [excerpt("An x", "x")]],
		["of a terminal", { type: "terminal", content: "ok", command: "make" }, [excerpt("The output of make", "ok")]],
		[
			"of an image",
			{ type: "image", mediaType: "image/png", base64: "AA" },
			[{ type: "image", mediaType: "image/png", base64: "AA" }],
		],
	])("%s is told to the model", async (_of, context, expected) => {
		expect(await parts(context)).toEqual({ parts: expected, notices: [] });
	});

	test("of a resource is read from its server, and the user is told why one cannot be", async () => {
		const of = (server: string) => ({ type: "mcpResource" as const, uri: "db://t", name: "t", server });
		expect(await parts(of("db"))).toEqual({ parts: [excerpt("Table", "db://t")], notices: [] });
		expect(await parts(of("off"))).toMatchObject({
			notices: ["The model was not shown the resource t: it is turned off."],
		});
	});

	test.each<[string, eca.ChatContext, PermissionKind, string]>([
		["a web page", { type: "web", url: "https://a.example/x" }, "network", "https://a.example"],
		["an ignored folder", { type: "directory", path: "dist" }, "read-ignored", "dist"],
		["an ignored file", { type: "file", path: "dist/x.js" }, "read-ignored", "dist/x.js"],
	])("of %s that a rule forbids is left out, and the person is told why", async (_of, context, kind, pattern) => {
		const files = { ...FILES, ".ignored": "dist/", "dist/x.js": "built\n" };
		const rules = [{ kind, pattern, answer: "deny" }] as const;
		const editor = await EcaEditor.ready({ files, rules, network: true, answers: [says("Seen.")] });
		const told = await editor.turn("Look", { contexts: [context] });
		const [notice, ...others] = told.filter((each) => each.startsWith("system text"));
		expect(others).toEqual([]);
		expect(notice).toContain(`a rule forbids it: ${kind} ${pattern}.`);
		expect(JSON.stringify(editor.conversation.model.requests)).toContain("It could not be read: a rule forbids it");
	});

	test("of an ignored file is not shown, and a notice names the file and the reason", async () => {
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

	test("of an ignored folder that no rule is about is shown, since the person has named it", async () => {
		const files = { ...FILES, ".ignored": "dist/", "dist/x.js": "built\n" };
		const rules = [{ kind: "read-ignored", pattern: "other", answer: "deny" }] as const;
		const editor = await EcaEditor.ready({ files, rules, answers: [says("Seen.")] });
		await editor.turn("Look", { contexts: [{ type: "directory", path: "dist" }] });
		expect(JSON.stringify(editor.conversation.model.requests)).toContain("x.js");
	});

	test("of a folder lists what is in it, and no secrets", async () => {
		const { parts: told } = await parts({ type: "directory", path: "src" }, { type: "repoMap" });
		expect(told).toMatchObject([
			{ label: "The folder src", content: expect.stringMatching(/^b\.ts\n/) },
			{ label: "The files of the workspace", content: expect.stringContaining("src/b.ts") },
		]);
		expect(JSON.stringify(told)).not.toContain(".env");
	});

	test.each<[string, eca.ChatContext, RegExp]>([
		["a folder outside", { type: "directory", path: "/etc" }, /\/etc: "\/etc" leads outside of the workspace/],
		["a folder that is not there", { type: "directory", path: "none" }, /none: /],
		[
			"a cursor in a secret file",
			{ type: "cursor", path: ".env", position: { start: AT, end: AT } },
			/\.env: ".env" holds secrets/,
		],
		["a file of another machine", { type: "file", path: "file://host/a" }, /it is a file of another machine/],
		[
			"a web page",
			{ type: "web", url: "https://a.example/" },
			/https:\/\/a\.example\/: the network is not used\. "network": true/,
		],
	])("of %s is left out, and both the model and the person are told why", async (_of, context, why) => {
		const { parts: told, notices } = await parts(context);
		expect(notices).toEqual([expect.stringMatching(why)]);
		expect(told).toMatchObject([{ type: "excerpt", content: expect.stringMatching(/^\(It could not be read: /) }]);
	});

	test("of a web page is fetched where the network is allowed, and told where that fails", async () => {
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
			notices: ["The model was not shown https://a.example/404: Page https://a.example/404"],
		});
	});

	test("of a web page is not fetched where a rule denies its origin", async () => {
		const rules = [{ kind: "network", pattern: "http://127.0.0.1:1", answer: "deny" } as const];
		const editor = await EcaEditor.ready({ answers: [says("Hi.")], network: true, rules });
		const told = await editor.turn("Read it", { contexts: [{ type: "web", url: "http://127.0.0.1:1/page" }] });
		const why = "a rule forbids it: network http://127.0.0.1:1.";
		expect(told).toContain(`system text The model was not shown http://127.0.0.1:1/page: ${why}`);
		expect(JSON.stringify(editor.conversation.model.requests[0]?.messages)).toContain("It could not be read: a rule");
	});

	test("too many is left out with a notice", async () => {
		const { parts: told, notices } = await parts(
			...Array.from({ length: 201 }, () => ({ type: "text" as const, content: "x" })),
		);
		expect(told).toHaveLength(200);
		expect(notices).toEqual([expect.stringContaining("only the first 200")]);
	});

	test("is read by the turn, in both versions, and what is secret or outside is not", async () => {
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
			expect.stringMatching(/not shown .*\.env: it is secret by its name/),
			expect.stringMatching(/not shown \/etc\/hostname: .*outside of the workspace/),
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

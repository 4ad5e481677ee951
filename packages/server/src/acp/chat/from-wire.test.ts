import type * as acp from "@segue/protocol/acp";
import { expect, test } from "vitest";
import { promptPartsOf } from "./from-wire.js";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const link = (uri: string): acp.ContentBlock => ({ type: "resource_link", uri, name: "a.ts" });
const blob = (bytes: string, mimeType?: string): acp.ContentBlock => {
	return { type: "resource", resource: { uri: "file:///w/a.ts", blob: bytes, mimeType } };
};

test.each<[string, acp.ContentBlock, unknown]>([
	["text", { type: "text", text: "Hi" }, { type: "text", text: "Hi" }],
	[
		"an image",
		{ type: "image", data: "aGk=", mimeType: "image/png" },
		{ type: "image", mediaType: "image/png", base64: "aGk=" },
	],
	["a link to a file", link("file:///w/a%20b.ts"), { type: "file", path: "/w/a b.ts" }],
	["a link to a line", link("file:///w/a.ts#L3"), { type: "file", path: "/w/a.ts", lines: { first: 3, last: 3 } }],
	["a link to lines", link("file:///w/a.ts#L3-L9"), { type: "file", lines: { first: 3, last: 9 } }],
	["a link to lines and columns", link("file:///w/a.ts#L3:1-9:4"), { type: "file", lines: { first: 3, last: 9 } }],
	["a link with another fragment", link("file:///w/a.ts#top"), { type: "file", path: "/w/a.ts", lines: undefined }],
	["a web link", link("https://example.com/a"), { type: "text", text: "[a.ts](https://example.com/a)" }],
	["a path", link("src/a.ts"), { type: "file", path: "src/a.ts", lines: undefined }],
	["a path with lines", link("/w/a.ts#L3-9"), { type: "file", path: "/w/a.ts", lines: { first: 3, last: 9 } }],
	[
		"a path with text",
		{ type: "resource", resource: { uri: "/w/.env", text: "KEY=1" } },
		{ type: "file", path: "/w/.env", content: "KEY=1" },
	],
	[
		"a secret file with another scheme",
		{ type: "resource", resource: { uri: "git:/w/.env", text: "KEY=1" } },
		{ type: "file", path: "git:/w/.env", content: "KEY=1" },
	],
	["a link to a file on another host", link("file://host/a.ts"), { type: "text", text: "[a.ts](file://host/a.ts)" }],
	[
		"a file with text",
		{ type: "resource", resource: { uri: "file:///w/a.ts", text: "a" } },
		{ type: "file", path: "/w/a.ts", content: "a" },
	],
	[
		"text with another scheme",
		{ type: "resource", resource: { uri: "git:/w/ignored/a.ts", text: "a" } },
		{ type: "file", path: "git:/w/ignored/a.ts", content: "a", isEmbedded: true },
	],
	[
		"the text of a file on another host",
		{ type: "resource", resource: { uri: "file://host/a.ts", text: "a" } },
		{ type: "file", path: "file://host/a.ts", content: "a" },
	],
	["a link to a thread", link("zed:///thread/1"), { type: "text", text: "[a.ts](zed:///thread/1)" }],
	[
		"a web page",
		{ type: "resource", resource: { uri: "https://example.org/", text: "a" } },
		{ type: "excerpt", label: "https://example.org/", content: "a" },
	],
	[
		"an unsaved document",
		{ type: "resource", resource: { uri: "untitled:1", text: "a" } },
		{ type: "excerpt", label: "untitled:1", content: "a" },
	],
	["binary image data", blob("aGk=", "image/png"), { type: "image", mediaType: "image/png", base64: "aGk=" }],
	["binary data that is UTF-8 text", blob(base64("é")), { type: "file", path: "/w/a.ts", content: "é" }],
])("reads a prompt with %s", (_title, block, part) => {
	expect(promptPartsOf([block])).toMatchObject([part]);
});

test.each<[string, acp.ContentBlock]>([
	["audio", { type: "audio", data: "", mimeType: "audio/wav" }],
	["other binary data", blob(Buffer.from([0xff, 0xfe]).toString("base64"))],
])("rejects a prompt with %s and names the block", (_title, block) => {
	expect(() => promptPartsOf([{ type: "text", text: "" }, block])).toThrow(/^Invalid params: params\.prompt\[1\]: /);
});

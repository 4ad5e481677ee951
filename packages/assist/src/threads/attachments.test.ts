import path from "node:path";
import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { expect, test, vi } from "vitest";
import { fenced } from "./attachments.js";
import type { PromptPart } from "./thread.js";

const FILES = {
	"a.ts": "one\ntwo\nthree\nfour\n",
	".env": "KEY=1",
	notes: "→ .env",
	"bin.dat": new Uint8Array([0, 1, 2]),
	"../out.ts": "out",
	"ignored/a.ts": "HIDDEN",
	link: "→ ignored",
};
const IGNORED = { privacyOf: () => ({ isPrivate: (uri: string) => uri.includes("/ignored/") }) };
const file = (path: string, more: Partial<Extract<PromptPart, { type: "file" }>> = {}): PromptPart => {
	return { type: "file", path, lines: undefined, content: undefined, ...more };
};
const IMAGE: PromptPart = { type: "image", mediaType: "image/png", base64: "AAAA" };

/** Sends a prompt. Returns the part that the model gets, the notices for the user and the stored prompt. */
async function asked(part: PromptPart, options: { takesImages?: boolean; buffers?: ChatFixture["buffers"] } = {}) {
	const chat = await ChatFixture.begin({ files: FILES, ...IGNORED, ...options });
	expect(await chat.prompt([{ type: "text", text: "Look:" }, part])).toBe("done");
	const shown = chat.model.requests[0]?.messages[0];
	const notices = (await chat.lines()).filter((line) => line.startsWith("warning: "));
	return {
		shown: shown?.role === "user" ? shown.parts[1] : undefined,
		notices,
		entry: (await chat.entries())[0]?.body,
	};
}

for (const { title, part, text } of [
	{ title: "a file", part: file("a.ts"), text: "a.ts:\n```\none\ntwo\nthree\nfour\n```" },
	{
		title: "a range of lines in a file",
		part: file("a.ts", { lines: { first: 2, last: 3 } }),
		text: "a.ts, lines 2 to 3:\n```\ntwo\nthree\n```",
	},
	{
		title: "a file as the editor sent it",
		part: file("a.ts", { content: "unsaved" }),
		text: "a.ts:\n```\nunsaved\n```",
	},
	{
		title: "an ignored file whose content the editor sent",
		part: file("ignored/a.ts", { content: "sent" }),
		text: "ignored/a.ts:\n```\nsent\n```",
	},
	{
		title: "a link to an ignored file whose content the editor sent",
		part: file("link/a.ts", { content: "sent" }),
		text: "link/a.ts:\n```\nsent\n```",
	},
	{
		title: "a document without a file",
		part: { type: "excerpt", label: "untitled:1", content: "new" } as const,
		text: "untitled:1:\n```\nnew\n```",
	},
	{
		title: "terminal output",
		part: { type: "excerpt", label: "Terminal", content: "$ ls" } as const,
		text: "Terminal:\n```\n$ ls\n```",
	},
]) {
	test(`sends the model ${title}`, async () => {
		const { shown, notices } = await asked(part);
		expect(shown).toEqual({ type: "text", text });
		expect(notices).toEqual([]);
	});
}

test("prefers the open buffer and stores it in the thread", async () => {
	const buffers = {
		read: async (path: string) => (path.endsWith("a.ts") ? "open" : undefined),
		write: async () => true,
	};
	const { shown, entry } = await asked(file("a.ts"), { buffers });
	expect(shown).toMatchObject({ text: "a.ts:\n```\nopen\n```" });
	expect(entry).toMatchObject({ parts: [{}, { content: "open" }] });
});

for (const { title, part, why } of [
	{ title: "a secret file", part: file(".env"), why: /secret/ },
	{ title: "a secret file that the editor sent", part: file(".env", { content: "KEY=1" }), why: /secret/ },
	{ title: "a link to a secret file that the editor sent", part: file("notes", { content: "KEY=1" }), why: /secret/ },
	{ title: "an ignored file", part: file("ignored/a.ts"), why: /shown ignored\/a\.ts: it is ignored/ },
	{ title: "a link to an ignored file", part: file("link/a.ts"), why: /shown link\/a\.ts: it is ignored/ },
	{
		title: "a document with a URI scheme that only the editor knows",
		part: file("git:/w/ignored/a.ts", { content: "HIDDEN" }),
		why: /shown git:\/w\/ignored\/a\.ts: it is not a file on this machine/,
	},
	{
		title: "a file on another machine",
		part: file("file://host/a.ts", { content: "HIDDEN" }),
		why: /shown file:\/\/host\/a\.ts: it is not a file on this machine/,
	},
	{ title: "a file outside the workspace", part: file("../out.ts"), why: /outside/ },
	{ title: "a missing file", part: file("none.ts"), why: /does not exist/ },
	{ title: "a binary file", part: file("bin.dat"), why: /not UTF-8 text/ },
]) {
	test(`does not send the model ${title} and tells the user`, async () => {
		const { shown, notices, entry } = await asked(part);
		expect(shown).toMatchObject({ text: expect.stringMatching(/not shown/) });
		expect(notices).toEqual([expect.stringMatching(why)]);
		expect(JSON.stringify(entry)).not.toMatch(/KEY=1|HIDDEN/);
	});
}

test("continues without a file if the editor fails", async () => {
	const buffers = { read: () => Promise.reject(new Error("editor is busy")), write: async () => true };
	expect((await asked(file("a.ts"), { buffers })).notices).toEqual([expect.stringMatching(/editor is busy/)]);
});

test("sends an image only to a model that accepts images, and notifies the user if the model does not", async () => {
	expect((await asked(IMAGE, { takesImages: true })).shown).toEqual(IMAGE);
	const { shown, notices } = await asked(IMAGE, { takesImages: false });
	expect(shown).toMatchObject({ type: "text" });
	expect(notices).toEqual([expect.stringMatching(/the model does not accept images. Choose another one with \/model/)]);
});

for (const { title, change, why } of [
	{ title: "is too large", change: { base64: "A".repeat(5_000_001) }, why: /too large/ },
	{ title: "no provider accepts", change: { mediaType: "image/tiff" }, why: /Send a PNG, JPEG, GIF or WebP\./ },
]) {
	test(`omits an image that ${title}`, async () => {
		const { shown, notices } = await asked({ ...IMAGE, ...change }, { takesImages: true });
		expect(shown).toBeUndefined();
		expect(notices).toEqual([expect.stringMatching(why)]);
	});
}

for (const { title, part } of [
	{ title: "an excerpt", part: { type: "excerpt", label: "Log", content: "x".repeat(150_000) } },
	{ title: "a text", part: { type: "text", text: "x".repeat(150_000) } },
] as const) {
	test(`truncates ${title} that is too long for the model, tells the user, and stores all of it`, async () => {
		const { shown, notices, entry } = await asked(part);
		expect(shown).toMatchObject({
			text: expect.stringMatching(/x\n\(truncated: 50000 of 150000 characters omitted\)/),
		});
		expect(notices).toEqual([expect.stringMatching(/only part of (?:Log|your text) because it is too long/)]);
		expect(entry).toMatchObject({ parts: [{}, part] });
	});
}

test("limits the size of a whole prompt", async () => {
	const chat = await ChatFixture.begin({});
	const part = { type: "excerpt", label: "Log", content: "x".repeat(100_000) } as const;
	await chat.prompt(Array.from({ length: 10 }, () => part));
	expect(JSON.stringify(chat.model.requests[0]?.messages).length).toBeLessThan(310_000);
});

test("uses a fence that is longer than any in the text", () => {
	expect(fenced("a", "```\n````\n")).toBe("a:\n`````\n```\n````\n`````");
});

test("puts AGENTS.md before the conversation and says that it comes from the project", async () => {
	const chat = await ChatFixture.begin({ files: { "AGENTS.md": "Use tabs." } });
	await chat.prompt("Go");
	expect(chat.model.requests[0]?.messages).toEqual([
		{
			role: "user",
			parts: [
				{ type: "text", text: expect.stringMatching(/^The project has a file with advice.*Use tabs\./s) },
				{ type: "text", text: "Go" },
			],
		},
	]);
	expect(chat.model.requests[0]?.system).not.toContain("Use tabs.");
});

test.each([
	["is open and unsaved", "AGENTS.md", /Use tabs\./],
	["is neither on disk nor open", "other.md", /^(?!.*Use tabs)/s],
])("reads AGENTS.md from the editor only if it exists: it %s", async (_title, open, shown) => {
	const read = vi.fn(async () => "Use tabs.");
	const chat: ChatFixture = await ChatFixture.begin({
		buffers: { read, write: async () => false },
		editor: { openDocuments: async () => [{ path: path.join(chat.tools.root, open), text: "" }] },
	});
	await chat.prompt("Go");
	expect(JSON.stringify(chat.model.requests[0]?.messages)).toMatch(shown);
	expect(read).toHaveBeenCalledTimes(open === "AGENTS.md" ? 1 : 0);
});

for (const { title, files, isIgnored } of [
	{ title: "that is ignored", files: { "AGENTS.md": "Use tabs." }, isIgnored: (uri: string) => uri.endsWith(".md") },
	{
		title: "that is a link to an ignored file",
		files: { "AGENTS.md": "→ log", log: "Use tabs." },
		isIgnored: (uri: string) => uri.endsWith("log"),
	},
]) {
	test(`does not send an AGENTS.md ${title}`, async () => {
		const chat = await ChatFixture.begin({ files, privacyOf: () => ({ isPrivate: isIgnored }) });
		await chat.prompt("Go");
		expect(chat.model.requests[0]?.messages).toEqual([{ role: "user", parts: [{ type: "text", text: "Go" }] }]);
	});
}

// Split so that secret scanners don't report them.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const PEM = `${["-----BEGIN RSA", "PRIVATE", "KEY-----"].join(" ")}\n${"MIIEpAIBAAKCAQEA7xYz9Qw0".repeat(3)}\n`;

test.for([
	["a file on disk", file("keys.ts")],
	["a file as the editor sent it", file("a.ts", { content: `const key = "${TOKEN}"` })],
	["an excerpt", { type: "excerpt", label: "Terminal", content: `$ env\nKEY=${TOKEN}` } as const],
] as const)("masks keys in %s", async ([, part]) => {
	const chat = await ChatFixture.begin({ files: { "keys.ts": `const key = "${TOKEN}"` } });
	await chat.prompt([part]);
	const sent = JSON.stringify(chat.model.requests[0]?.messages);
	expect(sent).toContain("REDACTED_SECRET_");
	expect(sent).not.toContain(TOKEN);
});

test("does not send a private key, whatever the file's name", async () => {
	const { shown, notices } = await asked(file("notes.txt", { content: PEM }));
	expect(shown).toEqual({ type: "text", text: "(notes.txt, not shown)" });
	expect(notices).toEqual(["warning: The model was not shown notes.txt: it is a private key."]);
});

import { History, type Scene, sceneOf } from "@segue/predict";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editModelRequestOf, FORMATS } from "./formats.js";
import { promptInputOf } from "./prompt-input.js";
import { mayShow, redactScene } from "./redaction.js";

const OPEN = "file:///app/lib.ts";
const HIDDEN = ["file:///app/.env", "file:///app/%2Eenv", "file:///app/dist/out.ts", "file:///app/dist/%6Fut.ts"];
const IGNORED = new Set(["file:///app/dist/out.ts"]);

function documentAt(uri: string, source = "log()") {
	return { uri, languageId: "typescript", version: 0, text: Text.of(source) };
}

const uris = [...HIDDEN, OPEN];
const SCENE: Scene = {
	...sceneOf(documentAt("file:///app/own.ts"), History.empty, 0),
	ignored: IGNORED,
	neighbours: [...uris.map((uri) => documentAt(uri)), documentAt("file:///app/odd.ts", "\0")],
	views: uris.map((uri) => ({ uri, languageId: undefined, cursor: 0, visible: undefined, focusedAtMs: 0 })),
	excerpts: uris.map((uri) => ({ uri, first: 0, last: 0, text: "log()" })),
	diagnostics: uris.map((uri) => ({ uri, from: 0, to: 0, severity: "error", message: "no" })),
};

test.each(["neighbours", "views", "excerpts", "diagnostics"] as const)("hides files in %s", (part) => {
	const open = redactScene(SCENE);
	expect(typeof open === "string" ? open : open[part].map(({ uri }) => uri)).toEqual([OPEN]);
});

test.each([
	["of an open file that is binary", "file:///app/odd.ts", "log()"],
	["of an open file that is minified", "file:///app/app.min.js", "log()"],
	["that is binary itself", "file:///app/shut.ts", "\0"],
	["that is minified itself", "file:///app/shut.ts", `log()\n${"x".repeat(6000)}`],
])("hides an excerpt %s", (_, uri, text) => {
	const neighbours = [...SCENE.neighbours, documentAt("file:///app/app.min.js", "x".repeat(6000))];
	const excerpts = [{ uri, first: 0, last: 0, text }, ...SCENE.excerpts];
	const open = redactScene({ ...SCENE, neighbours, excerpts });
	expect(typeof open === "string" ? open : open.excerpts.map((one) => one.uri)).toEqual([OPEN]);
});

test("hides files as soon as they are ignored", () => {
	const before = redactScene({ ...SCENE, ignored: undefined });
	const now = redactScene({ ...SCENE, ignored: new Set([...IGNORED, OPEN]) });
	if (typeof before === "string" || typeof now === "string") expect.fail();
	expect(before.neighbours).toHaveLength(3);
	expect(now.neighbours).toEqual([]);
});

test("checks the neighbours of a scene once", () => {
	const [one, other] = [redactScene(SCENE), redactScene({ ...SCENE, cursor: 3 })];
	if (typeof one === "string" || typeof other === "string") expect.fail();
	expect(one.neighbours).toBe(other.neighbours);
});

test.each(uris)("shows an event in %s only if the file is not hidden", (uri) => {
	expect(mayShow(uri, SCENE)).toBe(uri === OPEN);
});

test.each([
	["virtual-file", "git:/app/dist/out.ts"],
	["virtual-file", "vscode-remote://wsl/app/out.ts"],
	["ignored-file", "file:///app/dist/out.ts"],
	["ignored-file", "/app/dist/out.ts"],
] as const)("the reason is %s for %s", (reason, uri) => {
	expect(redactScene({ ...SCENE, document: documentAt(uri), ignored: new Set([uri]) })).toBe(reason);
});

// Split into parts, so that secret scanners don't report them.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const BODY = Array.from({ length: 6 }, (_, i) => `${i}MIIEpAIBAAKCAQEA7xYz9Qw`.repeat(3).slice(0, 64));
const BEGIN = ["-----BEGIN RSA", "PRIVATE", "KEY-----"].join(" ");
const PEM = [BEGIN, ...BODY, BEGIN.replace("BEGIN", "END")].join("\n");

describe("a file that is a private key", () => {
	test("is secret with any name", () => {
		expect(redactScene({ ...SCENE, document: documentAt("file:///app/notes.txt", `\n${PEM}\n`) })).toBe("secret-file");
	});

	test("is hidden in neighbours, excerpts and history", () => {
		const key = documentAt("file:///app/notes.txt", PEM);
		const excerpts = [{ uri: key.uri, first: 3, last: 3, text: BODY[2] as string }];
		const change = Change.of([{ from: 0, to: 0, insert: " " }], key.text.length);
		const history = History.empty.changed(key, change, { atMs: 0, isAccepted: false });
		const input = promptInputOf({ ...SCENE, neighbours: [key], excerpts, history, diagnostics: [], views: [] });
		expect(input).toMatchObject({ edits: [], recent: [], related: [] });
	});
});

test("hides files that are only in the workspace index, and their keys", () => {
	const closed = documentAt("file:///app/config.ts", `export const area = "${TOKEN}"\n`);
	const folder = { having: () => [closed], hasAll: () => true, find: () => closed, fileAt: () => closed };
	const view = { uri: closed.uri, languageId: undefined, cursor: 0, visible: undefined, focusedAtMs: 0 };
	const document = documentAt("file:///app/own.ts", "import { area } from './config'\nlog(area)\n");
	const scene: Scene = { ...sceneOf(document, History.empty, document.text.length), views: [view], folder };
	expect(redactScene(scene)).toMatchObject({ folder: undefined });
	expect(promptInputOf(scene)).toMatchObject({ edits: [], recent: [], related: [] });
});

const someLine = fc.constantFrom("", "log(total)", "const total = 1", "}", "漢字", "import { area } from './lib'");
const someKey = fc.constantFrom(`const key = "${TOKEN}"`, PEM, `KEY=${TOKEN}`, `const pem = ${JSON.stringify(PEM)}`);
const someSource = fc
	.record({
		lines: fc.array(someLine, { minLength: 1, maxLength: 30 }),
		keys: fc.array(someKey, { maxLength: 2 }),
		at: fc.nat(),
	})
	.map(({ lines, keys, at }) =>
		["export const area = 1", ...(lines as string[]).toSpliced(at % lines.length, 0, ...keys)].join("\n"),
	);

test("no format puts a key into a prompt", () => {
	const some = fc.record({
		before: someSource,
		inserted: fc.oneof(someKey, someLine),
		lib: someSource,
		excerpt: someSource,
		at: fc.nat(),
	});
	fc.assert(
		fc.property(some, ({ before, inserted, lib, excerpt, at }) => {
			const document = documentAt("file:///app/own.ts", before);
			const from = document.text.lineStart(at % document.text.lineCount);
			const change = Change.of([{ from, to: from, insert: `${inserted}\n` }], before.length);
			const history = [document].reduce(
				(known, one) => known.changed(one, change, { atMs: 0, isAccepted: false }),
				History.empty,
			);
			const now = { ...document, text: change.apply(document.text) };
			const own = { uri: now.uri, from: 0, to: 1, severity: "error", message: `bad ${TOKEN}` } as const;
			const scene: Scene = {
				...sceneOf(now, history, from),
				neighbours: [documentAt("file:///app/lib.ts", lib)],
				excerpts: [{ uri: "file:///app/other.ts", first: 0, last: excerpt.split("\n").length - 1, text: excerpt }],
				diagnostics: [own],
			};
			const input = promptInputOf(scene);
			// The key was inserted at the start.
			if (input === "secret-file") return;
			if (typeof input === "string") expect.fail(input);
			expect(input.text).toHaveLength(now.text.length);
			for (const format of FORMATS.values()) {
				const request = editModelRequestOf(format, input, { model: "any", windowTokens: undefined });
				if (typeof request === "string") expect.fail(`${format.name}: ${request}`);
				const prompt = JSON.stringify(request.ask);
				for (const secret of [TOKEN, ...BODY]) expect(prompt).not.toContain(secret);
			}
		}),
	);
});

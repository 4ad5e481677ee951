import { DEFAULT_SETTINGS, type Settings } from "@segue/agent/next-edit/settings";
import { ModelFailure } from "@segue/models";
import { ErrorCode, RpcError } from "@segue/rpc";
import { someText } from "@segue/testing/arbitrary";
import { EcaEditor, type EcaEditorOptions } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { offsetOf, positionAt, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { insertionIn } from "./completer.js";

const WRITERS = { completion: "test/first", rewrite: undefined } as const;
// The engine completes this with high confidence.
const SURE =
	"class User {\n\tconstructor(name, age, mail) {\n\t\tthis.name = name;\n\t\tthis.age = age;\n\t\tthis.mail =▮\n\t}\n}\n";
// The engine finds nothing similar to this.
const ODD = "const total =▮\n";

/** Returns the params for a document in which ▮ marks the cursor. */
function asked(picture: string, more: object = {}) {
	const [head = "", tail = ""] = picture.split("▮");
	const { line, character } = positionAt(Text.of(head + tail), head.length, "utf-16");
	return { docText: head + tail, docVersion: 7, position: { line: line + 1, character: character + 1 }, ...more };
}

/** Returns the text inserted at the ▮ in a document, or the reason why no text is inserted. */
async function completed(editor: EcaEditor, picture: string, more: object = {}): Promise<string> {
	const { result, error } = await editor.request("completion/inline", asked(picture, more));
	return error?.message ?? result.items[0]?.text ?? result.reason;
}

function withModel(answers: EcaEditorOptions["answers"] = [], more: EcaEditorOptions = {}): Promise<EcaEditor> {
	return EcaEditor.ready({ answers, engine: () => ({ writers: WRITERS }), ...more });
}

/** Starts an editor whose model waits before it answers. Also returns the model. */
async function withWaiting() {
	const editor = await withModel([[HOLD]]);
	return { editor, model: editor.conversation.model };
}

describe("a key in a document", () => {
	const token = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;

	test("is masked for the model, and the mask is never inserted", async () => {
		const editor = await withModel([" 'REDACTED_SECRET_REDACTED_SECRET_'"]);
		expect(await completed(editor, `const key = "${token}"\n${ODD}`)).toBe("model-has-nothing");
		const sent = JSON.stringify(editor.conversation.model.requests);
		expect(sent).toContain("REDACTED_SECRET_");
		expect(sent).not.toContain(token);
	});
});

describe("the configured settings", () => {
	const quiet = (settings: Partial<Settings>) =>
		withModel([], { backend: { suggestionSettings: async () => ({ ...DEFAULT_SETTINGS, ...settings }) } });

	test.for<[string, Partial<Settings>, string?]>([
		["disabled", { isEnabled: false }],
		["off-in-language", { offInLanguages: ["javascript"] }],
		["off-in-file", { offInFiles: ["src/*.js"] }],
		["snoozed", { snoozeMinutes: 5 }],
		["off-in-comments-and-strings", { offInCommentsAndStrings: true }, "// const total =▮\n"],
	])("suppress completions: %s", async ([reason, settings, picture = SURE]) => {
		const editor = await quiet(settings);
		expect(await completed(editor, picture, { path: "src/user.js" })).toBe(reason);
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test("allow completions elsewhere, and after the snooze", async () => {
		const editor = await quiet({ offInFiles: ["src/*.js"], offInLanguages: ["markdown"], snoozeMinutes: 5 });
		editor.clock.advance(5 * 60_000);
		expect(await completed(editor, SURE, { path: "lib/user.js" })).toBe(" mail;");
	});

	test("do not apply if they depend on the trigger", async () => {
		const editor = await quiet({ onlyWhenAsked: true, delayMs: 1000, giveUpAfterIgnored: 1 });
		expect(await completed(editor, SURE, { path: "user.js" })).toBe(" mail;");
	});

	test("are awaited by a request, which a later request can supersede", async () => {
		const known = deferred();
		const suggestionSettings = async () => {
			await known.opened;
			return DEFAULT_SETTINGS;
		};
		const editor = await withModel([], { backend: { suggestionSettings } });
		const answers = [completed(editor, SURE, { path: "user.js" }), completed(editor, SURE, { path: "user.js" })];
		await settled();
		known.open();
		expect(await Promise.all(answers)).toEqual(["superseded", " mail;"]);
	});
});

describe("a completion without a model", () => {
	test("continues the line like similar lines, at the cursor and for the requested version", async () => {
		const editor = await EcaEditor.ready();
		const { result } = await editor.request("completion/inline", asked(SURE, { path: "user.js" }));
		const cursor = { line: 5, character: 14 };
		expect(result).toEqual({ items: [{ text: " mail;", docVersion: 7, range: { start: cursor, end: cursor } }] });
	});

	test("accepts kebab-case keys and a missing path", async () => {
		const editor = await EcaEditor.ready();
		const { docText, docVersion, position } = asked(SURE);
		const params = { "doc-text": docText, "doc-version": docVersion, position };
		const { result } = await editor.request("completion/inline", params);
		expect(result.items).toMatchObject([{ text: " mail;", docVersion: 7 }]);
	});

	test("uses documents from earlier requests, up to a limit", async () => {
		const first = `export function show(user) {\n\treturn render(user, layout, theme);\n}\n`.repeat(2);
		const second = "export function list(user) {\n\treturn render(user,▮\n}\n";
		const editor = await EcaEditor.ready();
		expect(await completed(editor, second, { path: "b.js" })).toBe("nothing-found");
		await completed(editor, `${first}▮`, { path: "a.js" });
		expect(await completed(editor, second, { path: "b.js" })).toBe(" layout, theme);");
		for (let count = 0; count < 10; count++) await completed(editor, "▮", { path: `${count}.js` });
		expect(await completed(editor, second, { path: "b.js" })).toBe("nothing-found");
	});

	test.for([
		["the line is empty", "▮\n", "nothing-typed", {}],
		["nothing is similar", ODD, "nothing-found", {}],
		["the file is secret", SURE, "secret-file", { path: ".env" }],
		["the file is binary", "a\0b▮", "binary-file", {}],
	] as const)("reports why there is none: %s", async ([, picture, reason, more]) => {
		const editor = await EcaEditor.ready();
		const { result } = await editor.request("completion/inline", asked(picture, more));
		expect(result).toEqual({ items: [], reason });
	});

	test("works with an invalid configuration", async () => {
		const engineFor = () => Promise.reject(new RpcError(ErrorCode.internal, "Fix config.json."));
		const editor = await EcaEditor.ready({ backend: { engineFor } });
		expect(await completed(editor, SURE)).toBe(" mail;");
		expect(await completed(editor, ODD)).toBe("nothing-found");
	});
});

describe("a completion from a model", () => {
	test("is requested with the cursor marked, unless the engine is confident", async () => {
		const editor = await withModel([" 1"]);
		expect(await completed(editor, SURE, { path: "user.js" })).toBe(" mail;");
		expect(await completed(editor, "const total =▮\nlog(total)\n", { path: "a.ts" })).toBe(" 1");
		expect(editor.conversation.model.requests).toHaveLength(1);
		const [request] = editor.conversation.model.requests;
		const [part] = request?.messages[0]?.role === "user" ? request.messages[0].parts : [];
		expect(part).toMatchObject({
			text: expect.stringMatching(/typescript text:\n\nconst total =<CURSOR>\nlog\(total\)\n$/),
		});
	});

	test.for([
		["unchanged", ODD, " 1", " 1"],
		["without a fence", ODD, "```ts\n 1\n```", " 1"],
		["without the text before the cursor", "\tconst total =▮", "const total = 1", " 1"],
		["without the text after the cursor", "run(▮)", "1, 2)", "1, 2"],
		["without the mark", ODD, " 1<CURSOR>", " 1"],
		["without trailing blank lines", ODD, " 1\n\n", " 1"],
		["with the document's line endings", "a\r\nb▮\r\n", "(\n)", "(\r\n)"],
		["with at most 20 lines", ODD, "1\n".repeat(100), Array(20).fill("1").join("\n")],
		["as nothing", ODD, " \n", "model-has-nothing"],
	] as const)("is inserted %s", async ([, picture, answer, inserted]) => {
		expect(await completed(await withModel([answer]), picture)).toBe(inserted);
	});

	test("is read only until it is long enough", async () => {
		const long = { type: "text", text: "1\n".repeat(40) } as const;
		const editor = await withModel([[long, HOLD, long]]);
		expect(await completed(editor, ODD)).toMatch(/^1\n1/);
	});

	test.for<[what: string, docText: string, line: number, character: number]>([
		["an empty document", "", 1, 1],
		["a position before the start", "ab", 0, 0],
		["a line past the end", "ab\n", 99, 5],
		["a character past the end", "ab\ncd", 1, 99],
		["the end of the last line", "ab\ncd", 2, 3],
		["after the last newline", "ab\n", 2, 1],
		["the end of a line before CRLF", "ab\r\ncd", 1, 3],
		["between CR and LF", "ab\r\ncd", 1, 4],
		["inside a surrogate pair", "a\u{1f600}b", 1, 3],
		["after a surrogate pair", "a\u{1f600}b", 1, 4],
	])("is inserted at a valid position: %s", async ([, docText, line, character]) => {
		const editor = await withModel(["X"]);
		const { result } = await editor.request("completion/inline", { docText, position: { line, character } });
		const text = Text.of(docText);
		const place = { line: Math.max(line - 1, 0), character: Math.max(character - 1, 0) };
		const cursor = positionAt(text, offsetOf(text, place, "utf-16"), "utf-16");
		const start = { line: cursor.line + 1, character: cursor.character + 1 };
		expect(result.items).toEqual([{ text: "X", range: { start, end: start } }]);
	});

	test.for([
		["is busy", new ModelFailure("busy", "test is busy."), "test is busy."],
		[
			"disconnects",
			[{ type: "text", text: "x" } as const, new ModelFailure("cut", "The connection was lost.")],
			"The connection was lost.",
		],
	] as const)("fails if the model %s", async ([, answer, message]) => {
		const editor = await withModel([answer]);
		const { error } = await editor.request("completion/inline", asked(ODD));
		expect(error).toEqual({ code: ErrorCode.internal, message, type: "error" });
	});

	test("fails with the next step if the model is not available", async () => {
		const choose = () => ({ why: "There is no key for test." });
		const editor = await withModel([], { engine: () => ({ writers: WRITERS, models: { names: [], choose } }) });
		expect(await completed(editor, ODD)).toBe("There is no key for test.");
		expect(await completed(editor, SURE)).toBe(" mail;");
	});

	test("times out after half a minute", async () => {
		const { model, editor } = await withWaiting();
		const waiting = completed(editor, ODD);
		await model.holding();
		editor.clock.advance(30_000);
		expect(await waiting).toBe("test/first did not respond within 30 seconds. Try again, or choose another model.");
		expect(model.signals[0]?.aborted).toBe(true);
		expect(editor.clock.isIdle).toBe(true);
	});

	test("is cancelled with its request", async () => {
		const { model, editor } = await withWaiting();
		editor.send({ id: "mine", method: "completion/inline", params: asked(ODD) });
		await model.holding();
		editor.notify("$/cancelRequest", { id: "mine" });
		await editor.until((messages) => messages.some(({ id }) => id === "mine"));
		expect(editor.messages.find(({ id }) => id === "mine")?.error).toMatchObject({ code: ErrorCode.cancelled });
		expect(model.signals[0]?.aborted).toBe(true);
		expect(editor.problems).toEqual([]);
	});

	test("is cancelled by the next request, without an error", async () => {
		const { model, editor } = await withWaiting();
		const first = editor.request("completion/inline", asked(ODD));
		await model.holding();
		expect(await completed(editor, SURE)).toBe(" mail;");
		expect((await first).result).toEqual({ items: [], reason: "superseded" });
		expect(model.signals[0]?.aborted).toBe(true);
	});

	test("is cancelled when the editor disconnects", async () => {
		const { model, editor } = await withWaiting();
		editor.send({ id: "mine", method: "completion/inline", params: asked(ODD) });
		await model.holding();
		editor.end();
		await editor.closed;
		await settled();
		expect(model.signals[0]?.aborted).toBe(true);
	});

	test.for([
		["secret", ".env", "secret-file"],
		["a link to a secret file", "link.ts", "nothing-found"],
		["ignored", "ignored.ts", "nothing-found"],
		["outside the workspace", "/elsewhere/a.ts", "nothing-found"],
		["no path", "a\u0000b", "nothing-found"],
	] as const)("is not requested if the file is %s", async ([, path, reason]) => {
		const files = { ".env": "A=1", "link.ts": "→ .env", "ignored.ts": "", ".ignored": "ignored.ts" };
		const editor = await withModel(["leaked"], { files });
		expect(await completed(editor, ODD, { path })).toBe(reason);
		expect(editor.conversation.model.requests).toEqual([]);
	});
});

test("any answer results in a non-blank insertion or none", () => {
	fc.assert(
		fc.property(someText(), someText(), fc.nat(), (source, answer, at) => {
			const text = Text.of(source);
			const cursor = offsetOf(text, positionAt(text, at % (source.length + 1), "utf-16"), "utf-16");
			const document = { uri: "a.ts", languageId: "typescript", version: 1, text };
			const inserted = insertionIn(answer, document, cursor);
			expect(inserted === undefined || inserted.trim() !== "").toBe(true);
			expect((inserted ?? "").split("\n").length).toBeLessThanOrEqual(20);
		}),
	);
});

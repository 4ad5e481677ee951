import { pathToFileURL } from "node:url";
import { ModelFailure } from "@segue/models";
import { ErrorCode, RpcError } from "@segue/rpc";
import { says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor, type EcaEditorOptions } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { describe, expect, test } from "vitest";

/** Requests a rewrite and returns the response. */
async function ask(editor: EcaEditor, params: object = {}) {
	const { result } = await editor.request("rewrite/prompt", { id: "r1", text: "hi", prompt: "uppercase", ...params });
	return result;
}

/** Returns the notifications for a rewrite. */
function told(editor: EcaEditor, id = "r1"): Record<string, unknown>[] {
	return editor.messages
		.filter(({ method, params }) => method === "rewrite/contentReceived" && params?.["rewriteId"] === id)
		.map(({ params }) => params?.["content"] as Record<string, unknown>);
}

async function ended(editor: EcaEditor, id = "r1"): Promise<Record<string, unknown>[]> {
	await editor.until(() => told(editor, id).some(({ type }) => type === "finished" || type === "error"));
	return told(editor, id);
}

/** Returns the final selection, assembled as an editor would. */
async function rewritten(
	answer: readonly string[],
	params: object,
	files: EcaEditorOptions["files"] = {},
): Promise<string> {
	const editor = await EcaEditor.ready({ answers: [says(...answer)], files });
	await ask(editor, params);
	const contents = await ended(editor);
	return contents.reduce((text, content) => {
		if (content["type"] === "replace") return String(content["text"]);
		return content["type"] === "text" ? text + content["text"] : text;
	}, "");
}

/** Returns the prompt sent to the model. */
function asked(editor: EcaEditor, request = 0): string {
	const [message] = editor.conversation.model.requests[request]?.messages ?? [];
	const [part] = message?.role === "user" ? message.parts : [];
	return part?.type === "text" ? part.text : "";
}

describe("a rewrite", () => {
	test("gets an immediate response and is streamed", async () => {
		const thoughts = ["Let me", " see."].map((text) => ({ type: "thought", text, signature: undefined }) as const);
		const editor = await EcaEditor.ready({ answers: [[...thoughts, HOLD, ...says("H", "I")]] });
		expect(await ask(editor)).toEqual({ status: "prompting", model: "test/first" });
		await editor.conversation.model.holding();
		expect(told(editor)).toEqual([{ type: "started" }, { type: "reasoning" }]);
		editor.clock.advance(250);
		await editor.conversation.model.release();
		expect(await ended(editor)).toEqual([
			{ type: "started" },
			{ type: "reasoning" },
			{ type: "text", text: "H" },
			{ type: "text", text: "I" },
			{ type: "finished", totalTimeMs: 250 },
		]);
	});

	test.for<[string, object, string]>([
		["at its position", { line: 4, character: 1 }, "a.ts"],
		["near its position if lines above it are unsaved", { line: 5, character: 1 }, "a.ts"],
		["at its position in a file identified by a URI", { line: 4, character: 1 }, "uri"],
		["at its first occurrence if no position is sent", {}, "a.ts"],
	])("finds the selection %s and sends the surrounding text to the model", async ([, start, named]) => {
		const files = { "a.ts": "FIRST\n  return 1;\nMID\n  return 1;\nLAST\n" };
		const editor = await EcaEditor.ready({ answers: ["x"], files });
		const path = named === "uri" ? pathToFileURL(`${editor.conversation.tools.root}/a.ts`).href : named;
		const isPlaced = "line" in start;
		const range = isPlaced ? { range: { start, end: start } } : {};
		await ask(editor, { text: "  return 1;\n", path, ...range });
		await ended(editor);
		const [, before] = /<before>\n(.*?)\n<\/before>/s.exec(asked(editor)) ?? [];
		expect(before).toBe(isPlaced ? "FIRST\n  return 1;\nMID\n" : "FIRST\n");
	});

	test("masks keys around the selection, and fails if the model copies a mask", async () => {
		const token = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
		const files = { "a.ts": `const key = "${token}"\nhi\n` };
		const editor = await EcaEditor.ready({ answers: [says("const copy = 'REDACTED_", "SECRET_'")], files });
		await ask(editor, { path: "a.ts" });
		const contents = await ended(editor);
		expect(asked(editor)).toContain('const key = "REDACTED_SECRET_');
		expect(asked(editor)).not.toContain(token);
		expect(contents.at(-1)).toEqual({
			type: "error",
			message: "test/first copied the placeholder for a hidden key or password. Select less.",
		});
	});

	test("fails for a selection with a key", async () => {
		const editor = await EcaEditor.ready({ answers: ["x"] });
		await ask(editor, { text: `const key = "ghp_${"aB3dE5fG7hJ9".repeat(3)}"` });
		expect(await ended(editor)).toEqual([
			{
				type: "error",
				message: "The selection contains a key or password, which Segue does not send to a model. Select less.",
			},
		]);
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test("sends the surrounding text with the prompt", async () => {
		const files = { "a.ts": "const a = 1\nhi\nconst b = 2\n" };
		const editor = await EcaEditor.ready({ answers: ["HI"], files });
		await ask(editor, { path: "a.ts", range: { start: { line: 2, character: 0 }, end: { line: 3, character: 0 } } });
		await ended(editor);
		expect(asked(editor)).toBe(
			"The file is a.ts.\n\nThe text before the part is:\n<before>\nconst a = 1\n\n</before>\n\nThe text after it is:\n<after>\n\nconst b = 2\n\n</after>\n\nThe part is:\n<part>\nhi\n</part>\n\nThe instructions are: uppercase",
		);
	});

	test.for([
		["ignored", "ignored.ts"],
		["outside the workspace", "/elsewhere/a.ts"],
		["missing", "none.ts"],
		["different on disk", "other.ts"],
	] as const)("does not send the rest of a file that is %s", async ([, path]) => {
		const files = { "ignored.ts": "hi there", ".ignored": "ignored.ts", "other.ts": "ho there" };
		const editor = await EcaEditor.ready({ answers: ["HI"], files });
		await ask(editor, { path });
		await ended(editor);
		expect(asked(editor)).toMatch(/^The file is \S+\n\nThe part is:\n<part>\nhi\n/);
		expect(asked(editor)).not.toContain("there");
	});

	test.for([
		["unchanged", ["a", "\nb"], {}, "a\nb"],
		["without a fence", ["``", "`ts\na\n", "b\n```", "\n"], {}, "a\nb"],
		["with the selection's trailing newline", ["a\n\n"], { text: "hi\n" }, "a\n"],
		["with the selection's line endings", ["a\nb"], { text: "hi\r\nho\r\n" }, "a\r\nb\r\n"],
		["as code without text around it", ["Here:\n\n```ts\na\n```\n", "Done."], { path: "a.ts" }, "a"],
		["with the text around code in prose", ["Here:\n\n```ts\na\n```"], { path: "a.md" }, "Here:\n\n```ts\na\n```"],
		["with the original fence", ["```\na\n```"], { text: "```\nhi\n```" }, "```\na\n```"],
	] as const)("replaces the selection %s", async ([, answer, params, text]) => {
		expect(await rewritten(answer, params)).toBe(text);
	});

	test("is split into several messages if it is long, without splitting characters", async () => {
		const long = "\u{1f600}".repeat(20_000);
		const editor = await EcaEditor.ready({ answers: [long] });
		await ask(editor);
		const texts = (await ended(editor)).filter(({ type }) => type === "text").map(({ text }) => String(text));
		expect(texts.length).toBeGreaterThan(2);
		expect(texts.join("")).toBe(long);
		for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
	});

	test("runs concurrently with others, each with its id", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD, ...says("ONE")], [...says("TWO")]] });
		await ask(editor, { id: "r1" });
		await editor.conversation.model.holding();
		await ask(editor, { id: "r2" });
		expect(await ended(editor, "r2")).toMatchObject([{ type: "started" }, { text: "TWO" }, { type: "finished" }]);
		await editor.conversation.model.release();
		expect(await ended(editor, "r1")).toMatchObject([{ type: "started" }, { text: "ONE" }, { type: "finished" }]);
	});

	test("cancels the previous rewrite with the same id", async () => {
		const editor = await EcaEditor.ready({ answers: [[...says("ON"), HOLD, ...says("E")], says("TWO")] });
		const { model } = editor.conversation;
		await ask(editor);
		await model.holding();
		await ask(editor);
		expect(await ended(editor)).toMatchObject([
			{ type: "started" },
			{ text: "ON" },
			{ type: "started" },
			{ text: "TWO" },
			{ type: "finished" },
		]);
		expect(model.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
	});

	test("ends when the editor sends shutdown", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		await ask(editor);
		await editor.conversation.model.holding();
		await editor.request("shutdown");
		expect(editor.conversation.model.signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	test("ends when the editor disconnects", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		await ask(editor);
		await editor.conversation.model.holding();
		editor.end();
		await editor.closed;
		expect(editor.conversation.model.signals[0]?.aborted).toBe(true);
		expect(editor.problems).toEqual([]);
	});

	test.for([
		["configured for rewrites", "test/writer", "test/writer"],
		["selected by the user, if none is configured", undefined, "test/second"],
	] as const)("uses the model %s", async ([, rewrite, name]) => {
		const names: (string | undefined)[] = [];
		const engine: EcaEditorOptions["engine"] = ({ model }) => ({
			writers: { completion: undefined, rewrite },
			models: {
				names: ["test/first", "test/second"],
				choose: (name) => {
					names.push(name);
					return model;
				},
			},
		});
		const editor = await EcaEditor.ready({ answers: ["A"], engine });
		editor.notify("chat/selectedModelChanged", { model: "test/second" });
		await editor.until((messages) => messages.some(({ method }) => method === "config/updated"));
		await ask(editor);
		await ended(editor);
		expect(names.at(-1)).toBe(name);
	});
});

describe("a failed rewrite", () => {
	test.for<[what: string, circumstances: EcaEditorOptions, params: object, result: object, message: RegExp]>([
		[
			"without a model",
			{ engine: () => ({ models: { names: [], choose: () => ({ why: "Run: segue login test" }) } }) },
			{},
			{ status: "login", model: "" },
			/^Run: segue login test$/,
		],
		[
			"with an invalid configuration",
			{ backend: { engineFor: () => Promise.reject(new RpcError(ErrorCode.internal, "Fix config.json.")) } },
			{},
			{ status: "error", model: "" },
			/^Fix config\.json\.$/,
		],
		["of a secret file", {}, { path: ".env" }, { status: "error", model: "test/first" }, /may contain secrets/],
		[
			"of a link to a secret file",
			{ files: { ".env": "A=1", "link.ts": "→ .env" } },
			{ path: "link.ts" },
			{ status: "error", model: "test/first" },
			/may contain secrets/,
		],
		[
			"of a long selection",
			{},
			{ text: "a".repeat(200_001) },
			{ status: "error", model: "test/first" },
			/longer than 200000 characters/,
		],
	])("reports the reason: %s", async ([, circumstances, params, result, message]) => {
		const editor = await EcaEditor.ready(circumstances);
		expect(await ask(editor, params)).toEqual(result);
		expect(await ended(editor)).toEqual([{ type: "error", message: expect.stringMatching(message) }]);
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test.for<[what: string, answers: EcaEditorOptions["answers"], message: RegExp]>([
		["fails", [new ModelFailure("busy", "test is busy.")], /^test is busy\.$/],
		["disconnects", [[...says("H"), new ModelFailure("cut", "Connection lost.")]], /^Connection lost\.$/],
		["returns nothing", [[]], /did not rewrite the selection/],
		["refuses", [[...says("No"), { type: "end", reason: "refused" }]], /did not rewrite the selection/],
		["runs out of tokens", [[...says("H"), { type: "end", reason: "length" }]], /reached its output limit/],
	])("reports the reason if the model %s", async ([, answers, message]) => {
		const editor = await EcaEditor.ready({ answers: answers ?? [] });
		expect(await ask(editor)).toEqual({ status: "prompting", model: "test/first" });
		expect((await ended(editor)).at(-1)).toEqual({ type: "error", message: expect.stringMatching(message) });
	});

	test("reports that too many rewrites are running", async () => {
		const editor = await EcaEditor.ready({ answers: Array.from({ length: 16 }, () => [HOLD]) });
		for (let id = 0; id < 16; id++) expect(await ask(editor, { id: `${id}` })).toMatchObject({ status: "prompting" });
		expect(await ask(editor, { id: "17" })).toMatchObject({ status: "error" });
		expect(await ended(editor, "17")).toEqual([
			{ type: "error", message: expect.stringMatching(/^16 rewrites are already running/) },
		]);
	});

	test("is logged if the error is internal, and the user is referred to the log", async () => {
		const broken = () => {
			throw new Error("sk-secret");
		};
		const editor = await EcaEditor.ready({ answers: [broken] });
		await ask(editor);
		expect((await ended(editor)).at(-1)).toEqual({ type: "error", message: "The rewrite failed. See the log." });
		expect(editor.problems).toMatchObject([{ kind: "handler-failed" }]);
	});
});

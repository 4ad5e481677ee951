import { pathToFileURL } from "node:url";
import { ModelFailure } from "@segue/models";
import { ErrorCode, RpcError } from "@segue/rpc";
import { says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor, type EcaEditorOptions } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { describe, expect, test } from "vitest";

/** Asks for a rewrite, and gives what it was answered with. */
async function ask(editor: EcaEditor, params: object = {}) {
	const { result } = await editor.request("rewrite/prompt", { id: "r1", text: "hi", prompt: "uppercase", ...params });
	return result;
}

/** What was told of a rewrite. */
function told(editor: EcaEditor, id = "r1"): Record<string, unknown>[] {
	return editor.messages
		.filter(({ method, params }) => method === "rewrite/contentReceived" && params?.["rewriteId"] === id)
		.map(({ params }) => params?.["content"] as Record<string, unknown>);
}

async function ended(editor: EcaEditor, id = "r1"): Promise<Record<string, unknown>[]> {
	await editor.until(() => told(editor, id).some(({ type }) => type === "finished" || type === "error"));
	return told(editor, id);
}

/** What the selection is at the end, as an editor puts it together. */
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

/** What a model was asked. */
function asked(editor: EcaEditor, request = 0): string {
	const [message] = editor.conversation.model.requests[request]?.messages ?? [];
	const [part] = message?.role === "user" ? message.parts : [];
	return part?.type === "text" ? part.text : "";
}

describe("a rewrite", () => {
	test("is answered at once, and told as it comes", async () => {
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
		["at its place", { line: 4, character: 1 }, "a.ts"],
		["near its place, where lines above are not saved", { line: 5, character: 1 }, "a.ts"],
		["at its place, in a file that is named by its uri", { line: 4, character: 1 }, "uri"],
		["at the first, where no place is said", {}, "a.ts"],
	])("is asked for with what stands around it %s", async ([, start, named]) => {
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

	test("shows no key around the part, and is ended where the model copies a mask", async () => {
		const token = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
		const files = { "a.ts": `const key = "${token}"\nhi\n` };
		const editor = await EcaEditor.ready({ answers: [says("const copy = 'REDACTED_", "SECRET_'")], files });
		await ask(editor, { path: "a.ts" });
		const contents = await ended(editor);
		expect(asked(editor)).toContain('const key = "REDACTED_SECRET_');
		expect(asked(editor)).not.toContain(token);
		expect(contents.at(-1)).toEqual({
			type: "error",
			message: "test/first copied a key or password that it is not shown. Select less.",
		});
	});

	test("is refused for a selection with a key", async () => {
		const editor = await EcaEditor.ready({ answers: ["x"] });
		await ask(editor, { text: `const key = "ghp_${"aB3dE5fG7hJ9".repeat(3)}"` });
		expect(await ended(editor)).toEqual([
			{ type: "error", message: "The selection holds a key or password, which no model is shown. Select less." },
		]);
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test("is asked for with what stands around it in its file", async () => {
		const files = { "a.ts": "const a = 1\nhi\nconst b = 2\n" };
		const editor = await EcaEditor.ready({ answers: ["HI"], files });
		await ask(editor, { path: "a.ts", range: { start: { line: 2, character: 0 }, end: { line: 3, character: 0 } } });
		await ended(editor);
		expect(asked(editor)).toBe(
			"The file is a.ts.\n\nBefore the part stands:\n<before>\nconst a = 1\n\n</before>\n\nBehind it stands:\n<after>\n\nconst b = 2\n\n</after>\n\nThe part is:\n<part>\nhi\n</part>\n\nWhat is wanted: uppercase",
		);
	});

	test.for([
		["ignored", "ignored.ts"],
		["outside", "/elsewhere/a.ts"],
		["not there", "none.ts"],
		["saved otherwise", "other.ts"],
	] as const)("is asked for without the rest of a file that is %s", async ([, path]) => {
		const files = { "ignored.ts": "hi there", ".ignored": "ignored.ts", "other.ts": "ho there" };
		const editor = await EcaEditor.ready({ answers: ["HI"], files });
		await ask(editor, { path });
		await ended(editor);
		expect(asked(editor)).toMatch(/^The file is \S+\n\nThe part is:\n<part>\nhi\n/);
		expect(asked(editor)).not.toContain("there");
	});

	test.for([
		["as it comes", ["a", "\nb"], {}, "a\nb"],
		["without a fence", ["``", "`ts\na\n", "b\n```", "\n"], {}, "a\nb"],
		["with the end that the selection had", ["a\n\n"], { text: "hi\n" }, "a\n"],
		["with the line ends of the selection", ["a\nb"], { text: "hi\r\nho\r\n" }, "a\r\nb\r\n"],
		["as code without the words around it", ["Here:\n\n```ts\na\n```\n", "Done."], { path: "a.ts" }, "a"],
		["with the words where it may be prose", ["Here:\n\n```ts\na\n```"], { path: "a.md" }, "Here:\n\n```ts\na\n```"],
		["with a fence that was there", ["```\na\n```"], { text: "```\nhi\n```" }, "```\na\n```"],
	] as const)("takes the place of the selection %s", async ([, answer, params, text]) => {
		expect(await rewritten(answer, params)).toBe(text);
	});

	test("of more than a message should hold comes in several, and in no half characters", async () => {
		const long = "\u{1f600}".repeat(20_000);
		const editor = await EcaEditor.ready({ answers: [long] });
		await ask(editor);
		const texts = (await ended(editor)).filter(({ type }) => type === "text").map(({ text }) => String(text));
		expect(texts.length).toBeGreaterThan(2);
		expect(texts.join("")).toBe(long);
		for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
	});

	test("goes on beside others, each by its id", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD, ...says("ONE")], [...says("TWO")]] });
		await ask(editor, { id: "r1" });
		await editor.conversation.model.holding();
		await ask(editor, { id: "r2" });
		expect(await ended(editor, "r2")).toMatchObject([{ type: "started" }, { text: "TWO" }, { type: "finished" }]);
		await editor.conversation.model.release();
		expect(await ended(editor, "r1")).toMatchObject([{ type: "started" }, { text: "ONE" }, { type: "finished" }]);
	});

	test("ends the one before it with the same id, which says nothing more", async () => {
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

	test("ends when the editor shuts us down", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		await ask(editor);
		await editor.conversation.model.holding();
		await editor.request("shutdown");
		expect(editor.conversation.model.signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	test("ends when the editor goes", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		await ask(editor);
		await editor.conversation.model.holding();
		editor.end();
		await editor.closed;
		expect(editor.conversation.model.signals[0]?.aborted).toBe(true);
		expect(editor.problems).toEqual([]);
	});

	test.for([
		["that is configured for it", "test/writer", "test/writer"],
		["that the person has chosen, where none is configured", undefined, "test/second"],
	] as const)("is made by the model %s", async ([, rewrite, name]) => {
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

describe("a rewrite that cannot be", () => {
	test.for<[what: string, circumstances: EcaEditorOptions, params: object, result: object, message: RegExp]>([
		[
			"where there is no model",
			{ engine: () => ({ models: { names: [], choose: () => ({ why: "Run: segue login test" }) } }) },
			{},
			{ status: "login", model: "" },
			/^Run: segue login test$/,
		],
		[
			"where the configuration is wrong",
			{ backend: { engineFor: () => Promise.reject(new RpcError(ErrorCode.internal, "Mend config.json.")) } },
			{},
			{ status: "error", model: "" },
			/^Mend config\.json\.$/,
		],
		["of a secret file", {}, { path: ".env" }, { status: "error", model: "test/first" }, /holds secrets/],
		[
			"of a link to a secret file",
			{ files: { ".env": "A=1", "link.ts": "→ .env" } },
			{ path: "link.ts" },
			{ status: "error", model: "test/first" },
			/holds secrets/,
		],
		[
			"of more than is a selection",
			{},
			{ text: "a".repeat(200_001) },
			{ status: "error", model: "test/first" },
			/longer than 200000 characters/,
		],
	])("says why: %s", async ([, circumstances, params, result, message]) => {
		const editor = await EcaEditor.ready(circumstances);
		expect(await ask(editor, params)).toEqual(result);
		expect(await ended(editor)).toEqual([{ type: "error", message: expect.stringMatching(message) }]);
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test.for<[what: string, answers: EcaEditorOptions["answers"], message: RegExp]>([
		["fails", [new ModelFailure("busy", "test is busy.")], /^test is busy\.$/],
		["breaks off", [[...says("H"), new ModelFailure("cut", "It broke off.")]], /^It broke off\.$/],
		["says nothing", [[]], /did not rewrite it/],
		["refuses", [[...says("No"), { type: "end", reason: "refused" }]], /did not rewrite it/],
		["runs out of tokens", [[...says("H"), { type: "end", reason: "length" }]], /ran out of room/],
	])("says why, where the model %s", async ([, answers, message]) => {
		const editor = await EcaEditor.ready({ answers: answers ?? [] });
		expect(await ask(editor)).toEqual({ status: "prompting", model: "test/first" });
		expect((await ended(editor)).at(-1)).toEqual({ type: "error", message: expect.stringMatching(message) });
	});

	test("because too many are under way says so", async () => {
		const editor = await EcaEditor.ready({ answers: Array.from({ length: 16 }, () => [HOLD]) });
		for (let id = 0; id < 16; id++) expect(await ask(editor, { id: `${id}` })).toMatchObject({ status: "prompting" });
		expect(await ask(editor, { id: "17" })).toMatchObject({ status: "error" });
		expect(await ended(editor, "17")).toEqual([
			{ type: "error", message: expect.stringMatching(/^16 rewrites are under way/) },
		]);
	});

	test("for a reason of our own is told to the log, and the person is told to look there", async () => {
		const broken = () => {
			throw new Error("sk-secret");
		};
		const editor = await EcaEditor.ready({ answers: [broken] });
		await ask(editor);
		expect((await ended(editor)).at(-1)).toEqual({ type: "error", message: "The rewrite failed. See the log." });
		expect(editor.problems).toMatchObject([{ kind: "handler-failed" }]);
	});
});

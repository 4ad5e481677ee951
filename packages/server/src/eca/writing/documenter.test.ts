import { pathToFileURL } from "node:url";
import { ModelFailure } from "@segue/models";
import { ErrorCode, RpcError } from "@segue/rpc";
import { EcaEditor, type EcaEditorOptions } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { describe, expect, test } from "vitest";
import { readComments } from "./documenter.js";

const SOURCE = "class A {\n\tadd(a: number) {\n\t\treturn a\n\t}\n}\n";
const PLACE = { line: 2, character: 3 };
const DRAFT = "/**\n\t * ...\n\t *\n\t * @param a ...\n\t * @returns ...\n\t */\n\t";
const FILLED = "/**\n\t * Adds.\n\t *\n\t * @param a What is added.\n\t * @returns ...\n\t */\n\t";
const ANSWER = '{"summary": "Adds.", "parameter a": "What is\\n added.", "returns": 1, "other": "x"}';

const noModel: EcaEditorOptions["engine"] = () => ({ models: { names: [], choose: () => ({ why: "none" }) } });

function ask(editor: EcaEditor, params: object = {}) {
	return editor.request("documentation/generate", {
		...{ path: "a.ts", docText: SOURCE, docVersion: 3, position: PLACE },
		...params,
	});
}

describe("a comment", () => {
	test("is inserted above the declaration at the position, for the requested version", async () => {
		const editor = await EcaEditor.ready({ engine: noModel });
		const start = { line: 2, character: 2 };
		const items = [{ text: DRAFT, docVersion: 3, range: { start, end: start } }];
		expect((await ask(editor)).result).toEqual({ items });
	});

	test("replaces exactly the existing comment", async () => {
		const editor = await EcaEditor.ready({ engine: noModel });
		const docText = "/** Adds. */\r\nfunction add(a) {}\r\n";
		const { result } = await ask(editor, { path: "a.js", docText, position: { line: 1, character: 1 } });
		const range = { start: { line: 1, character: 1 }, end: { line: 1, character: 13 } };
		const text = "/**\r\n * Adds.\r\n *\r\n * @param {*} a ...\r\n */";
		expect(result.items).toEqual([{ text, docVersion: 3, range }]);
	});

	test("is left unchanged without an error if it is complete", async () => {
		const editor = await EcaEditor.ready({ engine: noModel });
		const { result } = await ask(editor, {
			docText: "/** One. */\nconst one = 1\n",
			position: { line: 2, character: 7 },
		});
		expect(result).toEqual({ items: [], reason: "one is already documented." });
	});

	test("is generated for the file on disk if no text is sent", async () => {
		const editor = await EcaEditor.ready({ engine: noModel, files: { "a.ts": SOURCE } });
		const { result } = await ask(editor, { docText: undefined });
		expect(result.items).toMatchObject([{ text: DRAFT }]);
	});

	test("accepts a file URI, but not a remote one", async () => {
		const editor = await EcaEditor.ready({ engine: noModel, files: { "a.ts": SOURCE } });
		const { href } = pathToFileURL(`${editor.conversation.tools.root}/a.ts`);
		const { result } = await ask(editor, { path: href, docText: undefined });
		expect(result.items).toMatchObject([{ text: DRAFT }]);
		const { error } = await ask(editor, { path: "file://host/a.ts" });
		expect(error).toMatchObject({ code: -32602, message: /another machine/ });
	});

	test("is filled in by the completion model if there is no default model", async () => {
		const editor = await EcaEditor.ready({
			answers: [ANSWER],
			engine: ({ model }) => ({
				models: { names: [], choose: (name) => (name === "test/small" ? model : { why: "none" }) },
				writers: { completion: "test/small", rewrite: undefined },
			}),
		});
		expect((await ask(editor)).result.items).toMatchObject([{ text: FILLED }]);
	});

	test.for([
		["without a declaration", { position: { line: 99, character: 1 } }, /^There is nothing to document here/],
		[
			"in an unsupported language",
			{ path: "a.txt" },
			/^Doc comments are not supported in plaintext\. Supported languages: typescript, .*\.$/,
		],
		["in a secret file", { path: ".env" }, /may contain secrets/],
		["in a secret file on disk", { path: ".env", docText: undefined }, /may contain secrets/],
		["in an ignored file on disk", { path: "ignored.ts", docText: undefined }, /^ignored\.ts is ignored/],
		["in a missing file", { path: "none.ts", docText: undefined }, /^File not found: none\.ts$/],
		["outside the workspace", { path: "/elsewhere/a.ts", docText: undefined }, /is outside the workspace/],
		["with an invalid path", { path: "a\0", docText: undefined }, /./],
	] as const)("is rejected %s", async ([, params, message]) => {
		const files = { ".env": "A=1", "ignored.ts": SOURCE, ".ignored": "ignored.ts" };
		const editor = await EcaEditor.ready({ files });
		const { error } = await ask(editor, params);
		expect(error).toEqual({ code: ErrorCode.invalidParams, message: expect.stringMatching(message), type: "error" });
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test("needs no engine if the text is sent", async () => {
		const engineFor = () => Promise.reject(new RpcError(ErrorCode.internal, "Fix config.json."));
		const editor = await EcaEditor.ready({ backend: { engineFor } });
		expect((await ask(editor)).result.items).toMatchObject([{ text: DRAFT }]);
		expect((await ask(editor, { docText: undefined })).error).toMatchObject({ message: "Fix config.json." });
	});
});

describe("a comment with a model", () => {
	test("contains the model's description for each key and nothing else", async () => {
		const editor = await EcaEditor.ready({ answers: [`Here:\n\`\`\`json\n${ANSWER}\n\`\`\``] });
		expect((await ask(editor)).result).toMatchObject({ items: [{ text: FILLED }] });
		const [request] = editor.conversation.model.requests;
		expect(request?.messages).toMatchObject([
			{
				parts: [{ text: 'add(a: number) {\n\t\treturn a\n\t}\n\nThe keys are ["summary","parameter a","returns"].' }],
			},
		]);
	});

	test.for<[what: string, answer: NonNullable<EcaEditorOptions["answers"]>[number], reason: RegExp]>([
		["is not JSON", "Adds two numbers.", /returned no usable descriptions/],
		["is a list", '["Adds."]', /returned no usable descriptions/],
		["is null", "null", /returned no usable descriptions/],
		["has other keys", '{"it": "Adds."}', /returned no usable descriptions/],
		["is an error", new ModelFailure("busy", "test is busy."), /^test is busy\.$/],
	])("stays a draft with a reason if the answer %s", async ([, answer, reason]) => {
		const editor = await EcaEditor.ready({ answers: [answer] });
		const { result } = await ask(editor);
		expect(result).toMatchObject({ items: [{ text: DRAFT }], reason: expect.stringMatching(reason) });
	});

	test("stays a draft if the model does not answer within half a minute", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		const answer = ask(editor);
		await editor.conversation.model.holding();
		editor.clock.advance(30_000);
		expect((await answer).result).toMatchObject({
			items: [{ text: DRAFT }],
			reason: expect.stringMatching(/within 30 seconds/),
		});
	});

	test("is cancelled with its request", async () => {
		const editor = await EcaEditor.ready({ answers: [[HOLD]] });
		const params = { path: "a.ts", docText: SOURCE, position: PLACE };
		editor.send({ id: "mine", method: "documentation/generate", params });
		await editor.conversation.model.holding();
		editor.notify("$/cancelRequest", { id: "mine" });
		await editor.until((messages) => messages.some(({ id }) => id === "mine"));
		expect(editor.messages.at(-1)?.error).toMatchObject({ code: ErrorCode.cancelled });
		expect(editor.conversation.model.signals[0]?.aborted).toBe(true);
	});

	test.for([
		["ignored", "ignored.ts"],
		["outside the workspace", "/elsewhere/a.ts"],
	] as const)("stays a draft if the file is %s", async ([, path]) => {
		const files = { "ignored.ts": SOURCE, ".ignored": "ignored.ts" };
		const editor = await EcaEditor.ready({ answers: [ANSWER], files });
		expect((await ask(editor, { path })).result.items).toMatchObject([{ text: DRAFT }]);
		expect(editor.conversation.model.requests).toEqual([]);
	});
});

test("ignores descriptions that are too long", () => {
	const answer = JSON.stringify({ summary: "a".repeat(501), returns: "..." });
	expect(readComments(answer, ["summary", "returns"])).toEqual(new Map());
});

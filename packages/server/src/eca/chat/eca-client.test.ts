import path from "node:path";
import { pathToFileURL } from "node:url";
import { calls, says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { describe, expect, test } from "vitest";

const ALL = { diagnostics: true, definition: true, references: true };
const FILES = { "a.ts": "let a = b\n", "b.ts": "export let b\n" };

/** Runs a tool call that queries the editor. Returns the query and the output for the model. */
async function asked(tool: string, input: object, method: string, answer: (root: string) => unknown) {
	const answers = [calls([tool, input]), says("Done.")];
	const editor = await EcaEditor.ready({ files: FILES, answers }, { chat: true, editor: ALL });
	const questions: object[] = [];
	editor.answers[method] = (params) => {
		questions.push(params);
		return answer(editor.conversation.tools.root);
	};
	await editor.turn("Look");
	const called = editor.contents("toolCalled")[0] as { outputs: { text: string }[]; error: boolean };
	return { questions, told: called.outputs[0]?.text ?? "", error: called.error, root: editor.conversation.tools.root };
}

const range = (line: number, character: number) => ({ start: { line, character }, end: { line, character } });

describe("editor queries", () => {
	test("are offered to the model if the editor supports them", async () => {
		const offered = async (editor: object) => {
			const served = await EcaEditor.ready({ answers: [says("Hi")] }, { chat: true, editor });
			await served.turn("Hi");
			return served.conversation.model.requests[0]?.tools.map(({ name }) => name) ?? [];
		};
		const names = ["diagnostics", "find_definition", "find_references"];
		const all = await offered(ALL);
		const none = await offered({});
		expect(all.length - none.length).toBe(names.length);
		expect((await offered({ diagnostics: true })).filter((name) => !none.includes(name))).toEqual(["diagnostics"]);
	});

	test("return diagnostics with 1-based positions and omit files outside the workspace", async () => {
		const { questions, told, root } = await asked("diagnostics", { path: "a.ts" }, "editor/getDiagnostics", (root) => ({
			diagnostics: [
				{
					...{ uri: pathToFileURL(path.join(root, "a.ts")).href, severity: "error", source: "ts", code: 2304 },
					...{ range: range(0, 8), message: "Cannot find b." },
				},
				{ uri: "file:///etc/passwd", severity: "error", range: range(0, 0), message: "outside" },
				{ uri: "untitled:1", severity: "hint", range: range(0, 0), message: "nowhere" },
			],
		}));
		expect(questions).toEqual([{ uri: pathToFileURL(path.join(root, "a.ts")).href }]);
		expect(told).toBe("a.ts: line 1, character 9: error: Cannot find b. (ts 2304)");
	});

	test("use 1-based positions in both directions for definitions", async () => {
		const at = { path: "a.ts", line: 1, character: 9 };
		const { questions, told, root } = await asked("find_definition", at, "editor/getDefinition", (root) => ({
			status: "success",
			locations: [{ uri: pathToFileURL(path.join(root, "b.ts")).href, range: range(1, 12) }],
		}));
		expect(questions).toEqual([
			{ uri: pathToFileURL(path.join(root, "a.ts")).href, position: { line: 1, character: 9 } },
		]);
		expect(told).toMatch(/^b\.ts: line 1, character 12/);
	});

	test.each([
		["starting", undefined, /still starting\. Use search/],
		["no-server", undefined, /no language server for this file\. Use search/],
		["error", "boom", /failed\. Use search instead\. Message from the editor: boom/],
		["new-status", undefined, /returned no result/],
	])("tell the model what to do if references have the status %s", async (status, message, why) => {
		const at = { path: "a.ts", line: 1, character: 9 };
		const { told, error } = await asked("find_references", at, "editor/getReferences", () => ({ status, message }));
		expect(told).toMatch(why);
		expect(error).toBe(true);
	});
});

describe("a question from the model", () => {
	const QUESTION = { question: "Which?", options: [{ label: "A", description: "The first" }, { label: "B" }] };

	async function answered(answer: object | undefined, codeAssistant: object) {
		const editor = await EcaEditor.ready({ answers: [calls(["ask_user", QUESTION]), says("Done.")] }, codeAssistant);
		const asked: object[] = [];
		editor.answers["chat/askQuestion"] = (params) => {
			asked.push(params);
			return answer;
		};
		await editor.turn("Choose");
		return { editor, asked, told: JSON.stringify(editor.contents("toolCalled")) };
	}

	test("is shown to the user if the editor supports it", async () => {
		const { asked, told } = await answered(
			{ answer: "B", cancelled: false },
			{ chatCapabilities: { askQuestion: true } },
		);
		expect(asked).toMatchObject([
			{
				...{ chatId: "c", question: "Which?", toolCallId: expect.any(String), allowFreeform: expect.any(Boolean) },
				options: [{ label: "A", description: "The first" }, { label: "B" }],
			},
		]);
		expect(told).toContain("B");
	});

	test("does not fail the turn if the user does not answer", async () => {
		const { editor } = await answered({ answer: null, cancelled: true }, { chatCapabilities: { askQuestion: true } });
		expect(editor.transcript).toContain("assistant text Done.");
	});

	test("cannot be asked if the editor does not support it", async () => {
		const { asked, told } = await answered(undefined, { chat: true, rewrite: true });
		expect(asked).toEqual([]);
		expect(told).toContain("Unknown tool ask_user");
	});
});

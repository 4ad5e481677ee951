import * as acp from "@segue/protocol/acp";
import { ChatEditor, READ } from "@segue/testing/editors/chat-editor";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

describe("chat over ACP", () => {
	test("reads a file from the editor's buffer and falls back to disk", async () => {
		const answers = [
			[...READ, { type: "call" as const, id: "c2", tool: "read_file", input: '{"path":"b.txt"}' }],
			"Read.",
		];
		const files = { "a.txt": "saved\n", "b.txt": "on disk\n" };
		const editor = await ChatEditor.open({ files, answers }, { "a.txt": "not saved\n" });
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Read both");
		const results = editor.conversation.model.requests[1]?.messages.at(-1);
		expect(JSON.stringify(results)).toMatch(/not saved.*on disk/s);
	});

	test.each([{ content: "" }, { content: null }, {}, [], null])(
		"treats a file that is not on disk as new if the editor responds to a read with %j",
		async (missing) => {
			const write = {
				type: "call" as const,
				id: "c2",
				tool: "write_file",
				input: '{"path":"a.txt","content":"made\\n"}',
			};
			const editor = await ChatEditor.open({ answers: [READ, [write], "Made."] }, { "b.txt": "open\n" });
			editor.missing = missing;
			await editor.prompt(await editor.session(), "Make it");
			const [, read, written] = editor.conversation.model.requests.map(({ messages }) =>
				JSON.stringify(messages.at(-1)),
			);
			expect(read).toContain("a.txt does not exist");
			expect(written).not.toContain('"failed":true');
			expect(await editor.conversation.tools.text("a.txt")).toBe("made\n");
		},
	);

	test.each([
		[{ content: "" }, ""],
		[{ content: null }, "on disk"],
		[[], "on disk"],
	])("reads a file that is on disk if the editor responds with %j", async (missing, text) => {
		const files = { "a.txt": "on disk\n" };
		const editor = await ChatEditor.open({ files, answers: [READ, "Read."] }, { "b.txt": "open\n" });
		editor.missing = missing;
		await editor.prompt(await editor.session(), "Read it");
		const result = JSON.stringify(editor.conversation.model.requests[1]?.messages.at(-1));
		expect(result).not.toContain('"failed":true');
		expect(result.includes("on disk")).toBe(text !== "");
	});

	test.each([
		[{}, []],
		[{ "AGENTS.md": "Use tabs." }, ["AGENTS.md"]],
	])("reads an AGENTS.md from the editor only if it is on disk: %j", async (files, read) => {
		const editor = await ChatEditor.open({ files, answers: ["Done."] }, { "b.txt": "open\n" });
		await editor.prompt(await editor.session(), "Go");
		expect(editor.readNames).toEqual(read);
	});

	const RUN = { type: "call" as const, id: "c1", tool: "run_command", input: '{"command":"make test"}' };

	test.each([
		[0, "completed"],
		[2, "failed"],
	])(
		"runs a command with exit code %i in the editor's terminal and releases the terminal afterwards",
		async (exitCode, status) => {
			const editor = await ChatEditor.open({ answers: [[RUN], "Done."] });
			editor.terminal = { exitCode };
			const sessionId = await editor.session();
			await editor.prompt(sessionId, "Test it");
			expect(editor.transcript.slice(editor.transcript.indexOf("tool_call_update Run make test pending"))).toEqual([
				"tool_call_update Run make test pending",
				"asks Run make test: once session always no",
				"tool_call_update Run make test in_progress",
				"create t1 make test true",
				"tool_call_update Run make test in_progress in t1",
				`tool_call_update Run make test ${status} in t1`,
				"release t1",
				"agent Done.",
				"answer 2",
			]);
			const results = editor.conversation.model.requests[1]?.messages.at(-1);
			expect(JSON.stringify(results)).toContain(`printed\\n(exit code ${exitCode})`);
			expect(editor.violations).toEqual([]);
			// The replay has the output instead of the released terminal.
			editor.updates.length = 0;
			await editor.connection.request(acp.loadSession, { sessionId, cwd: editor.conversation.tools.root });
			expect(editor.updates).toContainEqual(
				expect.objectContaining({
					sessionUpdate: "tool_call",
					content: [{ type: "content", content: { type: "text", text: `printed\n(exit code ${exitCode})` } }],
				}),
			);
		},
	);

	test("kills the command in the editor's terminal when the turn is cancelled", async () => {
		const editor = await ChatEditor.open({ answers: [[RUN]] });
		editor.terminal = "never";
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Test it");
		await expect.poll(() => editor.transcript).toContain("tool_call_update Run make test in_progress in t1");
		editor.connection.notify(acp.cancel, { sessionId });
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		await settled();
		expect(editor.transcript.slice(editor.transcript.indexOf("kill t1"))).toEqual([
			"kill t1",
			"tool_call_update Run make test failed in t1",
			"release t1",
			"answer 2",
		]);
	});

	test("does not run a rejected command in the editor's terminal", async () => {
		const editor = await ChatEditor.open({ answers: [[RUN], "Fine."] });
		editor.terminal = { exitCode: 0 };
		editor.answer = "no";
		await editor.prompt(await editor.session(), "Test it");
		expect(editor.transcript.filter((each) => /^(create|release)/.test(each))).toEqual([]);
	});

	test.skipIf(process.platform === "win32")(
		"runs a command itself if the editor does not implement terminals",
		async () => {
			const answers = [[{ ...RUN, input: '{"command":"echo one"}' }], "Done."];
			const editor = await ChatEditor.open({ answers });
			editor.terminal = "no such method";
			await editor.prompt(await editor.session(), "Say one");
			expect(JSON.stringify(editor.conversation.model.requests[1]?.messages.at(-1))).toContain("one\\n(exit code 0)");
		},
	);
});

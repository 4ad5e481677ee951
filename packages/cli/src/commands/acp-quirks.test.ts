import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { SdkEditor } from "@segue/testing/editors/sdk-editor";
import { isAll, WAIT } from "@segue/testing/setup/tier";
import { describe, expect, test, vi } from "vitest";
import { runSegue } from "../program.js";

// Reproduces surprising behaviour seen in real agents and editors with `segue acp --agent`. Uses the ACP SDK's client,
// Segue, and an agent made with the ACP SDK.

const FILES = { fs: { readTextFile: true, writeTextFile: true } };

async function opened(flags: readonly string[] = [], capabilities?: ClientCapabilities) {
	const editor = new SdkEditor(runSegue, flags, capabilities);
	await editor.open();
	return editor;
}

describe("an agent behind Segue", () => {
	test("may send an update before the response that contains the session, and the editor receives it afterwards", async () => {
		const editor = await opened(["--early"]);
		await vi.waitFor(() => expect(editor.transcript).toEqual(["available_commands_update"]), WAIT);
		const methods = editor.messages.map((message) => ("method" in message ? message.method : "answer"));
		expect(methods).toEqual(["answer", "answer", "session/update"]);
		expect(editor.otherSessions).toEqual([]);
	});

	test("may send updates after its response without disturbing the next turn", async () => {
		const editor = await opened();
		expect(await editor.prompt("late")).toMatchObject({ stopReason: "end_turn" });
		await editor.until("After the end.");
		await vi.waitFor(() => expect(editor.statuses.at(-1)).toBe("completed"), WAIT);
		await editor.prompt("say Next.");
		expect(editor.text).toBe("After the end.Next.");
	});

	test("may leave a call unfinished, which is reported as failed before the response", async () => {
		const editor = await opened();
		await editor.prompt("unfinished");
		expect(editor.statuses).toEqual(["in_progress", "failed"]);
	});

	test.each(["qwen/private", "_none/such"])("may send an unknown request and gets an error: %s", async (method) => {
		const editor = await opened();
		await editor.prompt(`private ${method}`);
		expect(editor.text).toMatch(/^error -32601/);
		expect(await editor.prompt("say Alive.")).toMatchObject({ stopReason: "end_turn" });
	});

	test("may write a line of 563 KB", async () => {
		const editor = await opened();
		await editor.prompt(`long ${563 * 1024}`);
		expect(editor.text.length).toBe(563 * 1024);
	});

	test.each(["npm warn deprecated", "[info] starting", "[]", "{ level: 'info' }", "{", "123"])(
		"may write log lines between messages, which are skipped: %s",
		async (line) => {
			const editor = await opened();
			await editor.prompt(`garbage ${line}`);
			expect(editor.text).toBe("Still here.");
			await vi.waitFor(() => expect(editor.stderr).toContain(`${line}\n`), WAIT);
		},
	);

	test.each([
		["the editor", FILES],
		["Segue", {}],
	])("may read a file that it is about to create through %s", async (_whose, capabilities) => {
		const editor = await opened(["--name=gemini-cli"], capabilities);
		editor.answer = "once";
		await editor.prompt("create new.txt");
		expect(editor.text).toBe("null");
		const file = path.join(editor.folder, "new.txt");
		const written = editor.written.map(({ content }) => content);
		if (existsSync(file)) written.push(readFileSync(file, "utf8"));
		expect(written).toEqual(["created\n"]);
	});

	test.runIf(isAll)(
		"in its own process, may ignore the end of its input and leave a child running: both exit with Segue",
		async () => {
			const editor = SdkEditor.withProcesses(["--stubborn"]);
			await editor.open();
			await editor.prompt("pids");
			const pids: number[] = JSON.parse(editor.text);
			expect(pids.map(isAlive)).toEqual([true, true]);
			await editor.end();
			await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), WAIT);
		},
	);

	test.runIf(isAll)(
		"in its own process, may exit during a turn: its last output is the error, its child exits, and the next prompt restarts it",
		async () => {
			const editor = SdkEditor.withProcesses([]);
			await editor.open();
			await editor.prompt("pids");
			const pids: number[] = JSON.parse(editor.text);
			const message = expect.stringMatching(/exited with code 3: of grief\. The next prompt starts it again/);
			await expect(editor.prompt("die of grief")).rejects.toMatchObject({ code: -32603, message });
			await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), WAIT);
			editor.updates.length = 0;
			await editor.prompt("say alive");
			expect(editor.text).toBe("alive");
		},
	);
});

describe("an editor in front of Segue", () => {
	test.each([null, {}])("may respond with %j after writing a file for the agent", async (wrote) => {
		const editor = await opened([], FILES);
		editor.writeResult = wrote;
		await editor.prompt("write new.txt");
		expect(editor.text).toBe("{}");
		const file = path.join(editor.folder, "new.txt");
		expect(editor.written).toEqual([{ sessionId: editor.sessionId, path: file, content: "written\n" }]);
		expect(editor.permissionRequests).toEqual([]);
	});
});

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

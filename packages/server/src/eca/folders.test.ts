import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { calls, says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { HOLD, type ScriptedAnswer } from "@segue/testing/models/scripted-model";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

const READ = calls(["read_file", { path: "a.txt" }]);

/** Starts an editor with a file in its folder and a file with the same name in another folder. */
async function begun(...answers: readonly ScriptedAnswer[]) {
	const editor = await EcaEditor.ready({ files: { "a.txt": "here\n" }, answers });
	const { root } = editor.conversation.tools;
	const other = path.join(path.dirname(root), "other");
	mkdirSync(other);
	writeFileSync(path.join(other, "a.txt"), "there\n");
	return { editor, root, other };
}

function folder(at: string) {
	return { uri: pathToFileURL(at).href, name: path.basename(at) };
}

/** Returns the outputs of the model's calls, in order. */
function readIn(editor: EcaEditor): string[] {
	return editor.contents("toolCalled").map(({ outputs }) => {
		const [output] = outputs as { text: string }[];
		return /here|there/.exec(output?.text ?? "")?.[0] ?? "nothing";
	});
}

test("choices and tools are announced again when the editor switches folders", async () => {
	const { editor, root, other } = await begun();
	const move = async (to: string, from: string) => {
		const before = editor.messages.length;
		editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [folder(to)], removed: [folder(from)] } });
		await editor.request("chat/list");
		await settled();
		return editor.transcript.slice(before).filter((each) => !each.startsWith("answer"));
	};
	const announced = ["$/progress", "config/updated", "tool/serverUpdated", "$/progress"];
	expect(await move(other, root)).toEqual(announced);
	expect(await move(root, "/nowhere")).toEqual([]);
});

test("an engine is released after the last turn in a closed folder, unless the folder is open again", async () => {
	const left: string[] = [];
	const leave = (folder: string) => void left.push(folder);
	const editor = await EcaEditor.ready({ answers: [[HOLD, ...says("Done.")]], backend: { release: leave } });
	const { root } = editor.conversation.tools;
	const move = async (to: string, from: string) => {
		editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [folder(to)], removed: [folder(from)] } });
		await editor.request("chat/list");
		await settled();
	};
	const turn = editor.turn("Go");
	await editor.conversation.model.holding();
	for (const [to, from] of [
		["/b", root],
		["/c", "/b"],
		["/b", "/c"],
	] as const)
		await move(to, from);
	expect(left).toEqual([]);
	await editor.conversation.model.release();
	await turn;
	await expect.poll(() => [...left].sort()).toEqual(["/c", root].sort());
});

describe("a chat", () => {
	test("works in the current folder even if it was started in another folder", async () => {
		const { editor, other } = await begun(READ, says("Read."));
		await editor.conversation.assist.create(other, "c");
		await editor.request("chat/open", { chatId: "c" });
		await editor.turn("Read it");
		expect(readIn(editor)).toEqual(["here"]);
		expect(await editor.conversation.assist.thread("c")).toMatchObject({ workspace: other });
	});

	test("works in the folders that are open when the prompt is sent", async () => {
		const { editor, root, other } = await begun(READ, says("Read."), READ, says("Read."));
		await editor.turn("Read it");
		editor.notify("workspace/didChangeWorkspaceFolders", {
			event: { added: [folder(other)], removed: [folder(root)] },
		});
		await editor.turn("Read it again");
		expect(readIn(editor)).toEqual(["here", "there"]);
	});

	test("finishes a running turn in its folder, and runs the next one in the new folder", async () => {
		const { editor, root, other } = await begun([HOLD, ...READ], says("Read."), READ, says("Read."));
		const turn = editor.turn("Read it");
		await editor.conversation.model.holding();
		editor.notify("workspace/didChangeWorkspaceFolders", {
			event: { added: [folder(other)], removed: [folder(root)] },
		});
		await editor.request("chat/list");
		await editor.conversation.model.release();
		await turn;
		await editor.turn("Read it again");
		expect(readIn(editor)).toEqual(["here", "there"]);
	});
});

import { settled } from "@segue/testing/rpc/peers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { fakeVscode as code } from "./fake-vscode.js";
import { activate, deactivate } from "./web.js";

// The extension uses the real clock.
beforeEach(() => {
	code.reset();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});

afterEach(async () => {
	const closed = deactivate();
	await vi.runAllTimersAsync();
	await closed;
	vi.useRealTimers();
});

async function pause(): Promise<void> {
	await settled();
	await vi.advanceTimersByTimeAsync(3000);
	await settled();
}

async function rename(uri = "file:///project/main.ts"): Promise<void> {
	activate({
		extension: { id: "segue.segue", packageJSON: { version: "0.0.0" } },
		extensionUri: { toString: () => "https://example.com/extension" },
		subscriptions: [],
	} as unknown as vscode.ExtensionContext);
	await renameIn(uri);
}

async function renameIn(uri: string): Promise<void> {
	await pause();
	code.open(uri, "const cnt = items.length\nlog(cnt)\n");
	await pause();
	code.type(6, 9, "count");
	await pause();
}

test("the extension in a browser needs no process", async () => {
	await rename();
	expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	await code.run("segue.tab");
	expect(code.active?.document.getText()).toContain("log(count)");
});

test("the extension in a browser reads the ignore files of a virtual workspace", async () => {
	code.disk.set("file:///project/.gitignore", "main.ts\n");
	await rename();
	expect(code.drawn).toEqual([]);
	expect(code.status.tooltip).toContain("ignore");
});

test("the extension in a browser reads ignore files with invalid bytes", async () => {
	// A byte of Latin-1, as in a comment with an accent.
	code.disk.set("file:///project/.gitignore", Uint8Array.from(Buffer.from("# caf\u00e9\nmain.ts\n", "latin1")));
	await rename();
	expect(code.drawn).toEqual([]);
	expect(code.status.tooltip).toContain("ignore");
});

test("the extension in a browser reads no ignore files above a virtual workspace", async () => {
	const folder = "vscode-vfs://github/owner/repository";
	code.addFolder(folder);
	// Such a file system has nothing above the repository, and says so with various errors.
	code.unavailable = "vscode-vfs://github/owner/.gitignore";
	code.disk.set(`${folder}/.gitignore`, "other.ts\n");
	await rename(`${folder}/main.ts`);
	expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	await renameIn(`${folder}/other.ts`);
	expect(code.drawn).toEqual([]);
});

test("the extension in a browser sends no file behind a link, which may lead to a secret file", async () => {
	code.disk.set("file:///project/notes/main.ts", "KEY=1\n");
	code.links.add("file:///project/notes");
	await rename("file:///project/notes/main.ts");
	expect(code.drawn).toEqual([]);
});

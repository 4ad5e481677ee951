import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { expect, test } from "vitest";
import { Approvals } from "../threads/approvals.js";
import { RestrictedView } from "./restricted-view.js";
import { ThreadWorkspace } from "./workspace.js";

const US = process.getuid?.() ?? 0;
const [NEIGHBOUR, HOST] = [US + 1, US + 2];

test.skipIf(process.platform === "win32").each([
	["this user", US, US, undefined],
	["root", 0, US, undefined],
	["the owner of the folder", HOST, HOST, undefined],
	["another user", NEIGHBOUR, US, "a.txt belongs to another user, so it is not read."],
	["a user other than the folder's owner", NEIGHBOUR, HOST, "a.txt belongs to another user, so it is not read."],
])("checks the owner of a file that belongs to %s", async (_whose, file, folder, why) => {
	const { tools: box, store } = await ChatFixture.begin({ files: { "a.txt": "a" } });
	const workspace = new ThreadWorkspace([box.root], { isPrivate: () => false });
	const ownerOf = async (path: string) => (path === workspace.root ? folder : file);
	const { signal } = new AbortController();
	const view = new RestrictedView(workspace, new Approvals(store, box.root, []), signal, ownerOf);
	const seen = await view.resolve("a.txt").then(
		({ kind }) => kind,
		(error: Error) => error.message,
	);
	expect(seen).toBe(why ?? "file");
	// The owners of folders are not checked.
	expect((await view.resolve(".")).kind).toBe("folder");
});

test("reports a file that vanishes while its owner is looked up", async () => {
	const { tools: box, store } = await ChatFixture.begin({ files: { "a.txt": "a" } });
	const workspace = new ThreadWorkspace([box.root], { isPrivate: () => false });
	const gone = Object.assign(new Error("gone"), { code: "ENOENT" });
	const view = new RestrictedView(workspace, new Approvals(store, box.root, []), new AbortController().signal, () =>
		Promise.reject(gone),
	);
	await expect(view.resolve("a.txt")).rejects.toThrow("a.txt: no such file or folder.");
});

import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { expect, test } from "vitest";
import { Approvals } from "../threads/approvals.js";
import { RestrictedView } from "./restricted-view.js";
import { ThreadWorkspace } from "./workspace.js";

const US = process.getuid?.() ?? 0;
const [NEIGHBOUR, HOST] = [US + 1, US + 2];

test.skipIf(process.platform === "win32").each([
	["ours", US, US, undefined],
	["the superuser's", 0, US, undefined],
	["of whom the folder belongs to", HOST, HOST, undefined],
	["another user's", NEIGHBOUR, US, "a.txt belongs to another user, and is left alone."],
	[
		"another user's in a folder of somebody else's",
		NEIGHBOUR,
		HOST,
		"a.txt belongs to another user, and is left alone.",
	],
])("shows a file that is %s, or says why not", async (_whose, file, folder, why) => {
	const { tools: box, store } = await ChatFixture.begin({ files: { "a.txt": "a" } });
	const workspace = new ThreadWorkspace([box.root], { isPrivate: () => false });
	const ownerOf = async (asked: string) => (asked === workspace.root ? folder : file);
	const { signal } = new AbortController();
	const view = new RestrictedView(workspace, new Approvals(store, box.root, []), signal, ownerOf);
	const seen = await view.resolve("a.txt").then(
		({ kind }) => kind,
		(error: Error) => error.message,
	);
	expect(seen).toBe(why ?? "file");
	// A folder says nothing of what is in it.
	expect((await view.resolve(".")).kind).toBe("folder");
});

test("reports a file that vanishes while its owner is looked up", async () => {
	const { tools: box, store } = await ChatFixture.begin({ files: { "a.txt": "a" } });
	const workspace = new ThreadWorkspace([box.root], { isPrivate: () => false });
	const gone = Object.assign(new Error("gone"), { code: "ENOENT" });
	const view = new RestrictedView(workspace, new Approvals(store, box.root, []), new AbortController().signal, () =>
		Promise.reject(gone),
	);
	await expect(view.resolve("a.txt")).rejects.toThrow("a.txt: there is no such file or folder.");
});

import { beforeEach, expect, test } from "vitest";
import { fakeVscode as code } from "./fake-vscode.js";
import { virtualFiles } from "./virtual-files.js";

const FOLDER = "vscode-vfs://github/owner/repository";
const files = virtualFiles(() => ({ folders: [{ uri: FOLDER, name: "repository" }] }));

beforeEach(() => {
	code.reset();
	code.disk.set(`${FOLDER}/lib/main.ts`, "x\n");
	code.disk.set("vscode-vfs://github/owner/other/main.ts", "y\n");
});

test("reads and lists files in the workspace", async () => {
	expect(await files.read(`${FOLDER}/lib/main.ts`)).toBe("x\n");
	expect(await files.list(FOLDER)).toEqual([{ uri: `${FOLDER}/lib`, isFolder: true }]);
	expect(await files.read(`${FOLDER}/lib`)).toBeUndefined();
	expect(await files.read(`${FOLDER}/missing.ts`)).toBeUndefined();
});

test.each(["vscode-vfs://github/owner/other", `${FOLDER}/../other`, `${FOLDER}/%2e%2e/other`])(
	"neither reads nor lists what is outside the workspace: %s",
	async (folder) => {
		code.disk.set(`${folder}/main.ts`, "y\n");
		expect(await files.read(`${folder}/main.ts`)).toBeUndefined();
		expect(await files.readRules?.(`${folder}/main.ts`)).toBeUndefined();
		expect(await files.list(folder)).toEqual([]);
	},
);

test("follows no links, because VS Code does not say where they lead", async () => {
	const link = `${FOLDER}/notes.txt`;
	code.disk.set(link, "KEY=1\n");
	code.links.add(link);
	code.links.add(`${FOLDER}/lib`);
	for (const uri of [link, `${FOLDER}/lib/main.ts`]) {
		expect(await files.read(uri)).toBeUndefined();
		await expect(files.resolve?.(uri)).rejects.toThrow("link");
	}
	expect(await files.list(FOLDER)).toEqual([]);
	expect(await files.list(`${FOLDER}/lib`)).toEqual([]);
	expect(await files.resolve?.(`${FOLDER}/missing.ts`)).toBe(`${FOLDER}/missing.ts`);
});

test("does not read files over the limit, and reports an ignore file over the limit", async () => {
	const uri = `${FOLDER}/.gitignore`;
	code.disk.set(uri, new Uint8Array(8 * 2 ** 20 + 1));
	expect(await files.read(uri)).toBeUndefined();
	await expect(files.readRules?.(uri)).rejects.toThrow(RangeError);
});

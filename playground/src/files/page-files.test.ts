import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { type Project, uriOf } from "../projects/project.js";
import { RequestRefused, ServerAccess } from "../server-access.js";
import type { Tab, Workbench } from "../workbench/workbench.js";
import { DiskFolder, pathOf } from "./disk-folder.js";
import { PageFiles } from "./page-files.js";

const ROOT = "file:///p";

/** A server with one folder. */
class FakeServer extends ServerAccess {
	/** Contents by path, or the status of the response to a request for the path. */
	readonly disk = new Map<string, string | number>();
	/** Number of requests received. */
	requests = 0;
	/** Number of requests to list a folder. */
	lists = 0;

	override async request(address: string): Promise<Response> {
		this.requests++;
		const url = new URL(address, "http://localhost");
		if (url.pathname === "/folder") {
			this.lists++;
			return Response.json({ root: ROOT, name: "p", files: [...this.disk.keys()], isCut: false });
		}
		const found = this.disk.get(url.searchParams.get("path") ?? "") ?? 404;
		if (typeof found === "number") throw new RequestRefused(found, `status ${found}`);
		return new Response(found, { headers: { etag: "v2" } });
	}
}

/** Open files without an editor. */
class Stage {
	readonly server = new FakeServer("token");
	readonly open = new Map<string, { path: string; text: string; diskVersion: string | undefined }>();
	private readonly tabs = signal<readonly Tab[]>([]);
	private readonly project = signal<Project | undefined>(undefined);
	readonly files: PageFiles;

	constructor() {
		const bench = {
			project: this.project,
			tabs: this.tabs,
			fileOf: (uri: string) => this.open.get(uri),
			add: (path: string, text: string) => this.add(path, text),
			write: (uri: string, text: string) => {
				const file = this.open.get(uri);
				if (file !== undefined) file.text = text;
				return file !== undefined;
			},
			didSave: () => {},
		};
		this.files = new PageFiles(bench as unknown as Workbench, this.server, () => {});
	}

	begin(how: Pick<Project, "folder" | "isWritten">): void {
		this.project.value = {
			name: "p",
			title: "p",
			root: ROOT,
			hint: "",
			start: { path: "", after: "" },
			files: [],
			...how,
		};
	}

	add(path: string, text: string, diskVersion?: string): string {
		const uri = uriOf({ root: ROOT }, path);
		this.open.set(uri, { path, text, diskVersion });
		this.tabs.value = [...this.tabs.value, { uri, path, isDirty: false }];
		return uri;
	}

	get texts(): readonly string[] {
		return [...this.open.values()].map(({ text }) => text);
	}
}

test("an unreadable file in a folder does not keep others from being updated", async () => {
	const stage = new Stage();
	stage.server.disk.set("locked.ts", 500).set("b.ts", "new");
	stage.begin({ folder: await DiskFolder.open("/p", stage.server) });
	for (const path of ["locked.ts", "b.ts"]) stage.add(path, "old", "v1");
	await stage.files.refresh();
	expect(stage.texts).toEqual(["old", "new"]);
});

test("an unreadable file in a sample does not keep other new files from being opened", async () => {
	const stage = new Stage();
	stage.server.disk.set("locked.ts", 500).set("b.ts", "new");
	stage.begin({ isWritten: true });
	await stage.files.refresh();
	expect(stage.texts).toEqual(["new"]);
});

test.each([
	[409, 2],
	[403, 1],
	[500, 1],
])("after status %i for a file, the folder has been listed %i times", async (status, lists) => {
	const { server } = new Stage();
	server.disk.set("a.ts", status);
	const folder = await DiskFolder.open("/p", server);
	await expect(folder.read("a.ts")).rejects.toThrow(`status ${status}`);
	expect(server.lists).toBe(lists);
});

test.each([
	["file:///home/me/my%20shop", "/home/me/my shop"],
	["file:///C:/Users/me", "C:/Users/me"],
	["file:///c%3A/Users/me", "c:/Users/me"],
])("the path of %s is %s", (uri, path) => {
	expect(pathOf(uri)).toBe(path);
});

test("a sample gets at most 40 tabs, however many files the chat creates", async () => {
	const stage = new Stage();
	for (let i = 0; i < 100; i++) stage.server.disk.set(`${i}.ts`, "new");
	stage.begin({ isWritten: true });
	await stage.files.refresh();
	await stage.files.refresh();
	expect(stage.open.size).toBe(40);
});

test.each([false, undefined])(
	"a sample that is not on the server's disk is not read from there (%s)",
	async (isWritten) => {
		const stage = new Stage();
		stage.server.disk.set("a.ts", "of another folder");
		stage.begin(isWritten === undefined ? {} : { isWritten });
		await stage.files.refresh();
		expect(stage.server.requests).toBe(0);
		expect(stage.open.size).toBe(0);
	},
);

import { signal } from "@preact/signals";
import { deferred } from "@segue/testing/rpc/peers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Playground } from "../playground.js";
import { type Project, uriOf } from "../projects/project.js";
import { RequestRefused, ServerAccess } from "../server-access.js";
import type { DiskFolder } from "./disk-folder.js";
import type { FileSession, FolderSession } from "./page-session.js";
import { ProjectOpener } from "./project-opener.js";

const UNSAVED: FileSession = { path: "a.ts", cursor: 0, diskVersion: "v1", unsaved: "mine" };
const SAVED: FileSession = { path: "b.ts", cursor: 0, diskVersion: "v1" };

/** A server with the folders /p and /q. */
class FakeServer extends ServerAccess {
	/** Contents by path, or the status of the response to a request for the path. */
	readonly disk = new Map<string, string | number>([
		["/p/a.ts", "disk a"],
		["/p/b.ts", "disk b"],
		["/q/a.ts", "disk q"],
	]);
	isExpired = false;
	/** Changes when the server restarts. */
	samples = "file:///tmp/1";
	/** The folders that cannot be listed. */
	readonly missing = new Set<string>();
	/** The bodies of requests to write a sample. */
	readonly written: { name: string; files: { path: string; text: string }[] }[] = [];
	/** Requests for files wait for this promise. */
	gate: Promise<void> = Promise.resolve();

	changeToken(): void {
		this.token.value += "-new";
	}

	override async request(address: string, init: RequestInit = {}): Promise<Response> {
		if (this.isExpired) throw new RequestRefused(401, "expired");
		const url = new URL(address, "http://localhost");
		if (url.pathname === "/sample") {
			this.written.push(JSON.parse(String(init.body)) as FakeServer["written"][number]);
			return Response.json({ root: `${this.samples}/shop` });
		}
		if (url.pathname === "/folder") {
			const { path } = JSON.parse(String(init.body)) as { path: string };
			if (this.missing.has(path)) throw new RequestRefused(404, "missing");
			return Response.json({ root: `file://${path}`, name: path.slice(1), files: [], isCut: false });
		}
		await this.gate;
		const path = `${url.searchParams.get("folder")?.slice("file://".length)}/${url.searchParams.get("path")}`;
		const found = this.disk.get(path) ?? 404;
		if (typeof found === "number") throw new RequestRefused(found, `status ${found}`);
		return new Response(found, { headers: { etag: "v2" } });
	}
}

interface FakeFile {
	readonly path: string;
	readonly version: string | undefined;
	text: string;
}

/** The page without its editor. */
class Stage {
	readonly server = new FakeServer("first");
	readonly project = signal<Project | undefined>(undefined);
	readonly listed: string[] = [];
	readonly active = signal<string | undefined>(undefined);
	readonly trouble = signal<{ text: string } | undefined>(undefined);
	/** Open files by uri, including those in folders that are not shown. */
	readonly open = new Map<string, FakeFile>();
	readonly status = signal("open");
	/** The title of the story that is playing. */
	readonly playing = signal<string | undefined>(undefined);
	readonly opener: ProjectOpener;

	constructor(folders: readonly FolderSession[]) {
		sessionStorage.setItem("segue-session", JSON.stringify({ format: 1, folders }));
		const begin = (project: Project) => {
			this.project.value = project;
			this.active.value = undefined;
		};
		const bench = {
			project: this.project,
			active: this.active,
			begin,
			move: begin,
			tabs: signal([{ uri: "edited", path: "cart.ts" }]),
			textOf: (uri: string) => this.open.get(uri)?.text,
			add: (path: string, content: string, version?: string, unsaved?: string) => {
				const uri = uriOf(this.project.value ?? { root: "" }, path);
				this.open.set(uri, { path, version, text: unsaved ?? content });
				return uri;
			},
			show: (uri: string) => {
				if (this.open.has(uri)) this.active.value = uri;
			},
			openFolders: () => [],
			view: { focus: () => {} },
		};
		const playground = {
			bench,
			server: this.server,
			link: { status: this.status },
			files: { trouble: this.trouble },
			storyRunner: { playing: this.playing },
			limitTo: async () => {},
			openFolder: (folder: DiskFolder) => begin(projectOf(folder)),
			listFolder: (folder: DiskFolder) => this.listed.push(folder.path),
		};
		this.opener = new ProjectOpener(playground as unknown as Playground);
	}

	textOf(uri: string): string | undefined {
		return this.open.get(uri)?.text;
	}

	reconnect(): void {
		for (const status of ["lost", "connecting", "open"]) this.status.value = status;
	}

	/** Sets a token, and waits for the attempt that it starts. */
	async useToken(token: string): Promise<void> {
		this.server.token.value = token;
		await settle();
	}
}

function projectOf(folder: DiskFolder): Project {
	const { root, name } = folder;
	return { name, title: name, root, hint: "", start: { path: "", after: "" }, files: [], folder };
}

function session(path: string, ...files: FileSession[]): FolderSession {
	return { path, files, active: files[0]?.path };
}

/** Lets responses from the fake server arrive. */
async function settle(): Promise<void> {
	for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
	const stored = new Map<string, string>();
	vi.stubGlobal("addEventListener", () => {});
	vi.stubGlobal("sessionStorage", {
		getItem: (key: string) => stored.get(key) ?? null,
		setItem: (key: string, value: string) => void stored.set(key, value),
	});
});

afterEach(() => void vi.unstubAllGlobals());

test("opens unsaved text with the version it is based on, and other files with their content on disk", async () => {
	const stage = new Stage([session("/p", UNSAVED, SAVED)]);
	await stage.opener.start();
	expect([...stage.open.values()]).toEqual([
		{ path: "a.ts", version: "v1", text: "mine" },
		{ path: "b.ts", version: "v2", text: "disk b" },
	]);
	expect(stage.active.value).toBe("file:///p/a.ts");
	expect(stage.opener.isUnsaved).toBe(false);
});

test("opens the folder when the token changes, and counts its text as unsaved until then", async () => {
	const stage = new Stage([session("/p", UNSAVED)]);
	stage.server.isExpired = true;
	await stage.opener.start();
	expect(stage.opener.isUnsaved).toBe(true);
	stage.server.isExpired = false;
	await stage.useToken("second");
	expect(stage.textOf("file:///p/a.ts")).toBe("mine");
	expect(stage.opener.isUnsaved).toBe(false);
});

test("an unreadable file does not keep others from being opened, and newer text stays when the file is retried", async () => {
	const stage = new Stage([session("/p", { ...SAVED, path: "locked.ts" }, UNSAVED, SAVED)]);
	stage.server.disk.set("/p/locked.ts", 500);
	await stage.opener.start();
	expect([...stage.open.keys()]).toEqual(["file:///p/a.ts", "file:///p/b.ts"]);
	expect(stage.trouble.value?.text).toBe("status 500");
	stage.open.set("file:///p/a.ts", { path: "a.ts", version: "v2", text: "newer" });
	stage.active.value = "file:///p/a.ts";
	stage.server.disk.set("/p/locked.ts", "readable");
	await stage.useToken("second");
	expect(stage.textOf("file:///p/a.ts")).toBe("newer");
	expect(stage.textOf("file:///p/locked.ts")).toBe("readable");
	expect(stage.active.value).toBe("file:///p/a.ts");
});

test("unsaved text in a file that cannot be read is opened, and the error is reported", async () => {
	const stage = new Stage([session("/p", UNSAVED)]);
	stage.server.disk.set("/p/a.ts", 403);
	await stage.opener.start();
	expect([...stage.open.values()]).toEqual([{ path: "a.ts", version: "v1", text: "mine" }]);
	expect(stage.trouble.value?.text).toBe("status 403");
});

test("files are not opened if the user switches to another project while they are being read", async () => {
	const stage = new Stage([session("/p", UNSAVED)]);
	const { opened, open } = deferred();
	stage.server.gate = opened;
	const started = stage.opener.start();
	await settle();
	await stage.opener.openFolder("/q");
	open();
	await started;
	expect(stage.open.size).toBe(0);
	expect(stage.project.value?.name).toBe("q");
	expect(stage.opener.isUnsaved).toBe(true);
	await stage.opener.openFolder("/p");
	expect(stage.textOf("file:///p/a.ts")).toBe("mine");
	expect(stage.opener.isUnsaved).toBe(false);
});

test("a new token does not replace the project that the user chose, and lists the pending folder", async () => {
	const stage = new Stage([session("/p", UNSAVED)]);
	stage.server.isExpired = true;
	await stage.opener.start();
	stage.server.isExpired = false;
	await stage.opener.openFolder("/q");
	await stage.useToken("second");
	expect(stage.project.value?.name).toBe("q");
	expect(stage.listed).toEqual(["/p"]);
	expect(stage.opener.isUnsaved).toBe(true);
	await stage.opener.openFolder("/p");
	expect(stage.textOf("file:///p/a.ts")).toBe("mine");
});

test("two tokens in a row open the folder once", async () => {
	const stage = new Stage([session("/p", UNSAVED)]);
	stage.server.isExpired = true;
	await stage.opener.start();
	stage.server.isExpired = false;
	const begun: (string | undefined)[] = [];
	stage.project.subscribe((project) => void begun.push(project?.name));
	stage.server.token.value = "second";
	await stage.useToken("third");
	expect(begun.filter((name) => name === "p")).toHaveLength(1);
});

test.each<[string, (stage: Stage) => void]>([
	["a new token", ({ server }) => server.changeToken()],
	["a reconnection", (stage) => stage.reconnect()],
])("after %s, writes a sample with its current text if the server no longer has it", async (_, reconnect) => {
	const stage = new Stage([]);
	await stage.opener.start();
	expect(stage.project.value).toMatchObject({ root: "file:///tmp/1/shop", isWritten: true });
	stage.open.set("edited", { path: "cart.ts", version: undefined, text: "edited" });
	reconnect(stage);
	await settle();
	expect(stage.server.written).toHaveLength(1);
	stage.server.missing.add("/tmp/1/shop");
	stage.server.samples = "file:///tmp/2";
	reconnect(stage);
	await settle();
	expect(stage.project.value).toMatchObject({ root: "file:///tmp/2/shop", isWritten: true });
	expect(stage.server.written).toHaveLength(2);
	expect(stage.server.written[1]?.files).toContainEqual({ path: "cart.ts", text: "edited" });
});

test("writes a sample with the next token if it could not be written at first", async () => {
	const stage = new Stage([]);
	stage.server.isExpired = true;
	await stage.opener.start();
	expect(stage.project.value?.isWritten).toBe(false);
	stage.server.isExpired = false;
	await stage.useToken("second");
	expect(stage.project.value).toMatchObject({ root: "file:///tmp/1/shop", isWritten: true });
});

test("a story that the user starts early is not replaced by the first sample", async () => {
	const stage = new Stage([]);
	const started = stage.opener.start();
	stage.playing.value = "Rename";
	await started;
	expect(stage.project.value).toBeUndefined();
	expect(stage.trouble.value).toBeUndefined();
});

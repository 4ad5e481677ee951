import { appendFileSync, existsSync, readdirSync, statSync, truncateSync, utimesSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { expect, onTestFinished, test } from "vitest";
import { FeedbackFile, readFeedbackFiles } from "./feedback-file.js";
import type { RequestLogEntry } from "./request-log-entry.js";

const SEEN = { kind: "edit", trigger: "automatic", chance: 0.9, features: { rename: 1 } };
const OUTCOME = { at: "2026-01-01T00:00:00.000Z", predictor: "rename", language: "typescript", latencyMs: 3 };
// Larger than any process id.
const ENDED = 2 ** 30;

class Stage {
	readonly home: Home;
	readonly folder: string;

	constructor(configuration: object = {}) {
		this.home = new Home({ "home/config.json": configuration });
		onTestFinished(() => this.home[Symbol.dispose]());
		this.folder = path.join(this.home.home, "outcomes");
	}

	server(pid = ENDED): FeedbackFile {
		return new FeedbackFile({ folder: this.home.project, env: { SEGUE_HOME: this.home.home }, pid });
	}

	get files(): string[] {
		return existsSync(this.folder) ? readdirSync(this.folder).map((name) => path.join(this.folder, name)) : [];
	}
}

/** An entry for a request whose suggestions were shown. */
function entry(number: number, verdict: string | undefined, count = 1): RequestLogEntry {
	const workspace = { uri: undefined, folders: [], repository: undefined };
	const seen = () => Array.from({ length: count }, (_, rank) => ({ rank, ...SEEN, ...OUTCOME, verdict }));
	return { number, workspace, seen } as unknown as RequestLogEntry;
}

test("writes outcomes to a file that only the user can read, and deletes it after the process has ended", async () => {
	const stage = new Stage();
	await stage.server().add([entry(1, undefined, 2), entry(2, "accepted")]);
	if (process.platform !== "win32") {
		expect((statSync(stage.folder).mode & 0o777).toString(8)).toBe("700");
		expect((statSync(stage.files[0] ?? "").mode & 0o777).toString(8)).toBe("600");
	}
	const read = await readFeedbackFiles(stage.folder);
	expect(read?.seen).toMatchObject([OUTCOME, OUTCOME, { ...OUTCOME, verdict: "accepted" }]);
	await read?.forget("ended");
	expect(await readFeedbackFiles(stage.folder)).toBeUndefined();
});

test("keeps the file of a running process, unless all files are deleted", async () => {
	const stage = new Stage();
	const server = stage.server(process.pid);
	await server.add([entry(1, "accepted")]);
	await (await readFeedbackFiles(stage.folder))?.forget("ended");
	await server.add([entry(2, "rejected")]);
	const read = await readFeedbackFiles(stage.folder);
	expect(read?.seen).toHaveLength(2);
	await read?.forget("all");
	expect(stage.files).toEqual([]);
	await server.add([entry(3, "accepted")]);
	expect((await readFeedbackFiles(stage.folder))?.seen).toHaveLength(1);
});

test("keeps a verdict if a later line has none", async () => {
	const stage = new Stage();
	const server = stage.server();
	for (const verdict of [undefined, "rejected", undefined]) await server.add([entry(1, verdict)]);
	expect((await readFeedbackFiles(stage.folder))?.seen).toMatchObject([{ verdict: "rejected" }]);
});

test("skips incomplete lines, unknown lines, and other files", async () => {
	const stage = new Stage();
	const server = stage.server();
	await server.add([entry(1, "accepted")]);
	const [file = ""] = stage.files;
	const { size } = statSync(file);
	await server.add([entry(2, "accepted")]);
	truncateSync(file, size + 20);
	appendFileSync(file, '\n{"id":"x","at":"y"}\nnull\nwords\n');
	stage.home.write("home/outcomes/2026.jsonl", '{"mine":1}\n');
	const read = await readFeedbackFiles(stage.folder);
	expect(read?.seen).toHaveLength(1);
	await read?.forget("all");
	expect(stage.files.map((name) => path.basename(name))).toEqual(["2026.jsonl"]);
});

test("deletes old files, and the oldest files if there are too many", async () => {
	const stage = new Stage();
	await stage.server().add([entry(1, "accepted")]);
	const [old = ""] = stage.files;
	utimesSync(old, 0, 0);
	await stage.server().add([entry(1, "accepted")]);
	expect(existsSync(old)).toBe(false);
	const [large = ""] = stage.files;
	appendFileSync(large, "x".repeat(2 ** 24));
	await stage.server().add([entry(1, "rejected")]);
	expect(existsSync(large)).toBe(false);
	expect((await readFeedbackFiles(stage.folder))?.seen).toMatchObject([{ verdict: "rejected" }]);
});

test("writes nothing if feedback is turned off", async () => {
	const stage = new Stage({ feedback: false });
	await stage.server().add([entry(1, "accepted")]);
	expect(stage.files).toEqual([]);
});

test("reports in one sentence that the folder is a file", async () => {
	const stage = new Stage();
	stage.home.write("home/outcomes", "a file");
	await expect(stage.server().add([entry(1, "accepted")])).rejects.toThrow(
		/outcomes cannot be read: part of its path is a file, not a folder\.$/,
	);
});

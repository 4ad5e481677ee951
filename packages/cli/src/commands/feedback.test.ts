import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as acp from "@segue/protocol/acp";
import { Connection, lines } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { Home } from "@segue/testing/process/home";
import type { Serve, ServingSegue } from "@segue/testing/process/running-segue";
import { SegueInMemory, servingInMemory } from "@segue/testing/process/segue-in-memory";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { isAll, WAIT } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test, vi } from "vitest";
import { runSegue } from "../program.js";

// A server loads this module when it first stores feedback, and its exit waits at most two seconds. Loading the module
// from its source can take longer, so load it before the test.
import "@segue/agent/request-log/feedback-file";

const serveInMemory = servingInMemory(runSegue);

// Runs servers, in memory or as processes, and the commands that report on them. None of the user's code or paths may
// be stored.

// Words in the user's code, names and paths.
const MARKERS = ["zebra", "kangaroo", "meadow", "clover"];
const uri = "file:///meadow/clover.ts";
const TEXT = "const zebra = 0\nlog(zebra)\nshow(zebra)\n";

/** `segue acp` and an editor. */
class Served {
	stderr = "";
	private readonly segue: ServingSegue;
	private readonly client: Connection<"client">;
	private sessionId = "";

	private constructor(home: Home, args: readonly string[], serve: Serve) {
		const complain = (text: string) => {
			this.stderr += text;
		};
		this.segue = serve(["acp", ...args], { folder: home.project, env: { SEGUE_HOME: home.home }, complain });
		const channel = overStreams(this.segue.output, this.segue.input, lines);
		this.client = new Connection<"client">(channel, { dialect: acp.dialect, report: () => {}, handlers: [] });
		onTestFinished(() => this.end());
	}

	/** The user renames a variable, accepts part of a suggestion, and dismisses the next one. */
	static async start(home: Home, ...args: readonly string[]): Promise<Served> {
		return Served.startIn("file:///meadow", home, args);
	}

	/** Like `start`, but the server runs in its own process. */
	static async startProcess(home: Home): Promise<Served> {
		return Served.startIn("file:///meadow", home, [], serveInProcess);
	}

	/** Like `start`, but the editor opens this folder, whichever folder the process was started in. */
	static async startIn(
		workspaceUri: string,
		home: Home,
		args: readonly string[] = [],
		serve = serveInMemory,
	): Promise<Served> {
		const served = new Served(home, args, serve);
		const { client } = served;
		await client.request(acp.initialize, { protocolVersion: 1, clientCapabilities: {} });
		const { sessionId } = await client.request(acp.nesStart, { workspaceUri });
		served.sessionId = sessionId;
		client.notify(acp.didOpen, { sessionId, uri, languageId: "typescript", version: 1, text: TEXT });
		const range = { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } };
		client.notify(acp.didChange, { sessionId, uri, version: 2, contentChanges: [{ range, text: "kangaroo" }] });
		const _meta = { segue: { partial: true } };
		client.notify(acp.nesAccept, { sessionId, id: await served.suggestion(), _meta });
		client.notify(acp.nesReject, { sessionId, id: await served.suggestion(), reason: "rejected" });
		await served.ask(1);
		return served;
	}

	get pid(): number {
		return this.segue.pid;
	}

	async ask(version: number) {
		const { sessionId } = this;
		const position = { line: 0, character: 14 };
		return this.client.request(acp.nesSuggest, { sessionId, uri, version, position, triggerKind: "automatic" });
	}

	/** The editor disconnects. */
	async end(): Promise<void> {
		this.segue.input.end();
		await this.segue.ended;
	}

	/** The editor stops reading before the last response. */
	async endUnread(): Promise<void> {
		this.segue.output.destroy();
		this.ask(2).catch(() => {});
		await this.segue.ended;
	}

	async kill(): Promise<void> {
		this.segue.kill("SIGKILL");
		await this.segue.ended;
	}

	private async suggestion(): Promise<string> {
		const [suggestion] = (await this.ask(2)).suggestions;
		if (suggestion === undefined) throw new Error("no suggestion");
		return suggestion.id;
	}
}

function newHome(configuration: object = {}): Home {
	const home = new Home({ "home/config.json": configuration });
	onTestFinished(() => home[Symbol.dispose]());
	return home;
}

async function segue(home: Home, ...args: readonly string[]) {
	const command = new SegueInMemory(runSegue, args, { folder: home.project, env: { SEGUE_HOME: home.home } });
	const code = await command.ended;
	return { out: command.stdout, err: command.stderr, code };
}

/** Returns a server's request log. The file does not exist until the server has written it. */
function requestLogOf(home: Home, { pid }: Served): string {
	const folder = path.join(home.home, "requests");
	const names = existsSync(folder) ? readdirSync(folder) : [];
	return path.join(folder, names.find((name) => name.startsWith(`${pid}-`) && name.endsWith(".json")) ?? "none");
}

/** Waits until a server has logged its last request, which gets the reason "stale". */
async function untilWritten(home: Home, served: Served): Promise<void> {
	await vi.waitFor(() => expect(readFileSync(requestLogOf(home, served), "utf8")).toContain("stale"), WAIT);
}

/** Returns every file in the home directory with its mode. */
function filesOf(home: Home): Map<string, string> {
	const names = readdirSync(home.home, { recursive: true, encoding: "utf8" });
	return new Map(names.map((name) => [name, (statSync(path.join(home.home, name)).mode & 0o777).toString(8)]));
}

test("a session stores statistics and reasons, but no code and no paths", async () => {
	const home = newHome();
	const served = await Served.start(home);
	await untilWritten(home, served);
	await vi.waitFor(() => expect(existsSync(path.join(home.home, "outcomes"))).toBe(true), WAIT);
	await vi.waitFor(async () => {
		expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({ shown: 2 });
	}, WAIT);

	const why = await segue(home, "why");
	expect(why).toMatchObject({ err: "", code: 0 });
	expect(why.out).toContain(`Server ${served.pid}, running since `);
	expect(why.out).toMatch(/\d {2}partly accepted {2}Continues a rename /);
	expect(why.out).toMatch(/\d {2}dismissed {8}Continues a rename /);
	expect(why.out).toContain("The document has changed since the request.");
	const json = await segue(home, "why", "--json", "--server", `${served.pid}`);
	expect(JSON.parse(json.out)).toMatchObject([{ pid: served.pid, requests: [{}, {}, { silence: "stale" }] }]);

	const file = path.join(home.project, "feedback.jsonl");
	await segue(home, "stats", "--export", file);
	const exported = readFileSync(file, "utf8").trimEnd().split("\n");
	expect(exported.map((line) => JSON.parse(line))).toMatchObject([
		{ predictor: "rename", language: "typescript", kind: "edit", trigger: "automatic", verdict: "partly" },
		{ predictor: "rename", verdict: "rejected", features: { rename: 1 } },
	]);

	const modes = filesOf(home);
	for (const [name, mode] of modes) {
		if (name !== "config.json")
			expect([name, mode]).toEqual([name, name === "requests" || name === "outcomes" ? "700" : "600"]);
	}
	expect([...modes.keys()]).toContain(path.relative(home.home, requestLogOf(home, served)));
	const written = [...modes.keys()]
		.filter((name) => name !== "requests" && name !== "outcomes")
		.map((name) => path.join(home.home, name));
	for (const place of [...written, file]) {
		const bytes = readFileSync(place, "latin1");
		for (const marker of MARKERS) expect(bytes.includes(marker), `${marker} in ${place}`).toBe(false);
	}
	for (const marker of MARKERS) expect(why.out + json.out).not.toContain(marker);

	await served.end();
	expect(readdirSync(path.join(home.home, "requests"))).toEqual([]);
	expect((await segue(home, "why")).code).toBe(1);
	const { all, bySource } = JSON.parse((await segue(home, "stats", "--json")).out);
	expect(all).toMatchObject({ shown: 2, partly: 1, rejected: 1, rate: 0.5 });
	expect(bySource).toMatchObject([{ name: "rename", shown: 2 }]);
});

test("a server with --with-code shows suggested code in segue why, and stores none of it", async () => {
	const home = newHome();
	const served = await Served.start(home, "--with-code");
	await untilWritten(home, served);
	expect((await segue(home, "why")).out).toContain("Renaming `zebra` to `kangaroo`");
	expect((await segue(home, "why", "--all")).out).toContain("clover.ts:2  log(‹zebra→kangaroo›)");
	await served.end();
	for (const [name, mode] of filesOf(home)) {
		if (mode !== "600") continue;
		const bytes = readFileSync(path.join(home.home, name), "latin1");
		for (const marker of MARKERS) expect(bytes.includes(marker), `${marker} in ${name}`).toBe(false);
	}
});

test.runIf(isAll)("deletes a killed process's files after a while, and its statistics are complete", async () => {
	const home = newHome();
	const killed = await Served.startProcess(home);
	await untilWritten(home, killed);
	await vi.waitFor(async () => {
		expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({ shown: 2 });
	}, WAIT);
	await killed.kill();
	const left = requestLogOf(home, killed);
	expect((await segue(home, "why")).err).toMatch(/^segue: No running server has received requests\./);
	utimesSync(left, 0, 0);
	const next = await Served.startProcess(home);
	await untilWritten(home, next);
	expect(existsSync(left)).toBe(false);
	await next.end();
	expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({ shown: 4 });
});

// Only Linux lists the files that a process has loaded.
test.runIf(isAll && process.platform === "linux")("a next-edit server loads no native module", async () => {
	const home = newHome();
	const served = await Served.startProcess(home);
	await untilWritten(home, served);
	await vi.waitFor(() => expect(existsSync(path.join(home.home, "outcomes"))).toBe(true), WAIT);
	const loaded = readFileSync(`/proc/${served.pid}/maps`, "utf8").split("\n");
	expect(loaded.filter((line) => /\.node$|libsql/.test(line))).toEqual([]);
	expect(existsSync(path.join(home.home, "segue.db"))).toBe(false);
	await served.end();
});

test("with feedback off, nothing is stored, and segue why still works", async () => {
	const home = newHome({ feedback: false });
	const served = await Served.start(home);
	await untilWritten(home, served);
	expect((await segue(home, "why")).out).toMatch(/\d {2}dismissed /);
	await served.end();
	expect([...filesOf(home).keys()].toSorted()).toEqual(["config.json", "requests"]);
});

test("a project with feedback off stores nothing, wherever the server was started", async () => {
	const home = newHome();
	home.write("elsewhere/quiet/.segue.json", { feedback: false });
	const folder = (name: string) => pathToFileURL(path.join(home.project, "..", "elsewhere", name)).href;
	const served = await Served.startIn(folder("quiet"), home);
	await untilWritten(home, served);
	await served.end();
	expect([...filesOf(home).keys()].toSorted()).toEqual(["config.json", "requests"]);
	await (await Served.startIn(folder("other"), home)).end();
	expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({ shown: 2 });
});

test("statistics stay in a local file if threads are stored on a server", async () => {
	const home = newHome({ store: { url: "postgres://nobody@127.0.0.1:9/none" } });
	await (await Served.start(home)).end();
	expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({ shown: 2 });
});

test("outcomes are stored even if the editor stops reading first", async () => {
	const home = newHome();
	await (await Served.start(home)).endUnread();
	expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({
		accepted: 0,
		partly: 1,
		rejected: 1,
	});
});

test("segue stats reports that it moved a damaged database aside", async () => {
	const home = newHome();
	home.write("home/segue.db", "not a database");
	const served = await Served.start(home);
	await served.end();
	expect(served.stderr).toBe("");
	expect(home.short((await segue(home, "stats")).err)).toMatch(
		/^segue: Your conversation database was damaged and has been moved to home\/segue\.db\.corrupt-\w+\. Nothing in it could be read, so a new one was created\.\n$/,
	);
	expect(JSON.parse((await segue(home, "stats", "--json")).out).all).toMatchObject({ shown: 2 });
});

test("serves an editor if nothing can be written, and logs that once", async () => {
	const home = newHome();
	home.write("home/requests", "a file");
	home.write("home/outcomes", "a file");
	const served = await Served.start(home);
	await vi.waitFor(() => expect(served.stderr).toContain("will not include these suggestions"), WAIT);
	expect((await served.ask(2)).suggestions).not.toEqual([]);
	await served.end();
	expect(home.short(served.stderr).split("\n")).toEqual([
		"segue: segue why will not show these requests: home/requests cannot be written: part of its path is a file, not a folder.",
		"segue: segue stats will not include these suggestions: home/outcomes cannot be read: part of its path is a file, not a folder.",
		"",
	]);
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Entry } from "@segue/assist";
import { ChatCommandFixture } from "@segue/testing/process/chat-command-fixture";
import { isAll } from "@segue/testing/setup/tier";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runSegue } from "../program.js";

let stage: ChatCommandFixture;

beforeEach(async () => {
	stage = await ChatCommandFixture.open(runSegue);
	stage.write("src/app.ts", "one\ntwo\nthree\n");
});

afterEach(async () => {
	const leaks = stage.leaks();
	await stage.close();
	expect(leaks).toEqual([]);
});

const AT = "2030-01-01T00:00:00.000Z";
const WITHOUT_MODEL = { env: { SEGUE_MODEL: "", SEGUE_BASE_URL: "", SEGUE_API_KEY: "" } };
const READ = { call: "read_file", id: "c0", input: ['{"path":"src/app.ts"}'] };
const EDIT = { call: "edit_file", id: "c1", input: ['{"path":"src/app.ts","old_text":"two",', '"new_text":"2"}'] };
const RUN = { call: "run_command", id: "c2", input: ['{"command":"echo ran > ran.txt"}'] };

/** Returns the model's text or thoughts from the output for a script. */
function streamed(lines: readonly object[], type: "text" | "thought"): string {
	const numbers = new Set<number>();
	let text = "";
	for (const line of lines as readonly { type: string; number?: number; text?: string; entry?: Entry }[]) {
		if (line.entry?.body.type === type) {
			numbers.add(line.entry.number);
			text += line.entry.body.text;
		} else if (line.type === "more" && numbers.has(line.number ?? -1)) text += line.text;
	}
	return text;
}

describe("for a script", () => {
	test("a process prints a turn as JSON with thoughts, text and two allowed calls, and the edit is on disk", async () => {
		stage.server.add(
			[{ thought: "I have " }, { thought: "to look." }, "Let me ", "look.", READ],
			["I fix it.", EDIT, RUN],
			["It is ", "fixed.", { usage: { inputTokens: 100, outputTokens: 5 } }],
		);
		const args = ["--json", "--allow", "edit:src/**", "--allow", "command:echo ran > ran.txt", "Fix", "src/app.ts"];
		const started = stage.startProcess(args);
		expect({ code: await started.ended, stderr: started.stderr }).toEqual({ code: 0, stderr: "" });
		const { lines } = started;
		const [first] = lines as unknown as [{ type: string; thread: { id: string; workspace: string } }];
		expect(first).toMatchObject({ type: "thread", thread: { workspace: stage.folder } });
		expect(lines.at(-1)).toEqual({ type: "end", reason: "done", thread: first.thread.id });
		expect(streamed(lines, "thought")).toBe("I have to look.");
		expect(streamed(lines, "text")).toBe("Let me look.I fix it.It is fixed.");
		expect(stage.read("src/app.ts")).toBe("one\n2\nthree\n");
		expect(stage.read("ran.txt")).toBe("ran\n");
		expect(stage.server.requests).toHaveLength(3);
		expect(stage.server.requests[0]?.headers["authorization"]).toBe(`Bearer ${stage.key}`);
		expect(await stage.bodies(first.thread.id)).toMatchObject([
			{ type: "prompt", parts: [{ type: "text", text: "Fix src/app.ts" }] },
			{ type: "thought", text: "I have to look." },
			{ type: "text", text: "Let me look." },
			{ type: "call", call: { tool: "read_file", status: "done" } },
			{ type: "file" },
			{ type: "text", text: "I fix it." },
			{ type: "call", call: { tool: "edit_file", status: "done" } },
			{ type: "call", call: { tool: "run_command", status: "done" } },
			{ type: "approval", approval: { by: "rule", permission: { kind: "edit", subject: "src/app.ts" } } },
			{ type: "approval", approval: { by: "rule", permission: { kind: "command" } } },
			{ type: "text", text: "It is fixed." },
			{ type: "end", reason: "done" },
		]);
	});

	test.runIf(isAll)("a command does not receive the environment variable with a provider's key", async () => {
		const provider = { type: "openai-compatible", baseUrl: stage.server.url, keyEnv: "MINE" };
		writeFileSync(path.join(stage.home, "config.json"), JSON.stringify({ providers: { work: provider } }));
		stage.server.add([{ call: "run_command", id: "c0", input: ['{"command":"env > env.txt"}'] }], ["Done."]);
		const env = { SEGUE_MODEL: "work/scripted", SEGUE_BASE_URL: "", SEGUE_API_KEY: "", MINE: "0a1b2c3d4e5f" };
		expect(await stage.runProcess(["--allow", "command:*", "Go"], { env })).toMatchObject({ code: 0 });
		expect(stage.server.requests[0]?.headers["authorization"]).toBe("Bearer 0a1b2c3d4e5f");
		expect(stage.read("env.txt")).toContain("PATH=");
		expect(stage.read("env.txt")).not.toContain("0a1b2c3d4e5f");
	});

	test("a turn with thoughts and calls works with Anthropic's API, and thoughts are sent back signed", async () => {
		stage.server.add([{ thought: "I look.", signature: "sig-1" }, "Let me look.", READ], ["It says two."]);
		const started = stage.start(["--json", "Look"], { env: { SEGUE_MODEL: "anthropic/scripted" } });
		expect({ code: await started.ended, stderr: started.stderr }).toEqual({ code: 0, stderr: "" });
		expect(stage.server.requests.map(({ path: at, headers }) => [at, headers["x-api-key"]])).toEqual([
			["/v1/messages", stage.key],
			["/v1/messages", stage.key],
		]);
		expect(JSON.stringify(stage.server.requests[1]?.body["messages"])).toContain("sig-1");
		expect(streamed(started.lines, "text")).toBe("Let me look.It says two.");
	});

	test("denies actions that are not allowed and prints how to allow them", async () => {
		stage.server.add([RUN], ["So not."]);
		const started = stage.start(["--json", "Run it"]);
		expect({ code: await started.ended, stderr: started.stderr }).toEqual({
			code: 1,
			stderr:
				"segue: Denied: cannot ask for permission outside a terminal. To allow it: --allow 'command:echo ran > ran.txt'\n",
		});
		expect(started.lines.at(-1)).toMatchObject({ type: "end", reason: "done", notAllowed: 1 });
		expect(await stage.bodies()).toMatchObject([
			{ type: "prompt" },
			{ type: "call", call: { status: "failed" } },
			{ type: "approval", approval: { by: "nobody", answer: "no" } },
			{ type: "text", text: "So not." },
			{ type: "end", reason: "done" },
		]);
	});

	test("SIGINT cancels a turn and keeps the partial answer", async () => {
		stage.server.add(["The answer ", "is ", { hold: true }, "never told."]);
		const started = stage.start(["--json", "What is it?"]);
		await started.until(/is "/);
		await stage.server.holding();
		started.kill("SIGINT");
		expect(await started.ended).toBe(130);
		expect(started.lines.at(-1)).toMatchObject({ type: "end", reason: "cancelled" });
		await stage.server.requests[0]?.abandoned;
		expect(await stage.bodies()).toMatchObject([
			{ type: "prompt" },
			{ type: "text", text: "The answer is " },
			{ type: "end", reason: "cancelled" },
		]);
	});

	test("a thread continues in a second process with the history from the first", async () => {
		stage.server.add(["Blue."], ["Because of the air."]);
		expect(await stage.run(["--json", "Which colour is the sky?"])).toMatchObject({ code: 0 });
		expect(await stage.run(["--json", "--resume", "Why?"])).toMatchObject({ code: 0 });
		const messages = JSON.stringify(stage.server.requests[1]?.body["messages"]);
		expect(messages).toMatch(/Which colour is the sky\?.*Blue\..*Why\?/);
		const [thread = { id: "" }] = await stage.inStore((store) => store.list({ limit: 1 }));
		expect((await stage.bodies()).filter(({ type }) => type === "prompt")).toHaveLength(2);
		stage.server.add(["You asked twice."]);
		expect(await stage.run(["--json", "--conversation", thread.id.slice(0, 8), "How often did I ask?"])).toMatchObject({
			code: 0,
		});
		expect(JSON.stringify(stage.server.requests[2]?.body["messages"])).toContain("Because of the air.");
	});

	test("the last line says how the turn ended, even after an error", async () => {
		const started = stage.start(["--json", "--conversation", "nowhere", "Hello"]);
		const [code, { stderr, lines }] = [await started.ended, started];
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: 'segue: No conversation with the id "nowhere". To list all conversations: segue chat --list --all\n',
		});
		expect(lines).toMatchObject([{ type: "end", reason: "failed", error: expect.stringContaining("nowhere") }]);
	});
});

describe("for a pipe", () => {
	test("the answer is on standard output and the rest on standard error, without colours", async () => {
		stage.server.add([{ thought: "Hm." }, "Let me look.", READ], ["It says ", "two."]);
		const { code, stdout, stderr } = await stage.run(["What does it say?"]);
		expect({ code, stdout }).toEqual({ code: 0, stdout: "Let me look.\n\nIt says two.\n" });
		expect(stderr).toBe("│ Hm.\n\n✓ Read src/app.ts\n");
	});

	test("denies an edit and prints how to allow it", async () => {
		stage.server.add([READ], ["I fix it.", EDIT], ["I may not."]);
		const { code, stdout, stderr } = await stage.run(["Fix it"]);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "I fix it.\n\nI may not.\n" });
		expect(stderr).toContain(
			"segue: Denied: cannot ask for permission outside a terminal. To allow it: --allow edit:src/app.ts\n",
		);
		expect(stage.read("src/app.ts")).toBe("one\ntwo\nthree\n");
	});

	test("exits with 0 if at least one permission was allowed", async () => {
		const write = { call: "write_file", id: "c3", input: ['{"path":"new.txt","content":"x"}'] };
		stage.server.add([RUN, write], ["Half of it."]);
		const started = stage.start(["--json", "--allow", "command:*", "Do both"]);
		expect(await started.ended).toBe(0);
		expect(started.lines.at(-1)).toMatchObject({ reason: "done", notAllowed: 1 });
	});

	test("piped input is added to the question, or replaces a missing question", async () => {
		stage.server.add(["A list."], ["Hello."]);
		expect(await stage.run(["Explain", "this"], { input: "alpha\nbeta\n" })).toMatchObject({
			code: 0,
			stdout: "A list.\n",
		});
		expect(JSON.stringify(stage.server.requests[0]?.body["messages"])).toMatch(
			/Explain this.*standard input.*alpha\\+nbeta/,
		);
		expect(await stage.run([], { input: "Say hello\n" })).toMatchObject({ code: 0, stdout: "Hello.\n" });
		expect(JSON.stringify(stage.server.requests[1]?.body["messages"])).toContain("Say hello");
	});

	test("FORCE_COLOR turns colours on, and NO_COLOR takes precedence", async () => {
		stage.server.add([READ], ["So."], [READ], ["So."]);
		expect((await stage.run(["Look"], { env: { FORCE_COLOR: "1" } })).stderr).toContain("\x1b[32m✓\x1b[39m Read");
		expect((await stage.run(["Look"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stderr).not.toContain("\x1b");
	});

	test("a reader that closes the pipe ends the turn without an error", async () => {
		stage.server.add(["First.\n", { hold: true }, "Second.\n", { hold: true }, "Third.\n"]);
		const started = stage.start(["Count"]);
		await started.until("First.");
		await stage.server.holding();
		started.stopReading();
		await stage.server.release();
		await stage.server.requests[0]?.abandoned;
		expect({ code: await started.ended, stderr: started.stderr.replace(/^Cancelled.*\n/m, "") }).toEqual({
			code: 0,
			stderr: "",
		});
	});

	test("SIGTERM cancels the turn", async () => {
		stage.server.add(["Well, ", { hold: true }]);
		const started = stage.start(["Speak"]);
		await started.until("Well,");
		started.kill("SIGTERM");
		expect(await started.ended).toBe(143);
		expect((await stage.bodies()).at(-1)).toEqual({ type: "end", reason: "cancelled" });
	});
});

describe("without a model", () => {
	test("says what to do and stores no thread", async () => {
		const { code, stdout, stderr } = await stage.run(["Hello"], WITHOUT_MODEL);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(/^segue: No model is configured\. Set SEGUE_MODEL=PROVIDER\/MODEL.*segue login/);
		expect((await stage.run(["--list"])).stdout).toMatch(/^No conversations in /);
	});

	test("keeps a failed turn in a thread that existed before", async () => {
		stage.server.add(["Blue."]);
		await stage.run(["Which colour is the sky?"]);
		expect(await stage.run(["--resume", "Why?"], WITHOUT_MODEL)).toMatchObject({ code: 1 });
		expect((await stage.bodies()).map(({ type }) => type)).toEqual([
			"prompt",
			"text",
			"end",
			"prompt",
			"notice",
			"end",
		]);
	});

	test("treats text that starts like a path as a question", async () => {
		const { code, stdout, stderr } = await stage.run(["/usr/bin holds what?"], WITHOUT_MODEL);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(/^segue: No model is configured/);
	});

	test.each([
		["/help", /^\/help: .*\n\/files/],
		["/files", /src\/app\.ts/],
		["/search two", /src\/app\.ts/],
		["/conversations", /^This workspace has no other conversations\.\n$/],
		["/why", /./],
	])("%s works and stores no thread", async (command, expected) => {
		const { code, stdout, stderr } = await stage.run([command], WITHOUT_MODEL);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(expected);
		expect(await stage.inStore((store) => store.list({ limit: 1 }))).toEqual([]);
	});
});

test("an unknown slash command exits with 1", async () => {
	for (const options of [{}, WITHOUT_MODEL]) {
		const { code, stdout, stderr } = await stage.run(["/fiels"], options);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(/^segue: Unknown command \/fiels\. Did you mean \/files\?/);
	}
	expect(stage.server.requests).toEqual([]);
});

describe("threads", () => {
	test("can be listed, found, shown, renamed, exported, deleted and imported", async () => {
		stage.server.add(["Blue as the sea."], ["Green."]);
		await stage.run(["Which colour is the sky?"]);
		await stage.run(["And the grass?"]);
		const listed = (await stage.run(["--list"])).stdout;
		expect(listed).toMatch(
			/^[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}And the grass\?\n.*Which colour is the sky\?\n$/,
		);
		const found = await stage.run(["--search", "AS THE SEA"]);
		expect(found.stdout).toMatch(/^[0-9a-f]{8} .*Which colour is the sky\?\n {4}.*Blue as the sea/);
		const id = found.stdout.slice(0, 8);
		expect((await stage.run(["--show", id])).stdout).toBe(
			`Which colour is the sky?\n${stage.folder}\n\n> Which colour is the sky?\n\nBlue as the sea.\n`,
		);
		expect((await stage.run(["--rename", id, "The", "sky"])).stdout).toBe("Renamed to: The sky\n");
		expect(JSON.parse((await stage.run(["--list", "--json"])).stdout)).toMatchObject([{}, { title: "The sky" }]);
		const exported = await stage.run(["--export", id]);
		stage.write("sky.json", exported.stdout);
		expect((await stage.run(["--delete", id])).stdout).toBe("Deleted: The sky\n");
		expect(await stage.run(["--show", id])).toMatchObject({ code: 1, stdout: "" });
		expect((await stage.run(["--import", "sky.json"])).stdout).toMatch(/^Imported as .*: The sky\n$/);
		expect((await stage.run(["--search", "sea"])).stdout).toContain("The sky");
		expect((await stage.run(["--list", "--folder", "src"])).stdout).toContain("No conversations in");
		expect((await stage.run(["--list", "--all", "--folder", "src"])).stdout).toContain(stage.folder);
	});

	test("continue in their own folder with its configuration", async () => {
		const elsewhere = path.join(path.dirname(stage.folder), "elsewhere");
		mkdirSync(elsewhere);
		writeFileSync(path.join(elsewhere, ".segue.json"), JSON.stringify({ model: "openai-compatible/strange" }));
		const deny = { approvals: [{ kind: "edit", pattern: "src/**", answer: "deny" }] };
		stage.write(".segue.json", JSON.stringify({ ...deny, model: "openai-compatible/own" }));
		const env = { SEGUE_MODEL: "" };
		stage.server.add(["Yes?"], [READ], [EDIT], ["I may not."]);
		await stage.run(["Hello"], { env });
		const [{ id } = { id: "" }] = await stage.inStore((store) => store.list({ limit: 1 }));
		const ran = await stage.run(["--allow", "edit:**", "--conversation", id, "Fix it"], { env, folder: elsewhere });
		expect(ran.stderr).toContain(`segue: The conversation belongs to ${stage.folder}. It continues there,`);
		expect(ran.stdout).toBe("I may not.\n");
		expect(stage.server.requests.map(({ body }) => body["model"])).toEqual(["own", "own", "own", "own"]);
		expect(stage.read("src/app.ts")).toBe("one\ntwo\nthree\n");
	});

	test("belong to this folder after an import, also from standard input", async () => {
		const thread = { id: "t", title: "Theirs", workspace: "/etc", modifiedAt: "2030-01-01T00:00:00.000Z" };
		const input = JSON.stringify({ format: "segue-thread", version: 1, thread, entries: [] });
		expect((await stage.run(["--import", "-"], { input })).stdout).toBe("Imported as t: Theirs\n");
		await stage.run(["--import", "-", "--folder", "src"], { input });
		const folders = (await stage.inStore((store) => store.list({ limit: 9 }))).map(({ workspace }) => workspace);
		expect(folders.toSorted()).toEqual([stage.folder, path.join(stage.folder, "src")]);
	});

	test.each(["gone", "shop/gone", "/gone/shop", "/dev/null"])(
		"in %s, which is not a folder here, cannot be continued",
		async (workspace) => {
			await stage.inStore((store) => store.create({ id: "t", title: "", workspace, modifiedAt: AT }));
			const { code, stdout, stderr } = await stage.run(["--conversation", "t", "Hello"]);
			expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
			expect(stderr).toBe(
				`segue: The conversation belongs to ${workspace}, which is not a folder here. To continue in this folder, copy it: segue chat --export t | segue chat --import -\n`,
			);
		},
	);

	test("can be listed despite an invalid configuration, whose problems are printed", async () => {
		await stage.inStore((store) => store.create({ id: "t", title: "Kept", workspace: stage.folder, modifiedAt: AT }));
		writeFileSync(path.join(stage.home, "config.json"), '{ "efort": 1 }');
		const { code, stdout, stderr } = await stage.run(["--list"]);
		expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^t .* Kept\n$/) });
		expect(stderr).toMatch(
			/config\.json:1:3: efort is not a setting.*\nsegue: Until this is fixed, conversations are read from .*segue\.db\.\n$/,
		);
		expect(await stage.run(["--list"], { env: { SEGUE_HOME: "home" } })).toMatchObject({ code: 1, stdout: "" });
	});

	test("are listed up to a limit for users, and in full for scripts", async () => {
		await stage.inStore(async (store) => {
			for (let i = 0; i <= 400; i++) {
				await store.create({ id: `t${i}`, title: "The same", workspace: stage.folder, modifiedAt: AT });
			}
		});
		for (const args of [["--list"], ["--search", "same"]]) {
			const { stdout, stderr } = await stage.run(args);
			expect(stdout.match(/^t\d/gm)).toHaveLength(200);
			expect(stderr).toMatch(/^segue: Only the newest 200 are shown\. .*\n$/);
		}
		const { stdout, stderr } = await stage.run(["--list", "--json"]);
		expect({ count: JSON.parse(stdout).length, stderr }).toEqual({ count: 401, stderr: "" });
	});
});

test.each([
	[["--conversation", "nowhere", "Hello"], /^segue: No conversation with the id "nowhere"\..*--list --all\n$/],
	[["--show", ""], /^segue: No conversation with the id ""\./],
	[["--folder", "missing", "Hello"], /^segue: Cannot open .*missing: the folder does not exist\. .*--folder/],
	[["--folder", "src/app.ts", "Hello"], /^segue: .*app\.ts is not a folder\./],
	[["--resume", "Hello"], /^segue: No conversations in .* yet\./],
	[["--list", "--search", "x"], /^segue: --list and --search cannot be combined/],
	[["--list", "what?"], /^segue: --list takes no question/],
	[["--rename", "x"], /^segue: --rename needs a title/],
	[["--import", "missing.json"], /^segue: Cannot read missing\.json: no such file\. .*--export ID/],
	[["--import", "src"], /^segue: Cannot read src: it is a folder\. .*--export ID/],
	[["--import", "src/app.ts"], /^segue: src\/app\.ts is not JSON\. .*--export ID/],
	[["--resume", "--conversation", "t", "Hello"], /"--resume" cannot be used with option "--conversation <id>"/],
	[["--list", "--model", "a/b"], /"--list" cannot be used with option "--model <provider\/model>"/],
	[
		["--alow", "edit:**", "Hello"],
		/^segue: Unknown option "--alow"\. Did you mean .*"--allow"\? Run `segue help chat`/,
	],
	[["--all", "Hello"], /^segue: --all needs --list or --search\./],
	[["--allow", "fly:*", "Hello"], /^segue: --allow takes KIND:PATTERN/],
	[["--json"], /^segue: --json needs a question/],
	[[], /^segue: Not a terminal\. To ask one question: segue chat "QUESTION"/],
	[["--model", "nonsense", "Hello"], /^segue: .*PROVIDER\/MODEL/],
])("segue chat %j prints the error and what to do on one line", async (args, sentence) => {
	const { code, stdout, stderr } = await stage.run(args);
	expect({ code, stdout: args.includes("--json") ? "" : stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toMatch(sentence);
	expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("rejects binary and oversized input", async () => {
	expect(await stage.run(["Explain"], { input: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]) })).toMatchObject({
		code: 1,
		stdout: "",
		stderr: "segue: The piped input is not UTF-8 text. Pipe text, or name the file in your question.\n",
	});
	expect((await stage.run(["Explain"], { input: "x".repeat(600_000) })).stderr).toMatch(
		/^segue: .*larger than 512 KiB.*\n$/,
	);
});

test("reports a mistake in the configuration with file, line and field", async () => {
	writeFileSync(path.join(stage.home, "config.json"), '{\n\t"model": 7\n}\n');
	const { code, stderr } = await stage.run(["Hello"]);
	expect(code).toBe(1);
	expect(stderr).toMatch(/^segue: .*config\.json:2.*model/);
});

test("moves a damaged store aside and prints its new name", async () => {
	writeFileSync(path.join(stage.home, "segue.db"), "This is no database. ".repeat(500));
	stage.server.add(["Hello."]);
	const { code, stdout, stderr } = await stage.run(["Hello"]);
	expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello.\n" });
	const [, moved = ""] =
		/^segue: Your conversation database was damaged and has been moved to (.*)\. Nothing/.exec(stderr) ?? [];
	expect(readFileSync(moved, "utf8")).toMatch(/^This is no database\./);
});

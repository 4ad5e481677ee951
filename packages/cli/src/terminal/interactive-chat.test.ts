import { existsSync } from "node:fs";
import path from "node:path";
import { ChatCommandFixture } from "@segue/testing/process/chat-command-fixture";
import type { RunningSegue } from "@segue/testing/process/running-segue";
import { hasTerminals } from "@segue/testing/process/segue-process";
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

const WITHOUT_MODEL = { env: { SEGUE_MODEL: "", SEGUE_BASE_URL: "", SEGUE_API_KEY: "" } };
const READ = { call: "read_file", id: "c0", input: ['{"path":"src/app.ts"}'] };
const EDIT = { call: "edit_file", id: "c1", input: ['{"path":"src/app.ts","old_text":"two","new_text":"2"}'] };
const RUN = { call: "run_command", id: "c2", input: ['{"command":"echo ran > ran.txt"}'] };

describe("in a terminal", () => {
	/** The output without escape sequences. */
	const plain = (started: RunningSegue) =>
		// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
		started.stdout.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");

	test("/resume continues another thread", async () => {
		stage.server.add(["A zebra."], ["An answer."], ["Striped."]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		for (const [typed, shown] of [
			["What is that animal?", "A zebra."],
			["/new", "Started a new conversation."],
			["Another question", "An answer."],
			["/resume 1", 'Resuming "What is that animal?".'],
			["How does it look?", "Striped."],
		] as const) {
			started.type(`${typed}\r`);
			await started.until(shown);
			await started.until("> ");
		}
		started.type("\x04");
		expect(await started.ended).toBe(0);
		const request = JSON.stringify(stage.server.requests.at(-1));
		expect(request).toMatch(/What is that animal.*A zebra.*How does it look/);
		expect(request).not.toContain("Another question");
	});

	test("shows thoughts, calls and diffs, and asks for permission", async () => {
		stage.server.add(
			[{ thought: "I look." }, "Let me look.", READ],
			["I fix it.", EDIT, RUN],
			["Fixed. \x1b]0;owned\x07"],
		);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Fix it\r");
		await started.until(/Change src\/app\.ts\?.*\[y yes/);
		// Neither Enter nor x means yes.
		started.type("\r");
		await started.until(/Change src\/app\.ts\?.*\[y yes/);
		started.type("x");
		await started.until(/Change src\/app\.ts\?.*\[y yes/);
		started.type("d");
		await started.until("+2");
		await started.until(/Change src\/app\.ts\?.*\[y yes/);
		expect(stage.read("src/app.ts")).toBe("one\ntwo\nthree\n");
		started.type("y");
		await started.until(/Run this command\?.*\[y yes/);
		expect(stage.read("src/app.ts")).toBe("one\n2\nthree\n");
		started.type("n");
		await started.until("owned");
		await started.until("> ");
		started.type("\x04");
		expect(await started.ended).toBe(0);
		expect(existsSync(path.join(stage.folder, "ran.txt"))).toBe(false);
		expect(started.stdout).toContain("\x1b[2m│ I look.\x1b[22m");
		expect(started.stdout).toContain("\x1b[31m-two\x1b[39m");
		expect(started.stdout).toContain("\x1b[32m+2\x1b[39m");
		expect(started.stdout).toContain("\x1b[32m✓\x1b[39m Edit src/app.ts");
		expect(started.stdout).toContain("\x1b[31m✗\x1b[39m Run echo");
		expect(started.stdout).toContain("␛]0;owned␇");
		expect(started.stdout).not.toContain("\x1b]");
		const approvals = (await stage.bodies()).filter(({ type }) => type === "approval");
		expect(approvals).toMatchObject([
			{ approval: { by: "person", answer: "once", permission: { kind: "edit" } } },
			{ approval: { by: "person", answer: "no", permission: { kind: "command" } } },
		]);
	});

	test("does not ask again if an action is allowed for the session or always", async () => {
		const again = (id: string) => ({ ...RUN, id });
		stage.server.add(
			[again("a")],
			[again("b")],
			["Twice."],
			[again("c")],
			["Thrice."],
			[again("d")],
			["Once more."],
			[again("e")],
			["So."],
		);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Run it\r");
		await started.until(/Run this command\?.*\[y yes/);
		started.type("s");
		await started.until("s or Enter: yes");
		started.type("s");
		await started.until("Twice.");
		await started.until("> ");
		started.type("/quit\r");
		expect(await started.ended).toBe(0);
		expect(plain(started).match(/Run this command\?/g)).toHaveLength(1);

		const second = stage.start(["--resume"], { isTerminal: true });
		// The latest turns are shown again.
		await second.until("Twice.");
		await second.until("> ");
		second.type("Run it\r");
		await second.until(/Run this command\?.*\[y yes/);
		second.type("a");
		await second.until("a or Enter: yes");
		second.type("\r");
		await second.until("Thrice.");
		await second.until("> ");
		second.type("\x04");
		await second.ended;
		expect((await stage.run(["--resume", "Run it"])).stdout).toBe("Once more.\n");
	});

	test("keys typed before a question do not answer it", async () => {
		stage.server.add(["Let me ", { hold: true }, "run it.", RUN], ["So not."]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Run it\r");
		await started.until("Let me");
		started.type("ya");
		await stage.server.release();
		await started.until("Run this command?");
		started.type("aayy");
		await started.until("[y yes");
		started.type("n");
		await started.until("So not.");
		expect(existsSync(path.join(stage.folder, "ran.txt"))).toBe(false);
	});

	test("continues in a new thread after another process deletes the thread", async () => {
		stage.server.add(["One."], ["Two."]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("First\r");
		await started.until("One.");
		await started.until("> ");
		await stage.inStore(async (store) => {
			for (const { id } of await store.list({ limit: 9 })) await store.delete(id);
		});
		started.type("Second\r");
		await started.until("Another program deleted this conversation.");
		await started.until("> ");
		started.type("\x1b[A");
		await started.until("Second");
		started.type("\r");
		await started.until("Two.");
		await started.until("> ");
		started.type("\x04");
		expect(await started.ended).toBe(0);
		expect(await stage.bodies()).toMatchObject([{ parts: [{ text: "Second" }] }, { text: "Two." }, { type: "end" }]);
	});

	test("pasted text does not answer a question", async () => {
		stage.server.add([RUN], ["So not."]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Run it\r");
		await started.until(/Run this command\?.*\[y yes/);
		expect(started.stdout.lastIndexOf("\x1b[?2004h")).toBeGreaterThan(started.stdout.lastIndexOf("\x1b[?2004l"));
		started.type("\x1b[200~y\x1b[201~");
		started.type("n");
		await started.until("So not.");
		expect(existsSync(path.join(stage.folder, "ran.txt"))).toBe(false);
	});

	test("the first Ctrl-C stops the turn and the second quits", async () => {
		stage.server.add(["Well, ", { hold: true }]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Speak\r");
		await started.until("Well,");
		started.type("\x03");
		await started.until("Cancelled.");
		await stage.server.requests[0]?.abandoned;
		await started.until("> ");
		started.type("\x03");
		expect(await started.ended).toBe(0);
	});

	test("at the prompt, Ctrl-C clears the text, then explains how to quit, then quits", async () => {
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("nonsense");
		await started.until("nonsense");
		started.type("\x03");
		await started.until("> ");
		started.type("x\x7f");
		started.type("\x03");
		await started.until("Press Ctrl-C again");
		await started.until("> ");
		started.type("\x03");
		expect(await started.ended).toBe(0);
		expect(stage.server.requests).toEqual([]);
	});

	test("restores the terminal", async () => {
		stage.server.add(["Hello."]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Hello\r");
		await started.until("Hello.");
		await started.until("> ");
		started.type("\x04");
		expect(await started.ended).toBe(0);
		expect(started.stdout.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(started.stdout.lastIndexOf("\x1b[?2004h"));
	});

	test("a prompt can have several lines, with a backslash or pasted", async () => {
		stage.server.add(["Four."], ["Two."]);
		const started = stage.start([], { isTerminal: true });
		await started.until("> ");
		started.type("Count \\\r");
		await started.until("… ");
		started.type("these\r");
		await started.until("Four.");
		await started.until("> ");
		started.type("\x1b[200~alpha\rbeta\x1b[201~");
		await started.until("beta");
		started.type("\r");
		await started.until("Two.");
		started.type("\x04");
		const prompts = (await stage.bodies()).filter(({ type }) => type === "prompt");
		expect(prompts).toMatchObject([{ parts: [{ text: "Count \nthese" }] }, { parts: [{ text: "alpha\nbeta" }] }]);
	});

	test.skipIf(!hasTerminals)("a process in a pseudo-terminal runs one turn with a question", async () => {
		stage.server.add([READ], [EDIT], ["Fixed."]);
		const started = stage.startProcess(["Fix it"], { isTerminal: true });
		await started.until(/Change src\/app\.ts\?.*\[y yes/);
		started.type("y");
		expect(await started.ended).toBe(0);
		expect(plain(started)).toMatch(/yes\n✓ Edit src\/app\.ts\n\nFixed\.\n$/);
	});

	test("sends no escape sequences to a dumb terminal", async () => {
		stage.server.add([READ], ["So it is."]);
		const started = stage.start([], { isTerminal: true, env: { TERM: "dumb" } });
		await started.until("> ");
		started.type("Look\n");
		await started.until("So it is.");
		await started.until("> ");
		started.type("\x04");
		expect(await started.ended).toBe(0);
		expect(started.stdout).not.toContain("\x1b");
	});

	test("without a model, says so first, but commands work", async () => {
		const started = stage.start([], { isTerminal: true, ...WITHOUT_MODEL });
		await started.until("No model is configured.");
		await started.until("> ");
		started.type("/he\t");
		await started.until("lp");
		started.type("\r");
		await started.until("/files");
		await started.until("/quit");
		await started.until("> ");
		started.type("/quit\r");
		expect(await started.ended).toBe(0);
	});
});

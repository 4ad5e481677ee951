import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { EditorTerminal, TerminalExit, TerminalProgram, Terminals } from "../client.js";
import { runCommandTool } from "./run-command.js";

const NEVER = new Promise<never>(() => {});

/** An editor's terminals, in which commands print the given output and end with the given exit status. */
class Screen implements Terminals {
	readonly started: TerminalProgram[] = [];
	readonly killed: string[] = [];

	constructor(
		private readonly exit: TerminalExit | "never" | "when killed" | Error,
		private readonly printed: { readonly text: string; readonly isCut: boolean } | "never" = { text: "", isCut: false },
	) {}

	async create(program: TerminalProgram): Promise<EditorTerminal> {
		this.started.push(program);
		const id = `t${this.started.length}`;
		let end = (_exit: TerminalExit) => {};
		const killed = new Promise<TerminalExit>((resolve) => {
			end = resolve;
		});
		const orAborted = <T>(wanted: Promise<T>, signal: AbortSignal) =>
			Promise.race([
				wanted,
				new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
			]);
		return {
			id,
			exited: async (signal) => {
				if (this.exit instanceof Error) throw this.exit;
				if (this.exit === "never") return orAborted(NEVER, signal);
				return this.exit === "when killed" ? orAborted(killed, signal) : this.exit;
			},
			output: async (signal) => (this.printed === "never" ? orAborted(NEVER, signal) : this.printed),
			kill: () => {
				this.killed.push(id);
				end({ code: undefined, signal: "SIGKILL" });
			},
		};
	}
}

async function run(screen: Terminals, input: { command: string; time_limit_s?: number }) {
	const box = await ToolFixture.draw({});
	box.client = { ...box.client, terminals: screen };
	const action = await box.prepare(runCommandTool(["PAT"]), input);
	const shownIn: string[] = [];
	const ended = action.run(
		box.calling.signal,
		() => {},
		(id) => shownIn.push(id),
	);
	return { box, ended, shownIn };
}

const SUCCESS: TerminalExit = { code: 0, signal: undefined };

describe("run_command in an editor's terminal", () => {
	test.each<[string, Screen, string, boolean]>([
		["returns the output", new Screen(SUCCESS, { text: "one\n", isCut: false }), "one\n(exit code 0)", false],
		["adds a missing line ending", new Screen(SUCCESS, { text: "one", isCut: false }), "one\n(exit code 0)", false],
		["returns the exit code", new Screen({ code: 3, signal: undefined }), "(exit code 3)", true],
		[
			"reports the signal that killed it",
			new Screen({ code: undefined, signal: "SIGTERM" }),
			"(killed by SIGTERM)",
			true,
		],
		[
			"reports an unknown exit status",
			new Screen({ code: undefined, signal: undefined }),
			"(ended with unknown status)",
			true,
		],
		[
			"reports that the start of the output is missing",
			new Screen(SUCCESS, { text: "end\n", isCut: true }),
			"… (start omitted) …\nend\n(exit code 0)",
			false,
		],
	])("%s", async (_title, screen, output, failed) => {
		const { ended, shownIn } = await run(screen, { command: "make" });
		expect(await ended).toEqual({ output, failed, read: [] });
		expect(shownIn).toEqual(["t1"]);
		expect(screen.killed).toEqual([]);
	});

	test("returns the start and the end of long output", async () => {
		const screen = new Screen(SUCCESS, { text: `first\n${"y\n".repeat(500_000)}last\n`, isCut: false });
		const { ended } = await run(screen, { command: "make" });
		const { output } = await ended;
		expect(output).toMatch(/^first\ny\n.*\n… \(\d+ characters omitted\) …\n.*\nlast\n\(exit code 0\)$/s);
		expect(output.length).toBeLessThan(33_000);
	});

	test("runs in a shell in the workspace root, without known secrets", async () => {
		vi.stubEnv("SEGUE_API_KEY", "do-not-tell");
		vi.stubEnv("HARMLESS", "tell");
		onTestFinished(() => void vi.unstubAllEnvs());
		const screen = new Screen(SUCCESS);
		const { ended, box } = await run(screen, { command: "make && make test" });
		await ended;
		const [program] = screen.started;
		expect(program).toMatchObject({ folder: box.root, outputBytesMax: 2 ** 20 });
		expect([program?.command, ...(program?.args ?? [])].at(-1)).toBe("make && make test");
		expect(program?.env).toMatchObject({ SEGUE_API_KEY: "", PAT: "", NO_COLOR: "1" });
		expect(program?.env).not.toHaveProperty("HARMLESS");
	});

	test.each<[string, Screen, string]>([
		["that exits", new Screen("when killed", { text: "half\n", isCut: false }), "half\n"],
		["that keeps running", new Screen("never", { text: "half\n", isCut: false }), "half\n"],
		["whose editor stops responding", new Screen("never", "never"), ""],
	])("kills a command at the time limit: one %s", async (_title, screen, printed) => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const { ended } = await run(screen, { command: "make", time_limit_s: 5 });
		await vi.advanceTimersByTimeAsync(4999);
		expect(screen.killed).toEqual([]);
		await vi.advanceTimersByTimeAsync(30_000);
		const output = `${printed}(timed out after 5 s)`;
		expect(await ended).toEqual({ output, failed: true, read: [] });
		expect(screen.killed).toEqual(["t1"]);
	});

	test("kills the command when the turn is cancelled", async () => {
		const screen = new Screen("never");
		const { ended, box, shownIn } = await run(screen, { command: "make" });
		await expect.poll(() => shownIn).toEqual(["t1"]);
		box.calling.abort();
		await expect(ended).rejects.toThrow();
		expect(screen.killed).toEqual(["t1"]);
	});

	test("reports an error from the editor", async () => {
		const { ended } = await run(new Screen(new Error("no such terminal")), { command: "make" });
		await expect(ended).rejects.toThrow("The editor's terminal failed: no such terminal");
	});

	test.skipIf(process.platform === "win32")("runs without a terminal if the editor does not provide one", async () => {
		const { ended, shownIn } = await run({ create: async () => undefined }, { command: "echo one" });
		expect((await ended).output).toBe("one\n(exit code 0)");
		expect(shownIn).toEqual([]);
	});
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Home } from "@segue/testing/process/home";
import { SegueInMemory } from "@segue/testing/process/segue-in-memory";
import { isAll } from "@segue/testing/setup/tier";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { runSegue } from "./program.js";

const launcher = path.join(import.meta.dirname, "..", "bin", "segue.js");

function run(program: string, ...args: string[]) {
	const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
	return { stdout, stderr, status };
}

async function runInMemory(...args: string[]) {
	using home = new Home();
	const segue = new SegueInMemory(runSegue, args, { folder: home.project, env: { SEGUE_HOME: home.home } });
	const status = await segue.ended;
	return { stdout: segue.stdout, stderr: segue.stderr, status };
}

test("segue prints its version", () => {
	expect(run(launcher, "--version")).toEqual({ stdout: `${manifest.version}\n`, stderr: "", status: 0 });
});

test.each([[[]], [["help"]], [["--help"]]])("segue %j shows what it can do, with an example", async (args) => {
	const { stdout, stderr, status } = await runInMemory(...args);
	expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
	expect(stdout).toContain("Next-edit suggestions and agent chat for any editor");
	expect(stdout).toContain("$ segue --version");
});

test.each([["fly"], ["--fly"]])("segue %s says in one line that it cannot", async (argument) => {
	const { stdout, stderr, status } = await runInMemory(argument);
	expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
	expect(stderr).toContain(argument);
	expect(stderr).toContain("segue help");
	expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test.each(["models", ...(isAll ? ["config --json", "agents", "acp --login anthropic"] : [])])(
	"segue %s ends without a word where nobody reads what it prints",
	async (line) => {
		using home = new Home();
		const env = { SEGUE_HOME: home.home };
		const child = spawn(process.execPath, [launcher, ...line.split(" ")], { env, cwd: home.project });
		child.stdout.destroy();
		child.stdin.end("sk-ant-0123456789\n");
		const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
		expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
	},
);

test("segue eval replays cases, on as many threads as there are", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-launcher-"));
	const steps = ["a", "b"].map((line, oldStart) => ({ path: "f", oldStart, oldLines: [line], newLines: [`${line}1`] }));
	const kase = { language: "go", files: { f: "a\nb" }, context: {}, steps, stepOrder: [0, 1], stepEvalAt: [1] };
	const file = path.join(folder, "cases.jsonl");
	writeFileSync(file, ["one", "two"].map((id) => JSON.stringify({ ...kase, id })).join("\n"));
	const { stdout, status } = run(launcher, "eval", file, "--json");
	const missing = run(launcher, "eval", path.join(folder, "none"));
	rmSync(folder, { recursive: true });
	expect(status).toBe(0);
	expect(JSON.parse(stdout).results).toMatchObject([
		{ id: "one", states: [{ made: 1 }, { made: 2 }] },
		{ id: "two", states: [{ made: 1 }, { made: 2 }] },
	]);
	expect(missing).toMatchObject({ stdout: "", status: 1 });
	expect(missing.stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("segue why plays stories, without colours where no person looks", async () => {
	const stories = path.join(import.meta.dirname, "..", "..", "..", "stories");
	const { stdout, stderr, status } = await runInMemory("why", path.join(stories, "silence.story.md"));
	expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
	expect(stdout).toContain("(rejected-before)");
	expect(stdout).not.toContain("\x1b");
	expect((await runInMemory("help", "why")).stdout).toContain("$ segue why stories/rename.story.md");
	expect(await runInMemory("why")).toMatchObject({ stdout: "", status: 1 });
});

test.for(["server", "last"])(
	"segue why refuses --%s with a story, which has nothing to do with servers",
	async (option) => {
		const { stdout, stderr, status } = await runInMemory("why", "some.story.md", `--${option}`, "5");
		expect({ stdout, stderr, status }).toEqual({
			stdout: "",
			stderr: `error: --${option} is about running servers: leave it out, or the files of stories. What segue can do: segue help\n`,
			status: 1,
		});
	},
);

test("segue help threads shows how an editor starts it, with another agent too", async () => {
	const { stdout, stderr, status } = await runInMemory("help", "threads");
	expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
	expect(stdout).toContain('$ segue threads --agent "gemini --acp"');
	expect(await runInMemory("threads", "more")).toMatchObject({ stdout: "", status: 1 });
});

test("a launcher without its build says how to build it", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-launcher-"));
	mkdirSync(path.join(folder, "bin"));
	const copy = path.join(folder, "bin", "segue.mjs");
	copyFileSync(launcher, copy);
	const { stdout, stderr, status } = run(copy);
	rmSync(folder, { recursive: true });
	expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
	expect(stderr).toContain("npm run build");
});

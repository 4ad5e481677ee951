import { startModelServer } from "@segue/testing/models/model-server";
import { programsIn, runProgram } from "@segue/testing/process/readme-program";
import { expect, onTestFinished, test } from "vitest";

const programs = programsIn("docs/writing-a-plugin.md");

test("the guide's plugin has under 60 lines, compiles, and works with segue", async () => {
	const [plugin = ""] = programs;
	expect(plugin.split("\n").length).toBeLessThan(60);
	const { stdout, stderr } = await runProgram(plugin);
	expect(stderr).toBe("");
	expect(stdout).toBe(
		"Renaming `cnt` to `count`: 1 more in this file (Tab to accept)\nconst count = items.length\nlog(count)\n\n",
	);
});

test("the guide's chat compiles and lets segue read unsaved text", async () => {
	const model = await startModelServer([
		[{ call: "read_file", id: "c1", input: ['{"path":"notes.txt"}'] }],
		["That you ", "should buy milk."],
	]);
	onTestFinished(() => model.stop());
	const env = { SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };
	const talk = programs.find((program) => program.includes("new ThreadsEditor")) ?? "";
	const { stdout, stderr } = await runProgram(talk, env);
	expect(stderr).toBe("");
	expect(stdout).toBe("✓ Read notes.txt\n\nThat you should buy milk.\n(What do my notes say?)\n");
	expect(JSON.stringify(model.requests[1]?.body)).toContain("Buy milk.");
});

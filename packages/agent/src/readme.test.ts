import { programsIn, runProgram } from "@segue/testing/process/readme-program";
import { expect, test } from "vitest";

test("the program in docs/embedding-the-agent.md has at most 30 lines, compiles and prints a suggestion", async () => {
	const [program = ""] = programsIn("docs/embedding-the-agent.md");
	expect(program.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
	const { stdout, stderr } = await runProgram(program);
	expect(stderr).toBe("");
	expect(stdout).toBe("Renaming `cnt` to `count`: 1 more in this file [ { from: 31, to: 34, insert: 'count' } ]\n");
});

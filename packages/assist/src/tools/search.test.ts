import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LineMatcher } from "../workspace/line-matcher.js";
import { searchTool } from "./search.js";

const LONG_MS = 2 ** 30;

// Split so that secret scanners don't report them.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const BEGIN = ["-----BEGIN RSA", "PRIVATE", "KEY-----"].join(" ");
const BODY = "MIIEpAIBAAKCAQEA7xYz9Qw0".repeat(3).slice(0, 64);
const PEM = [BEGIN, BODY, BODY, BEGIN.replace("BEGIN", "END")].join("\n");
const MASK = "REDACTED_SECRET_REDACTED_SECRET_REDACTED";

describe("search", () => {
	test("does not match keys and masks them in results", async () => {
		const box = await ToolFixture.draw({
			"a.ts": `const key = "${TOKEN}"\nconst pem = \`${PEM}\`\n`,
			"key.txt": PEM,
		});
		expect(await box.call(searchTool(LONG_MS), { pattern: "^const key" })).toBe(`a.ts:1: const key = "${MASK}"`);
		for (const pattern of ["ghp_", "MIIE", "MIIE.*Qw0"]) {
			expect(await box.call(searchTool(LONG_MS), { pattern })).toBe("No line matches.");
		}
		expect(await box.call(searchTool(LONG_MS), { pattern: ".", path: "key.txt" })).toBe("No line matches.");
	});

	const TREE = {
		".ignored": "dist/\n",
		"a.md": "One\r\ntwo one\r\n",
		"src/a.ts": "one();\n",
		"src/b.js": "// one\nпривет\n",
		"dist/a.js": "one",
		"src/.env": "one",
		"src/a.png": Buffer.from("one\0"),
		"src/link.ts": "→ a.ts",
	};

	test.each([
		["all files", { pattern: "one" }, "a.md:2: two one\nsrc/a.ts:1: one();\nsrc/b.js:1: // one"],
		["case-insensitively", { pattern: "^ONE", ignore_case: true }, "a.md:1: One\nsrc/a.ts:1: one();"],
		["a folder", { pattern: "one", path: "src" }, "src/a.ts:1: one();\nsrc/b.js:1: // one"],
		["a file", { pattern: "one", path: "src/a.ts" }, "src/a.ts:1: one();"],
		["files that match a glob", { pattern: "one", glob: "*.ts" }, "src/a.ts:1: one();"],
		["files in a folder that match a glob", { pattern: "one", path: "src", glob: "*.md" }, "No line matches."],
		["an ignored folder if it is named", { pattern: "one", path: "dist" }, "dist/a.js:1: one"],
		["for the ends of lines with CRLF", { pattern: "one$" }, "a.md:2: two one\nsrc/b.js:1: // one"],
		["by Unicode property", { pattern: "^\\p{Script=Cyrillic}+$" }, "src/b.js:2: привет"],
		["with a pattern that is valid only without the u flag", { pattern: "\\-|\\/\\/ one" }, "src/b.js:1: // one"],
	])("searches %s", async (_where, input, output) => {
		const box = await ToolFixture.draw(TREE);
		expect(await box.call(searchTool(LONG_MS), input)).toBe(output);
	});

	test.each([
		[
			"an invalid pattern",
			{ pattern: "(" },
			"refused: The pattern is not a valid regular expression: Invalid regular expression: /(/: Unterminated group.",
		],
		["a missing path", { pattern: "a", path: "lib" }, "refused: The file or folder lib does not exist."],
		[
			"a binary file that is named",
			{ pattern: "a", path: "src/a.png" },
			"refused: src/a.png is not UTF-8 text. It is binary or has another encoding.",
		],
	])("refuses %s", async (_what, input, output) => {
		const box = await ToolFixture.draw(TREE);
		expect(await box.call(searchTool(LONG_MS), input)).toBe(output);
	});

	test("needs permission for ignored files", async () => {
		const box = await ToolFixture.draw(TREE);
		const permissions = async (where: object) =>
			(await box.prepare(searchTool(LONG_MS), { pattern: "a", ...where })).permissions;
		expect(await permissions({ path: "dist/a.js" })).toEqual([{ kind: "read-ignored", subject: "dist/a.js" }]);
		expect(await permissions({})).toEqual([]);
	});

	test("searches the open buffer of a file that is named", async () => {
		const box = await ToolFixture.draw({ "a.ts": "one" });
		const buffers = {
			read: async (file: string) => (file === path.join(box.root, "a.ts") ? "two" : undefined),
			write: async () => false,
		};
		box.client = { ...box.client, buffers };
		expect(await box.call(searchTool(LONG_MS), { pattern: ".", path: "a.ts" })).toBe("a.ts:1: two");
	});

	test("shows at most 300 lines, each truncated", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"x".repeat(400)}\n`.repeat(301) });
		const lines = (await box.call(searchTool(LONG_MS), { pattern: "x" })).split("\n");
		expect(lines).toHaveLength(301);
		expect(lines[0]).toBe(`a.txt:1: ${"x".repeat(300)}…`);
		expect(lines.at(-1)).toBe("(More than 300 matches. Narrow the pattern, the path or the glob.)");
	});

	test("gives up on a pattern with catastrophic backtracking", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"a".repeat(60)}c\n` });
		expect(await box.call(searchTool(100), { pattern: "^(a+)+b$" })).toBe(
			"No line matches.\n(Stopped after 0.1 s, so results are incomplete. Simplify the pattern, or search a smaller folder.)",
		);
	});

	test("returns partial results at the time limit", async () => {
		const box = await ToolFixture.draw({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" });
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const { workspace } = box;
		const textOf = workspace.textOf.bind(workspace);
		vi.spyOn(workspace, "textOf").mockImplementation((resolved, ...how) => {
			if (resolved.name === "b.txt") vi.advanceTimersByTime(1000);
			return textOf(resolved, ...how);
		});
		expect(await box.call(searchTool(1000), { pattern: "one" })).toMatch(
			/^a\.txt:1: one\n\(Stopped after 1 s, so results are incomplete\./,
		);
	});

	test("stops when the turn is cancelled, even during catastrophic backtracking", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"a".repeat(60)}c\n` });
		const action = await box.prepare(searchTool(LONG_MS), { pattern: "^(a+)+b$" });
		const running = action.run(box.calling.signal, () => {});
		box.calling.abort();
		await expect(running).rejects.toThrow(/aborted/);
	});

	test("skips and reports files that are too large", async () => {
		const box = await ToolFixture.draw({ "a.txt": "x", "b.txt": Buffer.alloc(9 * 2 ** 20, "x") });
		expect(await box.call(searchTool(LONG_MS), { pattern: "x" })).toBe(
			"a.txt:1: x\n(1 file skipped: too large to search)",
		);
	});

	test("finds the same lines as a naive search", async () => {
		const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\r\n", "é", "😀"), maxLength: 30 });
		const pattern = fc.constantFrom("a", "^a", "b$", "^$", "a.b", "[^a]", "(a|b) ", "\\s", "é|😀", "^.$", "a{2}");
		await fc.assert(
			fc.asyncProperty(
				fc.dictionary(fc.constantFrom("a", "b/c", "b/d", "e"), text),
				pattern,
				async (files, written) => {
					const box = await ToolFixture.draw(files);
					const expected = Object.entries(files)
						.sort()
						.flatMap(([file, content]) =>
							linesOf(content).map((line, i) => ({ line, output: `${file}:${i + 1}: ${line}` })),
						)
						.filter(({ line }) => new RegExp(written, "u").test(line))
						.map(({ output }) => output);
					expect(await box.call(searchTool(LONG_MS), { pattern: written })).toBe(
						expected.join("\n") || "No line matches.",
					);
				},
			),
			{ numRuns: runs(50) },
		);
	});
});

test("a matcher reports a crashed worker instead of a timeout", async () => {
	const matcher = new LineMatcher(LONG_MS, new AbortController().signal);
	expect(await matcher.linesIn("text", {} as RegExp)).toBeUndefined();
	expect(matcher.notice).toMatch(/^\(Stopped because the pattern takes too much memory, so results are incomplete\./);
});

function linesOf(text: string): string[] {
	const lines = text.split(/\r?\n/);
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

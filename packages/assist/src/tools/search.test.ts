import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LineMatcher } from "../workspace/line-matcher.js";
import { searchTool } from "./search.js";

const LONG_MS = 2 ** 30;

// In parts, so that scanners of repositories don't take them for real ones.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const BEGIN = ["-----BEGIN RSA", "PRIVATE", "KEY-----"].join(" ");
const BODY = "MIIEpAIBAAKCAQEA7xYz9Qw0".repeat(3).slice(0, 64);
const PEM = [BEGIN, BODY, BODY, BEGIN.replace("BEGIN", "END")].join("\n");
const MASK = "REDACTED_SECRET_REDACTED_SECRET_REDACTED";

describe("search", () => {
	test("finds nothing of keys, and shows them masked", async () => {
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
		["in all files", { pattern: "one" }, "a.md:2: two one\nsrc/a.ts:1: one();\nsrc/b.js:1: // one"],
		["in upper and lower case", { pattern: "^ONE", ignore_case: true }, "a.md:1: One\nsrc/a.ts:1: one();"],
		["in a folder", { pattern: "one", path: "src" }, "src/a.ts:1: one();\nsrc/b.js:1: // one"],
		["in a file", { pattern: "one", path: "src/a.ts" }, "src/a.ts:1: one();"],
		["in files of a kind", { pattern: "one", glob: "*.ts" }, "src/a.ts:1: one();"],
		["in files of a kind in a folder", { pattern: "one", path: "src", glob: "*.md" }, "No line matches."],
		["in an ignored folder that is named", { pattern: "one", path: "dist" }, "dist/a.js:1: one"],
		["at the ends of lines with CRLF", { pattern: "one$" }, "a.md:2: two one\nsrc/b.js:1: // one"],
		["by classes of Unicode", { pattern: "^\\p{Script=Cyrillic}+$" }, "src/b.js:2: привет"],
		["by patterns that are only right without Unicode", { pattern: "\\-|\\/\\/ one" }, "src/b.js:1: // one"],
		[
			"for nothing that is wrong",
			{ pattern: "(" },
			"refused: The pattern is no regular expression: Invalid regular expression: /(/: Unterminated group.",
		],
		["in nothing that is not there", { pattern: "a", path: "lib" }, "refused: There is no file or folder lib."],
		[
			"in no binary that is named",
			{ pattern: "a", path: "src/a.png" },
			"refused: src/a.png is not text in UTF-8: a binary file, or one in another encoding.",
		],
	])("looks %s", async (_where, input, output) => {
		const box = await ToolFixture.draw(TREE);
		expect(await box.call(searchTool(LONG_MS), input)).toBe(output);
	});

	test("needs a permission for what is ignored", async () => {
		const box = await ToolFixture.draw(TREE);
		const permissions = async (where: object) =>
			(await box.prepare(searchTool(LONG_MS), { pattern: "a", ...where })).permissions;
		expect(await permissions({ path: "dist/a.js" })).toEqual([{ kind: "read-ignored", subject: "dist/a.js" }]);
		expect(await permissions({})).toEqual([]);
	});

	test("looks into the open buffer of a file that is named", async () => {
		const box = await ToolFixture.draw({ "a.ts": "one" });
		const buffers = {
			read: async (file: string) => (file === path.join(box.root, "a.ts") ? "two" : undefined),
			write: async () => false,
		};
		box.client = { ...box.client, buffers };
		expect(await box.call(searchTool(LONG_MS), { pattern: ".", path: "a.ts" })).toBe("a.ts:1: two");
	});

	test("shows at most 300 lines, each shortened", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"x".repeat(400)}\n`.repeat(301) });
		const lines = (await box.call(searchTool(LONG_MS), { pattern: "x" })).split("\n");
		expect(lines).toHaveLength(301);
		expect(lines[0]).toBe(`a.txt:1: ${"x".repeat(300)}…`);
		expect(lines.at(-1)).toBe("(There are more than 300. Narrow the pattern, the path or the glob.)");
	});

	test("gives a pattern up that takes for ever", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"a".repeat(60)}c\n` });
		expect(await box.call(searchTool(100), { pattern: "^(a+)+b$" })).toBe(
			"No line matches.\n(Stopped after 0.1 s: this is not all. Simplify the pattern, or look in a smaller folder.)",
		);
	});

	test("shows what it has found when the time is up", async () => {
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
			/^a\.txt:1: one\n\(Stopped after 1 s: this is not all\./,
		);
	});

	test("ends with the turn, even while a pattern takes for ever", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"a".repeat(60)}c\n` });
		const action = await box.prepare(searchTool(LONG_MS), { pattern: "^(a+)+b$" });
		const running = action.run(box.calling.signal, () => {});
		box.calling.abort();
		await expect(running).rejects.toThrow(/aborted/);
	});

	test("leaves out what is too large, and says so", async () => {
		const box = await ToolFixture.draw({ "a.txt": "x", "b.txt": Buffer.alloc(9 * 2 ** 20, "x") });
		expect(await box.call(searchTool(LONG_MS), { pattern: "x" })).toBe(
			"a.txt:1: x\n(Too large to be searched, and left out: 1.)",
		);
	});

	test("finds what a look at every line finds", async () => {
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
							linesOf(content).map((line, i) => ({ line, said: `${file}:${i + 1}: ${line}` })),
						)
						.filter(({ line }) => new RegExp(written, "u").test(line))
						.map(({ said }) => said);
					expect(await box.call(searchTool(LONG_MS), { pattern: written })).toBe(
						expected.join("\n") || "No line matches.",
					);
				},
			),
			{ numRuns: runs(50) },
		);
	});
});

test("a matcher whose thread broke says so, and not that its time was up", async () => {
	const matcher = new LineMatcher(LONG_MS, new AbortController().signal);
	expect(await matcher.linesIn("text", {} as RegExp)).toBeUndefined();
	expect(matcher.notice).toMatch(/^\(Stopped because the pattern takes too much memory: this is not all\./);
});

function linesOf(text: string): string[] {
	const lines = text.split(/\r?\n/);
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ToolError } from "../failures.js";
import { globOf } from "../workspace/walk.js";
import { findFilesTool } from "./find-files.js";

const LONG_MS = 2 ** 30;

describe("find_files", () => {
	const TREE = {
		".ignored": "dist/\n",
		".github/ci.yml": "",
		"a.md": "",
		"dist/a.js": "",
		"src/a.ts": "",
		"src/a/b.ts": "",
		"src/a-b.ts": "",
		"src/a.test.ts": "",
		"src/[id].ts": "",
		"src/.env": "",
		"src/link.ts": "→ a.ts",
		"src/loop": "→ .",
	};

	test.each([
		["*.md", {}, "a.md"],
		["*.ts", {}, "src/[id].ts\nsrc/a-b.ts\nsrc/a.test.ts\nsrc/a.ts\nsrc/a/b.ts"],
		["src/*.ts", {}, "src/[id].ts\nsrc/a-b.ts\nsrc/a.test.ts\nsrc/a.ts"],
		["/src/*.ts", {}, "src/[id].ts\nsrc/a-b.ts\nsrc/a.test.ts\nsrc/a.ts"],
		["./src/a/**", {}, "src/a/b.ts"],
		["**/*.{yml,md}", {}, ".github/ci.yml\na.md"],
		["!(*.test).ts", { path: "src" }, "src/[id].ts\nsrc/a-b.ts\nsrc/a.ts\nsrc/a/b.ts"],
		["a/*", { path: "src" }, "src/a/b.ts"],
		["*.js", {}, "No file matches."],
		["*.js", { path: "dist" }, "dist/a.js"],
		["*", { path: "a.md" }, "refused: a.md is not a folder."],
		["*", { path: "lib" }, "refused: The folder lib does not exist."],
	])("finds %s", async (pattern, where, output) => {
		const box = await ToolFixture.draw(TREE);
		expect(await box.call(findFilesTool(LONG_MS), { pattern, ...where })).toBe(output);
	});

	test("reports how many more files match", async () => {
		const box = await ToolFixture.draw(Object.fromEntries(Array.from({ length: 503 }, (_, i) => [`${i}`, ""])));
		expect(await box.call(findFilesTool(LONG_MS), { pattern: "*" })).toMatch(
			/\n\n\(3 more match\. Narrow the pattern\.\)$/,
		);
	});

	test.each(["((a+)+)+c", `${"*a".repeat(40)}*c`, `${"**/".repeat(200)}c`])(
		"quickly rejects a pattern that would make a backtracking matcher slow: %.20s",
		async (pattern) => {
			const box = await ToolFixture.draw({ [`${"a".repeat(60)}b`]: "" });
			expect(await box.call(findFilesTool(LONG_MS), { pattern })).toBe("No file matches.");
		},
	);

	test("refuses a pattern that takes too many steps", async () => {
		const box = await ToolFixture.draw({ ["a".repeat(255)]: "" });
		const pattern = `${"*!(".repeat(30)}a${")".repeat(30)}b`;
		expect(await box.call(findFilesTool(LONG_MS), { pattern })).toBe(
			"refused: The glob takes too long to match. Simplify it.",
		);
	});

	test("stops at the time limit", async () => {
		const box = await ToolFixture.draw({ "a/1": "", "b/2": "" });
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const list = box.workspace.list.bind(box.workspace);
		vi.spyOn(box.workspace, "list").mockImplementation((folder, ...how) => {
			if (folder.name === "b") vi.advanceTimersByTime(100);
			return list(folder, ...how);
		});
		expect(await box.call(findFilesTool(100), { pattern: "*" })).toBe(
			"(Stopped after 0.1 s, so results are incomplete. Simplify the pattern, or search a smaller folder.)",
		);
	});

	test("skips a folder that cannot be read", async () => {
		const box = await ToolFixture.draw({ "a/1": "", "b/2": "", "c/3": "" });
		const list = box.workspace.list.bind(box.workspace);
		vi.spyOn(box.workspace, "list").mockImplementation((folder, ...how) => {
			return folder.name === "b" ? Promise.reject(new ToolError("no access")) : list(folder, ...how);
		});
		expect(await box.call(findFilesTool(LONG_MS), { pattern: "*" })).toBe("a/1\nc/3");
		expect(await box.call(findFilesTool(LONG_MS), { pattern: "*", path: "b" })).toBe("refused: no access");
	});

	test("stops when the turn is cancelled", async () => {
		const box = await ToolFixture.draw({ "a/1": "", "b/2": "" });
		const action = await box.prepare(findFilesTool(LONG_MS), { pattern: "*" });
		const running = action.run(box.calling.signal, () => {});
		box.calling.abort();
		await expect(running).rejects.toThrow(/aborted/);
	});

	test("does not start after the turn was cancelled", async () => {
		const box = await ToolFixture.draw({ "a.ts": "" });
		const action = await box.prepare(findFilesTool(LONG_MS), { pattern: "*" });
		box.calling.abort();
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(/aborted/);
	});

	test("finds the same files as a naive matcher", async () => {
		const name = fc
			.string({ unit: fc.constantFrom("a", "b", ".", "-"), minLength: 1, maxLength: 3 })
			.filter((one) => !/^\.|\.$/.test(one));
		const paths = fc.uniqueArray(
			fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
			{ maxLength: 12 },
		);
		const glob = fc
			.array(fc.constantFrom("**", ...Object.keys(NAMES)), { minLength: 1, maxLength: 3 })
			.map((parts) => parts.join("/"));
		await fc.assert(
			fc.asyncProperty(paths, glob, async (drawn, pattern) => {
				// A path is either a file or a folder.
				const files = drawn.filter((one) => !drawn.some((other) => other.startsWith(`${one}/`)));
				const box = await ToolFixture.draw(Object.fromEntries(files.map((file) => [file, ""])));
				const parts = pattern.includes("/") ? pattern.split("/") : ["**", pattern];
				const expected = files.filter((file) => matches(parts, file.split("/"))).sort();
				expect(await box.call(findFilesTool(LONG_MS), { pattern })).toBe(expected.join("\n") || "No file matches.");
			}),
			{ numRuns: runs(50) },
		);
	});

	test("refuses a glob that is too long", () => {
		expect(() => globOf("*".repeat(1001))).toThrow("longer than 1000");
	});
});

/** Generates regular expressions for the segments of a glob. */
const NAMES: Readonly<Record<string, RegExp>> = {
	"*": /./,
	"a*": /^a/,
	"?b": /^.b$/,
	"{a,b}": /^[ab]$/,
	"[ab]": /^[ab]$/,
	a: /^a$/,
	"*.b": /\.b$/,
};

/**
 * A naive glob matcher: compares the segments of a pattern with those of a path. `before` is the segment before
 * `parts`.
 */
function matches(parts: readonly string[], names: readonly string[], before = ""): boolean {
	const [part, ...rest] = parts;
	if (part === undefined) return names.length === 0;
	// A trailing `a/**` also matches `a`, but `*/**` requires another segment.
	if (part === "**" && rest.length === 0) return names.length > 0 || !before.endsWith("*");
	if (part === "**") return matches(rest, names, part) || (names.length > 0 && matches(parts, names.slice(1), before));
	const [name, ...below] = names;
	return name !== undefined && NAMES[part]?.test(name) === true && matches(rest, below, part);
}

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import { inTier } from "@segue/testing/setup/tier";
import { afterAll, describe, expect, test } from "vitest";
import { explainStories } from "../why/explain-stories.js";
import { JUMP_REASONS } from "../why/recent-requests.js";

const folder = mkdtempSync(path.join(tmpdir(), "segue-why-"));
afterAll(() => rmSync(folder, { recursive: true }));

const storiesFolder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const ours = readdirSync(storiesFolder)
	.filter((name) => name.endsWith(".story.md"))
	.slice(0, inTier(4, undefined))
	.map((name) => path.join(storiesFolder, name));

function fileOf(name: string, text: string): string {
	const file = path.join(folder, name);
	writeFileSync(file, text);
	return file;
}

/** Creates a file with one story. */
function storyOf(name: string, ...panes: string[]): string {
	return fileOf(name, `# A story\n\n\`\`\`story\n${panes.join("\n")}\n\`\`\`\n`);
}

async function run(files: readonly string[], { all = false, json = false, isColoured = false, columns = 200 } = {}) {
	let [out, err] = ["", ""];
	const stdout = { write: (text: string) => (out += text), columns };
	const stderr = { write: (text: string) => (err += text) };
	const code = await explainStories(files, { all, json }, { stdout, stderr, isColoured });
	const short = (text: string) => text.replaceAll(`${folder}${path.sep}`, "");
	return { out: short(out), err: short(err), code };
}

const RENAMED = "--- user\nconst ‹total→sum▮› = 0\nlog(total)";
const OFFERED = "--- suggests\nconst sum = 0\nlog(‹total→sum▮›)";
const renamed = storyOf("renamed.story.md", RENAMED, OFFERED, "--- user rejects (rejected)", "--- suggests nothing");

describe("segue why", () => {
	test("prints the suggestion and its reason", async () => {
		const { out, err, code } = await run([renamed]);
		expect({ err, code }).toEqual({ err: "", code: 0 });
		expect(out.replace(/\d+ %/g, "#").split("\n").slice(4, 9)).toEqual([
			"  Pane 2  suggestion, 1 candidate",
			"",
			"  ▸  #  Rename            main.ts:2  log(‹total→sum›)",
			"           why               Renaming `total` to `sum`: 1 more in this file",
			"",
		]);
	});

	test("prints the rule and the odds only with --all", async () => {
		const { out, err, code } = await run([renamed], { all: true });
		expect({ err, code }).toEqual({ err: "", code: 0 });
		// The chances depend on the weights.
		const lines = out.replace(/\d+ %|\d?\.\d\d/g, "#").split("\n");
		expect(lines.slice(0, 8)).toEqual([
			"renamed.story.md",
			"",
			"A story",
			"",
			"  Pane 2  suggestion, 1 candidate",
			"",
			"  ▸  #  Rename            main.ts:2  log(‹total→sum›)",
			"           why               Renaming `total` to `sum`: 1 more in this file",
		]);
		expect(lines[8]).toMatch(/^ {11}rule {14}rename total to sum/);
		expect(lines[9]).toMatch(/^ {11}[+−]# {2}\w/);
	});

	test("prints the gate's objection and the reason for no suggestion", async () => {
		const { out } = await run([renamed]);
		expect(out).toContain("  Pane 4  no suggestion, 1 candidate: you dismissed this suggestion before\n");
		expect(out).toContain("           not shown         you dismissed this suggestion before\n");
		const { out: all } = await run([renamed], { all: true });
		expect(all).toContain(
			"  Pane 4  no suggestion, 1 candidate: you dismissed this suggestion before (rejected-before)\n",
		);
		expect(all).toContain("           not shown         you dismissed this suggestion before (rejected-before)\n");
		expect(all).toContain("           −0.40  outcomes");
	});

	test("names no feature, predictor or reason by its id without --all", async () => {
		const { out } = await run(ours);
		expect(out).toContain("  ▸");
		expect(out).not.toMatch(/^ +[+−]\d\.\d\d {2}/m);
		for (const reason of Object.keys(NO_SUGGESTION_REASONS)) expect(out).not.toContain(`(${reason})`);
	});

	test("prints JSON with every candidate and odds that add up to its chance", async () => {
		const { out, code } = await run(ours, { json: true });
		expect(code).toBe(0);
		let count = 0;
		for (const { stories } of JSON.parse(out)) {
			for (const { title, panes } of stories) {
				expect(panes.length, title).toBeGreaterThan(0);
				for (const { candidates, suggestions = [], silence } of panes) {
					const suggested = candidates.filter((one: { isSuggested: boolean }) => one.isSuggested);
					expect(suggested.length, title).toBe(suggestions.length);
					expect(silence === undefined, title).toBe(suggestions.length > 0);
					for (const { confidence, moved, contributions } of candidates) {
						const odds = contributions.reduce((sum: number, one: { odds: number }) => sum + one.odds, moved);
						expect(1 / (1 + Math.exp(-odds)), title).toBeCloseTo(confidence, 8);
						count++;
					}
				}
			}
		}
		expect(count).toBeGreaterThan(50);
	});

	test("finds jumps with each feature that has a reason of its own", async () => {
		const stories = ["jump", "rename"].map((name) => path.join(storiesFolder, `${name}.story.md`));
		const { out } = await run(stories, { json: true });
		const candidates = JSON.parse(out).flatMap(({ stories }: { stories: { panes: { candidates: object[] }[] }[] }) =>
			stories.flatMap(({ panes }) => panes.flatMap(({ candidates }) => candidates)),
		);
		const jumps = candidates.filter(({ predictor }: { predictor: string }) => predictor === "jump");
		for (const feature of Object.keys(JUMP_REASONS)) expect(JSON.stringify(jumps)).toContain(`"${feature}"`);
	});

	test("prints lines of at most 100 columns", async () => {
		const long = `log(total, ${"'very long', ".repeat(20)}'end')`;
		const file = storyOf("long.story.md", `--- user\nconst ‹total→sum▮› = 0\n${long}`, "--- suggests nothing");
		const { out } = await run([...ours, file], { all: true });
		const lines = out.split("\n");
		expect(lines.length).toBeGreaterThan(500);
		for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(100);
		expect(out).toContain("…\n");
	});

	test("fits into a narrow terminal, and explains its marks and figures once", async () => {
		const { out } = await run([renamed, renamed], { columns: 60 });
		for (const line of out.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(60);
		expect(out.replace(/\s+/g, " ").split("A pane is a step of the story. ▸ is shown,")).toHaveLength(2);
		expect(out.split("\n").at(-2)).toMatch(/\.$/);
		const none = storyOf("none-found.story.md", "--- user\nconst ‹→a▮› = 0", "--- suggests nothing");
		expect((await run([none])).out).not.toContain("▸");
	});

	test("prints the same text with and without colours", async () => {
		const { out } = await run([renamed]);
		const { out: coloured } = await run([renamed], { isColoured: true });
		expect(out).not.toContain("\x1b");
		expect(coloured).toContain("\x1b[1mPane 2\x1b[22m");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
		expect(coloured.replace(/\x1b\[\d+m/g, "")).toBe(out);
	});

	test("prints the expected and the actual pane if they differ, and fails", async () => {
		const file = storyOf("off.story.md", RENAMED, "--- suggests nothing");
		const { out, err, code } = await run([file]);
		expect({ err, code }).toEqual({ err: "", code: 1 });
		expect(out).toContain("  Expected:\n    --- suggests nothing\n  Actual:\n");
		expect(out).toContain("    log(‹total→sum▮›)\n");
		const [{ stories }] = JSON.parse((await run([file], { json: true })).out);
		expect(stories[0].panes[0]).toMatchObject({ pane: 2, isAsDrawn: false });
	});

	test("counts the panes that could not be played after a difference", async () => {
		const file = storyOf(
			"cut.story.md",
			RENAMED,
			OFFERED.replace("sum▮›)", "other▮›)"),
			"--- user accepts",
			"--- user\nconst sum = 0\nlog(other)‹→ ▮›",
			"--- suggests nothing",
			"--- suggests nothing",
		);
		const { out, code } = await run([file]);
		expect(code).toBe(1);
		expect(out).toContain("  The result differs, so 2 more panes could not be played.\n");
	});

	test.each([
		[
			"contradicts itself",
			[RENAMED, "--- user\nconst total = 0▮"],
			"The user's pane of main.ts does not match the document",
		],
		["has an unknown heading", ["--- usr\na"], 'Unknown heading "--- usr". Available headings:'],
		["is not drawn in the normal form", ["--- user\nlog(‹a→›)‹→b›▮"], "It should be drawn like this:"],
		[
			"needs a model",
			[RENAMED, "--- model says\nx", "--- suggests nothing"],
			'a story with "--- model says" needs a model',
		],
	])("reports a story that %s, and continues with the others", async (name, panes, message) => {
		const file = storyOf(`${name}.story.md`, ...panes);
		const { out, err, code } = await run([file, renamed]);
		expect({ err, code }).toEqual({ err: "", code: 1 });
		expect(out).toContain(`A story\n\n  ${message}`);
		expect(out).toContain("\n\nrenamed.story.md\n");
	});

	test.each([
		[
			"none.story.md",
			undefined,
			"Cannot read none.story.md: no such file. To explain your recent edits, run `segue why` without a file.",
		],
		[
			"plain.md",
			"# A text\n",
			"plain.md has no story. To explain your recent edits, run `segue why` without a file. To replay edits, pass a story file (*.story.md).",
		],
		["open.md", "# A\n\n```story\n--- user\na", "open.md, line 3: the block is not closed: ``` is missing"],
		["bare.md", "```story\n--- user\na\n```", "bare.md, line 1: the story needs its own heading above it"],
	])("reports a problem with %s on one line, and continues with the others", async (name, text, message) => {
		if (text !== undefined) fileOf(name, text);
		const { out, err, code } = await run([path.join(folder, name), renamed]);
		expect({ err, code }).toEqual({ err: `segue: ${message}\n`, code: 1 });
		expect(out).toMatch(/^renamed\.story\.md\n/);
	});

	test("reports a folder", async () => {
		expect((await run([folder])).err).toMatch(/: it is a folder\. To explain your recent edits/);
	});
});

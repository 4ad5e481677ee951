import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Player, playStory, type StorySuggestion } from "../play.js";
import { drawStory, readStory } from "../story.js";
import { updateStory } from "./update.js";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "story-"));
});
afterEach(() => {
	vi.unstubAllEnvs();
});
afterAll(() => {
	rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
	const file = join(folder, name);
	writeFileSync(file, text);
	return file;
}

/** Always suggests inserting the same text at the start of main.ts. */
class Inserter implements Player {
	constructor(private readonly insert: string) {}
	async configure(): Promise<void> {}
	async open(): Promise<void> {}
	async change(): Promise<void> {}
	async model(): Promise<void> {}
	async suggest(): Promise<StorySuggestion> {
		return { kind: "edit", path: "main.ts", edits: [{ from: 0, to: 0, insert: this.insert }] };
	}
	async accept(): Promise<void> {}
	async reject(): Promise<void> {}
	async wait(): Promise<void> {}
}

/** Fails if a story plays differently than expected, or updates its file if requested. */
async function check(file: string, source: string, player: Player): Promise<void> {
	const actual = await playStory(readStory(source), player);
	if (process.env["UPDATE"] === "1") updateStory(file, source, actual);
	else expect(drawStory(actual)).toBe(source);
}

describe("UPDATE=1", () => {
	const storyOf = (insert: string) => `
		--- user
		b▮
		--- suggests
		‹→${insert}›b
	`;
	const testOf = (story: string) => `story("suggests", \`${story}\`);\nstory("else", \`--- user\na\`);\n`;

	test("rewrites a wrong suggestion in its test", async () => {
		const file = write("some.test.ts", testOf(storyOf("wrong")));
		vi.stubEnv("UPDATE", "");
		const failure = { actual: storyOf("a"), expected: storyOf("wrong") };
		await expect(check(file, storyOf("wrong"), new Inserter("a"))).rejects.toMatchObject(failure);
		expect(readFileSync(file, "utf8")).toBe(testOf(storyOf("wrong")));

		vi.stubEnv("UPDATE", "1");
		await check(file, storyOf("wrong"), new Inserter("a"));
		expect(readFileSync(file, "utf8")).toBe(testOf(storyOf("a")));

		vi.stubEnv("UPDATE", "0");
		await check(file, storyOf("a"), new Inserter("a"));
	});

	test("does not accept an inconsistent picture", async () => {
		const inconsistent = "--- user\n‹a→b▮›\n--- user\na▮";
		const file = write("lie.story.md", inconsistent);
		vi.stubEnv("UPDATE", "1");
		await expect(check(file, inconsistent, new Inserter("a"))).rejects.toThrow("does not match the document");
		expect(readFileSync(file, "utf8")).toBe(inconsistent);
	});
});

describe("Updating a story", () => {
	const drawn = (insert: string) => `--- suggests\n‹→${insert}›\\b`;
	const awkward = "`$" + "{a}` \\n";

	test("escapes the story in code, but not in Markdown", () => {
		const code = write("spelled.test.ts", "`--- suggests\n‹→wrong›\\\\b`");
		updateStory(code, drawn("wrong"), readStory(drawn(awkward)));
		expect(runInNewContext(readFileSync(code, "utf8"))).toBe(drawn(awkward));

		const markdown = write("spelled.story.md", `# Some\n\n${drawn("wrong")}\n`);
		updateStory(markdown, drawn("wrong"), readStory(drawn(awkward)));
		expect(readFileSync(markdown, "utf8")).toBe(`# Some\n\n${drawn(awkward)}\n`);
	});

	test("does nothing if a run with other settings has already updated the story", () => {
		const file = write("twice.story.md", drawn("wrong"));
		for (let i = 0; i < 2; i++) updateStory(file, drawn("wrong"), readStory(drawn("right")));
		expect(readFileSync(file, "utf8")).toBe(drawn("right"));
	});

	test("throws unless the file contains the story exactly once", () => {
		const update = (text: string) => updateStory(write("count.story.md", text), drawn("a"), readStory(drawn("b")));
		expect(() => update("else")).toThrow(`count.story.md does not contain this story:\n${drawn("a")}`);
		expect(() => update(`${drawn("a")}\n\n${drawn("a")}`)).toThrow("count.story.md contains this story 2 times:\n");
	});
});

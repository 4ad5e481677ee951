import { describe, expect, test } from "vitest";
import { afterOf } from "./picture.js";
import { drawStory, readStory, type StoryStep } from "./story.js";

/** Returns the steps of a story, and checks that drawing it reproduces its source. */
function stepsOf(source: string): readonly StoryStep[] {
	const story = readStory(source);
	expect(drawStory(story)).toBe(source);
	return story.steps;
}

function checkHeading(heading: string, step: StoryStep): void {
	expect(stepsOf(heading)).toEqual([step]);
}

const plain = (before: string) => ({ before, edits: [], selection: undefined, diagnostics: [] });

describe("A story", () => {
	test("is a list of panes", () => {
		const steps = stepsOf(`
			--- user
			const ‹cnt→count▮› = 0
			log(cnt)
			--- model says
			const count = 0
			log(count)
			--- suggests
			const count = 0
			log(‹cnt→count▮›)
			--- user accepts
		`);
		expect(steps.map((step) => step.verb)).toEqual(["user", "model says", "suggests", "user accepts"]);
		expect(steps[1]).toEqual({ verb: "model says", path: "main.ts", text: "const count = 0\nlog(count)" });
	});

	test("keeps its margin", () => {
		const indented = readStory("\n\t\t--- user\n\t\ta\n\n\t\t  b\n\t");
		expect(indented.margin).toEqual({ top: "\n", left: "\t\t", bottom: "\n\t" });
		expect(indented.steps).toEqual([{ verb: "user", path: "main.ts", picture: plain("a\n\n  b") }]);
		expect(readStory("--- user\na").margin).toEqual({ top: "", left: "", bottom: "" });
	});

	test("distinguishes a final newline, an empty file and no file", () => {
		const textOf = (source: string) => stepsOf(source).map((step) => "picture" in step && afterOf(step.picture));
		expect(textOf("\n  --- user\n  a\n\n")).toEqual(["a\n"]);
		expect(textOf("\n  --- user\n\n")).toEqual([""]);
		expect(textOf("--- user\na\n")).toEqual(["a\n"]);
		expect(textOf("--- user\n\n--- user\n")).toEqual(["", ""]);
		expect(() => readStory("--- user")).toThrow('A picture is missing under "--- user"');
	});

	test("names a file only if it differs from the last one", () => {
		const steps = stepsOf(`
			--- user
			a
			--- file src/b.ts
			b
			--- user types
			b‹→▮c›
			--- suggests main.ts
			‹a→b›
			--- suggests jump src/b.ts
			▮bc
			--- model says
			bcd
		`);
		const paths = steps.map((step) => "path" in step && step.path);
		expect(paths).toEqual(["main.ts", "src/b.ts", "src/b.ts", "main.ts", "src/b.ts", "src/b.ts"]);
	});

	test("has headings for all steps", () => {
		const path = "main.ts";
		checkHeading("--- suggests rename ‹cnt→count›", {
			verb: "suggests rename",
			path,
			oldName: "cnt",
			newName: "count",
		});
		const replaced = { verb: "suggests searchAndReplace", search: "a", replace: "", isRegex: false } as const;
		checkHeading("--- suggests searchAndReplace ‹a→›", { ...replaced, path });
		checkHeading("--- suggests searchAndReplace src ‹⟨→⟩→› (regex)", {
			...replaced,
			path: "src",
			search: "→",
			isRegex: true,
		});
		checkHeading("--- suggests nothing", { verb: "suggests nothing", reason: undefined });
		checkHeading("--- suggests nothing (no (good) model)", { verb: "suggests nothing", reason: "no (good) model" });
		checkHeading("--- user accepts", { verb: "user accepts" });
		checkHeading("--- user rejects (ignored)", { verb: "user rejects", reason: "ignored" });
		checkHeading("--- after 75ms", { verb: "after", ms: 75 });
		checkHeading("--- editor utf-8, full sync", { verb: "editor", settings: { encoding: "utf-8", sync: "full" } });
		checkHeading("--- editor can jump, rename", { verb: "editor", settings: { can: ["jump", "rename"] } });
		checkHeading("--- suggests a.ts (rebased)\nx", {
			verb: "suggests",
			path: "a.ts",
			picture: plain("x"),
			note: "rebased",
		});
	});

	test("brackets ambiguous characters in a path", () => {
		for (const [drawn, path] of [
			["my⟨ ⟩file.ts", "my file.ts"],
			["⟨t⟩ypes", "types"],
			["⟨(⟩a)/b.ts", "(a)/b.ts"],
			["app/(a)/b.ts", "app/(a)/b.ts"],
			["types.ts", "types.ts"],
		] as const) {
			checkHeading(`--- user ${drawn}\na`, { verb: "user", path, picture: plain("a") });
		}
	});
});

describe("Reading a story", () => {
	test("rejects unknown headings and lists the available ones", () => {
		for (const heading of [
			"--- usr",
			"--- user a b",
			"--- suggests rename",
			"--- after 75",
			"--- editor utf-7, full sync",
			"--- editor can jump, fly",
		]) {
			expect(() => readStory(`${heading}\na`)).toThrow(`Unknown heading "${heading}". Available headings:`);
		}
		expect(() => readStory("--- usr\na")).toThrow("--- suggests searchAndReplace [PATH] ‹old→new› [(regex)]\n");
		expect(() => readStory("--- usr\na")).toThrow("--- user accepts\n");
	});

	test("rejects text that is not a story", () => {
		expect(() => readStory("")).toThrow("A story starts with a heading");
		expect(() => readStory("a\n--- user\na")).toThrow('A story starts with a heading such as "--- user": a');
		expect(() => readStory("\n  --- user\n a\n")).toThrow("A line is indented less than the story:  a");
		expect(() => readStory("--- file a.ts\n‹a→b›")).toThrow("The picture of a file cannot contain edits");
		expect(() => readStory("--- user\n‹a→b")).toThrow("An edit is not closed");
	});

	test("rejects other drawings of the same story and shows the right one", () => {
		const should = (source: string, right: string) =>
			expect(() => readStory(source)).toThrow(`It should be drawn like this:\n${right}`);
		should("--- user main.ts\na", "--- user\na");
		should("--- user accepts a.ts", "--- user accepts");
		should("--- user accepts\na", "--- user accepts");
		should("--- after 075ms", "--- after 75ms");
		should("--- model says\n‹a→b▮›", "--- model says\na");
		should("\n  --- user\n  a\n  \n  b\n", "\n  --- user\n  a\n\n  b\n");
	});
});

test("Drawing a story rejects a multi-line heading", () => {
	const step: StoryStep = { verb: "suggests rename", path: "main.ts", oldName: "a\nb", newName: "c" };
	const draw = () => drawStory({ steps: [step], margin: { top: "", left: "", bottom: "" } });
	expect(draw).toThrow("A heading is one line and cannot contain");
});

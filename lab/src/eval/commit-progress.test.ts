import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Case, CommitStep } from "./cases.js";
import { CommitProgress, type Label } from "./commit-progress.js";
import { toLines } from "./lines.js";

/** Creates a case. Steps are `[path, oldStart, oldLines, newLines]`. */
function caseOf(files: Record<string, string>, steps: [string, number, string[], string[]][], context = {}): Case {
	return {
		id: "made-up",
		language: "typescript",
		files,
		context,
		steps: steps.map(([path, oldStart, oldLines, newLines]): CommitStep => ({ path, oldStart, oldLines, newLines })),
		stepOrder: steps.map((_, i) => i),
		stepEvalAt: [],
	};
}

const commit = caseOf(
	{
		"shop.ts": "import a\n\nlet cnt = 0\nadd(cnt)\nlog(cnt, old)\n}\n}\nend(cnt)",
		"other.ts": "use(cnt)\n  x\n",
		"windows.ts": "one(cnt)\r\ntwo(cnt)\r\n",
	},
	[
		["shop.ts", 0, ["import a"], ["import b"]], // 0: the user's first step
		["shop.ts", 1, [], ["import c", "import d"]], // 1: an insertion of two lines
		["shop.ts", 2, ["let cnt = 0"], ["let count = 0"]], // 2
		["shop.ts", 3, ["add(cnt)"], ["add(count)"]], // 3: directly below
		["shop.ts", 4, ["log(cnt, old)"], ["log(count, fresh)"]], // 4: two changes on one line
		["shop.ts", 5, ["}"], []], // 5: one of two equal lines
		["shop.ts", 7, ["end(cnt)"], ["end(count)", "// done"]], // 6: a block
		["other.ts", 1, ["  x"], ["\tx"]], // 7: only whitespace, but on a line with a word
		["windows.ts", 1, ["two(cnt)\r"], ["two(count)\r"]], // 8
	],
	{ "context.ts": "read(cnt)\n" },
);

const started = "import b\n\nlet cnt = 0\nadd(cnt)\nlog(cnt, old)\n}\n}\nend(cnt)";

const LABELS: [string, string, string, Label, number[]][] = [
	["one step", "shop.ts", started.replace("let cnt", "let count"), "exact", [2]],
	["a later step", "shop.ts", started.replace("add(cnt)", "add(count)"), "exact", [3]],
	["two consecutive steps", "shop.ts", started.replace("cnt = 0\nadd(cnt", "count = 0\nadd(count"), "exact", [2, 3]],
	[
		"two steps with a gap between them",
		"shop.ts",
		started.replace("let cnt", "let count").replace("log(cnt, old)", "log(count, fresh)"),
		"loc",
		[2],
	],
	["a step with a wrong change on its line", "shop.ts", started.replace("let cnt = 0", "let count = 1"), "loc", [2]],
	["one of two changes on a line", "shop.ts", started.replace("log(cnt", "log(count"), "partial", [4]],
	[
		"one of two changes, with the other one wrong",
		"shop.ts",
		started.replace("log(cnt, old)", "log(count, new)"),
		"loc",
		[4],
	],
	["only the removal of a changed token", "shop.ts", started.replace("log(cnt, old)", "log(cnt,)"), "loc", [4]],
	["an insertion", "shop.ts", started.replace("b\n", "b\nimport c\nimport d\n"), "exact", [1]],
	["the first line of an insertion", "shop.ts", started.replace("b\n", "b\nimport c\n"), "partial", [1]],
	["the second line of an insertion", "shop.ts", started.replace("b\n", "b\nimport d\n"), "loc", [1]],
	["an insertion one line too low", "shop.ts", started.replace("\n\n", "\n\nimport c\nimport d\n"), "loc", [2]],
	["a different line at the location of an insertion", "shop.ts", started.replace("b\n", "b\nelse\n"), "loc", [1]],
	["a removed punctuation mark", "shop.ts", started.replace("}\n}", "}"), "trivial", [5]],
	["a block", "shop.ts", started.replace("end(cnt)", "end(count)\n// done"), "exact", [6]],
	["part of a block", "shop.ts", started.replace("end(cnt)", "end(count)"), "loc", [6]],
	["an unchanged line", "shop.ts", started.replace("}\n}", "}\n]"), "wrong", []],
	["a line above an insertion", "shop.ts", started.replace("import b", "import a"), "loc", [1]],
	["no change", "shop.ts", started, "noop", []],
	["another line of a file with a step", "other.ts", "use(count)\n  x\n", "wrong", []],
	["whitespace before a word", "other.ts", "use(cnt)\n\tx\n", "exact", [7]],
	["less whitespace before a word", "other.ts", "use(cnt)\nx\n", "loc", [7]],
	["a context file", "context.ts", "read(count)\n", "wrong", []],
	["no change in a context file", "context.ts", "read(cnt)\n", "noop", []],
	["a line that ends with \\r\\n", "windows.ts", "one(cnt)\r\ntwo(count)\r\n", "exact", [8]],
	["a line that loses its \\r", "windows.ts", "one(cnt)\r\ntwo(count)\n", "partial", [8]],
];

describe("a suggestion", () => {
	test.each(LABELS)("is labelled correctly for %s in %s", (_what, path, after, label, steps) => {
		expect(CommitProgress.of(commit).with([0]).judge(path, toLines(after))).toEqual({ label, steps });
	});

	test("is not exact for a step that is already done", () => {
		const after = toLines("use(cnt)\n\tx\n");
		expect(CommitProgress.of(commit).with([7]).judge("other.ts", after).label).toBe("noop");
		expect(CommitProgress.of(commit).with([7]).judge("other.ts", toLines("use(cnt)\n  x\n")).label).toBe("wrong");
	});

	test("is exact in lines that moved", () => {
		const moved = CommitProgress.of(commit).with([0, 1, 6]);
		expect(moved.lineOf(4)).toBe(6);
		const after = moved.linesOf("shop.ts").map((line) => line.replace("add(cnt)", "add(count)"));
		expect(moved.judge("shop.ts", after)).toEqual({ label: "exact", steps: [3] });
	});

	test("is exact for two steps with a finished step between them", () => {
		const progress = CommitProgress.of(commit).with([0, 3]);
		const after = progress.with([2, 4]).linesOf("shop.ts");
		expect(progress.judge("shop.ts", after)).toEqual({ label: "exact", steps: [2, 4] });
	});

	test("is wrong if equal lines shift its diff too far from the step", () => {
		const steps: [string, number, string[], string[]][] = [["a.ts", 0, [], ["same()"]]];
		const inserted = (count: number) => {
			const progress = CommitProgress.of(caseOf({ "a.ts": Array(count).fill("same()").join("\n") }, steps));
			return progress.judge("a.ts", Array(count + 1).fill("same()")).label;
		};
		expect([inserted(40), inserted(41)]).toEqual(["exact", "wrong"]);
	});
});

describe("a file's text", () => {
	test("is the text after the commit once all steps are done, in any order", () => {
		const steps = commit.steps.map((_, i) => i);
		const expected =
			"import b\nimport c\nimport d\n\nlet count = 0\nadd(count)\nlog(count, fresh)\n}\nend(count)\n// done";
		expect(CommitProgress.of(commit).with(steps).linesOf("shop.ts")).toEqual(toLines(expected));
		const oneByOne = steps.toReversed().reduce((progress, step) => progress.with([step]), CommitProgress.of(commit));
		expect(oneByOne.linesOf("shop.ts")).toEqual(toLines(expected));
	});
});

/** Random commits to one file whose lines are so similar that it is easy to confuse edits. */
const commits = fc
	.array(
		fc.record({
			kept: fc.array(fc.constantFrom("a", "b", "}"), { maxLength: 2 }),
			old: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
			now: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
		}),
		{ minLength: 1, maxLength: 5 },
	)
	.map((parts) => {
		const steps: [string, number, string[], string[]][] = [];
		const lines: string[] = [];
		for (const { kept, old, now } of parts) {
			lines.push(...kept, "|");
			if (old.join() !== now.join()) steps.push(["f", lines.length, old, now]);
			lines.push(...old);
		}
		return { steps, text: lines.join("\n") };
	})
	.filter(({ steps }) => steps.length > 0);

test("labels only suggestions that complete consecutive remaining steps as exact", () => {
	const chosen = fc.array(fc.nat(4), { maxLength: 4 });
	fc.assert(
		fc.property(commits, chosen, chosen, ({ steps, text }, done, wanted) => {
			const all = steps.map((_, i) => i);
			const left = all.filter((i) => !done.includes(i));
			const progress = CommitProgress.of(caseOf({ f: text }, steps)).with(all.filter((i) => done.includes(i)));
			const after = progress.with(left.filter((i) => wanted.includes(i))).linesOf("f");
			const runs = left.flatMap((_, a) => left.slice(a).map((_, length) => left.slice(a, a + length + 1)));
			const leads = (run: number[]) => progress.with(run).linesOf("f").join("\n") === after.join("\n");
			const isSame = progress.linesOf("f").join("\n") === after.join("\n");
			const { label, steps: found } = progress.judge("f", after);
			if (isSame) expect(label).toBe("noop");
			else if (runs.some(leads)) expect({ label, found }).toEqual({ label: "exact", found: runs.find(leads) });
			else expect(["partial", "loc", "wrong"]).toContain(label);
		}),
	);
});

import type { PromptEdit, PromptParts } from "@segue/models/prompts";
import { printUnified } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Fragments, fragmentsOf } from "./fragments.js";

const NOTHING: PromptParts = { path: "a.ts", files: [], edits: [], before: "", region: "", cursor: 0, after: "" };

/** Returns an edit to a file as a diff in the format that editors send. */
function edited(path: string, before: string, after: string): PromptEdit {
	const diff = printUnified(before, after, "a", "b").replace(/^[\s\S]*?\n(?=@@)/, "");
	return { path, oldPath: path, isAccepted: false, diff };
}

/** Returns all versions of the files, oldest first. */
function versionsOf({ files, edits }: Fragments): Map<string, string>[] {
	const versions = [new Map(files.map(({ path, text }) => [path, text]))];
	for (const { path, from, to, old, insert } of edits) {
		const now = new Map(versions.at(-1));
		const text = now.get(path) ?? "";
		expect(text.slice(from, to)).toBe(old);
		now.set(path, text.slice(0, from) + insert + text.slice(to));
		versions.push(now);
	}
	return versions;
}

const FILE = Array.from({ length: 60 }, (_, i) => `line ${i};`);
const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;
/** Returns a prompt whose window contains these lines of the file. */
const windowOf = (lines: readonly string[], from: number, to: number) => ({
	...NOTHING,
	region: lines.slice(from, to).join("\n"),
});

describe("the files in a prompt", () => {
	test("are restored to their state before an edit inside the window", () => {
		const now = FILE.with(30, "line thirty;");
		const parts = { ...windowOf(now, 20, 40), edits: [edited("a.ts", text(FILE), text(now))] };
		const [first, last] = versionsOf(fragmentsOf(parts));
		expect(first?.get("a.ts")).toBe(FILE.slice(20, 40).join("\n"));
		expect(last?.get("a.ts")).toBe(now.slice(20, 40).join("\n"));
	});

	test("are restored to their state before an edit whose context extends beyond the window", () => {
		const now = FILE.with(20, "first;").with(39, "last;");
		const edits = [edited("a.ts", text(FILE), text(now))];
		const versions = versionsOf(fragmentsOf({ ...windowOf(now, 20, 40), edits }));
		expect(versions[0]?.get("a.ts")).toBe(FILE.slice(20, 40).join("\n"));
	});

	test("contain edits above and below the window", () => {
		const above = FILE.with(3, "above;");
		const below = above.with(55, "below;");
		const edits = [edited("a.ts", text(FILE), text(above)), edited("a.ts", text(above), text(below))];
		const middle = below.with(30, "middle;");
		const all = [...edits, edited("a.ts", text(below), text(middle))];
		const fragments = fragmentsOf({ ...windowOf(middle, 20, 40), edits: all });
		const versions = versionsOf(fragments).map((files) => files.get("a.ts") ?? "");
		expect(versions[0]).toContain("line 3;\nline 4;");
		expect(versions.at(-1)).toMatch(/above;[\s\S]*line 20;[\s\S]*middle;[\s\S]*line 39;[\s\S]*below;/);
		expect(versions.at(-1)?.slice(fragments.windowAt)).toMatch(/^line 20;/);
	});

	test("are restored by undoing successive edits to the same lines in order", () => {
		const steps = [
			FILE,
			FILE.with(30, "a"),
			FILE.with(30, "ab"),
			FILE.with(30, "abc").with(2, "x"),
			FILE.with(30, "abcd").with(2, "xy"),
		];
		const edits = steps.slice(1).map((after, i) => edited("a.ts", text(steps[i] ?? []), text(after)));
		const versions = versionsOf(fragmentsOf({ ...windowOf(steps[4] ?? [], 20, 40), edits }));
		expect(versions[0]?.get("a.ts")).toMatch(/line 2;[\s\S]*line 30;/);
		expect(versions.at(-1)?.get("a.ts")).toMatch(/xy\n[\s\S]*abcd\n/);
	});

	test("are reconstructed from excerpts, or from edits outside excerpts", () => {
		const files = [{ path: "b.ts", text: "one();\n...\nsix();\nten();\n" }];
		const edits = [edited("b.ts", "sex();\nten();\n", "six();\nten();\n"), edited("c.ts", "two();\n", "too();\n")];
		const versions = versionsOf(fragmentsOf({ ...NOTHING, files, edits }));
		expect(Object.fromEntries(versions[0] ?? [])).toEqual({
			"a.ts": "",
			"b.ts": "one();\n\nsex();\nten();",
			"c.ts": "two();",
		});
		expect(versions.at(-1)?.get("c.ts")).toBe("too();");
	});

	test("stay unchanged if a diff cannot be located or parsed", () => {
		const parts = windowOf(FILE, 20, 40);
		const unread: PromptEdit = { path: "a.ts", oldPath: "a.ts", isAccepted: false, diff: "@@ nonsense\n+a\n" };
		const fits = edited("a.ts", text(FILE), text(FILE.with(30, "x")));
		// The newest edit determines the window's first line, and the older edit should be inside the window.
		const stale = edited("a.ts", text(FILE.with(25, "a")), text(FILE.with(25, "b")));
		const now = { ...windowOf(FILE.with(30, "x"), 20, 40), edits: [unread, stale, fits] };
		expect(fragmentsOf({ ...parts, edits: [unread] }).edits).toEqual([]);
		expect(fragmentsOf(now).edits).toHaveLength(1);
	});

	test("are restored from edits given as old and new lines", () => {
		const edits: PromptEdit[] = [{ path: "a.ts", old: "one\ntwo", now: "one\nTWO", span: undefined }];
		const versions = versionsOf(fragmentsOf({ ...NOTHING, region: "zero\none\nTWO\nsix", edits }));
		expect(versions[0]?.get("a.ts")).toBe("zero\none\ntwo\nsix");
	});
});

test("replaying edits to a complete file produces the prompt's window", () => {
	const someLine = fc.constantFrom("", "}", "a();", "b();", "c();", "d();");
	const someEdit = fc.record({ at: fc.nat(80), count: fc.nat(3), lines: fc.array(someLine, { maxLength: 3 }) });
	fc.assert(
		fc.property(
			fc.array(someLine, { maxLength: 80 }),
			fc.array(someEdit, { maxLength: 8 }),
			fc.nat(80),
			fc.integer({ min: 1, max: 30 }),
			(start, changes, first, count) => {
				let lines = start;
				const edits: PromptEdit[] = [];
				for (const { at, count, lines: insert } of changes) {
					const after = lines.toSpliced(at % (lines.length + 1), count, ...insert);
					const edit = edited("a.ts", text(lines), text(after));
					if ("diff" in edit && edit.diff !== "") edits.push(edit);
					lines = after;
				}
				const from = first % (lines.length + 1);
				const parts = { ...windowOf(lines, from, from + count), edits };
				const fragments = fragmentsOf(parts);
				const last = versionsOf(fragments).at(-1)?.get("a.ts") ?? "";
				expect(last.slice(fragments.windowAt, fragments.windowAt + parts.region.length)).toBe(parts.region);
			},
		),
	);
});

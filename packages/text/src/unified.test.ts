import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyUnified, PatchError, parseUnified, printUnified } from "./unified.js";

/** `body` is what follows the two headers. The diff must also lead from the one text to the other. */
function expectPrinted(before: string, after: string, body: string): void {
	const diff = printUnified(before, after, "a/f", "b/f");
	expect(diff).toBe(`--- a/f\n+++ b/f\n${body}`);
	expect(applyUnified(before, parseUnified(diff))).toBe(after);
}

// What GNU diff 3.8 prints with -u.
test("prints a changed line between its context", () =>
	expectPrinted("a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"));
test("prints three lines of context on either side", () =>
	expectPrinted(
		"1\n2\n3\n4\n5\n6\n7\n8\n",
		"1\n2\n3\n4\nx\n5\n6\n7\n8\n",
		"@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+x\n 5\n 6\n 7\n",
	));
test("prints a deleted line", () =>
	expectPrinted(
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
		"1\n2\n3\n4\n6\n7\n8\n9\n",
		"@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n",
	));
test("prints changes six lines apart in one hunk", () =>
	expectPrinted(
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
		"x\n2\n3\n4\n5\n6\n7\ny\n9\n",
		"@@ -1,9 +1,9 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n",
	));
test("prints changes seven lines apart in two hunks", () =>
	expectPrinted(
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
		"x\n2\n3\n4\n5\n6\n7\n8\ny\n",
		"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
	));
test("prints a text that was empty", () => expectPrinted("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"));
test("prints a text that is empty now", () => expectPrinted("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"));
test("prints no count for a single line", () => {
	expectPrinted("", "a\n", "@@ -0,0 +1 @@\n+a\n");
	expectPrinted("a\n", "", "@@ -1 +0,0 @@\n-a\n");
	expectPrinted("\n", "\n\n", "@@ -1 +1,2 @@\n \n+\n");
});
test("prints a final newline that was added", () =>
	expectPrinted("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"));
test("prints a final newline that is gone", () =>
	expectPrinted("a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"));
test("prints a last line that never had a newline", () =>
	expectPrinted(
		"a\nb",
		"a\nc",
		"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
	));
test("prints context that ends without a newline", () =>
	expectPrinted("a\nb", "x\na\nb", "@@ -1,2 +1,3 @@\n+x\n a\n b\n\\ No newline at end of file\n"));
test("prints a carriage return as part of its line", () => {
	expectPrinted("a\r\nb\r\n", "a\r\nB\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n");
	expectPrinted("a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n");
	expectPrinted("a\rb\n", "a\rc\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n");
});
test("prints nothing for equal texts", () => {
	expect(printUnified("a\n", "a\n", "a/f", "b/f")).toBe("");
	expect(applyUnified("a\n", parseUnified(""))).toBe("a\n");
});

function expectApplied(before: string, diff: string, after: string): void {
	expect(applyUnified(before, parseUnified(diff))).toBe(after);
}

test("applies the specification's example", () => {
	const example = "--- a/file.rs\n+++ b/file.rs\n@@ -3,0 +3,1 @@\n+    let x = 42;";
	expectApplied("fn f() {\n    g();\n    h();\n}\n", example, "fn f() {\n    g();\n    let x = 42;\n    h();\n}\n");
	expectApplied("1\n2\n3", example, "1\n2\n    let x = 42;\n3");
	expectApplied("1\n2\n", example, "1\n2\n    let x = 42;\n");
});
test("inserts where the new side says, whichever line the old side names", () => {
	for (const old of ["2,0", "3,0", "0,0", "9,0"]) {
		expectApplied("1\n2\n3\n", `@@ -${old} +3 @@\n+x\n`, "1\n2\nx\n3\n");
	}
});
test("deletes where the old side says, whichever line the new side names", () => {
	for (const now of ["1,0", "2,0", "0,0", "9,0"]) expectApplied("1\n2\n3\n", `@@ -2 +${now} @@\n-2\n`, "1\n3\n");
});
test("inserts into an empty text by either header", () => {
	expectApplied("", "@@ -0,0 +1 @@\n+x\n", "x\n");
	expectApplied("", "@@ -1,0 +1,1 @@\n+x\n", "x\n");
});
test("inserts after hunks that made the text longer or shorter", () => {
	expectApplied("1\n2\n3\n", "@@ -1 +1,2 @@\n-1\n+a\n+b\n@@ -2,0 +4 @@\n+x\n", "a\nb\n2\nx\n3\n");
	expectApplied("1\n2\n3\n4\n", "@@ -1,2 +0,0 @@\n-1\n-2\n@@ -3,0 +2 @@\n+x\n", "3\nx\n4\n");
});
test("applies a diff without headers", () => expectApplied("a\n", "@@ -1 +1 @@\n-a\n+b\n", "b\n"));
test("applies a diff with git's lines before its headers", () =>
	expectApplied(
		"a\n",
		"diff --git a/f b/f\nindex 7898192..6178079 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@ function f()\n-a\n+b\n",
		"b\n",
	));
test("takes lines that look like headers inside a hunk for what they are", () =>
	expectApplied("-- a\n", "@@ -1 +1 @@\n--- a\n+++ b\n", "++ b\n"));
test("takes an empty line for context whose mark was trimmed", () => {
	expectApplied("\na\n", "@@ -1,2 +1,2 @@\n\n-a\n+b\n", "\nb\n");
	expectApplied("\r\na\r\n", "@@ -1,2 +1,2 @@\n\r\n-a\r\n+b\r\n", "\r\nb\r\n");
});
test("leaves a missing final newline missing when the diff does not say", () => {
	expectApplied("a\nb", "@@ -2 +2 @@\n-b\n+c\n", "a\nc");
	expectApplied("a\nb", "@@ -1 +1 @@\n-a\n+c\n", "c\nb");
});
test("takes added lines before removed ones", () =>
	expectApplied("a", "@@ -1 +1 @@\n+b\n\\ No newline at end of file\n-a\n\\ No newline at end of file\n", "b"));
test("applies a diff to a text of very many lines", () => {
	const lines = "x\n".repeat(300_000);
	expectApplied(`${lines}a\n${lines}`, "@@ -300001 +300001 @@\n-a\n+b\n", `${lines}b\n${lines}`);
});

test("reads paths without their dates", () => {
	const { oldPath, newPath } = parseUnified("--- a/f g.ts\t2024-01-01 00:00:00\n+++ b/f g.ts\r\n@@ -0,0 +1 @@\n+x\n");
	expect([oldPath, newPath]).toEqual(["a/f g.ts", "b/f g.ts"]);
});
test("reads no paths where there are no headers", () =>
	expect(parseUnified("@@ -0,0 +1 @@\n+x\n")).toMatchObject({ oldPath: undefined, newPath: undefined }));

test.each([
	["a text that is not a diff", "hello\nworld\n", "the diff holds no hunk that begins with @@"],
	["headers without a hunk", "--- a\n+++ b\n", "the diff holds no hunk that begins with @@"],
	["a hunk header without numbers", "@@ oops @@\n", 'line 1: a hunk begins with "@@ -1,2 +1,2 @@"'],
	["a diff of three sides", "@@@ -1 -1 +1 @@@\n", 'line 1: a hunk begins with "@@ -1,2 +1,2 @@"'],
	[
		"a hunk that ends too soon",
		"--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n",
		"line 3: the hunk says 2 old and 2 new lines but has 1 and 1",
	],
	[
		"a hunk that is cut off by another",
		"@@ -1,2 +1 @@\n-a\n@@ -9 +9 @@\n-a\n",
		"line 1: the hunk says 2 old and 1 new lines but has 1 and 0",
	],
	["a hunk with more lines than it says", "@@ -1 +1 @@\n-a\n+b\n+c\n", "line 4: expected a hunk that begins with @@"],
	["words after a hunk", "@@ -1 +1 @@\n-a\n+b\nThat is all.\n", "line 4: expected a hunk that begins with @@"],
	[
		"a second file",
		"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n",
		"line 6: the diff holds more than one file",
	],
	[
		"a second file as git writes it",
		"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-a\n+b\n",
		"line 6: the diff holds more than one file",
	],
	[
		"a second file before any hunk",
		"--- a\n+++ b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n",
		"line 3: the diff holds more than one file",
	],
])("refuses %s", (_, diff, message) => expect(() => parseUnified(diff)).toThrow(new PatchError(message)));

test.each([
	["another line than there is", "@@ -2 +2 @@\n-x\n+y\n", "line 2: the text is not what the diff expects there"],
	[
		"other context than there is",
		"@@ -1,2 +1,3 @@\n a\n+y\n x\n",
		"line 2: the text is not what the diff expects there",
	],
	["lines past the end", "@@ -4 +3,0 @@\n-c\n", "line 4: the hunk lies outside the text, or before the hunk above it"],
	[
		"an insertion past the end",
		"@@ -9,0 +9 @@\n+c\n",
		"line 9: the hunk lies outside the text, or before the hunk above it",
	],
	[
		"hunks that go back",
		"@@ -2 +2 @@\n-b\n+B\n@@ -1 +1 @@\n-a\n+A\n",
		"line 1: the hunk lies outside the text, or before the hunk above it",
	],
	[
		"the end in the middle",
		"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+A\n",
		"line 1: the text is not what the diff expects there",
	],
	[
		"a missing final newline that is there",
		"@@ -3 +3 @@\n-c\n\\ No newline at end of file\n+C\n",
		"line 3: the text is not what the diff expects there",
	],
	[
		"a line without a newline that others follow",
		"@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n",
		"line 1: the diff leaves out its newline, but other lines follow",
	],
])("refuses to apply a diff that expects %s", (_, diff, message) =>
	expect(() => applyUnified("a\nb\nc\n", parseUnified(diff))).toThrow(new PatchError(message)),
);

/** Few different lines, so that much is shared, and texts of enough of them for several hunks. */
const someLines = fc
	.array(
		fc.constantFrom("a\n", "b\n", "c\n", "\n", "a\r\n", "\r\n", "-\n", "--- a\n", "+++ b\n", "@@ -1 +1 @@\n", "\\\n"),
		{
			size: "medium",
		},
	)
	.chain((lines) => fc.constantFrom("", "a", "b", "\r").map((end) => lines.join("") + end));

const someTexts = fc.oneof(
	fc.tuple(someText(), someText()),
	fc.tuple(someLines, someLines),
	fc.tuple(someLines, someLines, someLines, someLines).map(([a, b, c, d]) => [a + b + c, a + d + c] as const),
);

test("prints between any two texts a diff that leads from the one to the other", () =>
	fc.assert(
		fc.property(someTexts, ([before, after]) => {
			const diff = printUnified(before, after, "old name", "new name");
			const patch = parseUnified(diff);
			expect(applyUnified(before, patch)).toBe(after);
			expect(diff === "").toBe(before === after);
			if (before !== after) expect([patch.oldPath, patch.newPath]).toEqual(["old name", "new name"]);
		}),
	));

test("reads a diff whose empty context lines lost their marks", () =>
	fc.assert(
		fc.property(someTexts, ([before, after]) => {
			const lines = printUnified(before, after, "a", "b").split("\n");
			const diff = lines.map((line) => (/^ \r?$/.test(line) ? line.slice(1) : line)).join("\n");
			expect(applyUnified(before, parseUnified(diff))).toBe(after);
		}),
	));

test("applies a diff to another text only where every line it names is there", () =>
	fc.assert(
		fc.property(someTexts, someLines, ([before, after], other) => {
			const patch = parseUnified(printUnified(before, after, "a", "b"));
			try {
				const result = applyUnified(other, patch);
				const named = patch.hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind !== "added"));
				const lines = other.split("\n");
				expect(named.filter(({ text }) => !lines.includes(text))).toEqual([]);
				const added = patch.hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind !== "removed"));
				const newLines = result.split("\n");
				expect(added.filter(({ text }) => !newLines.includes(text))).toEqual([]);
			} catch (error) {
				expect(error).toBeInstanceOf(PatchError);
			}
		}),
	));

test.each(["\n", "\n\n", "-- \n2.39.5\n", "\n-- \n2.39.5\n\n"])(
	"passes over what stands harmlessly under the last hunk: %j",
	(end) => {
		const patch = parseUnified(`--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n${end}`);
		expect(applyUnified("a\n", patch)).toBe("b\n");
	},
);

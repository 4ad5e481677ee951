import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyUnified, PatchError, parseUnified, printUnified } from "./unified.js";

/** `body` is the diff after the two headers. The diff must also turn one text into the other. */
function expectPrinted(before: string, after: string, body: string): void {
	const diff = printUnified(before, after, "a/f", "b/f");
	expect(diff).toBe(`--- a/f\n+++ b/f\n${body}`);
	expect(applyUnified(before, parseUnified(diff))).toBe(after);
}

// Output of GNU diff 3.8 with -u.
test("prints a changed line with its context", () =>
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
test("prints text added to an empty text", () => expectPrinted("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"));
test("prints the deletion of all text", () => expectPrinted("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"));
test("prints no count for a single line", () => {
	expectPrinted("", "a\n", "@@ -0,0 +1 @@\n+a\n");
	expectPrinted("a\n", "", "@@ -1 +0,0 @@\n-a\n");
	expectPrinted("\n", "\n\n", "@@ -1 +1,2 @@\n \n+\n");
});
test("prints an added final newline", () =>
	expectPrinted("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"));
test("prints a removed final newline", () =>
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
test("inserts at the new side's line number and ignores the old side's", () => {
	for (const old of ["2,0", "3,0", "0,0", "9,0"]) {
		expectApplied("1\n2\n3\n", `@@ -${old} +3 @@\n+x\n`, "1\n2\nx\n3\n");
	}
});
test("deletes at the old side's line number and ignores the new side's", () => {
	for (const now of ["1,0", "2,0", "0,0", "9,0"]) expectApplied("1\n2\n3\n", `@@ -2 +${now} @@\n-2\n`, "1\n3\n");
});
test("inserts into an empty text with either header", () => {
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
test("reads lines that look like headers inside a hunk as content", () =>
	expectApplied("-- a\n", "@@ -1 +1 @@\n--- a\n+++ b\n", "++ b\n"));
test("reads an empty line as context whose mark was trimmed", () => {
	expectApplied("\na\n", "@@ -1,2 +1,2 @@\n\n-a\n+b\n", "\nb\n");
	expectApplied("\r\na\r\n", "@@ -1,2 +1,2 @@\n\r\n-a\r\n+b\r\n", "\r\nb\r\n");
});
test("keeps a missing final newline if the diff does not mention it", () => {
	expectApplied("a\nb", "@@ -2 +2 @@\n-b\n+c\n", "a\nc");
	expectApplied("a\nb", "@@ -1 +1 @@\n-a\n+c\n", "c\nb");
});
test("accepts added lines before removed ones", () =>
	expectApplied("a", "@@ -1 +1 @@\n+b\n\\ No newline at end of file\n-a\n\\ No newline at end of file\n", "b"));
test("applies a diff to a text with very many lines", () => {
	const lines = "x\n".repeat(300_000);
	expectApplied(`${lines}a\n${lines}`, "@@ -300001 +300001 @@\n-a\n+b\n", `${lines}b\n${lines}`);
});

test("reads paths without their dates", () => {
	const { oldPath, newPath } = parseUnified("--- a/f g.ts\t2024-01-01 00:00:00\n+++ b/f g.ts\r\n@@ -0,0 +1 @@\n+x\n");
	expect([oldPath, newPath]).toEqual(["a/f g.ts", "b/f g.ts"]);
});
test("reads no paths without headers", () =>
	expect(parseUnified("@@ -0,0 +1 @@\n+x\n")).toMatchObject({ oldPath: undefined, newPath: undefined }));

test.each([
	["a text that is not a diff", "hello\nworld\n", "the diff contains no hunk that starts with @@"],
	["headers without a hunk", "--- a\n+++ b\n", "the diff contains no hunk that starts with @@"],
	["a hunk header without numbers", "@@ oops @@\n", 'line 1: a hunk must start with "@@ -1,2 +1,2 @@"'],
	["a combined diff", "@@@ -1 -1 +1 @@@\n", 'line 1: a hunk must start with "@@ -1,2 +1,2 @@"'],
	[
		"a hunk that ends too soon",
		"--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n",
		"line 3: the hunk header specifies 2 old and 2 new lines, but the hunk has 1 and 1",
	],
	[
		"a hunk that is interrupted by another",
		"@@ -1,2 +1 @@\n-a\n@@ -9 +9 @@\n-a\n",
		"line 1: the hunk header specifies 2 old and 1 new lines, but the hunk has 1 and 0",
	],
	[
		"a hunk with more lines than its header",
		"@@ -1 +1 @@\n-a\n+b\n+c\n",
		"line 4: expected a hunk that starts with @@",
	],
	["text after a hunk", "@@ -1 +1 @@\n-a\n+b\nThat is all.\n", "line 4: expected a hunk that starts with @@"],
	[
		"a second file",
		"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n",
		"line 6: the diff contains more than one file",
	],
	[
		"a second file in git's format",
		"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-a\n+b\n",
		"line 6: the diff contains more than one file",
	],
	[
		"a second file before any hunk",
		"--- a\n+++ b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n",
		"line 3: the diff contains more than one file",
	],
])("rejects %s", (_, diff, message) => expect(() => parseUnified(diff)).toThrow(new PatchError(message)));

test.each([
	["a different line", "@@ -2 +2 @@\n-x\n+y\n", "line 2: the text does not match the diff"],
	["different context", "@@ -1,2 +1,3 @@\n a\n+y\n x\n", "line 2: the text does not match the diff"],
	["lines past the end", "@@ -4 +3,0 @@\n-c\n", "line 4: the hunk is outside the text or before the previous hunk"],
	[
		"an insertion past the end",
		"@@ -9,0 +9 @@\n+c\n",
		"line 9: the hunk is outside the text or before the previous hunk",
	],
	[
		"hunks in the wrong order",
		"@@ -2 +2 @@\n-b\n+B\n@@ -1 +1 @@\n-a\n+A\n",
		"line 1: the hunk is outside the text or before the previous hunk",
	],
	[
		"the end of the text where more lines follow",
		"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+A\n",
		"line 1: the text does not match the diff",
	],
	[
		"a missing final newline where there is one",
		"@@ -3 +3 @@\n-c\n\\ No newline at end of file\n+C\n",
		"line 3: the text does not match the diff",
	],
	[
		"a line without a newline before other lines",
		"@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n",
		"line 1: the diff removes its newline, but other lines follow",
	],
])("rejects a diff that expects %s", (_, diff, message) =>
	expect(() => applyUnified("a\nb\nc\n", parseUnified(diff))).toThrow(new PatchError(message)),
);

/** Uses few distinct lines, so that texts have many in common, but enough lines for several hunks. */
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

test("prints a diff that turns any text into any other", () =>
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

test("applies a diff to another text only if all its lines match", () =>
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
	"ignores harmless text after the last hunk: %j",
	(end) => {
		const patch = parseUnified(`--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n${end}`);
		expect(applyUnified("a\n", patch)).toBe("b\n");
	},
);

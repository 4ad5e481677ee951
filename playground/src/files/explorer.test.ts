import { expect, test } from "vitest";
import { fileTreeOf, indexOfRow } from "./explorer.js";

/** Draws a tree with two spaces for each level, and a slash after folders. */
function draw(nodes: ReturnType<typeof fileTreeOf>, indent = ""): string[] {
	return nodes.flatMap(({ name, children }) => {
		return children === undefined ? [indent + name] : [`${indent}${name}/`, ...draw(children, `${indent}  `)];
	});
}

test.each<[string, string[], string[]]>([
	["lists folders before files", ["a.ts", "src/b.ts"], ["src/", "  b.ts", "a.ts"]],
	["keeps the files in a folder together", ["a/1", "a.b", "a/2"], ["a/", "  1", "  2", "a.b"]],
	["sorts numbers by value", ["f10", "f9", "F1"], ["F1", "f9", "f10"]],
	["keeps folders with the same name apart", ["a/x/1", "b/x/2"], ["a/", "  x/", "    1", "b/", "  x/", "    2"]],
	["allows the names of built-in object members", ["constructor/a", "__proto__"], ["constructor/", "  a", "__proto__"]],
	["is empty for no files", [], []],
])("a file tree %s", (_, paths, drawn) => {
	expect(draw(fileTreeOf(paths))).toEqual(drawn);
});

test("a file tree has every path once", () => {
	const paths = ["a/b/c.ts", "a/b.ts", "a/b/d/e.ts", "z"];
	const leaves = (nodes: ReturnType<typeof fileTreeOf>): string[] => {
		return nodes.flatMap(({ path, children }) => (children === undefined ? [path] : leaves(children)));
	};
	expect(leaves(fileTreeOf(paths)).toSorted()).toEqual(paths.toSorted());
});

test.each<[string, string | undefined, number]>([
	["the row with the path", "src/b.ts", 3],
	["the folder of a file that was deleted", "src/gone.ts", 1],
	["the nearest folder that is not inside a collapsed folder", "src/a/deep/c.ts", 2],
	["the first row for a deleted file at the top level", "gone.ts", 0],
	["the first row without a path", undefined, 0],
])("the current row is %s", (_, path, index) => {
	const rows = ["docs", "src", "src/a", "src/b.ts", "z.ts"].map((each) => ({ path: each }));
	expect(indexOfRow(rows, path)).toBe(index);
});

import { describe, expect, test } from "vitest";
import { isMisleading, namesBelow, Path } from "./uri-path.js";

test.for([
	["file:///app", "file:///app/src/a.ts", ["src", "a.ts"]],
	["file:///app/", "file:///app/src/", ["src"]],
	["file:///app", "file:///app", []],
	["file:///app", "file:///app/", []],
	["file:///app", "file:///app//a.ts", ["a.ts"]],
	["file:///", "file:///a.ts", ["a.ts"]],
	["file:///C%3A/app", "file:///c:/app/a%20b/50%25.ts", ["a b", "50%.ts"]],
	["file:///app", "file:///%61pp/%23%FF", ["%23%FF"]],
	["file:///app", "file:///apple/a.ts", undefined],
	["file:///app/src", "file:///app", undefined],
	["file:///app", "untitled:Untitled-1", undefined],
	["file:///app", "file://host/app/a.ts", undefined],
] as const)("below %s, %s has the names %j", ([folder, uri, names]) => {
	expect(namesBelow(folder, uri)).toEqual(names);
});

describe("a path", () => {
	test.for([
		["file:///app/a%20b/c.ts", ["app", "a b", "c.ts"], "file:///app/a%20b/c.ts", "file:///app/a%20b"],
		["FILE://localhost/app//%63/", ["app", "c"], "FILE://localhost/app/%63", "FILE://localhost/app"],
		["file:///C%3A/50%25/%FF", ["c:", "50%", "%FF"], "file:///C%3A/50%25/%FF", "file:///C%3A/50%25"],
		["vscode-remote://host/app", ["app"], "vscode-remote://host/app", "vscode-remote://host"],
		["memfs:/app/a", ["app", "a"], "memfs:/app/a", "memfs:/app"],
		["file:///", [], "file://", "file://"],
	] as const)("has names and a parent: %s", ([uri, names, written, above]) => {
		const path = Path.of(uri);
		expect([path?.names, path?.uri, path?.above.uri]).toEqual([names, written, above]);
	});

	test.for(["untitled:Untitled-1", "nowhere", "", "/app/a"])("cannot be parsed from %j", (uri) => {
		expect(Path.of(uri)).toBeUndefined();
	});

	test.for([
		[".git", "file:///app/sub/.git"],
		["../.git//modules/./a b", "file:///app/.git/modules/a%20b"],
		["/50%/#?", "file:///50%25/%23%3F"],
		["C:/x", "file:///C%3A/x"],
		["../../../../x", "file:///x"],
		["", "file:///app/sub"],
	] as const)("resolves %j from a folder to %s", ([written, uri]) => {
		const path = Path.of("file:///app/sub")?.to(written);
		expect(path?.uri).toBe(uri);
		expect(path?.names).toEqual(uri.slice("file:///".length).split("/").map(decodeURIComponent));
	});

	test("that is too long throws", () => {
		expect(() => Path.of("file:///app")?.to("a/".repeat(2049))).toThrow(RangeError);
		expect(Path.of("file:///app")?.to("a/".repeat(2048)).names).toHaveLength(2049);
	});
});

test.for([
	"file:///app/../a",
	"file:///app/..",
	"file:///app/./a",
	"file:///app/%2e%2E/a",
	"file:///app/.../a",
	"file:///app/.. /a",
	"file:///app/a%5C..%5Cb",
	"file:///app\\..\\a",
	"file:///app/..%2fa",
	"file:///app/a?b",
	"file:///app/a#b",
	"file:///app/.\t./a",
	"file:///app/%00",
	"file:///app/\ud83d",
])("%j is misleading", (uri) => {
	expect(isMisleading(uri)).toBe(true);
});

test.for([
	"file:///app/..a",
	"file:///app/a..",
	"file:///app/.a",
	"file:///app/a.b./c",
	"file:///app/50%25",
	"untitled:a",
])("%j is not misleading", (uri) => {
	expect(isMisleading(uri)).toBe(false);
});

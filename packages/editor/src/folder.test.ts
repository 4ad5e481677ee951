import { expect, test } from "vitest";
import { isMisleading, namesBelow, uriBelow } from "./folder.js";

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

test("names make a uri that has the names", () => {
	const names = ["a b", "50%", "#?", "é😀", "..a"];
	for (const folder of ["file:///", "file:///app", "file:///app/", "vscode-remote://host/app"]) {
		expect(namesBelow(folder, uriBelow(folder, names))).toEqual(names);
		expect(isMisleading(uriBelow(folder, names))).toBe(false);
	}
	expect(uriBelow("file:///", ["a"])).toBe("file:///a");
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
])("%j could be taken for another place", (uri) => {
	expect(isMisleading(uri)).toBe(true);
});

test.for([
	"file:///app/..a",
	"file:///app/a..",
	"file:///app/.a",
	"file:///app/a.b./c",
	"file:///app/50%25",
	"untitled:a",
])("%j is what it is", (uri) => {
	expect(isMisleading(uri)).toBe(false);
});

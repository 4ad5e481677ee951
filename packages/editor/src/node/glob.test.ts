import { expect, test } from "vitest";
import { globOf } from "./glob.js";

test.each([
	["*.ts", ["a.ts", ".ts"], ["a.js", "src/a.ts"]],
	["./src/?.ts", ["src/a.ts"], ["src/ab.ts", "src/.ts"]],
	["**/*.ts", ["a.ts", "src/x/a.ts"], ["a.tsx"]],
	["src/**", ["src/a", "src/x/a"], ["src-2/a", "a"]],
	["**/x/**/a.ts", ["x/a.ts", "s/x/y/z/a.ts", "x/x/a.ts"], ["x/a.js", "a.ts"]],
	["*.{ts,{js,mjs}}", ["a.ts", "a.js", "a.mjs"], ["a.{ts", "a.css"]],
	["a.b", ["a.b"], ["axb"]],
])("a glob is like some paths and not like others: %s", (glob, like, unlike) => {
	expect([...like, ...unlike].filter((path) => globOf(glob)?.(path))).toEqual(like);
});

test.each(["", "./", "x".repeat(1001), "{a,b}".repeat(8)])(
	"a glob that says nothing or too much is none: %.20s",
	(glob) => {
		expect(globOf(glob)).toBeUndefined();
	},
);

test("a glob of many stars is done with in no time", () => {
	const [names, stars] = ["a".repeat(4000), "*a".repeat(400)];
	expect(globOf(`${stars}b`)?.(names)).toBe(false);
	expect(globOf(`${"**/a/".repeat(190)}b`)?.("a/".repeat(2000))).toBe(false);
});

import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { History } from "../history.js";
import { readLine } from "../line.js";
import { sceneOf } from "../scene.js";
import { type Continuation, continuationsOf } from "./continuation.js";

/** How the other lines of a document go on after what is typed on its last line. */
function continuationsAfter(lines: readonly string[], typed: string): Continuation[] {
	const text = Text.of([...lines, typed].join("\n"));
	const document = { uri: "a.ts", languageId: "typescript", version: 0, text };
	const before = readLine(typed);
	const scene = sceneOf(document, History.empty, text.length);
	return continuationsOf(scene, { document, line: lines.length, at: text.length, before, after: "" });
}

function restsAfter(lines: readonly string[], typed: string): string[] {
	return [...new Set(continuationsAfter(lines, typed).map(({ rest }) => rest))];
}

test.each([
	["in the middle of a line", ["a = first(one, two)"], "b.c = first(", ["one, two)"]],
	["in other names", ["one.save(one)", "two.save(two)"], "six.save(", ["one)", "two)", "six)"]],
	["in the names of the lines above", ["a.open(one)", "close(one)", "a.open(two)"], "close(", ["one)", "two)"]],
	["behind a word that is only begun", ["return total", "return"], "return to", ["tal"]],
	["behind white space", ["a = 1"], "a = ", ["1"]],
	["not where nothing comes", ["a.b", "a.b"], "a.b", []],
	["not where a sign is another", ["one(a)"], "two[", []],
	["not where a name stands for two", ["one(one, 1)"], "two(six, ", []],
	["behind signs alone, near the cursor", [") => {", ") => ["], ") =>", [" {", " ["]],
])("finds what comes %s", (_, lines, typed, rests) => expect(restsAfter(lines, typed)).toEqual(rests));

test("tells how much is the same before the cursor, and whether from the start", () => {
	const lines = ["x = call(one)", "return call(two)"];
	expect(continuationsAfter(lines, "x = call(")).toMatchObject([
		{ rest: "one)", matched: 4, isWhole: true },
		{ rest: "two)", matched: 2, isWhole: false },
	]);
});

test("passes over lines that were not written by hand", () => {
	expect(restsAfter([`call(${"x".repeat(1000)})`], "call(")).toEqual([]);
});

test("looks at no more than the nearest of many places", () => {
	const lines = Array.from({ length: 900 }, (_, i) => `call(${i})`);
	const found = continuationsAfter(lines, "call(");
	expect(found.length).toBeLessThan(250);
	expect(found).toContainEqual(expect.objectContaining({ rest: "899)" }));
});

test("finds every line that begins with what is typed, and nothing that no line has", () => {
	const token = fc.constantFrom("one", "two", "six", "(", ")", ".", " = ", ", ");
	const line = fc.array(token, { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join(""));
	const someLines = fc.array(line, { maxLength: 8 });
	fc.assert(
		fc.property(someLines, line, (lines, typed) => {
			const found = continuationsAfter(lines, typed);
			const own = readLine(typed).tokens.map(({ text }) => text);
			for (const [index, other] of lines.entries()) {
				const rest = other.slice(typed.length).trimEnd();
				const isCut = readLine(other).tokens.some(({ to }) => to === typed.trimEnd().length);
				if (!other.startsWith(typed) || rest.trim() === "" || !isCut || own.length < 2) continue;
				const expected = /\s$/.test(typed) ? rest.trimStart() : rest;
				expect(found.some((one) => one.line === index && one.rest === expected)).toBe(true);
			}
			for (const { line: index, rest, matched, swaps } of found.filter(({ isBegun }) => !isBegun)) {
				const content = (lines[index] as string).trimEnd();
				if (swaps.size > 0) continue;
				expect(content.endsWith(rest)).toBe(true);
				const before = readLine(content.slice(0, content.length - rest.length)).tokens.map(({ text }) => text);
				expect(before.slice(-matched)).toEqual(own.slice(-matched));
			}
		}),
	);
});

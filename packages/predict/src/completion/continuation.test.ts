import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { History } from "../history.js";
import { readLine } from "../line.js";
import { sceneOf } from "../scene.js";
import { type Continuation, continuationsOf } from "./continuation.js";

/** The continuations found for the last line of a document. */
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
	["with different names", ["one.save(one)", "two.save(two)"], "six.save(", ["one)", "two)", "six)"]],
	["with the names of the lines above", ["a.open(one)", "close(one)", "a.open(two)"], "close(", ["one)", "two)"]],
	["after an incomplete word", ["return total", "return"], "return to", ["tal"]],
	["after whitespace", ["a = 1"], "a = ", ["1"]],
	["unless nothing follows", ["a.b", "a.b"], "a.b", []],
	["unless punctuation differs", ["one(a)"], "two[", []],
	["unless a name has two replacements", ["one(one, 1)"], "two(six, ", []],
	["after only punctuation, if the other line is near the cursor", [") => {", ") => ["], ") =>", [" {", " ["]],
])("finds continuations %s", (_, lines, typed, rests) => expect(restsAfter(lines, typed)).toEqual(rests));

test("counts the matching tokens before the cursor, and checks whether the lines match from the start", () => {
	const lines = ["x = call(one)", "return call(two)"];
	expect(continuationsAfter(lines, "x = call(")).toMatchObject([
		{ rest: "one)", matched: 4, isWhole: true },
		{ rest: "two)", matched: 2, isWhole: false },
	]);
});

test("skips lines that are too long", () => {
	expect(restsAfter([`call(${"x".repeat(1000)})`], "call(")).toEqual([]);
});

test("examines only the nearest of many matches", () => {
	const lines = Array.from({ length: 900 }, (_, i) => `call(${i})`);
	const found = continuationsAfter(lines, "call(");
	expect(found.length).toBeLessThan(250);
	expect(found).toContainEqual(expect.objectContaining({ rest: "899)" }));
});

test("finds every line that starts with the typed text, and returns only text from other lines", () => {
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

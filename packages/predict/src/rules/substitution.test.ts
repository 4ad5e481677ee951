import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAlike, substitute, substitutionsBetween } from "./substitution.js";

describe("the substitutions between two lines", () => {
	test.for([
		["this.name = name", "this.age = age", { name: "age" }],
		["case 1: return one", "case 2: return two", { 1: "2", one: "two" }],
		["a = b", "a = b", {}],
	] as const)("are found for %s and %s", ([from, to, swaps]) => {
		expect(Object.fromEntries(substitutionsBetween(from, to) ?? [])).toEqual(swaps);
	});

	test.for([
		["one(name)", "one(name, age)"],
		["a + b", "a - b"],
		["name = name", "age = size"],
		["let a", "const a"],
	] as const)("are undefined for %s and %s", ([from, to]) => {
		expect(substitutionsBetween(from, to)).toBeUndefined();
	});
});

describe("a substitution", () => {
	test.for([
		["name", "age", "setName(name, NAME_MAX)", "setAge(age, AGE_MAX)"],
		["user", "group", "read_user USER userId superuser", "read_group GROUP groupId superuser"],
		["Unsubscribe", "Ping", '"unsubscribe" => Unsubscribe', '"ping" => Ping'],
		["line", "fullLine", "lineCount Line getLine", "fullLineCount FullLine getFullLine"],
		["line", "row_line", "line_count LINE", "row_line_count ROW_LINE"],
		["id", "key", "id idle width valid", "key idle width valid"],
		["name", "mail", "$this->name = $name; $names = $nameOf", "$this->mail = $mail; $names = $mailOf"],
	] as const)("replaces %s with %s, matching the case of each word", ([old, now, before, after]) => {
		expect(substitute(before, new Map([[old, now]]))).toBe(after);
	});

	const someWord = fc.constantFrom("red", "green", "blue", "one", "two", "six");
	const someLine = fc.array(fc.tuple(someWord, fc.constantFrom(" ", "(", ", ", ".", " = ")), { minLength: 1 });

	test("replaces every whole word", () => {
		fc.assert(
			fc.property(someLine, someWord, someWord, (line, old, now) => {
				const text = line.flat().join("");
				const expected = line.map(([word, sign]) => (word === old ? now : word) + sign).join("");
				expect(substitute(text, new Map([[old, now]]))).toBe(expected);
			}),
		);
	});

	test("turns one line into another with the substitutions between them", () => {
		let swapped = 0;
		fc.assert(
			fc.property(someLine, someLine, (one, other) => {
				const signs = one.map(([, sign]) => sign);
				const from = one.map(([word], i) => word + signs[i]).join("");
				const to = one.map(([word], i) => (other[i]?.[0] ?? word) + signs[i]).join("");
				const swaps = substitutionsBetween(from, to);
				expect(isAlike(from, to)).toBe(swaps !== undefined);
				if (swaps === undefined || swaps.size === 0) return;
				swapped++;
				expect(substitute(from, swaps)).toBe(to);
			}),
		);
		expect(swapped).toBeGreaterThan(10);
	});
});

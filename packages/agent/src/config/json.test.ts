import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { readJson } from "./json.js";
import { configurationFile } from "./keys.js";

describe("readJson", () => {
	test("returns the same value as JSON.parse", () => {
		const noProto = (value: unknown): boolean => !JSON.stringify(value).includes("__proto__");
		const property = fc.property(fc.jsonValue({ maxDepth: 5 }).filter(noProto), fc.nat(3), (value, indent) => {
			const text = JSON.stringify(value, undefined, indent);
			expect(readJson("a.json", text, z.unknown())).toMatchObject({ value: JSON.parse(text) });
		});
		fc.assert(property);
	});

	test("accepts comments and trailing commas", () => {
		const text = '// a\n{ "a": [1, 2,], /* b */ "b": { "c": "// no comment", }, }';
		expect(readJson("a.json", text, z.unknown()).value).toEqual({ a: [1, 2], b: { c: "// no comment" } });
	});

	const DOCUMENT = `{
	// mine
	"model": "work/a",
	"providers": { "work": { "type": "anthropic", "headers": { "A": "b" }, "models": { "x/y": { "images": true } } } },
	"approvals": [{ "kind": "edit", "pattern": "*", "answer": "deny" }],
}`;

	test("returns either a value or problems with positions for any malformed file", () => {
		const cut = fc.tuple(
			fc.nat(DOCUMENT.length),
			fc.nat(12),
			fc.oneof(
				fc.string(),
				fc.constantFrom(..."{}[]:,\"'/*\\\r\n\0\u2028", "null", "1e999", "__proto__", "\\u12", "/*"),
			),
		);
		const property = fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (cuts) => {
			const text = cuts.reduce(
				(rest, [at, length, put]) => rest.slice(0, at) + put + rest.slice(at + length),
				DOCUMENT,
			);
			const { value, problems } = readJson("a.json", text, configurationFile);
			expect(value === undefined).toBe(problems !== undefined && problems.length > 0);
			const lines = text.split(/\r\n|\r|\n/);
			for (const problem of problems ?? []) {
				const [, line, column] = /^a\.json:(\d+):(\d+): [^\p{Cc}]+[.?]$/u.exec(problem) ?? [];
				expect(lines[Number(line) - 1]?.length).toBeGreaterThanOrEqual(Number(column) - 1);
			}
		});
		fc.assert(property);
	});
});

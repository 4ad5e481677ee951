import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { partAt, tokensIn } from "./parts.js";
import { readabilityOf } from "./reading.js";

function documentOf(source: string) {
	return { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(source) };
}

const LINE = `${"x".repeat(99)}\n`;

test.each([
	["ok", LINE.repeat(1000)],
	["ok", `${"x".repeat(4998)}\r\n${"x".repeat(5000)}`],
	["minified", `${LINE.repeat(40)}${"x".repeat(5001)}\n${LINE}`],
	["binary", `${LINE.repeat(40)}a\0b\n`],
	["too-large", LINE.repeat(50_001)],
] as const)("readabilityOf returns %s", (readability, source) => {
	expect(readabilityOf(documentOf(source))).toBe(readability);
});

test("finds no tokens in an unreadable document", () => {
	const document = documentOf(`// ${"x".repeat(5000)}`);
	expect(partAt(document, 10)).toBe("code");
	expect(tokensIn(document, 0, 10)).toEqual([]);
});

test("reads a document again after its long line is split", () => {
	const { text, ...rest } = documentOf(`${LINE.repeat(40)}${"x".repeat(6000)}\n${LINE}`);
	expect(readabilityOf({ text, ...rest })).toBe("minified");
	expect(readabilityOf({ text: text.replace(7000, 7000, "\n"), ...rest })).toBe("ok");
});

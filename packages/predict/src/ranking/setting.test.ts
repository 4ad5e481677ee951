import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { readLine } from "../line.js";
import { equalLineFeatures, neighbourFeatures, ownerFeatures, ownerOf } from "./setting.js";

test.each([
	["box.open(a)", "open", { qualifier: "box", callee: "" }],
	["Box::new(a)", "new", { qualifier: "Box", callee: "" }],
	["box->open(a)", "open", { qualifier: "box", callee: "" }],
	["open(a, b)", "b", { qualifier: "", callee: "open" }],
	["open(f(a), b)", "b", { qualifier: "", callee: "open" }],
	["list[key]", "key", { qualifier: "", callee: "[" }],
	["open", "open", { qualifier: "", callee: "" }],
])("finds the qualifier and the function of a name in %j: %s", (text, name, expected) => {
	const line = readLine(text);
	const index = line.tokens.findIndex((token) => token.text === name);
	expect(ownerOf(line, index)).toEqual(expected);
});

test("compares the owner of an edit with that of the user's change", () => {
	const features = (own: string, other: string) => {
		const [before, example] = [readLine(own), readLine(other)];
		return ownerFeatures(before, own.indexOf("new"), { before: example, at: other.indexOf("new") });
	};
	expect(features("Box::new(a)", "Box::new(b)")).toMatchObject({ sameQualifier: 1, otherQualifier: 0 });
	expect(features("Box::new(a)", "Reader::new(b)")).toMatchObject({ sameQualifier: 0, otherQualifier: 1 });
	expect(features("f(new)", "f(new)")).toMatchObject({ sameCallee: 1, otherCallee: 0 });
	expect(features("f(new)", "g(new)")).toMatchObject({ sameCallee: 0, otherCallee: 1 });
	expect(ownerFeatures(readLine("a"), 0, undefined)).toEqual({});
});

test("counts equal lines, apart from their indent", () => {
	const text = Text.of("load(a)\n  load(a)\nload(b)\nread(a)\n");
	const document = { uri: "a.ts", languageId: "typescript", version: 1, text };
	const features = equalLineFeatures(document, readLine("load(a)"), readLine("read(a)"));
	expect(features).toEqual({ equalOld: 1, equalNew: 1 });
	expect(equalLineFeatures(document, readLine("load(c)"), readLine(""))).toEqual({ equalOld: 0, equalNew: 0 });
});

test("compares the old and the new line with the lines next to it", () => {
	const text = Text.of("read(a)\nload(a)\nother\n");
	const document = { uri: "a.ts", languageId: "typescript", version: 1, text };
	const { oldLike, newLike } = neighbourFeatures(document, 1, 1, readLine("load(a)"), readLine("read(a)"));
	expect(newLike).toBe(1);
	expect(oldLike).toBe(0.75);
});

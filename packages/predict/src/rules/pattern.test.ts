import { describe, expect, test } from "vitest";
import { editsBetween, readLine, segmentsBetween, writeLine } from "../line.js";
import { editsOn, patternsOf, type Width } from "./pattern.js";

/** Applies the patterns of a changed line to another line, and returns the result for each width that matches. */
function repeated(before: string, after: string, target: string): Partial<Record<Width, string>> {
	const [old, now] = [readLine(before), readLine(after)];
	const example = { edits: editsBetween(old, now) } as never;
	const made: Partial<Record<Width, string>> = {};
	for (const pattern of patternsOf({ example, before: old, after: now, segments: segmentsBetween(old, now) })) {
		const edits = editsOn(readLine(target), pattern);
		if (edits.length > 0) made[pattern.width] ??= writeLine(target, edits);
	}
	return made;
}

describe("the pattern of a change matches", () => {
	test("an equal line, at all widths", () => {
		const all = repeated("open(path, 1)", "open(path, 2)", "open(path, 1)");
		expect(Object.keys(all)).toEqual(["line", "wide", "near", "left", "right", "bare"]);
		expect(new Set(Object.values(all))).toEqual(new Set(["open(path, 2)"]));
	});

	test("based on the tokens before the change", () => {
		expect(repeated("set(user, old)", "set(user, new)", "set(user, old.name)")).toMatchObject({
			left: "set(user, new.name)",
			bare: "set(user, new.name)",
		});
	});

	test("based on the tokens after the change", () => {
		const made = repeated("self.builder.run()", "builder.run()", "let a = self.builder.run();");
		expect(made).toMatchObject({ right: "let a = builder.run();" });
		expect(made).not.toHaveProperty("near");
	});

	test("the start of a line, if the insertion can be moved there", () => {
		expect(repeated("// one", "/// one", "// two three")).toEqual({ bare: "/// two three" });
	});

	test("the end of a line", () => {
		expect(repeated("raise First()", "raise First() from None", "raise Second()")).toMatchObject({
			bare: "raise Second() from None",
		});
	});
});

describe("the pattern of a change does not match", () => {
	test("based on punctuation alone", () => {
		expect(repeated("a(b, c)", "a(b; c)", "d(e, f)")).not.toHaveProperty("near");
	});

	test("tokens in another order", () => {
		expect(repeated("one(a, two)", "one(a, six)", "two(a, one)")).toEqual({ bare: "six(a, one)" });
	});

	test("if the line has too many changes", () => {
		expect(repeated("a b c d e f g h i j k l", "A b C d E f G h I j K l", "a b c d e f g h i j k l")).toEqual({});
	});
});

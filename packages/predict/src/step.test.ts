import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { stepTo } from "./step.js";

const LONG = "some line\n".repeat(1000);

test("is from the version that was asked for before, and knows what the two have in common", () => {
	const first = Text.of(LONG);
	const second = first.replace(5000, 5000, "x");
	const third = second.replace(5001, 5001, "y");
	expect(stepTo(first)).toBeUndefined();
	expect(stepTo(second)).toEqual({ before: first, head: 5000, tail: 5000 });
	expect(stepTo(second)?.before).toBe(first);
	expect(stepTo(third)?.before).toBe(second);
	expect(stepTo(third)?.before).toBe(second);
});

test("keeps one version before, not all of them", () => {
	const first = Text.of(LONG);
	const second = first.replace(5000, 5000, "x");
	const third = second.replace(5001, 5001, "y");
	for (const text of [first, second, third]) stepTo(text);
	expect(stepTo(second)).toBeUndefined();
	expect(stepTo(third)?.before).toBe(second);
});

test("is not known of another text", () => {
	stepTo(Text.of(LONG));
	expect(stepTo(Text.of(LONG))).toBeUndefined();
});

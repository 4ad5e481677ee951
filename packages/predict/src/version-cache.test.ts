import { Summary, Text } from "@segue/text";
import { expect, test } from "vitest";
import { stepTo, VersionCache } from "./version-cache.js";

const LONG = "some line\n".repeat(1000);

test("returns the previously read version, and the lengths of the common prefix and suffix", () => {
	const first = Text.of(LONG);
	const second = first.replace(5000, 5000, "x");
	const third = second.replace(5001, 5001, "y");
	expect(stepTo(first)).toBeUndefined();
	expect(stepTo(second)).toEqual({ before: first, head: 5000, tail: 5000 });
	expect(stepTo(second)?.before).toBe(first);
	expect(stepTo(third)?.before).toBe(second);
	expect(stepTo(third)?.before).toBe(second);
});

test("keeps only one earlier version", () => {
	const first = Text.of(LONG);
	const second = first.replace(5000, 5000, "x");
	const third = second.replace(5001, 5001, "y");
	for (const text of [first, second, third]) stepTo(text);
	expect(stepTo(second)).toBeUndefined();
	expect(stepTo(third)?.before).toBe(second);
});

test("finds the earlier version even if the first and the last piece both changed", () => {
	const first = Text.of("a");
	const second = first.replace(0, 1, "b");
	stepTo(first);
	expect(stepTo(second)).toEqual({ before: first, head: 0, tail: 0 });
});

test("does not return an unrelated text as the previous version", () => {
	stepTo(Text.of(LONG));
	expect(stepTo(Text.of(LONG))).toBeUndefined();
});

test("frees the values for a version once two later versions have been read", () => {
	let count = 0;
	const pieces = new Summary(
		() => ++count,
		(left, right) => left + right,
	);
	const cache = new VersionCache<string>();
	const [first, second, third] = versions(Text.of(LONG), 3) as [Text, Text, Text];
	for (const text of [first, second]) {
		stepTo(text);
		cache.set(text, "computed");
		pieces.of(text);
	}
	expect([cache.has(first), cache.has(second)]).toEqual([true, true]);
	stepTo(third);
	expect([cache.has(first), cache.has(second)]).toEqual([false, true]);
	const before = count;
	pieces.of(second);
	expect(count, "the pieces of the newer version are still cached").toBe(before);
	pieces.of(first);
	expect(count, "only the replaced piece is computed again").toBe(before + 1);
});

/** A text and later versions of it, each with one more letter in the middle. */
function versions(first: Text, count: number): Text[] {
	const all = [first];
	while (all.length < count) all.push((all.at(-1) as Text).replace(5005, 5005, "x"));
	return all;
}

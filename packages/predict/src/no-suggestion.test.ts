import { expect, test } from "vitest";
import { NO_SUGGESTION_TEXTS, type ReasonText } from "./no-suggestion.js";

const ROWS: [string, ReasonText][] = Object.entries(NO_SUGGESTION_TEXTS);

test.each(ROWS)("the texts for the reason %s are a clause and sentences", (_reason, { why, sentence, onPage }) => {
	expect(why).toMatch(/^\S.*[^.]$/);
	for (const text of [sentence, onPage ?? sentence]) expect(text).toMatch(/^[A-Z].*\.$/);
});

test("the text for no suggestion names the rules, which are all that the reason is about", () => {
	const { why, sentence } = NO_SUGGESTION_TEXTS["nothing-found"];
	for (const text of [why, sentence]) expect(text).toMatch(/\brules found no likely\b/);
});

test("the text on a page names the key that requests a suggestion when automatic suggestions are off", () => {
	expect(NO_SUGGESTION_TEXTS["only-when-asked"].onPage).toContain("Alt+\\");
});

import { expect, test } from "vitest";
import { noSuggestionText } from "./no-suggestion-text.js";

// Reasons from the engine, the agent, the editor library and the plugin.
test.each([
	"no-agent",
	"opening",
	"ignored-file",
	"virtual-file",
	"touches-secret",
	"secret-file",
	"other-history",
	"binary-file",
	"minified-file",
	"too-large-file",
	"no-history",
	"nothing-found",
	"no-op",
	"whitespace-only",
	"reverts-user",
	"too-large",
	"deletes-most",
	"repeats-next-lines",
	"equal-lines",
	"breaks-syntax",
	"name-taken",
	"doubtful",
	"already-visited",
	"rejected-before",
	"rule-retired",
	"below-threshold",
	"special-token",
	"leaves-out-code",
	"cut-off",
	"outside-window",
	"model-failed",
	"model-resting",
	"no-edit",
	"unreadable-answer",
	"special-token-in-text",
	"too-long",
	"superseded",
	"rejected",
	"ignored",
	"quiet",
	"several-cursors",
	"read-only",
	"disabled",
	"stale",
	"lost",
	"no-text",
	"unfit",
	"off-in-language",
	"off-in-file",
	"only-when-asked",
	"snoozed",
	"gave-up",
	"off-in-comments-and-strings",
])("has a sentence for the reason %s", (reason) => {
	expect(noSuggestionText(reason)).toMatch(/^[A-Z].*\.$/);
});

test("shows a reason from another agent unchanged", () => {
	expect(noSuggestionText("too-tired")).toBe("too-tired");
	expect(noSuggestionText("constructor")).toBe("constructor");
});

test("names the key that requests a suggestion when automatic suggestions are off", () => {
	expect(noSuggestionText("only-when-asked")).toContain("Alt+\\");
});

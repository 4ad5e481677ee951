import { expect, test } from "vitest";
import { wordsFor } from "./silence.js";

// All that the engine, the door and the library name as reasons.
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
	"disabled",
	"stale",
	"lost",
	"no-text",
	"unfit",
])("the reason %s has a sentence", (reason) => {
	expect(wordsFor(reason)).toMatch(/^[A-Z].*\.$/);
});

test("a reason of another agent is shown as it is", () => {
	expect(wordsFor("too-tired")).toBe("too-tired");
	expect(wordsFor("constructor")).toBe("constructor");
});

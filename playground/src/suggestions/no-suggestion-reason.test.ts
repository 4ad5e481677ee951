import { AcpEditor, noSuggestionReasonOf, startRename } from "@segue/testing/editors/acp-editor";
import { expect, test } from "vitest";
import { isQuiet, quietOptions, wordsFor } from "./no-suggestion-reason.js";

// Reasons from the engine, the agent and the editor library.
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
	"off-in-language",
	"off-in-file",
	"only-when-asked",
	"snoozed",
	"gave-up",
	"off-in-comments-and-strings",
])("has a sentence for the reason %s", (reason) => {
	expect(wordsFor(reason)).toMatch(/^[A-Z].*\.$/);
});

test("shows a reason from another agent unchanged", () => {
	expect(wordsFor("too-tired")).toBe("too-tired");
	expect(wordsFor("constructor")).toBe("constructor");
});

test("lists the options that reduce suggestions, with the agent's names", async () => {
	const editor = await AcpEditor.open();
	const { configOptions } = await editor.set("nes_snooze_minutes", "15");
	const shown = quietOptions(configOptions).map((option) => {
		return [option.name, option.currentValue, option.type === "select" && option.options.map(({ name }) => name)];
	});
	expect(shown).toEqual([
		["Delay before showing", "0", ["None", "200 ms", "500 ms", "1000 ms", "2000 ms"]],
		["Only when asked", "off", ["On", "Off"]],
		["Snooze", "15", ["Off", "5 minutes", "15 minutes", "60 minutes"]],
		["Pause in comments and strings", "off", ["On", "Off"]],
		["Pause after ignored suggestions", "0", ["Never", "3 suggestions", "5 suggestions", "10 suggestions"]],
	]);
});

test("leaves out options that have their own control, and chat options", () => {
	const others = ["nes_enabled", "nes_eagerness", "nes_model", "model"];
	expect(quietOptions(others.map((id) => ({ id, name: id, type: "boolean", currentValue: true })))).toEqual([]);
});

test("explains what to do when an option prevents a suggestion", async () => {
	const editor = await startRename();
	await editor.set("nes_only_when_asked", "on");
	const answer = await editor.suggest("file:///a.ts", 2, { triggerKind: "automatic" });
	const reason = String(noSuggestionReasonOf(answer));
	expect(isQuiet(reason)).toBe(true);
	expect(isQuiet("nothing-found")).toBe(false);
	expect(wordsFor(reason)).toContain("Alt+\\");
});

import { AcpEditor, noSuggestionReasonOf, startRename } from "@segue/testing/editors/acp-editor";
import { expect, test, vi } from "vitest";
import { isQuiet, quietOptions, reasonText } from "./no-suggestion-reason.js";

// The sentences name the keys of the user's platform.
vi.hoisted(() => vi.stubGlobal("navigator", { platform: "" }));

test.each([
	["typing", "rejected-before", "You dismissed this suggestion before."],
	["undo", "rejected-before", "Change undone. Keep editing to get suggestions."],
	["undo", "reverts-user", "Change undone. Keep editing to get suggestions."],
	["undo", "secret-file", "This file may contain secrets, so Segue does not read it."],
	["suggestion", "nothing-found", "Done. No more edits to suggest."],
	["typing", "nothing-found", "Segue's rules found no likely next edit."],
] as const)("after %s, the reason %s reads: %s", (by, reason, text) => {
	const isSuggestion = by === "suggestion";
	const change = { uri: "file:///a.ts", cause: isSuggestion ? ("other" as const) : by, isSuggestion, isIndent: false };
	expect(reasonText(reason, change)).toBe(text);
});

test.each([
	["unfinished-call", "Tab indented the code, because there is no suggestion. Press [[Ctrl Z]] to undo it."],
	["snoozed", "Suggestions are snoozed. Press [[Alt \\]] to request one, or end the snooze in the settings."],
])("after Tab indented a line, the reason %s reads: %s", (reason, text) => {
	const change = { uri: "file:///a.ts", cause: "typing" as const, isSuggestion: false, isIndent: true };
	expect(reasonText(reason, change)).toBe(text);
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

test("replaces the agent's detail when an option prevents a suggestion", async () => {
	const editor = await startRename();
	await editor.set("nes_only_when_asked", "on");
	const answer = await editor.suggest("file:///a.ts", 2, { triggerKind: "automatic" });
	const reason = String(noSuggestionReasonOf(answer));
	expect(isQuiet(reason)).toBe(true);
	expect(isQuiet("nothing-found")).toBe(false);
});

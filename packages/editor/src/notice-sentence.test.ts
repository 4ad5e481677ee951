import { expect, test } from "vitest";
import { noticeSentence } from "./notice-sentence.js";

const AGENT_REASONS = {
	"model-failed": { sentence: "The request to the model failed." },
	snoozed: { sentence: "Suggestions are snoozed. Set `snoozeMinutes` to 0.", onPage: "Suggestions are snoozed." },
};

test.each([
	["a reason of the library", "rejected", "Suggestion dismissed."],
	["an agent that gave no reason", "no-reason", "The agent has no suggestion and gave no reason."],
	["a reason of a plugin", "read-only", "No suggestions, because this editor is read-only."],
	["a reason of the agent, with its detail", "model-failed", "The request to the model failed. Start Ollama."],
	["a reason whose sentence on the page says more than the detail", "snoozed", "Suggestions are snoozed."],
	["a reason from another agent", "too-tired", "too-tired Start Ollama."],
	["a reason that is the name of a property of every object", "constructor", "constructor Start Ollama."],
])("has a sentence for %s", (_title, text, sentence) => {
	expect(noticeSentence({ kind: "no-suggestion", text, detail: "Start Ollama." }, AGENT_REASONS)).toBe(sentence);
});

test("lets a plugin replace a sentence of the library", () => {
	const own = { "no-agent": { sentence: "Connecting." } };
	expect(noticeSentence({ kind: "no-suggestion", text: "no-agent" }, own)).toBe("Connecting.");
});

test.each([
	["agent", "the agent stopped", "The agent stopped. Press Alt+\\ to try again."],
	["agent", "gemini was not found: install it", "gemini was not found: install it. Press Alt+\\ to try again."],
	["agent", "npx did not start: EACCES", "npx did not start: EACCES. Press Alt+\\ to try again."],
	["agent", "No agent answers. Start one.", "No agent answers. Start one."],
	["sign-in", "sign in to get suggestions", "Sign in to get suggestions."],
] as const)("has a sentence for a notice of the kind %s: %s", (kind, text, sentence) => {
	expect(noticeSentence({ kind, text }, AGENT_REASONS)).toBe(sentence);
});

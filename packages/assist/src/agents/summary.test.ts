import { expect, test } from "vitest";
import type { Body, Entry } from "../threads/thread.js";
import { costSoFar, sessionBefore, summaryFor } from "./summary.js";

/** Parses entries from lines: "turn type content". */
function entries(...lines: readonly string[]): Entry[] {
	return lines.map((line, number) => {
		const [turn = "", type, ...rest] = line.split(" ");
		return { number, turn, at: "", body: bodyOf(type ?? "", rest) };
	});
}

function bodyOf(type: string, words: readonly string[]): Body {
	const text = words.slice(1).join(" ");
	if (type === "prompt")
		return { type, parts: [{ type: "text", text }], model: words[0] === "-" ? undefined : words[0] };
	if (type === "usage") {
		const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: undefined, costUsd: Number(words[0]) };
		return { type, usage, windowTokens: undefined };
	}
	if (type === "agent") return { type, agent: words[0] ?? "", session: words[1] ?? "" };
	return { type: "text", text: words.join(" ") };
}

const THREAD = entries(
	"1 prompt test/model What is it?",
	"1 text A rope.",
	"2 prompt gemini And this?",
	"2 agent gemini s1",
	"2 text A tree.",
	"3 prompt - /help me",
	"3 text The commands.",
	"4 prompt kimi Then that?",
	"4 agent kimi k1",
	"4 text A list.",
);

test.each([
	["gemini", "s1"],
	["kimi", "k1"],
	["codex", undefined],
])("a thread stores the session with %s", (agent, session) => {
	expect(sessionBefore(THREAD, agent)).toBe(session);
});

test.each([
	[
		"remembers nothing contains everything",
		"gemini",
		false,
		["What is it?", "A rope.", "And this?", "A tree.", "A list."],
	],
	["remembers its last turn contains the later turns", "gemini", true, ["Then that?", "A list."]],
	["answered the last turn is empty", "kimi", true, []],
	["claims to remember but never answered contains everything", "codex", true, ["What is it?", "A list."]],
])("the summary for an agent that %s", (_title, agent, remembers, texts) => {
	const summary = summaryFor(THREAD, agent, remembers);
	if (texts.length === 0) expect(summary).toBeUndefined();
	for (const text of texts) expect(summary).toContain(text);
	expect(summary ?? "").not.toContain("help");
	if (remembers && agent === "gemini") expect(summary).not.toContain("A tree.");
});

test("a summary is bounded and keeps the last messages", () => {
	const long = Array.from({ length: 100 }, (_, i) => `${i} text ${`${i} `.repeat(2_000)}`);
	const summary = summaryFor(entries("0 prompt m First", ...long, "101 text The last."), "gemini", false) ?? "";
	expect(summary.length).toBeLessThan(33_000);
	expect(summary).toContain("The last.");
	expect(summary).not.toContain("First");
});

test("the cost of a session includes only its own turns", () => {
	const thread = entries(
		"1 prompt gemini One",
		"1 agent gemini s1",
		"1 usage 1",
		"2 prompt gemini Two",
		"2 agent gemini s2",
		"2 usage 2",
		"3 prompt kimi Three",
		"3 agent kimi k1",
		"3 usage 4",
		"4 prompt gemini Four",
		"4 usage 8",
	);
	expect(costSoFar(thread, "gemini")).toBe(10);
	expect(costSoFar(thread, "kimi")).toBe(4);
});

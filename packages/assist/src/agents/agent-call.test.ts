import type * as acp from "@segue/protocol/acp";
import { expect, test } from "vitest";
import type { ToolCall } from "../threads/thread.js";
import { callAfter, editIn, newCall } from "./agent-call.js";

function callFrom(...updates: readonly Omit<acp.ToolCallUpdate, "toolCallId">[]): ToolCall {
	const all = updates.map((update) => ({ toolCallId: "c", ...update }));
	const shownIn = (id: string) => (id === "ours" ? "shown" : undefined);
	return all.reduce(
		(call, update) => callAfter(call, update, shownIn),
		newCall(all[0] as acp.ToolCallUpdate, new Set()),
	);
}

const text = (said: string) => ({ type: "content" as const, content: { type: "text" as const, text: said } });

test.each<[string, Omit<acp.ToolCallUpdate, "toolCallId">[], Partial<ToolCall>]>([
	["begins with nothing but its id", [{}], { id: "c", title: "c", kind: "other", status: "pending", tool: "agent" }],
	[
		"keeps what is left out",
		[{ title: "Read", kind: "read" }, { status: "completed" }],
		{ title: "Read", kind: "read", status: "done" },
	],
	["keeps kinds that no tool of ours has", [{ kind: "move" }, { kind: "switch_mode" }], { kind: "switch_mode" }],
	[
		"keeps what its tool gave back",
		[{ rawOutput: { exit: [0] } }, { status: "completed" }],
		{ rawOutput: '{"exit":[0]}' },
	],
	[
		"keeps the start of what is long",
		[{ rawOutput: "x".repeat(60_000) }],
		{ rawOutput: expect.stringMatching(/^"x{49999}\n\(cut here/) },
	],
	["shows invisible characters in its first title", [{ title: "a\u200bb" }], { title: "a⟨U+200B⟩b" }],
	["shows invisible characters in a later title", [{ title: "a" }, { title: "rm\u2800x" }], { title: "rm⟨U+2800⟩x" }],
	["knows no kind of a later version", [{ kind: "dream" }], { kind: "other" }],
	["keeps its status for one that is not known", [{ status: "in_progress" }, { status: "odd" }], { status: "running" }],
	["shows its content", [{ content: [text("a"), text("b")] }], { output: "a\nb" }],
	[
		"shows what a terminal of ours shows",
		[{ content: [{ type: "terminal", terminalId: "ours" }] }],
		{ output: "shown" },
	],
	["shows its raw output where there is no other", [{ rawOutput: { a: 1 } }], { output: '{"a":1}' }],
	["shows what was printed", [{ rawOutput: { exit: 0, stdout: "a\n" } }], { output: "a\n" }],
	["shows no longer what is gone", [{ content: [text("a")] }, { content: [] }], { output: "" }],
	["prefers its content", [{ content: [text("a")] }, { rawOutput: "raw" }], { output: "a" }],
	["keeps its input", [{ rawInput: { path: "a" } }], { input: '{"path":"a"}' }],
	[
		"has places",
		[{ locations: [{ path: "/a", line: 3 }, { path: "/b" }] }],
		{
			locations: [
				{ path: "/a", line: 3 },
				{ path: "/b", line: undefined },
			],
		},
	],
	[
		"has differences",
		[{ content: [{ type: "diff", path: "/a", newText: "x" }] }],
		{ diffs: [{ path: "/a", before: undefined, after: "x" }], output: "" },
	],
	[
		"leaves out what is far too large",
		[{ content: [{ type: "diff", path: "/a", newText: "x".repeat(2e6) }] }],
		{ diffs: [] },
	],
])("a call of an agent %s", (_title, updates, call) => {
	expect(callFrom(...updates)).toMatchObject(call);
});

test("a call of an agent has an id that no other of the thread has", () => {
	expect(newCall({ toolCallId: "c" }, new Set(["c", "c-2"])).id).toBe("c-3");
});

test("a call of an agent is bounded in what it says", () => {
	expect(callFrom({ content: [text("x".repeat(1e6))], rawInput: "y".repeat(1e6) }).output.length).toBeLessThan(51_000);
});

test("a call of an agent without a title shows the invisible characters in its id", () => {
	expect(newCall({ toolCallId: "c\u200b" }, new Set()).title).toBe("c⟨U+200B⟩");
});

test("an edit that the arguments describe has no text if that would be too long", () => {
	const before = "a".repeat(1_000_000);
	const replaced = { path: "f", old_string: "a", new_string: "x".repeat(600), replace_all: true };
	expect(editIn(replaced)?.textAfter(before)).toBeUndefined();
	expect(editIn(replaced)?.textAfter("aba")).toBe("aba".replaceAll("a", "x".repeat(600)));
	expect(editIn({ path: "f", content: "b", mode: "append" })?.textAfter(before)).toBeUndefined();
});

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

const text = (value: string) => ({ type: "content" as const, content: { type: "text" as const, text: value } });

test.each<[string, Omit<acp.ToolCallUpdate, "toolCallId">[], Partial<ToolCall>]>([
	["starts with only an id", [{}], { id: "c", title: "c", kind: "other", status: "pending", tool: "agent" }],
	[
		"keeps fields that an update omits",
		[{ title: "Read", kind: "read" }, { status: "completed" }],
		{ title: "Read", kind: "read", status: "done" },
	],
	["keeps kinds that no built-in tool has", [{ kind: "move" }, { kind: "switch_mode" }], { kind: "switch_mode" }],
	["keeps its raw output", [{ rawOutput: { exit: [0] } }, { status: "completed" }], { rawOutput: '{"exit":[0]}' }],
	[
		"truncates long raw output",
		[{ rawOutput: "x".repeat(60_000) }],
		{ rawOutput: expect.stringMatching(/^"x{49999}\n\(truncated/) },
	],
	["shows invisible characters in its first title", [{ title: "a\u200bb" }], { title: "a⟨U+200B⟩b" }],
	["shows invisible characters in a later title", [{ title: "a" }, { title: "rm\u2800x" }], { title: "rm⟨U+2800⟩x" }],
	["treats an unknown kind as other", [{ kind: "dream" }], { kind: "other" }],
	["ignores an unknown status", [{ status: "in_progress" }, { status: "odd" }], { status: "running" }],
	["shows its content", [{ content: [text("a"), text("b")] }], { output: "a\nb" }],
	[
		"shows the output of Segue's terminal",
		[{ content: [{ type: "terminal", terminalId: "ours" }] }],
		{ output: "shown" },
	],
	["shows its raw output if it has no content", [{ rawOutput: { a: 1 } }], { output: '{"a":1}' }],
	["shows a command's output", [{ rawOutput: { exit: 0, stdout: "a\n" } }], { output: "a\n" }],
	["drops output that was replaced", [{ content: [text("a")] }, { content: [] }], { output: "" }],
	["prefers its content to its raw output", [{ content: [text("a")] }, { rawOutput: "raw" }], { output: "a" }],
	["keeps its input", [{ rawInput: { path: "a" } }], { input: '{"path":"a"}' }],
	[
		"has locations",
		[{ locations: [{ path: "/a", line: 3 }, { path: "/b" }] }],
		{
			locations: [
				{ path: "/a", line: 3 },
				{ path: "/b", line: undefined },
			],
		},
	],
	[
		"has diffs",
		[{ content: [{ type: "diff", path: "/a", newText: "x" }] }],
		{ diffs: [{ path: "/a", before: undefined, after: "x" }], output: "" },
	],
	[
		"omits a diff that is too large",
		[{ content: [{ type: "diff", path: "/a", newText: "x".repeat(2e6) }] }],
		{ diffs: [] },
	],
])("an agent's call %s", (_title, updates, call) => {
	expect(callFrom(...updates)).toMatchObject(call);
});

test("an agent's call has an id that is unique in the thread", () => {
	expect(newCall({ toolCallId: "c" }, new Set(["c", "c-2"])).id).toBe("c-3");
});

test("an agent's call has a bounded output", () => {
	expect(callFrom({ content: [text("x".repeat(1e6))], rawInput: "y".repeat(1e6) }).output.length).toBeLessThan(51_000);
});

test("an agent's call without a title shows the invisible characters in its id", () => {
	expect(newCall({ toolCallId: "c\u200b" }, new Set()).title).toBe("c⟨U+200B⟩");
});

test("an edit described by arguments returns undefined if the resulting text would be too long", () => {
	const before = "a".repeat(1_000_000);
	const replaced = { path: "f", old_string: "a", new_string: "x".repeat(600), replace_all: true };
	expect(editIn(replaced)?.textAfter(before)).toBeUndefined();
	expect(editIn(replaced)?.textAfter("aba")).toBe("aba".replaceAll("a", "x".repeat(600)));
	expect(editIn({ path: "f", content: "b", mode: "append" })?.textAfter(before)).toBeUndefined();
});

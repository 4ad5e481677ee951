import type { FileDiff, ToolCall } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";
import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ContentBuilder } from "./content-builder.js";
import { Encoder202506 } from "./eca-2025-06.js";
import type { ContentItem } from "./encoder.js";

type Received = Omit<eca.ContentReceived, "chatId">;

/** Returns the messages sent to a client for the first version for these items and the end of the turn. */
function sent(...contents: readonly eca.ChatContent[]): Received[] {
	return sentOf(contents.map((content) => ({ role: "assistant", content })));
}

function sentOf(items: readonly ContentItem[]): Received[] {
	const received: Received[] = [];
	const encoder = new Encoder202506((each) => received.push(each));
	for (const item of items) encoder.sendInTurn(item);
	encoder.complete();
	return received;
}

const CHANGING: ToolCall = {
	...{ id: "1", tool: "edit_file", kind: "edit", title: "Edit a", status: "pending" },
	...{ input: "{}", output: "", diffs: [], locations: [] },
};

function builder(): ContentBuilder {
	return new ContentBuilder(
		() => 0,
		() => undefined,
	);
}

type Changed = Extract<eca.ChatContent, { type: "fileChange" }>;

function changesIn(items: readonly ContentItem[]): Changed[] {
	return sentOf(items).flatMap(({ content }) => (content.type === "fileChange" ? [content] : []));
}

/** Returns the file change in the first version's format, sent before the call runs. */
function changeIn(diff: FileDiff): Changed {
	return changesIn(builder().requestApproval({ ...CHANGING, diffs: [diff] }))[0] as Changed;
}

describe("a file change in the first version", () => {
	test("creates a file", () => {
		expect(changeIn({ path: "/a", before: undefined, after: "one\ntwo" })).toEqual({
			...{ type: "fileChange", description: "Edit a", manualApproval: true, file: "/a" },
			changes: [{ kind: "create", content: "one\ntwo" }],
		});
	});

	test("deletes a file", () => {
		expect(changeIn({ path: "/a", before: "one\n", after: undefined }).changes).toEqual([{ kind: "delete" }]);
	});

	test("replaces the preceding line when it adds a line", () => {
		expect(changeIn({ path: "/a", before: "1\n2\n", after: "1\nx\n2\n" }).changes).toEqual([
			{ kind: "change", content: "1\nx\n", range: { startLine: 1, endLine: 1 } },
		]);
	});

	test("has the range of the lines that it removes", () => {
		expect(changeIn({ path: "/a", before: "1\n2\n3\n", after: "1\n" }).changes).toEqual([
			{ kind: "delete", range: { startLine: 2, endLine: 3 } },
		]);
	});

	test("is sent for each file in a call", () => {
		const diffs = [
			{ path: "/a", before: "a\n", after: "b\n" },
			{ path: "/c", before: "1\n2\n3\n", after: "1\n2\nX\n" },
		];
		expect(changesIn(builder().requestApproval({ ...CHANGING, diffs }))).toMatchObject([
			{ file: "/a", changes: [{ kind: "change", content: "b\n", range: { startLine: 1, endLine: 1 } }] },
			{ file: "/c", changes: [{ kind: "change", content: "X\n", range: { startLine: 3, endLine: 3 } }] },
		]);
	});

	test("is sent once, after the call has run, if it becomes known only then", () => {
		const content = builder();
		const diffs = [{ path: "/a", before: "a\n", after: "b\n" }];
		const items = (["running", "done"] as const).flatMap((status) => {
			const call = { ...CHANGING, status, diffs: status === "done" ? diffs : [] };
			return content.itemsOf({ type: "call", number: 1, call });
		});
		expect(changesIn(items)).toMatchObject([{ file: "/a", manualApproval: false, changes: [{ kind: "change" }] }]);
		expect(
			changesIn(builder().itemsOf({ type: "call", number: 1, call: { ...CHANGING, status: "done", diffs } })),
		).toHaveLength(1);
	});

	test("converts any text to any other text", () => {
		fc.assert(
			fc.property(someText(), someText(), (before, after) => {
				fc.pre(before !== after);
				expect(applied(before, changeIn({ path: "/a", before, after }).changes ?? [])).toBe(after);
			}),
		);
	});
});

/** Applies changes like a client, last first to keep line numbers valid. */
function applied(before: string, changes: readonly { range?: unknown; content?: unknown }[]): string {
	const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
	for (const { range, content = "" } of changes.toReversed()) {
		const { startLine, endLine } = (range ?? { startLine: 1, endLine: 0 }) as { startLine: number; endLine: number };
		lines.splice(startLine - 1, endLine - startLine + 1, String(content));
	}
	return lines.join("");
}

describe("the first version", () => {
	test("sends code blocks and tokens in the last message, which has no text", () => {
		const text = "Try this:\n```ts\nlet a = 1\n```\nor\n````\n```\n````\n";
		const received = sent({ type: "text", text }, { type: "usage", sessionTokens: 42 });
		expect(received).toEqual([
			{ role: "assistant", content: { type: "text", text }, isComplete: false },
			{
				role: "assistant",
				content: {
					...{ type: "text", text: "" },
					codeBlocks: [{ code: "let a = 1\n", language: "ts" }, { code: "```\n" }],
				},
				isComplete: true,
				metadata: { tokensUsed: 42 },
			},
		]);
	});

	test("excludes replayed content from the turn's code blocks", () => {
		const received: Received[] = [];
		const encoder = new Encoder202506((each) => received.push(each));
		encoder.send({ role: "assistant", content: { type: "text", text: "```ts\nlet a = 1\n```\n" } });
		encoder.send({ role: "system", content: { type: "usage", sessionTokens: 42 } });
		encoder.complete();
		expect(received.at(-1)).toEqual({ role: "assistant", content: { type: "text", text: "" }, isComplete: true });
	});

	const CALL = { origin: "native", id: "1", name: "read_file", server: "ECA", summary: "Read a.txt" } as const;
	const RAN = { ...CALL, arguments: {} };

	test.each<[string, eca.ChatContent, string[]]>([
		["a running call", { type: "toolCallRun", ...RAN, manualApproval: false }, ["\nRead a.txt\n"]],
		[
			"a pending call whose approval request was already shown",
			{ type: "toolCallRun", ...RAN, manualApproval: true },
			["\nRead a.txt\n"],
		],
		["a completed call", { type: "toolCalled", ...RAN, error: false, outputs: [], totalTimeMs: 1 }, []],
		[
			"a failed call",
			{ type: "toolCalled", ...RAN, error: true, outputs: [], totalTimeMs: 1 },
			["\nFailed: Read a.txt\n"],
		],
		["a rejected call", { type: "toolCallRejected", ...RAN, reason: "user" }, ["\nNot run: Read a.txt\n"]],
		["thoughts", { type: "reasonText", id: "1", text: "Hm" }, []],
		["progress", { type: "progress", state: "running", text: "Waiting" }, []],
		["a title", { type: "metadata", title: "A" }, []],
		["an address", { type: "url", title: "A", url: "https://a.example" }, ["\nA: https://a.example\n"]],
		["an image", { type: "image", mediaType: "image/png", base64: "" }, ["\n(Images cannot be shown here.)\n"]],
	])("shows %s as text", (_what, content, texts) => {
		const contents = sent(content).slice(0, -1);
		expect(contents.map((each) => (each.content.type === "text" ? each.content.text : each.content.type))).toEqual(
			texts,
		);
	});

	test("shows a plan as a list", () => {
		const tasks = (["done", "in-progress", "pending"] as const).map((status, i) => ({
			...{ id: i, subject: `Step ${i}`, description: "", status },
			...{ priority: "medium", isBlocked: false },
		}));
		const details = {
			type: "task" as const,
			tasks,
			inProgressTaskIds: [1],
			summary: { done: 1, inProgress: 1, pending: 1, total: 3 },
		};
		const received = sent({ type: "toolCalled", ...RAN, details, error: false, outputs: [], totalTimeMs: 0 });
		expect(received.map(({ content }) => (content.type === "text" ? content.text : ""))).toEqual([
			"\n[x] Step 0",
			"\n[-] Step 1",
			"\n[ ] Step 2",
			"",
		]);
	});
});

describe("an approval request as text", () => {
	const requestOf = (input: string, title = "Run it") => {
		const items = builder().requestApproval({ ...CHANGING, tool: "agent", kind: "execute", title, input });
		return items.map(({ request }) => request ?? "").join("");
	};

	test.each<[string, object]>([
		["its folder", { command: "rm -rf .", cwd: "/home/u" }],
		["its variables", { command: "rm -rf .", env: { "BASH\u200b_ENV": "./x" } }],
	])("shows a command with %s", (_what, input) => {
		const [, , ...shown] = requestOf(JSON.stringify(input)).split("\n");
		const { command: _command, ...others } = input as { command: string };
		const printed = JSON.stringify(others, undefined, 2).replace("\u200b", "⟨U+200B⟩");
		expect(requestOf(JSON.stringify(input))).toContain("\n    rm -rf .\n");
		expect(
			shown
				.slice(0, -1)
				.map((line) => line.slice(4))
				.join("\n"),
		).toBe(printed);
	});

	test("shows truncated JSON input verbatim", () => {
		expect(requestOf('{"command":"rm -rf .", "co')).toContain('\n    {"command":"rm -rf .", "co\n');
	});
});

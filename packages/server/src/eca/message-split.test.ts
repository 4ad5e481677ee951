import type { ToolCall } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ContentBuilder } from "./encoding/content-builder.js";
import { split, splitText } from "./message-split.js";

/** The capacity of a pipe. */
const PIPE_BYTES = 64 * 1024;

function bytesOf(received: Omit<eca.ContentReceived, "chatId">): number {
	const params = { chatId: "x".repeat(256), ...received };
	const message = { jsonrpc: "2.0", method: "chat/contentReceived", params };
	return Buffer.byteLength(`Content-Length: 99999\r\n\r\n${JSON.stringify(message)}`);
}

/** Characters of all sizes in UTF-8 and JSON. */
const LETTERS = ["a", "é", "✓", "😀", "\n", '"', "\\", "\u0001", "\ud800"];

describe("text", () => {
	test("is complete, in messages that fit into a pipe", () => {
		const letters = fc.array(fc.tuple(fc.constantFrom(...LETTERS), fc.nat(20_000)), { maxLength: 6 });
		fc.assert(
			fc.property(letters, (runs) => {
				const text = runs.map(([letter, times]) => letter.repeat(times)).join("");
				const messages = split({ role: "assistant", content: { type: "text", text } });
				const joined = messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("");
				expect(joined).toBe(text);
				for (const message of messages) expect(bytesOf(message)).toBeLessThanOrEqual(PIPE_BYTES);
			}),
			{ numRuns: runs(30) },
		);
	});

	test("is never split within a character", () => {
		const texts = splitText("\u{1f600}".repeat(20_000));
		expect(texts.length).toBeGreaterThan(2);
		for (const text of texts) expect(Buffer.from(text).toString()).toBe(text);
	});

	test("is one message if it is empty", () => {
		expect(splitText("")).toEqual([""]);
	});
});

describe("a call", () => {
	const LONG = '"\\\n\u0001'.repeat(20_000);
	const WRITE: ToolCall = {
		...{ id: "1", tool: "write_file", kind: "edit", title: LONG, status: "done", output: LONG, locations: [] },
		input: JSON.stringify({ path: "a.txt", content: LONG, more: [LONG], lines: 3 }),
		diffs: [{ path: "/a.txt", before: "one\n", after: LONG }],
	};

	test.each<[string, ToolCall]>([
		["that changes a file", WRITE],
		["that runs a command", { ...WRITE, kind: "execute", input: JSON.stringify({ command: LONG }) }],
	])("%s fits into a pipe, regardless of the length of its parts", (_what, call) => {
		const narrator = new ContentBuilder(
			() => 0,
			() => undefined,
		);
		const messages = narrator.itemsOf({ type: "call", number: 1, call }).flatMap(split);
		for (const message of messages) expect(bytesOf(message)).toBeLessThanOrEqual(PIPE_BYTES);
		const written = messages.map(({ content }) => (content.type === "toolCallPrepare" ? content.argumentsText : ""));
		expect(written.join("")).toBe(call.input);
	});

	test("has a summary on one line, for editors that cannot show more", () => {
		const call: ToolCall = { ...WRITE, title: "Run echo one\r\n\n\techo two\n", status: "pending", diffs: [] };
		const items = new ContentBuilder(
			() => 0,
			() => undefined,
		).requestApproval(call);
		expect(items.map(({ content }) => "summary" in content && content.summary)).toEqual([
			"Run echo one ↵ echo two",
			"Run echo one ↵ echo two",
		]);
	});

	test("shows invisible and control characters in its arguments, including keys and nested values", () => {
		const narrator = new ContentBuilder(
			() => 0,
			() => undefined,
		);
		const input = JSON.stringify({
			command: "ls\u001b[8m\0 -l\n\tend",
			"a\u200bb": [{ city: "Os\u0007lo", count: 3, isCapital: true, none: null }],
		});
		const call: ToolCall = { ...WRITE, title: "Run", kind: "execute", input, diffs: [] };
		const called = narrator.itemsOf({ type: "call", number: 1, call }).at(-1)?.content;
		const command = "ls⟨U+001B⟩[8m⟨U+0000⟩ -l\n\tend";
		expect(called).toMatchObject({
			arguments: { command, "a⟨U+200B⟩b": [{ city: "Os⟨U+0007⟩lo", count: 3, isCapital: true, none: null }] },
			details: { commands: [{ command }] },
		});
	});

	test("reports how much of its content is omitted", () => {
		const narrator = new ContentBuilder(
			() => 0,
			() => undefined,
		);
		const after = Array.from({ length: 10_000 }, (_, i) => `line ${i}\n`).join("");
		const call = { ...WRITE, title: "Write", diffs: [{ path: "/a.txt", before: undefined, after }] };
		const called = narrator.itemsOf({ type: "call", number: 1, call }).at(-1)?.content;
		expect(called).toMatchObject({
			outputs: [{ text: expect.stringMatching(/\n\(\d+ more characters are not shown\.\)$/) }],
			arguments: { path: "a.txt", lines: 3, content: expect.stringMatching(/not shown\.\)$/) },
			details: {
				linesAdded: 10_000,
				diff: expect.stringMatching(/\n\+line \d+\n\\ \d+ more lines are not shown\.\n$/),
			},
		});
		const { diff } = (called as { details: { diff: string } }).details;
		const [, shown = 0, more = 0] = /\n\+line (\d+)\n\\ (\d+) /.exec(diff) ?? [];
		expect(Number(shown) + 1 + Number(more)).toBe(10_000);
	});

	test("shows the first file and lists the others if it changes several files", () => {
		const narrator = new ContentBuilder(
			() => 0,
			() => undefined,
		);
		const diffs = [
			{ path: "/w/a.txt", before: "a\n", after: "b\nc\n" },
			{ path: "/w/sub/c.txt", before: "1\n", after: "2\n" },
		];
		const call: ToolCall = { ...WRITE, title: "Edit", input: "{}", output: "", diffs };
		expect(narrator.itemsOf({ type: "call", number: 1, call }).at(-1)?.content).toMatchObject({
			summary: "Edit (and c.txt)",
			details: {
				...{ path: "/w/a.txt", linesAdded: 2, linesRemoved: 1 },
				diff: "--- /w/a.txt\n+++ /w/a.txt\n@@ -1 +1,2 @@\n-a\n+b\n+c\n",
			},
		});
	});
});

import type { Body, ToolCall, Update } from "@segue/assist";
import { describe, expect, test } from "vitest";
import { TurnText } from "./turn-text.js";

const CALL: ToolCall = {
	...{ id: "c", tool: "read_file", kind: "read", title: "Read a.txt", status: "pending" },
	...{ input: "", output: "", diffs: [], locations: [] },
};

function entry(number: number, body: Body): Update {
	return { type: "entry", entry: { number, turn: "t", at: "", body } };
}

function text(number: number, written: string): Update {
	return entry(number, { type: "text", text: written });
}

function thought(number: number, written: string): Update {
	return entry(number, { type: "thought", text: written, signature: undefined });
}

function more(number: number, of: "text" | "thought", written: string): Update {
	return { type: "more", of, number, text: written };
}

function call(change: Partial<ToolCall>): Update {
	return { type: "call", number: 9, call: { ...CALL, ...change } };
}

describe("TurnText", () => {
	test.each<[string, Update[], string]>([
		["continues text unchanged", [text(1, "a\n"), more(1, "text", "\r\n b")], "a\n\r\n b"],
		["separates two items of text with an empty line", [text(1, "a"), text(2, "b")], "a\n\nb"],
		["counts existing newlines as separators", [text(1, "a\n"), text(2, "b\n\n"), text(3, "c")], "a\n\nb\n\nc"],
		["quotes every line of a thought", [thought(1, "a\nb"), more(1, "thought", "\nc")], "> a\n> b\n> c"],
		["skips an empty thought", [thought(1, ""), text(2, "a")], "a"],
		["quotes a thought that is empty at first, once it continues", [thought(1, ""), more(1, "thought", "a")], "> a"],
		[
			"writes a call once it has ended, and only once",
			[call({}), call({ status: "done" }), call({ status: "done" })],
			"✓ Read a.txt\n",
		],
		[
			"continues text after a call that ended in between",
			[text(1, "a"), call({ status: "done" }), more(1, "text", "b")],
			"a\n\n✓ Read a.txt\n\nb",
		],
		[
			"continues a thought after a call that ended in between",
			[thought(1, "a"), call({ status: "done" }), more(1, "thought", "b")],
			"> a\n\n✓ Read a.txt\n\n> b",
		],
		[
			"writes one line per call, with the first line of a failed call's output",
			[call({ id: "1", status: "done" }), call({ id: "2", status: "failed", output: "No.\nReally." })],
			"✓ Read a.txt\n✗ Read a.txt: No.\n",
		],
		[
			"marks a notice according to its level",
			(["info", "warning", "error"] as const).map((level, i) =>
				entry(i, { type: "notice", level, text: `${level}\n` }),
			),
			"info\n\n! warning\n\n✗ error\n",
		],
		[
			"writes images and links as names",
			[
				text(1, "a"),
				entry(2, { type: "image", mediaType: "image/png", base64: "AA" }),
				entry(3, { type: "link", name: "A page", uri: "https://a.example/" }),
			],
			"a\n\n[image: image/png]\n\n[A page](https://a.example/)\n",
		],
		["writes nothing for the end of the turn", [entry(1, { type: "end", reason: "done" })], ""],
	])("%s", (_title, updates, expected) => {
		const turn = new TurnText();
		expect(updates.map((update) => turn.add(update)).join("")).toBe(expected);
	});
});

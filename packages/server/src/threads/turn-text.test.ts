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

function text(number: number, said: string): Update {
	return entry(number, { type: "text", text: said });
}

function thought(number: number, said: string): Update {
	return entry(number, { type: "thought", text: said, signature: undefined });
}

function more(number: number, of: "text" | "thought", said: string): Update {
	return { type: "more", of, number, text: said };
}

function call(change: Partial<ToolCall>): Update {
	return { type: "call", number: 9, call: { ...CALL, ...change } };
}

describe("a turn as text", () => {
	test.each<[string, Update[], string]>([
		["a text goes on as it is", [text(1, "a\n"), more(1, "text", "\r\n b")], "a\n\r\n b"],
		["two texts are parted", [text(1, "a"), text(2, "b")], "a\n\nb"],
		["newlines that are there part as well", [text(1, "a\n"), text(2, "b\n\n"), text(3, "c")], "a\n\nb\n\nc"],
		["a thought is quoted, line by line", [thought(1, "a\nb"), more(1, "thought", "\nc")], "> a\n> b\n> c"],
		["nothing is said by an empty thought that only has a signature", [thought(1, ""), text(2, "a")], "a"],
		["a thought that begins empty is quoted when it goes on", [thought(1, ""), more(1, "thought", "a")], "> a"],
		[
			"a call is told once, when it is over",
			[call({}), call({ status: "done" }), call({ status: "done" })],
			"✓ Read a.txt\n",
		],
		[
			"a text goes on behind a call that ended in between",
			[text(1, "a"), call({ status: "done" }), more(1, "text", "b")],
			"a\n\n✓ Read a.txt\n\nb",
		],
		[
			"a thought goes on behind a call that ended in between",
			[thought(1, "a"), call({ status: "done" }), more(1, "thought", "b")],
			"> a\n\n✓ Read a.txt\n\n> b",
		],
		[
			"calls follow each other line by line, a failed one with the first line of why",
			[call({ id: "1", status: "done" }), call({ id: "2", status: "failed", output: "No.\nReally." })],
			"✓ Read a.txt\n✗ Read a.txt: No.\n",
		],
		[
			"a notice has a mark by its level",
			(["info", "warning", "error"] as const).map((level, i) =>
				entry(i, { type: "notice", level, text: `${level}\n` }),
			),
			"info\n\n! warning\n\n✗ error\n",
		],
		[
			"a picture and a link are named",
			[
				text(1, "a"),
				entry(2, { type: "image", mediaType: "image/png", base64: "AA" }),
				entry(3, { type: "link", name: "A page", uri: "https://a.example/" }),
			],
			"a\n\n[image: image/png]\n\n[A page](https://a.example/)\n",
		],
		["what is none of the reader's business is left out", [entry(1, { type: "end", reason: "done" })], ""],
	])("%s", (_title, updates, expected) => {
		const turn = new TurnText();
		expect(updates.map((update) => turn.add(update)).join("")).toBe(expected);
	});
});

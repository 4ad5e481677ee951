import path from "node:path";
import type { Body, EndReason, ToolCall, Update } from "@segue/assist";
import fc from "fast-check";
import { expect, test } from "vitest";
import { paintFor } from "./colour.js";
import { Transcript } from "./transcript.js";

const WORKSPACE = "/home/alice/shop";

/** Returns the output for these updates. A string continues the previous entry. */
function shown(updates: readonly (Body | string | ToolCall)[], isColoured = false): string {
	const transcript = new Transcript(WORKSPACE, paintFor(isColoured));
	let number = 0;
	const text = updates.map((update) => transcript.add(updateOf(update)));
	return text.join("") + transcript.endLine();

	function updateOf(update: Body | string | ToolCall): Update {
		if (typeof update === "string") return { type: "more", of: "text", number, text: update };
		if ("status" in update) return { type: "call", number, call: update };
		number++;
		return { type: "entry", entry: { number, turn: "t", at: "2026-01-01T00:00:00.000Z", body: update } };
	}
}

/** Removes the indent and the empty first and last lines from a template string. */
function picture(drawn: string): string {
	return drawn
		.split("\n")
		.slice(1, -1)
		.map((line) => line.replace(/^\t\t/, ""))
		.join("\n")
		.concat("\n");
}

/** Replaces colour codes with their names. */
function inWords(text: string): string {
	const words: Readonly<Record<string, string>> = {
		"1": "bold",
		"2": "dim",
		"22": "/",
		"31": "red",
		"32": "green",
		"33": "yellow",
		"36": "cyan",
		"39": "/",
	};
	// biome-ignore lint/suspicious/noControlCharactersInRegex: matches colour codes
	return text.replace(/\x1b\[(\d+)m/g, (_, code: string) => `{${words[code]}}`);
}

const call = (some: Partial<ToolCall>): ToolCall => ({
	id: "c1",
	tool: "read_file",
	kind: "read",
	title: "Read src/app.ts",
	status: "done",
	input: "{}",
	output: "",
	diffs: [],
	locations: [],
	...some,
});

const edit = call({
	kind: "edit",
	title: "Edit src/app.ts",
	diffs: [{ path: `${WORKSPACE}/src/app.ts`, before: "one\ntwo\nthree\n", after: "one\n2\nthree\n" }],
});

const text = (content: string): Body => ({ type: "text", text: content });
const thought = (content: string): Body => ({ type: "thought", text: content, signature: undefined });
const used = (inputTokens: number, outputTokens: number, costUsd?: number): Body => ({
	type: "usage",
	usage: { inputTokens, outputTokens, cachedTokens: undefined, costUsd },
});
const end = (reason: EndReason): Body => ({ type: "end", reason });

test("streams an answer with its calls and token usage", () => {
	const updates = [
		thought("The user\nwants"),
		" a fix.\n",
		text(""),
		text("\n\nLet me look"),
		" at it.\n\n",
		{ type: "call", call: call({ status: "pending" }) } as const,
		call({ status: "running" }),
		call({}),
		{ type: "call", call: { ...edit, status: "pending" } } as const,
		edit,
		used(1000, 20, 0.001),
		text("Done:\n\n"),
		"- two is 2 now",
		used(1234, 10, 0.0005),
		end("done"),
	];
	expect(shown(updates)).toBe(
		picture(`
		│ The user
		│ wants a fix.

		Let me look at it.

		✓ Read src/app.ts
		✓ Edit src/app.ts
		  --- a/src/app.ts
		  +++ b/src/app.ts
		  @@ -1,3 +1,3 @@
		   one
		  -two
		  +2
		   three

		Done:

		- two is 2 now

		2,234 tokens in, 30 out, $0.0015
		`),
	);
	expect(inWords(shown(updates, true))).toBe(
		picture(`
		{dim}│ The user{/}
		{dim}│ wants{/}{dim} a fix.{/}

		Let me look at it.

		{green}✓{/} Read src/app.ts
		{green}✓{/} Edit src/app.ts
		  {bold}--- a/src/app.ts{/}
		  {bold}+++ b/src/app.ts{/}
		  {dim}@@ -1,3 +1,3 @@{/}
		   one
		  {red}-two{/}
		  {green}+2{/}
		   three

		Done:

		- two is 2 now

		{dim}2,234 tokens in, 30 out, $0.0015{/}
		`),
	);
});

test("shows the last lines of a command and the error of a failed call", () => {
	const lines = Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join("\n");
	expect(
		shown([
			{ type: "call", call: call({ kind: "execute", title: "Run npm test", output: `${lines}\n` }) },
			{ type: "call", call: call({ kind: "execute", title: "Run true" }) },
			{ type: "call", call: call({ status: "failed", output: "There is no file src/app.ts." }) },
		]),
	).toBe(
		picture(`
		✓ Run npm test
		  … 2 earlier lines
		  line 3
		  line 4
		  line 5
		  line 6
		  line 7
		  line 8
		  line 9
		  line 10
		✓ Run true
		✗ Read src/app.ts
		  There is no file src/app.ts.
		`),
	);
});

test("shows new and deleted files, and the start of long diffs", () => {
	const long = Array.from({ length: 100 }, (_, i) => `${i}\n`).join("");
	const printed = shown([
		{
			type: "call",
			call: call({
				kind: "edit",
				title: "Write three files",
				diffs: [
					{ path: `${WORKSPACE}/empty`, before: undefined, after: "" },
					{ path: `${WORKSPACE}/gone`, before: "x\n", after: undefined },
					{ path: `${WORKSPACE}/long`, before: undefined, after: long },
				],
			}),
		},
	]);
	expect(printed).toContain(
		picture(`
		✓ Write three files
		  --- /dev/null
		  +++ b/empty
		  --- a/gone
		  +++ /dev/null
		  @@ -1 +0,0 @@
		  -x
		  --- /dev/null
		  +++ b/long
		  @@ -0,0 +1,100 @@
		  +0
		`).trimEnd(),
	);
	expect(printed.trimEnd().split("\n")).toHaveLength(62);
	expect(printed).toMatch(/ {2}… 49 more lines\n$/);
});

test("shows prompts, plans, approvals and notices", () => {
	const permission = { kind: "edit", subject: "src/app.ts" } as const;
	expect(
		shown([
			{
				type: "prompt",
				parts: [
					{ type: "text", text: "Fix it\nplease" },
					{ type: "excerpt", label: "standard input", content: "…" },
				],
			},
			{
				type: "plan",
				steps: [
					{ text: "Look", status: "done" },
					{ text: "Fix", status: "running" },
					{ text: "Test", status: "pending" },
				],
			},
			{ type: "approval", approval: { callId: "c1", permission, by: "rule", answer: "once" } },
			{ type: "approval", approval: { callId: "c2", permission, by: "nobody", answer: "no" } },
			{ type: "approval", approval: { callId: "c3", permission, by: "person", answer: "no" } },
			{ type: "file", path: "src/app.ts", content: "x" },
			{ type: "notice", level: "info", text: "These are the commands:\n/help\n" },
			{ type: "notice", level: "warning", text: "The server is busy; trying again in 2 s." },
			{ type: "notice", level: "error", text: "The key is wrong." },
			{ type: "summary", text: "long ago" },
			end("cancelled"),
		]),
	).toBe(
		picture(`
		> Fix it
		> please
		> [standard input]

		  ☑ Look
		  ▸ Fix
		  ☐ Test

		  Allowed by a rule: edit src/app.ts
		  Denied without an answer: edit src/app.ts

		These are the commands:
		/help

		segue: The server is busy; trying again in 2 s.

		segue: The key is wrong.

		Cancelled. The partial answer is kept.
		`),
	);
});

test("a question shows the diff, and its call does not show it again", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const question = transcript.question({ call: edit, permission: { kind: "edit", subject: "src/app.ts" } });
	expect(question).toContain("? Edit src/app.ts\n  --- a/src/app.ts\n");
	expect(transcript.whole({ call: edit, permission: { kind: "edit", subject: "src/app.ts" } })).toContain(
		"\n  -two\n  +2\n",
	);
	const update: Update = { type: "call", number: 1, call: edit };
	expect(transcript.add(update)).toBe("✓ Edit src/app.ts\n");
});

const MCP = { kind: "mcp", subject: "weather/today" } as const;

test("a question about a command or an MCP tool shows short text in full and shortens long text", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const run = call({ kind: "execute", title: "Run a script", status: "pending" });
	expect(transcript.question({ call: run, permission: { kind: "command", subject: "echo hi\nrm -rf \x1b[8mx" } })).toBe(
		"? Run a script\n  $ echo hi\n  rm -rf ␛[8mx\n",
	);
	const foreign = call({ kind: "other", title: "Ask weather/today", status: "pending", input: '{"city":"Oslo"}' });
	expect(transcript.question({ call: foreign, permission: MCP })).toBe('\n? Ask weather/today\n  {"city":"Oslo"}\n');
	const long = { call: { ...foreign, input: `{"pad":"${"x".repeat(3000)}","do":"harm"}` }, permission: MCP };
	expect(transcript.question(long)).toMatch(
		/^\n\? Ask weather\/today\n {2}{"pad":"x+\n {2}… 2022 more characters …\n {2}x+","do":"harm"}\n {2}\(3,022 characters\. Press d to see all of it\.\)\n$/,
	);
	expect([transcript.hasMore(long), transcript.hasMore({ call: foreign, permission: MCP })]).toEqual([true, false]);
	expect(transcript.whole(long)).toBe(`\n  ${long.call.input}\n`);
});

test("a question shortens a long command, and a key shows all of it", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const run = call({ kind: "execute", title: "Run a script", status: "pending" });
	const lines = Array.from({ length: 50 }, (_, i) => `echo ${i}`);
	const question = { call: run, permission: { kind: "command", subject: lines.join("\n") } } as const;
	const shown = transcript.question(question);
	expect(shown).toContain("\n  echo 9\n  … 30 more lines …\n  echo 40\n");
	expect(shown).toMatch(/\n {2}\(389 characters\. Press d to see all of it\.\)\n$/);
	expect(transcript.hasMore(question)).toBe(true);
	expect(transcript.whole(question)).toContain("\n  echo 25\n");
});

test("a question shows a long command below its title, even if the title contains it", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const subject = `echo ${"a".repeat(600)}; rm -rf x; echo ${"b".repeat(600)}`;
	const run = call({ kind: "execute", title: subject, status: "pending" });
	const question = { call: run, permission: { kind: "command", subject } } as const;
	expect(transcript.question(question)).toMatch(/^\? echo a{195}…\n {2}\$ echo a+\n {2}… \d+ more characters …\n/);
	expect(transcript.hasMore(question)).toBe(true);
});

test.each([
	["has several lines", "echo hi\nrm -rf x", "echo hi\nrm -rf x", "? echo hi rm -rf x\n  $ echo hi\n  rm -rf x\n"],
	["has several lines, after a verb", "Run a\r\nb", "a\r\nb", "? Run a b\n  $ a\n  b\n"],
	["is part of a word", "List tools", "ls", "? List tools\n  $ ls\n"],
	["is part of another command", "echo ls", "ls", "? echo ls\n  $ ls\n"],
	["is the title", "ls -la", "ls -la", "? ls -la\n"],
	["is the title, after a verb", "Run ls -la", "ls -la", "? Run ls -la\n"],
])(
	"a question shows a command below its title unless the title is the command: the command %s",
	(_case, title, subject, shown) => {
		const transcript = new Transcript(WORKSPACE, paintFor(false));
		const run = call({ kind: "execute", title, status: "pending" });
		expect(transcript.question({ call: run, permission: { kind: "command", subject } })).toBe(shown);
	},
);

test("a question shows the invisible characters in the input of an MCP tool", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const foreign = call({
		kind: "other",
		title: "Ask weather/today",
		status: "pending",
		input: '{"city":"Os\u200blo"}',
	});
	expect(transcript.question({ call: foreign, permission: MCP })).toContain('{"city":"Os⟨U+200B⟩lo"}');
});

test("a question about an edit without a path shows the agent's text", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const write = call({
		kind: "edit",
		title: "Write",
		status: "pending",
		output: "Requesting approval to write a\u200bb",
	});
	const permission = { kind: "edit", subject: "Write", isVague: true } as const;
	expect(transcript.question({ call: write, permission })).toBe("? Write\n  Requesting approval to write a⟨U+200B⟩b\n");
});

test.each([
	["a secret file", ".env", [".env"], "? Write\n  .env\n  Requesting\n"],
	["a file outside", "/home/u/.bashrc", ["/home/u/.bashrc"], "? Write\n  /home/u/.bashrc\n  Requesting\n"],
	[
		"several files",
		"a.ts",
		["a.ts", "/home/u/.b\u200bashrc"],
		"? Write\n  a.ts\n  /home/u/.b⟨U+200B⟩ashrc\n  Requesting\n",
	],
])("a question about an edit without a diff shows its paths: %s", (_what, subject, files, shown) => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const locations = files.map((file) => ({ path: path.resolve(WORKSPACE, file), line: undefined }));
	const write = call({ kind: "edit", title: "Write", status: "pending", output: "Requesting", locations });
	expect(transcript.question({ call: write, permission: { kind: "edit", subject } })).toBe(shown);
});

test("waitingFor follows the turn", () => {
	const transcript = new Transcript(WORKSPACE, paintFor(false));
	const after = (body: Body) => {
		transcript.add({ type: "entry", entry: { number: 1, turn: "t", at: "", body } });
		return transcript.waitingFor;
	};
	expect([
		transcript.waitingFor,
		after(thought("hm")),
		after(text("so")),
		after({ type: "call", call: call({ title: "Run make", status: "running", output: "cc a.c\ncc b.c\n" }) }),
		after({ type: "call", call: call({ title: "Run make" }) }),
	]).toEqual(["Waiting for the model", "Thinking", "Writing", "Run make: cc b.c", "Waiting for the model"]);
});

test("no escape sequence from a model or a tool reaches the terminal", () => {
	const evil = "\x1b]0;owned\x07\x9b2J\x08";
	const printed = shown([
		{
			type: "prompt",
			parts: [
				{ type: "text", text: evil },
				{ type: "file", path: evil, lines: undefined, content: evil },
			],
		},
		text(evil),
		evil,
		thought(evil),
		{ type: "call", call: call({ title: evil, status: "failed", output: evil }) },
		{ type: "call", call: call({ title: evil, diffs: [{ path: evil, before: evil, after: `${evil}${evil}` }] }) },
		{ type: "plan", steps: [{ text: evil, status: "pending" }] },
		{ type: "image", mediaType: evil, base64: "" },
		{ type: "link", name: evil, uri: evil },
		{
			type: "approval",
			approval: { callId: "c", permission: { kind: "command", subject: evil }, by: "rule", answer: "no" },
		},
		{ type: "notice", level: "error", text: evil },
	]);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
	expect(printed).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

test("an answer looks the same in chunks of any size", () => {
	const chunks = fc.array(fc.string({ unit: fc.constantFrom("a", "\n", " ", "日") }), { minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(chunks, fc.constantFrom(text, thought), (cut, kind) => {
			const [first = "", ...rest] = cut;
			expect(shown([kind(first), ...rest, end("done")])).toBe(shown([kind(cut.join("")), end("done")]));
		}),
	);
});

test.each<[level: "info" | "warning" | "error", lines: readonly string[]]>([
	["info", ["No model is configured.", "  Set SEGUE_MODEL, for", "  example.", "  Second line."]],
	[
		"warning",
		["segue: No model is", "       configured. Set", "       SEGUE_MODEL, for", "       example.", "  Second line."],
	],
	[
		"error",
		["segue: No model is", "       configured. Set", "       SEGUE_MODEL, for", "       example.", "  Second line."],
	],
])("wraps a notice of level %s at the terminal's width and indents the other lines", (level, lines) => {
	const text = `No model is configured. Set SEGUE_MODEL, for example.\n${level === "info" ? "  " : ""}Second line.`;
	const terminal = new Transcript(WORKSPACE, paintFor(false), { columns: 25 });
	expect(terminal.notice(level, text).split("\n")).toEqual([...lines, ""]);
	expect(new Transcript(WORKSPACE, paintFor(false)).notice(level, text).split("\n")).toHaveLength(3);
});

import type { ToolCall, Update } from "@segue/assist";
import { expect, test } from "vitest";
import { PipeClient, TerminalClient } from "./chat-clients.js";
import { paintFor } from "./colour.js";
import type { Keys } from "./keys.js";
import { Screen } from "./screen.js";
import { Transcript } from "./transcript.js";

/** Somebody at a terminal, with the keys that they press when they are asked. */
function sit(...presses: readonly (string | Error)[]) {
	let printed = "";
	const screen = new Screen({ write: (text) => (printed += text) }, paintFor(false), undefined);
	const pressed = [...presses];
	const keys = {
		quiet: async () => {},
		next: async () => {
			const key = pressed.shift();
			if (typeof key === "string") return key;
			throw key;
		},
	} as unknown as Keys;
	const person = new TerminalClient(screen, new Transcript("/home/alice/shop", paintFor(false)), paintFor(false), keys);
	return { person, printed: () => printed };
}

const call = (id: string, title: string, status: ToolCall["status"]): ToolCall => ({
	...{ id, title, status, tool: "read_file", kind: "read" },
	...{ input: "{}", output: "", diffs: [], locations: [] },
});
const question = {
	call: call("c1", "Read .env.example", "pending"),
	permission: { kind: "read-ignored", subject: ".env.example" },
} as const;
const signal = new AbortController().signal;

test.each([
	[["y"], "once"],
	[["S", "s"], "session"],
	[["a", "a"], "always"],
	[["a", "\r"], "always"],
	[["a", "y", "n"], "no"],
	[["a", "s", "s", "a", "y"], "once"],
	[["n"], "no"],
	[["\r", " ", "1", "escape", "d", "n"], "no"],
] as const)("the keys %j are the answer %s", async (presses, answer) => {
	const { person, printed } = sit(...presses);
	expect(await person.approve(question, signal)).toBe(answer);
	expect(printed().match(/(which is ignored|Sure)\? \[/g)).toHaveLength(presses.length);
});

test("a person who goes away gives no answer", async () => {
	const { person, printed } = sit(new Error("The terminal is gone."));
	await expect(person.approve(question, signal)).rejects.toThrow("gone");
	expect(printed()).toMatch(/\] \n$/);
});

test("what other calls do meanwhile is shown behind the answer", async () => {
	const { person, printed } = sit("x", "y");
	const approved = person.approve(question, signal);
	const update: Update = { type: "call", number: 2, call: call("c2", "Read src/app.ts", "done") };
	await person.update(update);
	await approved;
	expect(printed()).toMatch(/yes\n✓ Read src\/app\.ts\n$/);
});

test("what goes to one place from both outputs stands in lines of its own, and nothing of it is lost", async () => {
	let printed = "";
	const output = { write: (text: string) => (printed += text) };
	const transcript = new Transcript("/home/alice/shop", paintFor(false));
	const pipe = new PipeClient(output, new Screen(output, paintFor(false), undefined), transcript, false);
	const say = (number: number, text: string) =>
		pipe.update({ type: "entry", entry: { number, turn: "t", at: "", body: { type: "text", text } } });
	await say(1, "Let me look.");
	await pipe.update({ type: "call", number: 2, call: call("c1", "Read src/app.ts", "done") });
	await say(3, "It");
	await pipe.update({ type: "call", number: 4, call: call("c2", "Read src/b.ts", "done") });
	await pipe.update({ type: "more", of: "text", number: 3, text: " says two." });
	pipe.end();
	expect(printed).toBe("Let me look.\n✓ Read src/app.ts\n\nIt\n✓ Read src/b.ts\n\n says two.\n");
});

import type { ToolCall, Update } from "@segue/assist";
import { expect, test } from "vitest";
import { PipeClient, TerminalClient } from "./chat-clients.js";
import { paintFor } from "./colour.js";
import type { Keys } from "./keys.js";
import { Screen } from "./screen.js";
import { Transcript } from "./transcript.js";

/** A terminal client whose user answers questions with these keys. */
function terminal(...presses: readonly (string | Error)[]) {
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
	const client = new TerminalClient(screen, new Transcript("/home/alice/shop", paintFor(false)), paintFor(false), keys);
	return { client, printed: () => printed };
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
] as const)("the keys %j give the answer %s", async (presses, answer) => {
	const { client, printed } = terminal(...presses);
	expect(await client.approve(question, signal)).toBe(answer);
	expect(printed().match(/(\.env\.example|Sure)\? \[/g)).toHaveLength(presses.length);
});

test("approve rejects if the terminal is closed", async () => {
	const { client, printed } = terminal(new Error("The terminal was closed."));
	await expect(client.approve(question, signal)).rejects.toThrow("closed");
	expect(printed()).toMatch(/\] \n$/);
});

test("updates to other calls are shown after the answer", async () => {
	const { client, printed } = terminal("x", "y");
	const approved = client.approve(question, signal);
	const update: Update = { type: "call", number: 2, call: call("c2", "Read src/app.ts", "done") };
	await client.update(update);
	await approved;
	expect(printed()).toMatch(/yes\n✓ Read src\/app\.ts\n$/);
});

test("the answer and the other output use separate lines if both go to the same terminal", async () => {
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

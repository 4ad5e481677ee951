import { expect, test } from "vitest";
import { messagesOf } from "./history.js";
import type { Body, Entry, ToolCall } from "./thread.js";

const LISTENER = { model: "test/first", takesImages: true };

const prompt = (text: string, model = "test/first"): Body => ({
	type: "prompt",
	parts: [{ type: "text", text }],
	model,
});
const text = (said: string): Body => ({ type: "text", text: said });
const thought = (signature: string | undefined): Body => ({ type: "thought", text: "hm", signature });
const end = (reason: "done" | "cancelled" | "failed" = "done"): Body => ({ type: "end", reason });
const usage: Body = {
	type: "usage",
	usage: { inputTokens: 1, outputTokens: 1, cachedTokens: undefined, costUsd: undefined },
};
const call = (id: string, status: ToolCall["status"] = "done"): Body => {
	const output = status === "done" ? `${id} worked` : "";
	const shown = { title: id, input: "{}", diffs: [], locations: [] };
	return { type: "call", call: { id, tool: "read_file", kind: "read", status, output, ...shown } };
};

/** A line for each message: who, and what, with calls as `name()` and results as `name=output`. */
function drawn(turns: readonly (readonly [turn: string, ...bodies: Body[]])[], listener = LISTENER): string[] {
	const entries: Entry[] = [];
	for (const [turn, ...bodies] of turns) {
		for (const body of bodies) entries.push({ number: entries.length + 1, turn, at: "2030-01-01T00:00:00.000Z", body });
	}
	return messagesOf(entries, "now", listener).map((message) => {
		if (message.role === "tool")
			return `tool: ${message.results.map(({ id, output }) => `${id}=${output}`).join(" | ")}`;
		const parts = message.parts.map((part) => {
			if (part.type === "call") return `${part.id}()`;
			return part.type === "image" ? "image" : part.type === "thought" ? `(${part.signature})` : part.text;
		});
		return `${message.role}: ${parts.join(" | ")}`;
	});
}

test("tells the turns one after the other", () => {
	expect(
		drawn([
			["a", prompt("One?"), text("One."), end()],
			["now", prompt("Two?")],
		]),
	).toEqual(["user: One?", "assistant: One.", "user: Two?"]);
});

test("tells what another agent has shown in words", () => {
	const shown: Body[] = [
		{ type: "image", mediaType: "image/png", base64: "AA" },
		{ type: "link", name: "A page", uri: "https://a.example/" },
	];
	expect(drawn([["a", prompt("Show"), ...shown, end()]])).toEqual([
		"user: Show",
		"assistant: (an image) | [A page](https://a.example/)",
	]);
});

test("answers the calls of each step right after it", () => {
	expect(
		drawn([["now", prompt("Go"), text("I look."), call("a"), call("b"), usage, call("c"), usage, text("Done.")]]),
	).toEqual([
		"user: Go",
		"assistant: I look. | a() | b()",
		"tool: a=a worked | b=b worked",
		"assistant: c()",
		"tool: c=c worked",
		"assistant: Done.",
	]);
});

test("tells what the model wrote after a call in the same answer before the call's result", () => {
	expect(drawn([["now", prompt("Go"), call("a"), text("And"), call("b"), usage]])).toEqual([
		"user: Go",
		"assistant: a() | And | b()",
		"tool: a=a worked | b=b worked",
	]);
});

test("tells each of two turns whole that two processes mixed", () => {
	expect(
		drawn([
			["a", prompt("One?"), text("One")],
			["b", prompt("Two?"), call("x"), usage],
			["a", call("y"), usage, text("is done."), end()],
			["b", text("Two."), end()],
			["now", prompt("Three?")],
		]),
	).toEqual([
		"user: One?",
		"assistant: One | y()",
		"tool: y=y worked",
		"assistant: is done.",
		"user: Two?",
		"assistant: x()",
		"tool: x=x worked",
		"assistant: Two.",
		"user: Three?",
	]);
});

for (const { title, bodies, sent } of [
	{ title: "was cut off", bodies: [text("I be")], sent: "(This turn was cut off before it ended." },
	{ title: "was cancelled", bodies: [text("I be"), end("cancelled")], sent: "(The user stopped this turn." },
	{ title: "failed", bodies: [text("I be"), end("failed")], sent: "(This turn failed before it was done.)" },
]) {
	test(`tells that a turn ${title}`, () => {
		const lines = drawn([
			["a", prompt("One?"), ...bodies],
			["now", prompt("Two?")],
		]);
		expect(lines.slice(0, 2)).toEqual(["user: One?", "assistant: I be"]);
		expect(lines[2]).toContain(`user: ${sent}`);
		expect(lines[2]).toMatch(/ \| Two\?$/);
	});
}

for (const status of ["pending", "running"] as const) {
	test(`answers a call that was ${status} when its process died`, () => {
		const lines = drawn([["a", prompt("One?"), call("x", status)]]);
		expect(lines[2]).toBe("tool: x=Interrupted: it is not known whether this was done.");
	});
}

test("keeps a thought that its provider knows again, before what came of it", () => {
	expect(drawn([["now", prompt("Go"), thought("s"), text("Hi"), call("a")]])).toEqual([
		"user: Go",
		"assistant: (s) | Hi | a()",
		"tool: a=a worked",
	]);
});

for (const { title, bodies } of [
	{ title: "without a signature", bodies: [prompt("Go"), thought(undefined), text("Hi")] },
	{ title: "of another model", bodies: [prompt("Go", "test/second"), thought("s"), text("Hi")] },
]) {
	test(`leaves out a thought ${title}`, () => {
		expect(drawn([["now", ...bodies]])).toEqual(["user: Go", "assistant: Hi"]);
	});
}

test("leaves out a thought that nothing came of", () => {
	expect(
		drawn([
			["a", prompt("One?"), thought("s"), end()],
			["now", prompt("Two?")],
		]),
	).toEqual(["user: One? | Two?"]);
});

test("leaves out commands and what they answered, and nothing that was put to a model", () => {
	const notice: Body = { type: "notice", level: "info", text: "help" };
	const command: Body = { type: "prompt", parts: [{ type: "text", text: "/help" }] };
	expect(
		drawn([
			["a", command, notice, end()],
			["b", prompt("/etc is full"), text("Clean it."), end()],
			["now", prompt("/usr/bin is what?")],
		]),
	).toEqual(["user: /etc is full", "assistant: Clean it.", "user: /usr/bin is what?"]);
});

test("puts the last summary in the place of all before it, but for the prompt of its own turn", () => {
	const summary = (said: string): Body => ({ type: "summary", text: said });
	expect(
		drawn([
			["a", prompt("One?"), text("One."), summary("first"), end()],
			["now", prompt("Two?"), call("x"), usage, summary("second"), call("y"), usage],
		]),
	).toEqual(["user: What was said and done before, in short:\n\nsecond | Two?", "assistant: y()", "tool: y=y worked"]);
});

test("keeps the turns that another process had beside that of a summary, whole", () => {
	expect(
		drawn([
			["old", prompt("Zero?"), end()],
			["b", prompt("One?")],
			["a", prompt("Two?"), text("Two.")],
			["b", text("One.")],
			["c", prompt("Three?"), text("Three."), end()],
			["a", { type: "summary", text: "short" }, text("Two again.")],
			["b", end()],
			["a", end()],
			["now", prompt("Four?")],
		]),
	).toEqual([
		"user: What was said and done before, in short:\n\nshort | One?",
		"assistant: One.",
		"user: Two?",
		"assistant: Two again.",
		"user: Three?",
		"assistant: Three.",
		"user: Four?",
	]);
});

test("keeps images and files of earlier prompts", () => {
	const image = { type: "image", mediaType: "image/png", base64: "AAAA" } as const;
	const file = { type: "file", path: "/w/a.ts", lines: { first: 2, last: 3 }, content: "b\nc" } as const;
	const body: Body = { type: "prompt", parts: [image, file], model: "test/first" };
	expect(drawn([["a", body, end()]])).toEqual(["user: image | /w/a.ts, lines 2 to 3:\n```\nb\nc\n```"]);
	expect(drawn([["a", body, end()]], { ...LISTENER, takesImages: false })[0]).toMatch(/^user: \(An image, which you/);
});

test("masks keys that a tool printed", () => {
	const token = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
	const printed = call("run");
	if (printed.type !== "call") expect.fail();
	const [, , result] = drawn([
		["now", prompt("Go"), { ...printed, call: { ...printed.call, output: `KEY=${token}` } }],
	]);
	expect(result).toBe("tool: run=KEY=REDACTED_SECRET_REDACTED_SECRET_REDACTED");
});

import { expect, test } from "vitest";
import { messagesOf } from "./history.js";
import type { Body, Entry, ToolCall } from "./thread.js";

const TARGET = { model: "test/first", takesImages: true };

const prompt = (text: string, model = "test/first"): Body => ({
	type: "prompt",
	parts: [{ type: "text", text }],
	model,
});
const text = (content: string): Body => ({ type: "text", text: content });
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

/** Returns a line for each message: its role and parts, with calls as `name()` and results as `name=output`. */
function drawn(turns: readonly (readonly [turn: string, ...bodies: Body[]])[], target = TARGET): string[] {
	const entries: Entry[] = [];
	for (const [turn, ...bodies] of turns) {
		for (const body of bodies) entries.push({ number: entries.length + 1, turn, at: "2030-01-01T00:00:00.000Z", body });
	}
	return messagesOf(entries, "now", target).map((message) => {
		if (message.role === "tool")
			return `tool: ${message.results.map(({ id, output }) => `${id}=${output}`).join(" | ")}`;
		const parts = message.parts.map((part) => {
			if (part.type === "call") return `${part.id}()`;
			return part.type === "image" ? "image" : part.type === "thought" ? `(${part.signature})` : part.text;
		});
		return `${message.role}: ${parts.join(" | ")}`;
	});
}

test("includes all turns in order", () => {
	expect(
		drawn([
			["a", prompt("One?"), text("One."), end()],
			["now", prompt("Two?")],
		]),
	).toEqual(["user: One?", "assistant: One.", "user: Two?"]);
});

test("converts another agent's images and links to text", () => {
	const shown: Body[] = [
		{ type: "image", mediaType: "image/png", base64: "AA" },
		{ type: "link", name: "A page", uri: "https://a.example/" },
	];
	expect(drawn([["a", prompt("Show"), ...shown, end()]])).toEqual([
		"user: Show",
		"assistant: (an image) | [A page](https://a.example/)",
	]);
});

test("puts the results of each step right after its calls", () => {
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

test("puts text that follows a call in the same reply before the call's result", () => {
	expect(drawn([["now", prompt("Go"), call("a"), text("And"), call("b"), usage]])).toEqual([
		"user: Go",
		"assistant: a() | And | b()",
		"tool: a=a worked | b=b worked",
	]);
});

test("separates turns that two processes interleaved", () => {
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
	{ title: "was interrupted", bodies: [text("I be")], sent: "(This turn was interrupted." },
	{ title: "was cancelled", bodies: [text("I be"), end("cancelled")], sent: "(The user stopped this turn." },
	{ title: "failed", bodies: [text("I be"), end("failed")], sent: "(This turn failed.)" },
]) {
	test(`marks a turn that ${title}`, () => {
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
	test(`adds a result for a call that was ${status} when its process died`, () => {
		const lines = drawn([["a", prompt("One?"), call("x", status)]]);
		expect(lines[2]).toBe("tool: x=Interrupted. This may or may not have been done.");
	});
}

test("keeps a signed thought before the rest of the reply", () => {
	expect(drawn([["now", prompt("Go"), thought("s"), text("Hi"), call("a")]])).toEqual([
		"user: Go",
		"assistant: (s) | Hi | a()",
		"tool: a=a worked",
	]);
});

for (const { title, bodies } of [
	{ title: "without a signature", bodies: [prompt("Go"), thought(undefined), text("Hi")] },
	{ title: "from another model", bodies: [prompt("Go", "test/second"), thought("s"), text("Hi")] },
]) {
	test(`omits a thought ${title}`, () => {
		expect(drawn([["now", ...bodies]])).toEqual(["user: Go", "assistant: Hi"]);
	});
}

test("omits a thought that no text or call follows", () => {
	expect(
		drawn([
			["a", prompt("One?"), thought("s"), end()],
			["now", prompt("Two?")],
		]),
	).toEqual(["user: One? | Two?"]);
});

test("omits commands and their replies, but not prompts that look like commands", () => {
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

test("replaces everything before the last summary except the prompt of its turn", () => {
	const summary = (content: string): Body => ({ type: "summary", text: content });
	expect(
		drawn([
			["a", prompt("One?"), text("One."), summary("first"), end()],
			["now", prompt("Two?"), call("x"), usage, summary("second"), call("y"), usage],
		]),
	).toEqual(["user: Summary of the conversation so far:\n\nsecond | Two?", "assistant: y()", "tool: y=y worked"]);
});

test("keeps turns in other processes that ran concurrently with the summary's turn", () => {
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
		"user: Summary of the conversation so far:\n\nshort | One?",
		"assistant: One.",
		"user: Two?",
		"assistant: Two again.",
		"user: Three?",
		"assistant: Three.",
		"user: Four?",
	]);
});

test("keeps images and files from earlier prompts", () => {
	const image = { type: "image", mediaType: "image/png", base64: "AAAA" } as const;
	const file = { type: "file", path: "/w/a.ts", lines: { first: 2, last: 3 }, content: "b\nc" } as const;
	const body: Body = { type: "prompt", parts: [image, file], model: "test/first" };
	expect(drawn([["a", body, end()]])).toEqual(["user: image | /w/a.ts, lines 2 to 3:\n```\nb\nc\n```"]);
	expect(drawn([["a", body, end()]], { ...TARGET, takesImages: false })[0]).toMatch(/^user: \(An image that you/);
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

import { decodePrompt } from "@segue/models/prompts";
import { completionPromptOf, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { regionAfter } from "@segue/testing/models/zed-parsers";
import { PROPERTY_RUNS } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";
import { callFromWire } from "./from-wire.js";
import { ResendCounter } from "./resend-counter.js";
import { Suggester } from "./suggester.js";
import { answerText } from "./to-wire.js";

const BESIDE = {
	edits: [readPastEdit("src/item.ts", "interface Item {\n⇥‹prise→price›: number;\n}\n")],
	related: [{ path: "src/item.ts", first: 3, last: 5, text: "interface Item {\n\tprice: number;\n}" }],
};
const SCENES = [
	"let ‹cnt→count▮› = 0;\nfor (const item of items) cnt += item.prise;\nlog(cnt);\n",
	"trace(one);\n‹log→trace▮›(two);\nlog(three);\n",
	"▮",
	"漢字😀‹→();▮›\n",
];
const NAMES = [
	"zeta-1",
	"zeta-2",
	"zeta-2.1",
	"sweep",
	"sweep-v2",
	"fim-qwen",
	"fim-starcoder",
	"fim-codestral",
	"fim-mellum",
];
const PROMPTS = NAMES.flatMap((name) =>
	SCENES.map((drawn) => completionPromptOf(name, readPromptInput(drawn, BESIDE)) ?? ""),
);
const TOKENS = [
	...["<|marker_1|>", "<|marker_2|>", "<|user_cursor|>", "<|user_cursor_is_here|>", "<[fim-middle]>", "<[fim-prefix]>"],
	...[
		"<filename>",
		"<|file_sep|>",
		"<|editable_region_start|>",
		"<|editable_region_end|>",
		"<<<<<<< CURRENT\n",
		"=======\n",
	],
	...[
		"@@ -1,3 +1,9 @@\n",
		"@@ -99999999999,1 +0,0 @@\n",
		"--- a/x\n+++ b/x\n",
		"```",
		"\n\n",
		"\r\n",
		"\0",
		"\ud800",
		"../../etc/passwd\n",
		"\n<filename>shop/src/total.ts\n",
		"shop/",
	],
];

const someChange = fc.oneof(
	fc.record({ kind: fc.constant("cut"), at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(60) }),
	fc.record({ kind: fc.constant("repeat"), at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(200) }),
	fc.record({
		kind: fc.constant("insert"),
		at: fc.double({ min: 0, max: 1, noNaN: true }),
		text: fc.oneof(fc.constantFrom(...TOKENS), fc.string({ maxLength: 8 })),
	}),
);
const somePrompt = fc
	.tuple(fc.constantFrom(...PROMPTS), fc.array(someChange, { minLength: 1, maxLength: 5 }))
	.map(([prompt, changes]) => {
		let text = prompt;
		for (const change of changes) {
			const at = Math.floor(change.at * text.length);
			const part = "length" in change ? text.slice(at, at + change.length) : change.text;
			text =
				change.kind === "cut"
					? text.slice(0, at) + text.slice(at + part.length)
					: text.slice(0, at) + part + text.slice(at);
		}
		return text;
	});

// Twenty times the usual number of runs: 20,000 in `npm test -- --all`. `npm run fuzz -- server` sets its own number.
test("answers to mutated prompts change nothing outside the region", { timeout: 600_000 }, async () => {
	const now = () => 0;
	const suggester = new Suggester({
		...{
			folder: "file:///work/shop",
			models: undefined,
			observer: undefined,
			now,
			startedAtMs: 0,
			resendCounter: new ResendCounter(now),
		},
		report: (error) => {
			throw error;
		},
	});
	const { signal } = new AbortController();
	let edited = 0;
	await fc.assert(
		fc.asyncProperty(somePrompt, fc.nat(), async (text, client) => {
			const call = callFromWire("/v1/completions", { prompt: text });
			if ("invalid" in call) throw new Error(call.invalid);
			const { prompt } = call;
			if (prompt === undefined) return;
			const edits = await suggester.suggest({ prompt, client: `${client}`, mayAskModel: false, signal });
			for (const { from, to } of edits) expect(from >= 0 && from <= to && to <= prompt.parts.region.length).toBe(true);
			const answer = answerText(prompt.answer(edits), call);
			if (edits.length > 0) edited++;
			if (prompt.isUnclear) expect(edits).toEqual([]);
			else if (edits.length === 0) {
				expect(regionAfter(prompt.format, prompt.parts, answer) ?? prompt.parts.region).toBe(prompt.parts.region);
			}
		}),
		{ numRuns: PROPERTY_RUNS * 20 },
	);
	// Many mutated prompts still lead to a suggestion, so the property covers edits.
	expect(edited).toBeGreaterThan(PROPERTY_RUNS / 10);
	expect(PROMPTS.every((prompt) => decodePrompt(prompt) !== undefined)).toBe(true);
});

import { type ChatEvent, type ChatRequest, ModelFailure } from "@segue/models";
import { describe, expect, it } from "vitest";
import { HOLD, type ScriptedAnswer, ScriptedModel } from "./scripted-model.js";

const REQUEST: ChatRequest = { system: "Be brief.", messages: [], tools: [], effort: undefined };
const TEXT = { type: "text", text: "Yes." } as const;
const CALL = { type: "call", id: "c1", tool: "f", input: "{}" } as const;

describe("a scripted model", () => {
	it.each<[what: string, answer: ScriptedAnswer, events: readonly ChatEvent[]]>([
		["a text", "Yes.", [TEXT, { type: "end", reason: "done" }]],
		["events", [TEXT, CALL], [TEXT, CALL, { type: "end", reason: "calls" }]],
		["an explicit end", [TEXT, { type: "end", reason: "length" }], [TEXT, { type: "end", reason: "length" }]],
		[
			"an answer computed from the request",
			({ system }) => system,
			[
				{ type: "text", text: "Be brief." },
				{ type: "end", reason: "done" },
			],
		],
	])("plays %s", async (_, answer, events) => {
		const model = new ScriptedModel([answer]);
		const played: ChatEvent[] = [];
		for await (const event of model.stream(REQUEST, new AbortController().signal)) played.push(event);
		expect(played).toEqual(events);
		expect(model.requests).toEqual([REQUEST]);
	});

	it("fails before or during an answer", async () => {
		const failure = new ModelFailure("busy", "Too much.");
		const model = new ScriptedModel([failure, [TEXT, failure]]);
		const { signal } = new AbortController();
		await expect(model.stream(REQUEST, signal).next()).rejects.toBe(failure);
		const events = model.stream(REQUEST, signal);
		expect((await events.next()).value).toEqual(TEXT);
		await expect(events.next()).rejects.toBe(failure);
	});

	it("holds an answer until it is released or cancelled", async () => {
		const model = new ScriptedModel([
			[HOLD, TEXT],
			[HOLD, TEXT],
		]);
		const stop = new AbortController();
		const first = model.stream(REQUEST, stop.signal).next();
		await model.release();
		expect((await first).value).toEqual(TEXT);
		const second = model.stream(REQUEST, stop.signal).next();
		await model.holding();
		stop.abort(new Error("enough"));
		await expect(second).rejects.toThrow("enough");
	});

	it("fails if there are more requests than answers", async () => {
		const model = new ScriptedModel([]);
		await expect(model.stream(REQUEST, new AbortController().signal).next()).rejects.toThrow("no answer for request 1");
	});
});

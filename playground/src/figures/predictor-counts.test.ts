import { expect, test } from "vitest";
import { messageRowsOf } from "../inspector/message-rows.js";
import { jumpCountsOf, latenciesOf, predictorCountsOf } from "./predictor-counts.js";

/** Returns the rows of a trace in which the agent responds to each request after 5 ms. Other messages take no time. */
function rowsAfter(...messages: readonly ({ readonly answers: unknown } | Record<string, unknown>)[]) {
	let atMs = 0;
	let id = 0;
	return messageRowsOf(
		messages.flatMap((message) => {
			if (!("answers" in message)) return [{ atMs, from: "client" as const, text: JSON.stringify(message) }];
			id++;
			const asked = { atMs, from: "client" as const, text: JSON.stringify({ id, method: "nes/suggest" }) };
			atMs += 5;
			const text = JSON.stringify({ id, result: message.answers });
			return [asked, { atMs, from: "agent" as const, text }];
		}),
	);
}

function suggestion(id: string, predictor: string, kind = "edit") {
	return { id, kind, _meta: { segue: { predictor } } };
}

const accept = (id: string) => ({ method: "nes/accept", params: { id } });
const reject = (id: string, reason?: string) => ({ method: "nes/reject", params: { id, reason } });

test("counts the outcomes of each predictor", () => {
	const rows = rowsAfter(
		{ answers: { suggestions: [suggestion("a", "rename"), suggestion("b", "rename"), suggestion("c", "repeat")] } },
		accept("a"),
		reject("b", "rejected"),
		reject("c", "ignored"),
		{ answers: { suggestions: [suggestion("d", "repeat")] } },
		reject("d", "replaced"),
	);
	expect(predictorCountsOf(rows)).toEqual([
		{ predictor: "rename", shown: 2, accepted: 1, rejected: 1, ignored: 0 },
		{ predictor: "repeat", shown: 2, accepted: 0, rejected: 0, ignored: 1 },
	]);
});

test.each<[string, readonly Record<string, unknown>[], number]>([
	["two are waiting behind the first", [], 1],
	["two were waiting when the first was dismissed", [reject("a", "rejected"), reject("b"), reject("c")], 1],
	["one was accepted after the first", [accept("a"), accept("b"), reject("c")], 2],
	["all came too late", [reject("a", "cancelled"), reject("b", "cancelled"), reject("c", "cancelled")], 0],
	["all were replaced", [reject("a", "replaced"), reject("b", "replaced"), reject("c", "replaced")], 1],
])("of three suggestions, counts only those that the user saw: %s", (_, outcomes, shown) => {
	const suggestions = ["a", "b", "c"].map((id) => suggestion(id, "rename"));
	const [count] = predictorCountsOf(rowsAfter({ answers: { suggestions } }, ...outcomes));
	expect(count?.shown ?? 0).toBe(shown);
});

test("counts jumps separately, and never as accepted", () => {
	const suggestions = ["a", "b", "c"].map((id) => suggestion(id, "reference", "jump"));
	const rows = rowsAfter({ answers: { suggestions } }, accept("a"), accept("b"), reject("c", "rejected"));
	expect(predictorCountsOf(rows)).toEqual([]);
	expect(jumpCountsOf(rows)).toEqual({ shown: 3, followed: 2 });
});

test("counts a repeated suggestion once, and ignores the outcome of an unknown suggestion", () => {
	const answers = { suggestions: [suggestion("a", "rename")] };
	expect(predictorCountsOf(rowsAfter({ answers }, { answers }, accept("z")))).toEqual([
		{ predictor: "rename", shown: 1, accepted: 0, rejected: 0, ignored: 0 },
	]);
});

test("counts suggestions from an agent that names no predictors", () => {
	expect(predictorCountsOf(rowsAfter({ answers: { suggestions: [{ id: "a" }] } }))).toMatchObject([
		{ predictor: "unknown" },
	]);
});

test.each([[null], [7], [{ suggestions: 7 }], [{ suggestions: [null, {}, { id: 1 }] }]])(
	"skips the response %j",
	(answers) => {
		expect(predictorCountsOf(rowsAfter({ answers }))).toEqual([]);
	},
);

test("measures only requests for suggestions that got a response", () => {
	expect(latenciesOf(rowsAfter({ answers: {} }, { id: 9, method: "nes/suggest" }, { answers: {} }))).toEqual([
		{ atMs: 5, latencyMs: 5 },
		{ atMs: 10, latencyMs: 5 },
	]);
});

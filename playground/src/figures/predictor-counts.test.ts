import { expect, test } from "vitest";
import { messageRowsOf } from "../inspector/message-rows.js";
import { latenciesOf, predictorCountsOf } from "./predictor-counts.js";

/** A trace in which the agent answers each request after 5 ms, and what the client says costs none. */
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

function suggestion(id: string, predictor: string) {
	return { id, kind: "edit", _meta: { segue: { predictor } } };
}

const accept = (id: string) => ({ method: "nes/accept", params: { id } });
const reject = (id: string, reason?: string) => ({ method: "nes/reject", params: { id, reason } });

test("what became of suggestions is counted for each predictor", () => {
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
	["waits behind the first", [], 1],
	["had waited when the first was rejected", [reject("a", "rejected"), reject("b"), reject("c")], 1],
	["was taken after the first", [accept("a"), accept("b"), reject("c")], 2],
	["came with others too late", [reject("a", "cancelled"), reject("b", "cancelled"), reject("c", "cancelled")], 0],
	["was not even looked at", [reject("a", "replaced"), reject("b", "replaced"), reject("c", "replaced")], 1],
])("a suggestion that %s is counted as shown if it was", (_, verdicts, shown) => {
	const suggestions = ["a", "b", "c"].map((id) => suggestion(id, "rename"));
	const [count] = predictorCountsOf(rowsAfter({ answers: { suggestions } }, ...verdicts));
	expect(count?.shown ?? 0).toBe(shown);
});

test("a suggestion that comes again is counted once, and a verdict on an unknown one is not", () => {
	const answers = { suggestions: [suggestion("a", "rename")] };
	expect(predictorCountsOf(rowsAfter({ answers }, { answers }, accept("z")))).toEqual([
		{ predictor: "rename", shown: 1, accepted: 0, rejected: 0, ignored: 0 },
	]);
});

test("an agent that names no predictors is counted, too", () => {
	expect(predictorCountsOf(rowsAfter({ answers: { suggestions: [{ id: "a" }] } }))).toMatchObject([
		{ predictor: "unknown" },
	]);
});

test.each([[null], [7], [{ suggestions: 7 }], [{ suggestions: [null, {}, { id: 1 }] }]])(
	"an answer %j is passed over",
	(answers) => {
		expect(predictorCountsOf(rowsAfter({ answers }))).toEqual([]);
	},
);

test("latencies are those of requests for suggestions that were answered", () => {
	expect(latenciesOf(rowsAfter({ answers: {} }, { id: 9, method: "nes/suggest" }, { answers: {} }))).toEqual([
		{ atMs: 5, latencyMs: 5 },
		{ atMs: 10, latencyMs: 5 },
	]);
});

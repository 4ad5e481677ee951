import { expect, test } from "vitest";
import { messageRowsOf } from "../inspector/message-rows.js";
import { jumpCountsOf, latenciesOf, predictorCountsOf } from "./predictor-counts.js";

/** A response to `nes/suggest`, the start of a session, or any other message from the client. */
type Step =
	| { readonly answers: unknown; readonly in?: string }
	| { readonly starts: string; readonly isDemonstration?: boolean }
	| { readonly method: string; readonly [member: string]: unknown };

/** Returns the rows of a trace in which the agent responds to each request after 5 ms. Other messages take no time. */
function rowsAfter(...steps: readonly Step[]) {
	let atMs = 0;
	let id = 0;
	return messageRowsOf(
		steps.flatMap((step) => {
			if ("method" in step) return [{ atMs, from: "client" as const, text: JSON.stringify(step) }];
			const [method, params, result] =
				"answers" in step
					? ["nes/suggest", { sessionId: step.in }, step.answers]
					: ["nes/start", { _meta: { segue: { demonstration: step.isDemonstration } } }, { sessionId: step.starts }];
			const asked = { atMs, from: "client" as const, text: JSON.stringify({ id: ++id, method, params }) };
			atMs += 5;
			return [asked, { atMs, from: "agent" as const, text: JSON.stringify({ id, result }) }];
		}),
	);
}

function suggestion(id: string, predictor: string, kind = "edit") {
	return { id, kind, _meta: { segue: { predictor } } };
}

const accept = (id: string, sessionId?: string) => ({ method: "nes/accept", params: { id, sessionId } });
const reject = (id: string, reason?: string, sessionId?: string) => {
	return { method: "nes/reject", params: { id, reason, sessionId } };
};

const NONE = { shown: 0, accepted: 0, rejected: 0, ignored: 0, visible: 0, withdrawn: 0, replaced: 0 };

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
		{ ...NONE, predictor: "rename", shown: 2, accepted: 1, rejected: 1 },
		{ ...NONE, predictor: "repeat", shown: 2, ignored: 1, replaced: 1 },
	]);
});

test.each<[string, readonly Step[], string]>([
	["is visible until it has an outcome", [], "visible"],
	["was withdrawn if the client gave no reason", [reject("a", undefined, "nes_1")], "withdrawn"],
	["was replaced", [reject("a", "replaced", "nes_1")], "replaced"],
	["was withdrawn when another session started", [{ starts: "nes_2" }], "withdrawn"],
])("outcomes add up to the suggestions shown: one %s", (_, messages, outcome) => {
	const rows = rowsAfter(
		{ starts: "nes_1" },
		{ answers: { suggestions: [suggestion("a", "rename")] }, in: "nes_1" },
		...messages,
	);
	expect(predictorCountsOf(rows)).toEqual([{ ...NONE, predictor: "rename", shown: 1, [outcome]: 1 }]);
});

test("keeps suggestions with the same id in different sessions apart", () => {
	const answers = { suggestions: [suggestion("suggestion_1", "rename")] };
	const rows = rowsAfter(
		{ starts: "nes_1" },
		{ answers, in: "nes_1" },
		accept("suggestion_1", "nes_1"),
		{ starts: "nes_2" },
		{ answers, in: "nes_2" },
		reject("suggestion_1", "rejected", "nes_2"),
		// Another connection numbers its sessions from 1 again.
		{ starts: "nes_1" },
		{ answers, in: "nes_1" },
	);
	expect(predictorCountsOf(rows)).toEqual([
		{ ...NONE, predictor: "rename", shown: 3, accepted: 1, rejected: 1, visible: 1 },
	]);
});

test("leaves out suggestions in demonstrations", () => {
	const answers = { suggestions: [suggestion("suggestion_1", "rename")] };
	const rows = rowsAfter({ starts: "nes_1", isDemonstration: true }, { answers, in: "nes_1" });
	expect(predictorCountsOf(rows)).toEqual([]);
});

test.each<[string, readonly Step[], number]>([
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
		{ ...NONE, predictor: "rename", shown: 1, visible: 1 },
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
	expect(latenciesOf(rowsAfter({ answers: {} }, { id: 9, method: "nes/suggest" }, { answers: {} }))).toEqual([5, 5]);
});

import { drawPicture, readPicture } from "@segue/story";
import { inProcessOutliner } from "@segue/testing/players/outlines";
import { Change, type Edit, languageOf, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { judge, OBJECTIONS, type Objection } from "./gate/gate.js";
import {
	History,
	Memory,
	type ModelEdits,
	type ModelHunk,
	type Parse,
	type Prediction,
	predictWith,
	type Scene,
	type Suggestion,
} from "./index.js";
import { modelCandidates } from "./model-candidates.js";
import { sceneOf } from "./scene.js";

/** A model's edits to a document, after the user's edits. */
interface Case {
	/** The user's edits, drawn. Each picture starts from the result of the one before it. */
	readonly done?: readonly string[];
	/** The model's edits, drawn on the result of the user's edits. Edits on adjacent lines are one hunk. */
	readonly writes: string;
	/** The first and last line that the model was asked to rewrite. Default: the whole text. */
	readonly window?: readonly [number, number];
	readonly isCut?: boolean;
	/** Suggestions that the user rejected before, drawn as the model's edits. */
	readonly rejected?: readonly string[];
	readonly scene?: Partial<Scene>;
	/** The cursor's line. Default: the first line that the model changes. */
	readonly line?: number;
	readonly uri?: string;
}

const TOKENS = ["<|editable_region_end|>", "<|user_cursor|>"];
const SOURCE = { model: "lab/zeta", answer: "1" };

function stage({ done = [], writes, window, isCut = false, rejected = [], scene: more, line, uri = "a.ts" }: Case) {
	const { before, edits } = readPicture(writes);
	const history = historyOf(done, uri);
	const document = { uri, languageId: languageOf(uri), version: 9, text: Text.of(before) };
	if (done.length > 0) expect(history.fileOf(uri)?.now.toString() ?? before).toBe(before);
	const cursor = line === undefined ? (edits[0]?.from ?? 0) : document.text.lineStart(line);
	const scene: Scene = { ...sceneOf(document, history, cursor), ...more };
	const from = document.text.lineStart(window?.[0] ?? 0);
	const to = document.text.lineEnd(window?.[1] ?? document.text.lineCount - 1);
	const hunks = hunksOf(edits, document.text).map((hunk, i, all) => ({
		...hunk,
		isCut: isCut && i === all.length - 1,
	}));
	const written: ModelEdits = { source: SOURCE, window: { from, to }, hunks, specialTokens: TOKENS };
	const memory = rejected.reduce<Memory>((known, drawn) => {
		const prediction = predictOn({ writes: drawn, uri });
		return "silence" in prediction ? known : known.rejected(prediction.suggestions[0] as Suggestion, "rejected");
	}, Memory.empty);
	return { document, scene, memory, written };
}

function historyOf(done: readonly string[], uri: string): History {
	return done.reduce((history, drawn, i) => {
		const { before, edits } = readPicture(drawn);
		const document = { uri, languageId: "typescript", version: i, text: Text.of(before) };
		const change = Change.of(edits, before.length);
		return history.changed(document, change, { atMs: i * 10_000, isAccepted: false });
	}, History.empty);
}

function hunksOf(edits: readonly Edit[], text: Text): ModelHunk[] {
	const hunks: { edits: Edit[]; isCut: boolean }[] = [];
	for (const edit of edits) {
		const last = hunks.at(-1)?.edits;
		const end = last && text.lineAt(last.at(-1)?.to ?? 0);
		if (last !== undefined && end !== undefined && text.lineAt(edit.from) <= end + 1) last.push(edit);
		else hunks.push({ edits: [edit], isCut: false });
	}
	return hunks;
}

function predictOn(one: Case): Prediction {
	const { scene, memory, written } = stage(one);
	return predictWith(scene, memory, written);
}

/** `shown` if the model's edits are offered unchanged, otherwise the no-suggestion reason. */
function outcomeOf(one: Case): string {
	const prediction = predictOn(one);
	if ("silence" in prediction) return prediction.silence;
	const { written } = stage(one);
	expect(prediction.suggestions.map(({ source }) => source)).toEqual(written.hunks.map(() => SOURCE));
	const edits = prediction.suggestions.flatMap((suggestion) => (suggestion.kind === "edit" ? suggestion.edits : []));
	expect(edits.toSorted((a, b) => a.from - b.from)).toEqual(written.hunks.flatMap((hunk) => hunk.edits));
	return "shown";
}

/** Distinct lines. */
function manyLines(count: number): string {
	return Array.from({ length: count }, (_, i) => `line${i}`).join("\n");
}

const IGNORED = { ignored: new Set(["file:///app/dist/a.ts"]) };

// Concatenated, so that secret scanners don't report it.
const KEY = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;

/** For each filter, edits that only just pass it and edits that only just fail it. */
const CASES: Readonly<
	Record<
		Exclude<Objection, "name-taken" | "doubtful" | "unfinished-call" | "already-visited">,
		{ shown: readonly Case[]; silent: readonly Case[] }
	>
> = {
	"special-token": {
		shown: [
			{ writes: "log(‹a→b›) // <|cursor|>" },
			{ writes: "‹→const end = '<|editable_region|>'\n›log(a)" },
			// The document already contains the token.
			{ writes: "const end = '<|im_end|>'\nlog(‹a→'<|im_end|>'›)" },
			{ writes: "<p>‹one→<s>one</s>›</p>", uri: "a.html" },
			{ writes: "Heading\n‹→=======\n›", uri: "a.md" },
		],
		silent: [
			{ writes: "log(a)‹→\nlog(b)\n<|editable_region_end|>›" },
			{ writes: "log(‹a→b<|user_cursor|>›)" },
			// Only the end of the token is inserted.
			{ writes: "log('<|user_cursor‹→|>›')" },
			// Tokens of other models.
			{ writes: "log(a)‹→\n<|im_end|>›" },
			{ writes: "log(‹a→<|fim_middle|>b›)" },
			{ writes: "log(‹a→b›)‹→</s>›" },
			{ writes: "log(‹a→b[/INST]›)", uri: "a.py" },
			{ writes: "one()\n‹→=======\n›two()" },
		],
	},
	"touches-secret": {
		shown: [
			{ writes: `const key = "${KEY}"\nlog(‹a→b›)` },
			{ writes: `const ‹key→token› = "${KEY}"\nlog(1)` },
			{ writes: `KEY=${KEY}‹→\nNAME=1›\nlog(1)` },
			{ writes: "const name = REDACTED_SECRET_NAME\nlog(‹a→REDACTED›)" },
		],
		silent: [
			{ writes: `const key = "‹${KEY}→REDACTED_SECRET_REDACTED_SECRET_REDACTED›"\nlog(1)` },
			{ writes: `const key = "${KEY.slice(0, 9)}‹→x›${KEY.slice(9)}"\nlog(1)` },
			{ writes: `const key = "${KEY}‹→_more›"\nlog(1)` },
			{ writes: `‹const key = "${KEY}"\n→›log(1)\nlog(2)\nlog(3)` },
			{ writes: `‹const→let› key = "${KEY}"‹→ + REDACTED_SECRET_›\nlog(1)` },
			{ writes: 'log(1)\nconst copy = ‹a→"REDACTED_SECRET_REDACTED_SECRET_"›' },
		],
	},
	"leaves-out-code": {
		shown: [
			// The text already contains the comment.
			{ writes: "one(‹a→b›)\n// ... existing code ...\ntwo()" },
			{ writes: "function one() {\n⇥// ...\n⇥two(‹a→b›)\n}" },
			{ writes: "function one(‹→...args›) {\n⇥two()\n}" },
			{ writes: "const all = {‹one: 1→...some›}" },
			// A stub body.
			{ writes: "one()\n‹→function two() {\n⇥// ...\n}\n›" },
			{ writes: "class One(Protocol):\n‹→    def two(self) -> int:\n        ...\n›", uri: "a.py" },
			{ writes: "npm run bench‹ --→ -- ...›", uri: "a.md" },
			{ writes: "class One(Protocol):\n    def two(self) -> int:\n        ‹pass→...›\n", uri: "a.py" },
			// The comment describes the code next to it.
			{ writes: "one()\nconst limit = ‹1→2›0;‹→ // the default if omitted›\nsix()" },
			{ writes: "one()\n‹two(1)→// unchanged since 2019\ntwo(2)›\nsix()" },
			// Trailing dots are ordinary punctuation.
			{ writes: "one()\nlog(‹a→b›)‹→ // and so on...›\nsix()" },
		],
		silent: [
			{ writes: "one()\n‹two()\nsix()→// ... existing code ...›\nten()\nend()\nlog()\nall()\nnil()" },
			{ writes: "function one() {\n⇥‹return 1→// ...›\n}" },
			{ writes: "function one() { ‹return 1→/* … rest … */› }" },
			{ writes: "def one():\n    ‹return 1→# ... (unchanged)›\n", uri: "a.py" },
			{ writes: "def one():\n    ‹return 1→...›\n", uri: "a.py" },
			{ writes: "<p>\n‹<b>one</b>→<!-- ... -->›\n</p>", uri: "a.html" },
			{ writes: "select one\n‹from two→-- ...›\nwhere six", uri: "a.sql" },
			{ writes: "one()\n‹two()→// rest of the code remains unchanged›\nsix()" },
			{ writes: "one()\n‹two()\nsix()→log() // unchanged›\nten()\nend()" },
			// The text had one such comment and now has two.
			{ writes: "// ...\none(‹a→b›)\n‹two()→// ...›\nsix()" },
			// It replaces nothing, but is still a placeholder.
			{ writes: "one()\n‹→// ... existing code ...\n›two()\nsix()" },
		],
	},
	"no-op": {
		shown: [{ writes: "log(‹a→A›)" }, { writes: "log(‹a→b›)\nset(‹c→c›)" }],
		silent: [{ writes: "log(‹a→a›)" }, { writes: "‹log(a)\nlog(b)→log(a)\nlog(b)›" }],
	},
	"whitespace-only": {
		shown: [{ writes: "log(‹a→ a + b›)" }, { writes: "log(a)‹→\n\nlog(b)›" }],
		silent: [{ writes: "log(‹→ ›a)" }, { writes: "log(a)‹→\n\n\n›\nlog(b)" }, { writes: "log(a)‹\n→ ›log(b)" }],
	},
	"reverts-user": {
		shown: [
			{ done: ["log(‹→total›)"], writes: "log(total‹→, sum›)" },
			// Fixes the user's typo.
			{ done: ["‹→retrun total›"], writes: "‹retrun→return› total" },
			{ done: ["log(‹first→last›)"], writes: "log(‹last→lastOf(all)›)" },
			{ done: ["log(‹a→›)"], writes: "log(‹→a, b, c›)" },
			// Repeats the user's edit on another line.
			{ done: ["set(‹one→two›, 1)\nset(‹one→two›, 2)\nget(one)"], writes: "set(two, 1)\nset(two, 2)\nget(‹one→two›)" },
		],
		silent: [
			{ done: ["log(‹total→sum›)"], writes: "log(‹sum→total›)" },
			// The edit does not touch the letters that the two names have in common.
			{ done: ["log(‹cnt→count›)"], writes: "log(c‹ou→›nt)" },
			{ done: ["log(‹cnt→count›)\nset(1)\nset(2)\nget(count)"], writes: "log(count)\nset(1)\nset(2)\nget(c‹ou→›nt)" },
			{ done: ["one()\n‹two()\n→›six()"], writes: "one()‹→\ntwo()›\nsix()" },
			{ done: ["one()\n‹two(first)\nten()\n→›six()"], writes: "one()\n‹→two(last)\nten()\n›six()" },
			{ done: ["one()\n‹→two(first, second)\n›six()"], writes: "one()\n‹two(first, second)\n→›six()" },
			// Deleted from the end of one line and inserted at the start of the next, or vice versa.
			{ done: ["one()‹\ntwo(first)\nten()→›\nsix()"], writes: "one()\n‹→two(last)\nten()\n›six()" },
			{ done: ["one()\n‹two(first)\nten()\n→›six()"], writes: "one()‹→\ntwo(last)\nten()›\nsix()" },
			// The user made another edit above in between.
			{
				done: ["one()\n‹two(first)\nten()\n→›six()", "‹→log(1)\nlog(2)\nlog(3)\n›one()\nsix()"],
				writes: "log(1)\nlog(2)\nlog(3)\none()\n‹→two(last)\nten()\n›six()",
			},
			// Most of the edit is a revert.
			{
				done: ["log(‹first→last›, ‹low→high›)\nend()"],
				writes: "log(‹last→first›, ‹high→low›)\n‹→set()\n›end()",
			},
			{ done: ["log(‹one→two›)\nend(1)", "log(two)\nend(‹1→2›)"], writes: "log(‹two→one›)\nend(2)" },
		],
	},
	"too-large": {
		shown: [
			{ writes: `first()\n‹→${manyLines(20)}\n›last()`, scene: { eagerness: "high" } },
			{ writes: `‹→${manyLines(39)}\n›last()`, scene: { eagerness: "high" } },
		],
		silent: [{ writes: `first()\n‹→${manyLines(41)}\n›last()` }, { writes: `‹→${manyLines(60)}\n›last()` }],
	},
	"deletes-most": {
		shown: [
			{ writes: `‹${manyLines(3)}\n→›one()\ntwo()\nsix()` },
			{ writes: `one()\n‹${manyLines(4)}→two()\nsix()›`, line: 0 },
			// The same number of lines is added elsewhere.
			{ writes: "one()\n‹two()\n→›six()\nten()\n‹→all()\n›end()\nlog(a)\nlog(b)" },
		],
		silent: [
			{ writes: `‹${manyLines(4)}\n→›one()\ntwo()` },
			// Deletes most of the window, but little of the document.
			{ writes: `one()\n‹${manyLines(3)}\n→›two()\n${manyLines(30)}`, window: [0, 4] },
			// Deletes little in each place, but most of the window in total.
			{ writes: "‹one()\ntwo()\n→›six()\nten()\n‹all()\nlog(b)\n→›end()" },
			// Blanked lines count as deleted.
			{ writes: `one()\n‹${manyLines(4)}→\n\n\n›\ntwo()` },
		],
	},
	"repeats-next-lines": {
		shown: [
			{ writes: "if (a) {\n⇥one()\n‹→⇥two()\n›}\n" },
			// A lone closing bracket may be repeated.
			{ writes: "if (a) {\n‹→⇥if (b) {\n⇥⇥two()\n}\n›}\n" },
			{ writes: "one()\n‹→two()\n›six()\ntwo()\n" },
			// A line becomes equal to the one below it.
			{ writes: "set(‹1→2›)\nset(2)\nend()" },
			{ writes: "const all = [‹→first, ›second]" },
		],
		silent: [
			{ writes: "one()\n‹→two()\nsix()\n›six()\nten()\n" },
			{ writes: "one()\n‹→two()\nsix()\n\nten()\n›six()\nten()\n" },
			{ writes: "one()\nsix()\n‹→one()\nsix()\ntwo()\n›ten()\n" },
			{ writes: "one()\n‹two(1)→two(2)\nsix()›\nsix()\nten()\n" },
			{ writes: "const all = ‹→first + second›second" },
		],
	},
	"cut-off": {
		shown: [
			{ writes: "one()\n‹→two()\n›six()", isCut: false },
			{ writes: "log(‹a→b›)", isCut: false },
		],
		silent: [
			{ writes: "one()\n‹→two(firs\n›six", isCut: true },
			{ writes: "log(‹a→b›)", isCut: true },
		],
	},
	"equal-lines": {
		shown: [
			{ writes: "‹→one(1)\none(1)\n›end()" },
			{ writes: "‹→one(1)\n\n\n\ntwo()\n›end()" },
			{ writes: "‹→one(1)\ntwo()\none(1)\none(1)\n›end()" },
		],
		silent: [{ writes: "‹→one(1)\none(1)\none(1)\n›end()" }, { writes: "a()\n‹→b()\nc()\nc()\nc()\n›end()" }],
	},
	"outside-window": {
		shown: [
			{ writes: "one()\nlog(‹a→b›)\nsix()\n", window: [1, 1] },
			{ writes: "one()\n‹→log(a)\n›two()\nsix()\n", window: [1, 2] },
		],
		silent: [
			{ writes: "log(‹a→b›)\ntwo()\nsix()\n", window: [1, 2] },
			{ writes: "one()\ntwo()\nlog(‹a→b›)\n", window: [0, 1] },
			{ writes: "one()\ntwo(‹a)\nlog(a→b)\nlog(b›)\n", window: [0, 1] },
		],
	},
	"breaks-syntax": {
		shown: [
			{ writes: "one()\n‹→if (all) {\n⇥two()\n}\n›six()\n" },
			// Adds the missing closing bracket.
			{ writes: "if (all) {\n⇥one()\n‹→}\n›six()\n" },
			// At the cursor, brackets may stay open because the user is still typing there.
			{ writes: "one()\nlog(‹→two(a›)\n" },
			{ writes: "one()\nlog(a)‹→ // of all›\n" },
			{ writes: "one()\nlog(‹→'a›\n" },
			// Keeps the text after the cursor.
			{ writes: "one()\nlog(‹)→a) // of all›\n" },
			{ writes: "one()\nprint(a)‹→  # of all›\n", uri: "a.py" },
			{ writes: "one()\nprint(‹→'a'›)\n", uri: "a.py" },
			{ writes: "one();\nlog(&a);‹→ // of all›\n", uri: "a.rs" },
			// Valid sequences of words and operators.
			{ writes: "one()\nreturn a ‹+→**› b\n" },
			{ writes: "one()\n‹→// and then multiply the two numbers\n›two()\n" },
			{ writes: "one()\nlog(‹a→'and then multiply the two numbers'›)\n" },
			{ writes: "const one = <p>‹→and then multiply the two numbers›</p>\n", uri: "a.tsx" },
			{ writes: "int one = *a ‹+ b→* *b›;\n", uri: "a.c" },
			{ writes: "one()\nif (‹i→i++ % 2 === 0›) two()\n" },
			{ writes: "one()\nreturn ‹i→i-- / 2›\n" },
			{ writes: "<?php\none();\nreturn ‹$i→$i++ % 2›;\n", uri: "a.php" },
			{ writes: "one();\nquery!(‹→select name from users›);\n", uri: "a.rs" },
			{ writes: "one();\n‹→#pragma omp parallel sections private(a)\n›two();\n", uri: "a.c" },
			{ writes: "‹→and then multiply the two numbers\n›one\n", uri: "a.md" },
			{ writes: "all = {\n‹→    1: one,\n    2: two,\n›}\n", uri: "a.py" },
			{ writes: "‹one\ntwo→1. one\n2. two›\n", uri: "a.md" },
		],
		silent: [
			{ writes: "one()\n‹→if (all) {\n›six()\n" },
			{ writes: "one()\nlog(‹a→'a›)\n", line: 0 },
			{ writes: "one(‹)→›\ntwo()\n", line: 1 },
			{ writes: "one()\nlog(a‹→ // of all›)\n" },
			{ writes: "one()\nlog(‹→'a›)\n" },
			{ writes: "one()\nprint(a‹→  # of all›)\n", uri: "a.py" },
			{ writes: "one()\nprint(‹→'a›)\n", uri: "a.py" },
			{ writes: "one();\nlog(&a‹→ // of all›);\n", uri: "a.rs" },
			{ writes: 'one();\nlog(‹→"a›, b);\n', uri: "a.rs" },
			{ writes: "one()\nreturn ‹a→a * * b›\n" },
			{ writes: "one()\nreturn ‹a→a + * b›\n" },
			{ writes: "one();\n‹→and then multiply the numbers\n›two();\n", uri: "a.c" },
			{ writes: "one()\nreturn ‹a→0 and then multiply the two numbers›\n" },
			{ writes: "one()\n‹→Here you see the updated code\n›two()\n", uri: "a.py" },
			{ writes: "‹one()\ntwo(a)\nsix()→1: one()\n2: two(b)\n3: six()›" },
			{ writes: "‹one()→1| one()›\n\n‹two()→3| two()›\n" },
			{ writes: "‹one()→1| one()›\n\nlog()\n\n‹→5| two()\n›" },
		],
	},
	"rejected-before": {
		shown: [
			{ writes: "log(‹a→b›)", rejected: ["log(‹a→c›)"] },
			{ writes: "log(‹a→b›)", rejected: ["set(‹a→b›)"] },
		],
		silent: [
			{ writes: "log(‹a→b›)", rejected: ["log(‹a→b›)"] },
			{ writes: "one()\ntwo()\nlog(‹a→b›)", rejected: ["log(‹a→b›)"] },
			// A jump to the edit is not shown either.
			{
				writes: `log(‹a→b›)\n${manyLines(20)}`,
				rejected: ["log(‹a→b›)"],
				line: 18,
				scene: { kinds: new Set(["jump"]), trigger: "manual" },
			},
		],
	},
	"rule-retired": {
		shown: [
			{ writes: "log(‹a→b›)", rejected: ["one(‹a→b›)", "two(‹a→b›)"] },
			{ writes: "log(‹a→b›)", rejected: ["one(‹a→c›)", "two(‹a→c›)", "six(‹a→c›)"] },
		],
		silent: [
			{ writes: "log(‹a→b›)", rejected: ["one(‹a→b›)", "two(‹a→b›)", "six(‹a→b›)"] },
			{ writes: "log()\nlog(‹a→b›)", rejected: ["one(‹a→b›)", "two(‹a→b›)", "six(‹a→b›)", "ten(‹a→b›)"] },
		],
	},
	"ignored-file": {
		shown: [
			{ writes: "log(‹a→b›)", scene: IGNORED },
			{ writes: "log(‹a→b›)", scene: IGNORED, uri: "file:///app/src/dist/a.ts" },
		],
		silent: [
			{ writes: "log(‹a→b›)", scene: IGNORED, uri: "file:///app/dist/a.ts" },
			{ writes: "log(‹a→b›)", scene: IGNORED, uri: "file:///app/dist/%61.ts" },
			{ writes: "log(‹a→b›)", scene: { ...IGNORED, trigger: "manual" }, uri: "file:///app/dist/a.ts" },
		],
	},
	"below-threshold": {
		shown: [
			{ writes: `${manyLines(12)}\nlog(‹a→b›)`, line: 4 },
			{ writes: `${manyLines(30)}\nlog(‹a→b›)`, line: 1, scene: { eagerness: "high" } },
			{ writes: `${manyLines(30)}\nlog(‹a→b›)`, line: 1, scene: { eagerness: "low", trigger: "manual" } },
		],
		silent: [
			{ writes: `${manyLines(30)}\nlog(‹a→b›)`, line: 1 },
			{ writes: "log(‹a→b›)", scene: { eagerness: "low" } },
		],
	},
};

/** The model's and the user's edits, on one line. */
function titleOf({ done = [], writes }: Case): string {
	const pictures = [writes, ...done.toReversed()].map((one) => one.replaceAll("\n", "⏎"));
	return pictures.map((one) => (one.length > 60 ? `${one.slice(0, 60)}…` : one)).join(" after ");
}

describe.each(Object.entries(CASES))("the filter %s for model edits", (name, { shown, silent }) => {
	test.each(shown.map((one) => [titleOf(one), one] as const))("shows %s", (_, one) => {
		expect(outcomeOf(one)).toBe("shown");
	});

	test.each(silent.map((one) => [titleOf(one), one] as const))("does not show %s", (_, one) => {
		expect(outcomeOf(one)).toBe(name);
	});

	test("has at least two cases that are shown and two that are not", () =>
		expect(Math.min(shown.length, silent.length)).toBeGreaterThan(1));
});

test("filters run in a fixed order, and each filter for models has cases", () => {
	expect(OBJECTIONS).toEqual([
		"special-token",
		"touches-secret",
		"leaves-out-code",
		"no-op",
		"whitespace-only",
		"reverts-user",
		"too-large",
		"deletes-most",
		"repeats-next-lines",
		"cut-off",
		"equal-lines",
		"outside-window",
		"breaks-syntax",
		"name-taken",
		"doubtful",
		"unfinished-call",
		"already-visited",
		"rejected-before",
		"rule-retired",
		"ignored-file",
		"below-threshold",
	]);
	const ofRules = ["name-taken", "doubtful", "unfinished-call", "already-visited"];
	expect([...Object.keys(CASES), ...ofRules].toSorted()).toEqual(OBJECTIONS.toSorted());
});

describe("with a parser", async () => {
	const parse = (await inProcessOutliner()).outlines().parse as Parse;

	test.each([
		"one()\nswitch (a) {\n  case 1‹→, b: 0›:\n    two()\n}\n",
		"one()\nreturn { a‹→ b› }\n",
		"one()\nlog(‹→two(a›)\n",
	])("does not show code that does not parse: %j", (writes) => {
		expect(outcomeOf({ writes })).toBe("shown");
		expect(outcomeOf({ writes, scene: { parse } })).toBe("breaks-syntax");
	});

	test("shows lines that close one block and open another", () => {
		const writes = "if (a) {\n  one()‹→\n} else if (b) {\n  two()›\n}\n";
		expect(outcomeOf({ writes })).toBe("breaks-syntax");
		expect(outcomeOf({ writes, scene: { parse } })).toBe("shown");
	});

	test.each([
		["prose", "one()\n‹→and then multiply the two numbers\n›two()\n"],
		["the start of a comment that ends further down", "one()\n‹→/* ›two()\n/* three */\n"],
	])("does not show %s, even if it parses", (_, writes) => {
		const scene = { parse: () => ({ total: 0, inRange: 0 }) };
		expect(outcomeOf({ writes, scene })).toBe("breaks-syntax");
	});

	test("shows code in lines that already have errors", () => {
		const writes = "one(\nlog(‹a→b›]\n";
		expect(outcomeOf({ writes, scene: { parse } })).toBe("shown");
	});
});

describe("in a file that is hidden from models", () => {
	const done = ["const ‹total→sum› = 0\nlog(total)\n"];
	const writes = "const sum = 0\nlog(‹total→all›)\n";
	const rule = "const sum = 0\nlog(‹total→sum›)\n";

	test("offers edits from rules but not from models", () => {
		const prediction = predictOn({ done, writes, uri: "file:///app/dist/a.ts", scene: IGNORED });
		if ("silence" in prediction) expect.fail(prediction.silence);
		expect(prediction.suggestions.map((one) => one.predictor)).toEqual(["rename"]);
		expect(drawnOf(prediction.suggestions[0] as Suggestion, rule)).toBe(rule);
	});

	test("offers nothing if the file name indicates a secret, even when the gate is called directly", () => {
		const secret: Case = { done, writes, uri: "file:///app/.env" };
		expect(predictOn(secret)).toEqual({ silence: "secret-file" });
		const { document, scene, memory, written } = stage(secret);
		const [candidate] = modelCandidates(written, scene);
		expect(judge(candidate ?? expect.fail(), document, scene, memory).objection).toBe("ignored-file");
	});
});

/** Draws a suggestion on the initial text of a picture. */
function drawnOf(suggestion: Suggestion, picture: string): string {
	const { before } = readPicture(picture);
	if (suggestion.kind === "jump") {
		return drawPicture({ before, edits: [], selection: caret(suggestion.at), diagnostics: [] });
	}
	if (suggestion.kind !== "edit") return suggestion.kind;
	return drawPicture({ before, edits: suggestion.edits, selection: undefined, diagnostics: [] });
}

function caret(at: number) {
	return { anchor: at, head: at };
}

describe("several hunks from one answer", () => {
	const sevenAndMore = `log(‹a→b›)\n${manyLines(6)}\nset(‹a→c›)\n${manyLines(7)}\nget(‹a→d›)\n${manyLines(3)}`;

	/** The suggestions in order, each with the line of its first edit or of its target. */
	function queueOf(one: Case): string[] {
		const { document } = stage(one);
		const prediction = predictOn(one);
		if ("silence" in prediction) return [prediction.silence];
		return prediction.suggestions.map((suggestion) => {
			const at = suggestion.kind === "edit" ? suggestion.edits[0]?.from : "at" in suggestion ? suggestion.at : 0;
			return `${suggestion.kind} ${document.text.line(document.text.lineAt(at ?? 0))}`;
		});
	}

	test.each([
		[0, ["edit log(a)", "edit set(a)", "edit get(a)"]],
		[6, ["edit set(a)", "edit log(a)", "edit get(a)"]],
		[15, ["edit get(a)", "edit log(a)", "edit set(a)"]],
	])("with the cursor on line %d: offers the nearest first, then the others from the top", (line, queue) => {
		expect(queueOf({ writes: sevenAndMore, line, scene: { eagerness: "high" } })).toEqual(queue);
	});

	test("measures the distance of a later hunk from the one before it", () => {
		const writes = `log(‹a→b›)\n${manyLines(9)}\nset(‹a→c›)\n${manyLines(9)}\nget(‹a→d›)`;
		expect(queueOf({ writes, line: 0 })).toEqual(["edit log(a)", "edit set(a)", "edit get(a)"]);
		expect(queueOf({ writes: writes.replace("‹a→b›", "a").replace("‹a→c›", "a"), line: 0 })).toEqual([
			"below-threshold",
		]);
	});

	test("offers distant hunks as jumps if the client supports them", () => {
		const scene = { kinds: new Set(["jump"] as const), eagerness: "high" } as const;
		expect(queueOf({ writes: sevenAndMore, line: 0, scene })).toEqual(["edit log(a)", "edit set(a)", "jump get(a)"]);
		const far = sevenAndMore.replace("‹a→b›", "a").replace("‹a→c›", "a");
		expect(queueOf({ writes: far, line: 0, scene })).toEqual(["jump get(a)"]);
		expect(queueOf({ writes: far, line: 0, scene: { ...scene, kinds: new Set() } })).toEqual(["edit get(a)"]);
	});

	test("offers a jump only to a hunk that would be shown", () => {
		const scene = { kinds: new Set(["jump"] as const), eagerness: "high" } as const;
		const far = (writes: string) => ({ writes: `${manyLines(15)}\n${writes}`, line: 0, scene });
		expect(queueOf(far("log(‹a→b›)"))).toEqual(["jump log(a)"]);
		expect(queueOf(far("log(‹→ ›a)"))).toEqual(["whitespace-only"]);
		expect(queueOf(far("‹→one(1)\none(1)\none(1)\n›end()"))).toEqual(["equal-lines"]);
	});

	test("shows the other hunks if one is filtered out", () => {
		expect(queueOf({ writes: "log(‹a→a›)\none()\ntwo()\nset(‹a→b›)\n", line: 0 })).toEqual(["edit set(a)"]);
		expect(queueOf({ writes: "log(‹a→b›)\none()\ntwo()\nset(‹a→c›)\n", isCut: true })).toEqual(["edit log(a)"]);
	});

	test("does not show a hunk that deletes most of the window, even if another one adds lines", () => {
		const writes = `‹${manyLines(4)}\n→›one()\ntwo()\n‹→six()\nten()\nall()\n›end()\n${manyLines(30)}`;
		expect(queueOf({ writes, window: [0, 6] })).toEqual(["edit end()"]);
		expect(queueOf({ writes, window: [0, 9], scene: { eagerness: "high" } })).toEqual(["edit line0", "edit end()"]);
	});

	test("offers at most three", () => {
		const writes = ["one", "two", "six", "ten", "all"].map((name) => `${name}(‹a→${name}›)\nend${name}()`).join("\n");
		expect(queueOf({ writes })).toEqual(["edit one(a)", "edit two(a)", "edit six(a)"]);
	});

	test("merges a hunk with an identical edit from a rule", () => {
		const done = ["const ‹total→sum› = 0\nlog(total)\nset(1)\nget(‹1→2›)\nend()\n"];
		const after = "const sum = 0\nlog(‹total→sum›)\nset(1)\nget(2)\nend()‹→\nclose()›\n";
		const prediction = predictOn({ done, writes: after, line: 1 });
		if ("silence" in prediction) expect.fail(prediction.silence);
		const offered = prediction.suggestions.map((one) => ({ by: one.predictor, drawn: drawnOf(one, after) }));
		const [same, other] = ["const sum = 0\nlog(‹total→sum›)\n", "get(2)\nend()‹→\nclose()›\n"];
		expect(offered.filter(({ drawn }) => drawn.includes(same))).toHaveLength(1);
		expect(offered.filter(({ drawn }) => drawn.includes(other))).toMatchObject([{ by: "model" }]);
		expect(offered).toHaveLength(2);
	});
});

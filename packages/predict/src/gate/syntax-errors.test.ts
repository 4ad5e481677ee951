import { inProcessOutliner } from "@segue/testing/players/outlines";
import { EnginePlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { Change, type Document, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConsideredCandidate, History, Memory, type Parse, predict, type Scene } from "../index.js";
import { sceneOf } from "../scene.js";
import { completeChange } from "./syntax-errors.js";

const outliner = await inProcessOutliner();
const parse = outliner.outlines().parse as Parse;

describe("on a manual request, the engine", () => {
	const story = storiesOn(() => new EnginePlayer({ trigger: "manual" }, outliner.outlines()));

	story(
		"does not offer code that does not parse",
		`
		--- user
		function make(id) {
		  return { id, status: "open"‹→, priority: 0▮› };
		}
		function nameOf(status) {
		  switch (status) {
		    case "open":
		      return "Open";
		  }
		}
		--- suggests nothing (breaks-syntax)
	`,
	);

	story(
		"repeats lines that close one block and open another",
		`
		--- user
		function f(a, b) {
		  if (a) {
		    one()
		‹→  } else if (b) {
		    two()▮
		›  }
		}
		function g(a, b) {
		  if (a) {
		    one()
		  }
		}
		--- suggests
		function f(a, b) {
		  if (a) {
		    one()
		  } else if (b) {
		    two()
		  }
		}
		function g(a, b) {
		  if (a) {
		    one()‹→
		  } else if (b) {
		    two()▮›
		  }
		}
	`,
	);

	story(
		"also deletes the bracket above, as the user did, and skips lines without one",
		`
		--- user
		if (a) {
		  one()
		}‹
		→ else ›if (b) {▮
		  two()
		}
		log()
		if (c) {
		  three()
		}
		if (d) {
		  four()
		}
		--- suggests
		if (a) {
		  one()
		} else if (b) {
		  two()
		}
		log()
		if (c) {
		  three()
		}‹
		→ else ▮›if (d) {
		  four()
		}
		--- user accepts
		--- suggests nothing
	`,
	);

	story(
		"does not repeat only one of two changed lines that depend on each other",
		`
		--- user
		sum(
		  ‹→[›first,
		  second‹→]▮›,
		)
		sum(
		  third,
		  fourth,
		)
		--- suggests nothing (breaks-syntax)
	`,
	);

	story(
		"does not repeat an unfinished change",
		`
		--- user
		open(path)
		read(path, all)
		‹→if (all) {▮
		›close(path)

		open(path)
		read(path, all)
		close(path)
		--- suggests nothing (breaks-syntax)
	`,
	);

	story(
		"still offers edits in code that does not parse",
		`
		--- user
		function f(cnt) {
		  const ‹cnt→count▮› = read(
		  show(cnt)
		  return cnt
		}
		--- suggests
		function f(cnt) {
		  const count = read(
		  show(‹cnt→count▮›)
		  return cnt
		}
	`,
	);
});

describe("without an answer from the parser", () => {
	const parse: Parse = () => undefined;
	const story = storiesOn(() => new EnginePlayer({ trigger: "manual", parse }, outliner.outlines()));

	story(
		"the engine offers edits with balanced brackets",
		`
		--- user
		function make(id) {
		  return { id, status: "open"‹→, priority: 0▮› };
		}
		function nameOf(status) {
		  switch (status) {
		    case "open":
		      return "Open";
		  }
		}
		--- suggests
		function make(id) {
		  return { id, status: "open", priority: 0 };
		}
		function nameOf(status) {
		  switch (status) {
		    case "open"‹→, priority: 0▮›:
		      return "Open";
		  }
		}
	`,
	);

	story(
		"the engine does not offer unbalanced brackets",
		`
		--- user
		open(path)
		read(path, all)
		‹→if (all) {▮
		›close(path)

		open(path)
		read(path, all)
		close(path)
		--- suggests nothing (breaks-syntax)
	`,
	);
});

describe("the parser", () => {
	/** Applies an edit to the first `count` lines of each kind, then predicts. `errorsIn` stands in for the parser. */
	function changed(settings: Partial<Scene>, errorsIn: (text: string) => number, count = 1, kinds = ["set", "put"]) {
		const lines = (name: string) => Array.from({ length: 10 }, (_, i) => `${name}${i}("${name}")\n`).join("");
		const before = Text.of(kinds.map(lines).join(""));
		const edits = kinds.flatMap((kind, k) => {
			return Array.from({ length: count }, (_, i) => {
				const at = 10 + 12 * (10 * k + i);
				return { from: at, to: at, insert: kind === "set" ? ", 0" : ", true" };
			});
		});
		const change = Change.of(edits, before.length);
		const document: Document = { uri: "a.ts", languageId: "typescript", version: 1, text: before };
		const history = History.empty.changed(document, change, { atMs: 0, isAccepted: false });
		const now = { ...document, version: 2, text: history.fileOf("a.ts")?.now as Text };
		const parsed = new Set<string>();
		const fake: Parse = ({ text }) => {
			if (!text.equals(now.text)) parsed.add(text.toString());
			return { total: errorsIn(text.toString()), inRange: 0 };
		};
		const considered: ConsideredCandidate[] = [];
		const watch = (all: readonly ConsideredCandidate[]) => void considered.push(...all);
		const scene = { ...sceneOf(now, history, 14), parse: fake, ...settings };
		return { prediction: predict(scene, Memory.empty, { watch }), parsed, considered };
	}

	test("does not run for candidates below the threshold", () => {
		const { prediction, parsed } = changed({ eagerness: "low" }, () => 0);
		expect(prediction).toEqual({ silence: "below-threshold" });
		expect(parsed.size).toBe(0);
	});

	test("runs for the candidates that are shown", () => {
		const { prediction, parsed } = changed({ eagerness: "high" }, () => 0, 3);
		expect("suggestions" in prediction && prediction.suggestions.length).toBe(3);
		expect(parsed.size).toBe(3);
	});

	test("rejects the best candidate, and the next one is shown", () => {
		const all = changed({ eagerness: "high" }, () => 0, 3, ["set"]);
		const [best] = all.parsed;
		const left = changed({ eagerness: "high" }, (text) => (text === best ? 1 : 0), 3, ["set"]);
		const shown = [all, left].map(({ prediction }) => ("suggestions" in prediction ? prediction.suggestions : []));
		const [first, second] = shown.map((suggestions) => suggestions.map(({ key }) => key));
		expect(second).toHaveLength(3);
		expect(second).not.toContain(first?.[0]);
		expect(second?.[0]).toBe(first?.[1]);
		expect(left.considered.filter(({ objection }) => objection === "breaks-syntax")).toHaveLength(1);
	});

	test("rejects a limited number of candidates", () => {
		const { prediction, parsed, considered } = changed({ trigger: "manual" }, (text) => text.split(", ").length - 3);
		expect(prediction).toEqual({ silence: "breaks-syntax" });
		expect(parsed.size).toBe(8);
		expect(considered.length).toBeGreaterThan(8);
	});

	test("still offers a jump after rejecting that many candidates", () => {
		const diagnostics = [{ uri: "a.ts", from: 60, to: 63, severity: "error" as const, message: "wrong" }];
		const settings: Partial<Scene> = { trigger: "manual", kinds: new Set(["jump"]), diagnostics };
		const { prediction, parsed } = changed(settings, (text) => text.split(", ").length - 3);
		expect(prediction).toMatchObject({ suggestions: [{ kind: "jump", at: 60 }] });
		expect(parsed.size).toBe(8);
	});
});

test("completes a change by also deleting lines that equal the changed line", () => {
	const start = Text.of("f(g(1\n+ n)\n+ n)\n\nf(g(2\n+ m)\n+ m)\n");
	const document: Document = { uri: "a.ts", languageId: "typescript", version: 1, text: start };
	const joined = Change.of([{ from: start.lineEnd(1), to: start.lineEnd(2), insert: ")" }], start.length);
	const history = History.empty.changed(document, joined, { atMs: 0, isAccepted: false });
	const text = history.fileOf("a.ts")?.now as Text;
	const scene = { ...sceneOf({ ...document, version: 2, text }, history, 0), parse };
	const completions = [4, 5].map((line) => {
		const one = Change.of([{ from: text.lineEnd(line), to: text.lineEnd(line), insert: ")" }], text.length);
		return completeChange(one, scene.document, scene)?.apply(text).toString();
	});
	// The first of the two equal lines is the example.
	expect(completions).toEqual(["f(g(1\n+ n))\n\nf(g(2\n+ m))\n", undefined]);
});

test("a suggestion adds no syntax errors to lines without any", () => {
	const line = fc.constantFrom(
		'  const made = { id, status: "open" };',
		'  const kept = { id: one.id, status: "open" };',
		'  show(id, "open");',
		'  switch (id) { case "open": return 1; }',
		'  if (id === "open") return one;',
		'  for (const one of all("open")) show(one, id);',
		'  type Open = "open" | "closed";',
		'  label: while (id) show("open");',
		"  show(`open`);",
	);
	const piece = fc.constantFrom(
		", 0",
		", size: 0",
		" | 0",
		": 1",
		".id",
		"()",
		" as any",
		" && one",
		"?",
		";",
		" {",
		"}",
	);
	const user = fc.record({
		lines: fc.array(line, { minLength: 2, maxLength: 6 }),
		at: fc.nat(),
		gone: fc.constantFrom(0, 0, 1, 2, 4),
		piece,
	});
	let shown = 0;
	fc.assert(
		fc.property(user, ({ lines, at, gone, piece }) => {
			const text = Text.of(`function f(id, one, all) {\n${lines.join("\n")}\n}\n`);
			const from = text.lineStart(1) + (at % (lines[0] as string).length);
			const to = Math.min(from + gone, text.lineEnd(1));
			const document = { uri: "a.ts", languageId: "typescript", version: 1, text };
			const change = Change.of([{ from, to, insert: piece }], text.length);
			const history = History.empty.changed(document, change, { atMs: 0, isAccepted: false });
			const now = { ...document, version: 2, text: history.fileOf("a.ts")?.now ?? text };
			const prediction = predict({ ...sceneOf(now, history, from), parse, trigger: "manual" }, Memory.empty);
			for (const suggestion of "suggestions" in prediction ? prediction.suggestions : []) {
				if (suggestion.kind !== "edit") continue;
				const edits = Change.of(suggestion.edits, now.text.length);
				const lines = {
					from: now.text.lineStart(now.text.lineAt(edits.edits[0]?.from ?? 0)),
					to: now.text.lineEnd(now.text.lineAt(edits.edits.at(-1)?.to ?? 0)),
				};
				// Different URIs keep the parser from reusing an earlier tree.
				const before = parse({ ...now, uri: `before${shown}.ts` }, lines);
				const after = parse({ ...now, uri: `after${shown}.ts`, text: edits.apply(now.text) }, lines);
				shown++;
				if (before?.inRange === 0) expect(after?.total).toBeLessThanOrEqual(before.total);
			}
		}),
		{ numRuns: 100 },
	);
	expect(shown).toBeGreaterThan(10);
});

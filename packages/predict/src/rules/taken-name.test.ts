import { inProcessOutliner } from "@segue/testing/players/outlines";
import { EnginePlayer } from "@segue/testing/players/scene-player";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";

const outliner = await inProcessOutliner();

const PLAYERS = [
	["without a parser", () => new EnginePlayer({ eagerness: "high" })],
	["without a parser, on a manual request", () => new EnginePlayer({ trigger: "manual" })],
	["with a parser", () => new EnginePlayer({ eagerness: "high" }, outliner.outlines())],
	["with a parser, on a manual request", () => new EnginePlayer({ trigger: "manual" }, outliner.outlines())],
] as const;

/** A file in which `cnt` is used and `total` is declared. */
interface Case {
	readonly what: string;
	readonly path: string;
	readonly lines: readonly string[];
	/** The uses of `cnt` that the user renames. Each is an index into the uses that remain at that time. */
	readonly renamed: readonly number[];
}

const CASES: readonly Case[] = [
	{
		what: "a field to the name of a method, at its declaration",
		path: "a.ts",
		lines: [
			"class A {",
			"\tcnt = 0",
			"\ttotal() {",
			"\t\treturn this.cnt",
			"\t}",
			"\tadd() {",
			"\t\tthis.cnt += 1",
			"\t\tlog(this.cnt)",
			"\t}",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a field to the name of a method, at two uses",
		path: "a.ts",
		lines: [
			"class A {",
			"\tcnt = 0",
			"\ttotal() {",
			"\t\treturn this.cnt",
			"\t}",
			"\tadd() {",
			"\t\tthis.cnt += 1",
			"\t\tlog(this.cnt)",
			"\t}",
			"}",
		],
		renamed: [1, 1],
	},
	{
		what: "a private field to the name of another field",
		path: "a.ts",
		lines: [
			"class A {",
			"\t#total = 1",
			"\t#cnt = 0",
			"\tadd() {",
			"\t\tthis.#cnt += 1",
			"\t\tlog(this.#cnt)",
			"\t}",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a Python field to the name of another field",
		path: "a.py",
		lines: [
			"class A:",
			"    def __init__(self):",
			"        self.total = 1",
			"        self.cnt = 0",
			"",
			"    def add(self):",
			"        self.cnt += 1",
			"        log(self.cnt)",
			"        return self.cnt",
		],
		renamed: [0, 0],
	},
	{
		what: "uses of a Python field to the name of another field",
		path: "a.py",
		lines: [
			"class A:",
			"    def __init__(self):",
			"        self.total = 1",
			"        self.cnt = 0",
			"",
			"    def add(self):",
			"        self.cnt += 1",
			"        log(self.cnt)",
			"        return self.cnt",
		],
		renamed: [1, 1],
	},
	{
		what: "a field of a Python data class",
		path: "a.py",
		lines: [
			"class A:",
			"    total: int",
			"    cnt: int = 0",
			"    def add(self):",
			"        self.cnt += 1",
			"        return self.cnt",
		],
		renamed: [0, 0],
	},
	{
		what: "a field of an interface",
		path: "a.ts",
		lines: [
			"interface Sum {",
			"\tcnt: number",
			"\ttotal: number",
			"}",
			"function show(sum: Sum) {",
			"\tlog(sum.cnt)",
			"\tsave(sum.cnt)",
			"\treturn sum.cnt",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a use of a field of an interface",
		path: "a.ts",
		lines: [
			"interface Sum {",
			"\tcnt: number",
			"\ttotal: number",
			"}",
			"function show(sum: Sum) {",
			"\tlog(sum.cnt)",
			"\tsave(sum.cnt)",
			"\treturn sum.cnt",
			"}",
		],
		renamed: [1, 1],
	},
	{
		what: "a field of a Go struct",
		path: "a.go",
		lines: [
			"type sum struct {",
			"\tcnt int",
			"\ttotal int",
			"}",
			"func (s *sum) add() int {",
			"\ts.cnt += 1",
			"\tlog(s.cnt)",
			"\treturn s.cnt",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a field of a Rust struct",
		path: "a.rs",
		lines: [
			"struct Sum {",
			"    cnt: u32,",
			"    total: u32,",
			"}",
			"impl Sum {",
			"    fn add(&mut self) -> u32 {",
			"        self.cnt += 1;",
			"        log(self.cnt);",
			"        self.cnt",
			"    }",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a Java field",
		path: "A.java",
		lines: [
			"class A {",
			"    private int cnt = 0;",
			"    private int total = 1;",
			"    int add() {",
			"        this.cnt += 1;",
			"        log(this.cnt);",
			"        return cnt;",
			"    }",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "an arrow function's parameter",
		path: "a.ts",
		lines: ["const sum = (cnt: number, total: number) => {", "\tlog(cnt)", "\tsave(cnt)", "\treturn cnt + total", "}"],
		renamed: [0, 0],
	},
	{
		what: "a variable to the parameter of a callback",
		path: "a.ts",
		lines: [
			"function sum(items: number[]) {",
			"\tlet cnt = 0",
			"\titems.forEach((total) => {",
			"\t\tcnt += total",
			"\t})",
			"\tlog(cnt)",
			"\treturn cnt",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a variable to a destructured one",
		path: "a.ts",
		lines: [
			"function sum(items: Items) {",
			"\tconst { size, total } = items",
			"\tlet cnt = 0",
			"\tcnt += size",
			"\tlog(cnt)",
			"\treturn cnt + total",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a variable to a caught error",
		path: "a.ts",
		lines: [
			"function sum(items: Items) {",
			"\tlet cnt = 0",
			"\ttry {",
			"\t\tcnt += items.size",
			"\t} catch (total) {",
			"\t\tlog(cnt, total)",
			"\t}",
			"\treturn cnt",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a variable to the parameter of its function",
		path: "a.ts",
		lines: ["function sum(total: number) {", "\tlet cnt = 0", "\tcnt += 1", "\tlog(cnt)", "\treturn cnt + total", "}"],
		renamed: [0, 0],
	},
	{
		what: "a local variable in Python",
		path: "a.py",
		lines: [
			"def sum(items):",
			"    total = 1",
			"    cnt = 0",
			"    cnt += len(items)",
			"    log(cnt)",
			"    return cnt + total",
		],
		renamed: [0, 0],
	},
	{
		what: "a Java parameter",
		path: "A.java",
		lines: [
			"class A {",
			"    int sum(int cnt, int total) {",
			"        log(cnt);",
			"        save(cnt);",
			"        return cnt + total;",
			"    }",
			"}",
		],
		renamed: [0, 0],
	},
];

describe("does not suggest renaming", () => {
	for (const one of CASES) {
		for (const [how, playerOf] of PLAYERS) {
			test(`${one.what}, ${how}`, async () => {
				expect(await suggestedAfter(playerOf(), one, "total")).toEqual([]);
			});
		}

		test(`${one.what}, unless the new name is free`, async () => {
			const player = new EnginePlayer({ trigger: "manual" }, outliner.outlines());
			expect(await suggestedAfter(player, one, "amount")).not.toEqual([]);
		});
	}
});

/** Files in which `total` looks taken, but is not. */
const FREE: readonly Case[] = [
	{
		what: "a Rust field whose getter has the new name",
		path: "a.rs",
		lines: [
			"impl Sum {",
			"    fn total(&self) -> u32 {",
			"        self.cnt",
			"    }",
			"    fn add(&mut self) {",
			"        if self.cnt > 9 {",
			"            self.cnt = 0;",
			"        }",
			"    }",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a type in the parameters of methods",
		path: "a.ts",
		lines: [
			"class A {",
			"\tadd(arg?: Size | cnt, more?: Size | total): void { show(cnt) }",
			"\tset(arg?: Size | cnt, more?: Size): void {}",
			"\tsum(arg?: Size | cnt, more?: Size): void {}",
			"\tget(arg?: Size | total): void {}",
			"}",
		],
		renamed: [0, 0],
	},
	{
		what: "a constant whose import already has the new name",
		path: "a.ts",
		lines: ['import { total } from "./b"', "if (a === cnt) show(all[cnt])", "const b = all[cnt]", "const c = all[cnt]"],
		renamed: [0, 0],
	},
];

describe("suggests renaming to a name that only looks taken", () => {
	for (const one of FREE) {
		for (const [how, playerOf] of PLAYERS.filter(([how]) => how.endsWith("on a manual request"))) {
			test(`for ${one.what}, ${how}`, async () => {
				expect(await suggestedAfter(playerOf(), one, "total")).not.toEqual([]);
			});
		}
	}
});

test("reads the parameters of a function that is not closed yet", async () => {
	const lines = ["let cnt = 0", "show(cnt)", "const sum = (size: number, total"];
	const player = new EnginePlayer({ trigger: "manual" });
	await suggestedAfter(player, { what: "", path: "a.ts", lines, renamed: [0] }, "total");
	await suggestedAfter(
		player,
		{ what: "", path: "b.ts", lines: ["function f(total", "log(cnt)", "log(cnt"], renamed: [0] },
		"total",
	);
});

/** Renames uses of `cnt` and returns the suggestions that would rename another use. */
async function suggestedAfter(player: EnginePlayer, { path, lines, renamed }: Case, newName: string) {
	let text = Text.of(`${lines.join("\n")}\n`);
	const viewAt = (at: number) => ({ selection: { anchor: at, head: at }, diagnostics: [] });
	await player.open(path, text, viewAt(0));
	const spread: string[] = [];
	for (const nth of renamed) {
		const from = [...text.toString().matchAll(/\bcnt\b/g)][nth]?.index ?? 0;
		const change = Change.of([{ from, to: from + "cnt".length, insert: newName }], text.length);
		text = change.apply(text);
		await player.change(path, change, viewAt(from + newName.length));
		const outcome = await player.suggest();
		if (outcome.kind !== "edit") continue;
		for (const edit of outcome.edits) {
			const line = text.line(text.lineAt(edit.from));
			if (/\bcnt\b/.test(line) && edit.insert.includes(newName)) spread.push(line.trim());
		}
	}
	return spread;
}

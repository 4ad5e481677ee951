import { runs } from "@segue/testing/setup/tier";
import { type Document, Text } from "@segue/text";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { syntaxOf } from "./languages.js";
import { lexLine } from "./lexer.js";
import { startStateOf } from "./lexer-state.js";
import { kindOf, partAt, tokenAt, tokensIn } from "./parts.js";
import type { SyntaxToken, TokenListener } from "./syntax.js";

function documentOf(text: string | Text, languageId: string): Document {
	return { uri: "a", languageId, version: 0, text: typeof text === "string" ? Text.of(text) : text };
}

test.each([
	["typescript", "a // X", "comment"],
	["typescript", "a /* \n X */ b", "comment"],
	["typescript", "'it' + X", "code"],
	["typescript", "don't X, it's", "string"],
	["typescript", '"\\"X"', "string"],
	["typescript", `\`a \${X} b\``, "code"],
	["typescript", `\`a \${b} X\``, "string"],
	["typescript", 'glob("**/*.ts"); X', "code"],
	["typescriptreact", "/* open X", "comment"],
	["typescriptreact", "f(<b>X</b>)", "string"],
	["typescriptreact", "f(<b>{X}</b>)", "code"],
	["typescriptreact", "f(<b>{a}X</b>)", "string"],
	["rust", "fn f<'a>(X: &'a str, y: &'a str)", "code"],
	["rust", "'\"' X \"", "code"],
	["go", `\`raw\n\${X}\``, "string"],
	["python", "# X", "comment"],
	["python", '"""\nX\n"""', "string"],
	["python", 'f"{X} b"', "code"],
	["python", 'f"{a} X"', "string"],
	["python", '"{X}"', "string"],
	["shellscript", "echo $# X", "code"],
	["plaintext", "// X", "code"],
] as const)("in %s, X of %j is %s", (languageId, source, part) => {
	expect(partAt(documentOf(source, languageId), source.indexOf("X"))).toBe(part);
});

test("is outside a string at its opening quote and after the closing one, and inside a line comment at its end", () => {
	const source = `a 'b' // c\n/*\n*/ \`\n\${d}\`;`;
	const drawn = "   ss  cccc cccc  ss   s  ";
	const document = documentOf(source, "typescript");
	const letters = Array.from({ length: source.length + 1 }, (_, offset) => {
		return { code: " ", comment: "c", string: "s" }[partAt(document, offset)];
	});
	expect(letters.join("")).toBe(drawn);
});

test("finds the token at or after an offset", () => {
	const document = documentOf("let a = 'b'", "typescript");
	expect(tokenAt(document, 1)).toEqual({ from: 0, to: 3, kind: "keyword", isOpen: false });
	expect([0, 3, 4, 9, 11].map((offset) => kindOf(document, offset))).toEqual([
		"keyword",
		"space",
		"identifier",
		"string",
		undefined,
	]);
});

const TOKENS = [
	`\${`,
	..."a|f|r|x = 1|R|u8|$|@| | |//|/*|*/|#|\\|#{|{|}|(|)|[|]|<b>|</b>|/>|<|/|?>|<?php|<<~A|<<<A|\nA\n|%w[".split("|"),
	...'=begin\n|=end|:|,|.|;|=|return|😀|é|{{|}}|R"(|)"|r#"|"#|$@"|\n|\n|\n|\r\n|\r|"|\'|`|"""|\'\'\''.split("|"),
];

const LANGUAGES = `c cpp csharp css go java javascript php plaintext python ruby rust shellscript typescript
	typescriptreact`.split(/\s+/);

const LINES = [
	"let a = 'b'; // it\n",
	'f("x");\n',
	"/* a\n b */ x\n",
	`\`a \${b}\n\`\n`,
	'"""doc\n"""\n',
	"# note\n",
	"if (a) {\r\n",
	"}\n",
	"fn<'a>\n",
	"<p>it</p>\n",
	"<?php $a ?>\n",
];

function someTokens(maxLength: number): fc.Arbitrary<string> {
	return fc.array(fc.constantFrom(...TOKENS), { maxLength, size: "max" }).map((tokens) => tokens.join(""));
}

/** A text that consists of several pieces and contains some random tokens. */
const someSource = fc
	.tuple(fc.array(fc.constantFrom(...LINES), { minLength: 200, maxLength: 300, size: "max" }), someTokens(30), fc.nat())
	.map(([lines, odd, where]) => lines.toSpliced(where % lines.length, 0, odd).join(""));

const someEdit = fc.tuple(fc.nat(), fc.nat(6), someTokens(4));

function print(tokens: readonly SyntaxToken[]): string {
	return tokens.map(({ to, kind, isOpen }) => `${to} ${kind}${isOpen ? " open" : ""}`).join("\n");
}

/** All tokens, lexed from the first line to the last. */
function readAll(source: string, languageId: string): SyntaxToken[] {
	const syntax = syntaxOf(languageId);
	const tokens: SyntaxToken[] = [];
	const token: TokenListener["token"] = (from, to, kind, isOpen) => tokens.push({ from, to, kind, isOpen });
	let state = startStateOf(syntax);
	let from = 0;
	for (const line of source.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []) {
		state = lexLine(source, from, from + line.length, syntax, state, { token });
		from += line.length;
	}
	return tokens;
}

test.each(LANGUAGES)("finds the same tokens after every edit as when lexing from the start, in %s", (id) => {
	fc.assert(
		fc.property(someSource, fc.array(someEdit, { minLength: 1, maxLength: 4 }), (source, edits) => {
			let text = Text.of(source);
			for (const [where, length, insert] of edits) {
				tokensIn(documentOf(text, id), 0, text.length);
				const from = where % (text.length + 1);
				text = text.replace(from, Math.min(from + length, text.length), insert);
				const tokens = tokensIn(documentOf(text, id), 0, text.length);
				expect(print(tokens)).toBe(print(readAll(text.toString(), id)));
				const starts = tokens.map((token) => token.from);
				expect([...starts, text.length]).toEqual([0, ...tokens.map((token) => token.to)]);
			}
		}),
		{ numRuns: 10 },
	);
});

afterEach(() => vi.restoreAllMocks());

/** An upper bound for the number of characters examined to lex a line. */
function stepsOf(line: string, languageId: string): number {
	let steps = 0;
	const syntax = syntaxOf(languageId);
	const openings = syntax.starts.flatMap((some) => some ?? []);
	const long = new Set(openings.flatMap((one) => ("pattern" in one && one.isLong ? [one.pattern] : [])));
	const { charCodeAt, startsWith } = String.prototype;
	const { exec, test: isMatch } = RegExp.prototype;
	const count = (pattern: RegExp, source: string, from: number, isFound: boolean) => {
		if (isFound) steps += pattern.lastIndex - from;
		else steps += long.has(pattern) ? source.length - from : 1;
	};
	vi.spyOn(String.prototype, "charCodeAt").mockImplementation(function (this: string, at) {
		steps++;
		return charCodeAt.call(this, at);
	});
	vi.spyOn(String.prototype, "startsWith").mockImplementation(function (this: string, wanted, at) {
		steps++;
		return startsWith.call(this, wanted, at);
	});
	vi.spyOn(RegExp.prototype, "test").mockImplementation(function (this: RegExp, source) {
		const from = this.lastIndex;
		const isFound = isMatch.call(this, source);
		count(this, source, from, isFound);
		return isFound;
	});
	vi.spyOn(RegExp.prototype, "exec").mockImplementation(function (this: RegExp, source) {
		const from = this.lastIndex;
		const found = exec.call(this, source);
		count(this, source, from, found !== null);
		return found;
	});
	lexLine(line, 0, line.length, syntax, startStateOf(syntax), { token: () => {}, bracket: () => {} });
	vi.restoreAllMocks();
	return steps;
}

// Limit per character: the openings tried there, the word before it, and the character itself.
const STEPS_MAX = 20;

test.each(LANGUAGES)("lexes nonsense in linear time, in %s", (id) => {
	const someNonsense = someTokens(8).map((tokens) => tokens.replaceAll(/[\r\n]/g, "") || "a");
	fc.assert(
		fc.property(someNonsense, (nonsense) => {
			const line = nonsense.repeat(Math.ceil(8000 / nonsense.length));
			expect(stepsOf(line, id) / line.length).toBeLessThan(STEPS_MAX);
		}),
		{ numRuns: runs(30) },
	);
});

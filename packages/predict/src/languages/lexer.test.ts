import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { syntaxOf } from "./languages.js";
import { type LexerState, tokenizeLine } from "./lexer.js";
import { tokensIn } from "./parts.js";
import type { TokenKind } from "./syntax.js";

const LETTERS: Readonly<Record<TokenKind, string>> = {
	comment: "c",
	string: "s",
	identifier: "i",
	keyword: "k",
	number: "n",
	punctuation: ".",
	space: " ",
};

/** Returns the lines of a program, each followed by a line in which a letter shows the kind of each character. */
function draw(languageId: string, source: string): string[] {
	const text = Text.of(source);
	const tokens = tokensIn({ uri: "a", languageId, version: 0, text }, 0, text.length);
	const letters = tokens.map(({ from, to, kind }) => LETTERS[kind].repeat(to - from)).join("");
	return Array.from({ length: text.lineCount }, (_, line) => {
		return [text.line(line), letters.slice(text.lineStart(line), text.lineEnd(line)).trimEnd()];
	}).flat();
}

const PICTURES: readonly (readonly [languageId: string, title: string, ...lines: string[]])[] = [
	[
		"typescript",
		"distinguishes words, numbers and punctuation",
		"const größe = a.default + 0x1fn * 1.5e-3; // it's 😀",
		"kkkkk iiiii . i.iiiiiii . nnnnn . nnnnnn. cccccccccc",
	],
	[
		"typescript",
		"ends a string with its line, unless the line break is escaped",
		"log('open, \"",
		"iii.ssssssss",
		"x = 'a\\'b\\",
		"i . ssssss",
		"c' + d",
		"ss . i",
	],
	[
		"typescript",
		"finds code in nested templates",
		`f(\`a \${b + \`c \${d} 'e\`} it's`,
		"i.sss..i . sss..i.ssss.sssss",
		` \${{ a: { b } }.a} z\`) + x`,
		"s... i. . i . ..i.sss. . i",
	],
	[
		"typescript",
		"distinguishes regular expressions from divisions, also on the next line",
		"a = b / c; s.split(/['\"/]/g); return /a'[/]b/.test(x) / 2",
		"i . i . i. i.iiiii.ssssssss.. kkkkkk ssssssss.iiii.i. . n",
		"x =",
		"i .",
		"/it's/",
		"ssssss",
		"y / 'a' / z",
		"i . sss . i",
	],
	[
		"typescript",
		"reads multi-line comments and the shebang",
		"#!/usr/bin/env it's",
		"ccccccccccccccccccc",
		"/* a",
		"cccc",
		" it's */ b /** c */ // 'd",
		"cccccccc i cccccccc ccccc",
		"e",
		"i",
	],
	[
		"typescriptreact",
		"reads JSX elements with text and code",
		"return (",
		"kkkkkk .",
		"  <div className=\"a\" on={() => f('x')}>",
		"  .iii iiiiiiiii.sss ii.... .. i.sss...",
		"    Don't {name && <b>it's</b>} <Foo.Bar a='1",
		"ssssssssss.iiii .. .i.ssss..i..s.iii.iii i.ss",
		"2' />",
		"ss ..",
		"  </div>",
		"ss..iii.",
		") || x",
		". .. i",
	],
	[
		"typescriptreact",
		"does not mistake type parameters and comparisons for elements",
		"const f = <T,>(a: T) => a; const g = <T extends U>(a: T) => 'a'",
		"kkkkk i . .i...i. i. .. i. kkkkk i . .i kkkkkkk i..i. i. .. sss",
		"type F = <T>(a: T) => 'b'; a < b && c > d",
		"iiii i . .i..i. i. .. sss. i . i .. i . i",
	],
	[
		"typescriptreact",
		"ends an unclosed element at the end of the block",
		"function A() {",
		"kkkkkkkk i.. .",
		"  return <div>",
		"  kkkkkk .iii.",
		"    don't",
		"sssssssss",
		"}",
		".",
		"const b = 'c'",
		"kkkkk i . sss",
	],
	[
		"typescriptreact",
		"ends an unclosed tag at the next declaration",
		"const a = <div id=",
		"kkkkk i . .iii ii.",
		"export const b = 'c'",
		"kkkkkk kkkkk i . sss",
	],
	[
		"python",
		"recognizes string prefixes and the code in formatted strings",
		"def f(a, *b): # it's",
		"kkk i.i. .i.. cccccc",
		"    f'{a:#x}'",
		"    ss.i..i.s",
		'    return f\'{a!r:>{w}} {{b}} c\' + rb"\\"d" # x',
		"    kkkkkk ss.i.i...i..sssssssss . sssssss ccc",
		"x = f\"{a['b']} c\" + u'd' + deff",
		"i . ss.i.sss..sss . ssss . iiii",
	],
	[
		"python",
		"continues only triple-quoted strings on the next line",
		"x = '''a",
		"i . ssss",
		"\"b' ''' + y",
		"sssssss . i",
		"s = 'open",
		"i . sssss",
		"z = f'{open",
		"i . ss.iiii",
		"z",
		"i",
	],
	[
		"rust",
		"distinguishes lifetimes from character literals",
		"fn f<'a>(x: &'a str) -> char { '\\'' } // 'b",
		"kk i.ii..i. .ii kkk. .. kkkk . ssss . ccccc",
		"let c = '\"'; b'x'; 'outer: loop { '\\u{1F600}' }",
		"kkk i . sss. ssss. iiiiii. kkkk . sssssssssss .",
	],
	[
		"rust",
		"reads nested comments, raw strings and raw identifiers",
		'/* a /* b */ c */ d r#"e "f"# g "h',
		"ccccccccccccccccc i sssssssss i ss",
		'i" j 1..2 b"k" br"\\" r#type',
		"ss i n..n ssss sssss iiiiii",
		"#[derive(Debug)] x",
		"..iiiiii.iiiii.. i",
	],
	[
		"go",
		"ends strings with their line, but raw ones with their quote",
		"x := `a",
		"i .. ss",
		'"b` + "c\\"d" + \'e\' // f',
		"sss . ssssss . sss cccc",
		's := "open\\',
		"i .. ssssss",
		"y",
		"i",
	],
	[
		"java",
		"reads text blocks and characters",
		'String s = """',
		"iiiiii i . sss",
		'  a "b" \\""" c',
		"ssssssssssssss",
		"  \"\"\"; char c = '\\''; @Override // d",
		"sssss. kkkk i . ssss. .iiiiiiii cccc",
	],
	[
		"cpp",
		"reads preprocessor directives",
		"#include <it's.h>",
		"kkkkkkkk ssssssss",
		"# define A 1'000 // b\\",
		"kkkkkkkk i nnnnn ccccc",
		"c",
		"c",
		"#error don't",
		"cccccccccccc",
		"x # y",
		"i . i",
	],
	[
		"cpp",
		"reads string prefixes and raw strings",
		'auto s = R"x(a)" b',
		"kkkk i . sssssssss",
		')x" + u8"c" + L\'d\' + U;',
		"sss . sssss . ssss . i.",
	],
	[
		"csharp",
		"reads verbatim and interpolated strings",
		'var a = @"b\\" + $"c {d["e"]} {{f}}" + $@"g ""{h}',
		"kkk i . sssss . ssss.i.sss..sssssss . sssssss.i.",
		'" + @class;',
		"s . iiiiii.",
	],
	[
		"csharp",
		"reads raw strings and directives",
		"#region it's",
		"cccccccccccc",
		"#if DEBUG",
		"kkk iiiii",
		'var r = """',
		"kkk i . sss",
		' i "j" ',
		"sssssss",
		' """ + $"""k {l} "m" """ + \'n\';',
		"ssss . ssssss.i.ssssssss . sss.",
	],
	[
		"ruby",
		"reads heredocs and the code in them",
		"x = [<<~A, <<-'B'] + b",
		"i . .ssss. ssssss. . i",
		'  a \'b #{c + "d"}',
		"sssssss..i . sss.",
		"A",
		"s",
		"  e",
		"sss",
		"  B",
		"sss",
		"f = %w[a [b] c] # d",
		"i . sssssssssss ccc",
	],
	[
		"ruby",
		"reads multi-line comments and the text after __END__",
		"=begin",
		"cccccc",
		"it's",
		"cccc",
		"=end",
		"cccc",
		"z = a / b; puts /it's/; :sym",
		"i . i . i. iiii ssssss. .iii",
		"__END__",
		"ccccccc",
		"it's",
		"cccc",
	],
	[
		"ruby",
		"does not mistake a shift for a heredoc",
		"class << self",
		"kkkkk .. kkkk",
		"  a << B",
		"  i .. i",
		'  "x',
		"  ss",
		'y #{z}" ; ?" ; c',
		"ss..i.s . ss . i",
		"end",
		"kkk",
	],
	[
		"php",
		"finds code in a template",
		"<p>it's</p>",
		"sssssssssss",
		"<?php // a ?> don't <?= $b ?>",
		"..... ccccc..sssssss... ii ..",
		"<?php # it's",
		"..... cccccc",
		"#[Attr]",
		"..iiii.",
		"$c",
		"ii",
	],
	[
		"php",
		"finds variables in strings and heredocs",
		"<?php",
		".....",
		"$s = \"d $e {$f['g']}\" . <<<X",
		"ii . sssiis.ii.sss..s . ssss",
		" h $i",
		"sssii",
		" X . 'j $k';",
		"ss . ssssss.",
	],
	[
		"shellscript",
		"does not mistake a # in a word for a comment, or an apostrophe for a quote",
		"echo $# a # b 'c",
		"iiii i. i cccccc",
		'echo "d # e" don\'t',
		"iiii sssssss iii.i",
	],
	[
		"css",
		"reads block comments only",
		'a { content: "x"; b: url(http://c) } /* it\'s */ d',
		"i . iiiiiii. sss. i. iii.iiii...i. . cccccccccc i",
	],
	["markdown", "finds only words in prose", "It's a `b` // c # d", "ii.i i .i. .. i . i"],
];

test.each(PICTURES)("in %s, %s", (languageId, _, ...drawn) => {
	const lines = drawn.filter((_, i) => i % 2 === 0);
	expect(draw(languageId, lines.join("\n"))).toEqual(drawn);
	expect(draw(languageId, lines.join("\r\n"))).toEqual(drawn);
});

test.each(PICTURES)("tokenizing line by line, in %s, %s", (languageId, _, ...drawn) => {
	const source = drawn.filter((_, i) => i % 2 === 0).join("\n");
	const text = Text.of(source);
	let state: LexerState | undefined;
	let start = 0;
	const tokens = source.split(/(?<=\n)/).flatMap((line) => {
		const read = tokenizeLine(line, syntaxOf(languageId), state);
		const moved = read.tokens.map((token) => ({ ...token, from: token.from + start, to: token.to + start }));
		state = read.state;
		start += line.length;
		return moved;
	});
	expect(tokens).toEqual(tokensIn({ uri: "a", languageId, version: 0, text }, 0, text.length));
});

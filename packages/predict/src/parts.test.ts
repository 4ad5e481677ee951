import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { partAt } from "./parts.js";

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
	const document = { uri: "a", languageId, version: 0, text: Text.of(source) };
	expect(partAt(document, source.indexOf("X"))).toBe(part);
});

const TOKENS = [
	"a",
	"f",
	"x = 1",
	" ",
	"\n",
	"\n",
	"\r\n",
	"\r",
	'"',
	"'",
	"`",
	'"""',
	"'''",
	"//",
	"/*",
	"*/",
	"#",
	"\\",
	"${",
	"{",
	"}",
];

test.each(["c", "go", "typescript", "rust", "python", "shellscript"])(
	"knows the parts of every version of a text as if it were the first, in %s",
	(languageId) => {
		const someTokens = (maxLength: number) => {
			return fc.array(fc.constantFrom(...TOKENS), { maxLength, size: "max" }).map((tokens) => tokens.join(""));
		};
		const lines = [
			"let a = 'b'; // it\n",
			'f("x");\n',
			"/* a\n b */ x\n",
			`\`a \${b}\n\`\n`,
			'"""doc\n"""\n',
			"# note\n",
			"code\n",
			"fn<'a>\n",
		];
		const someLines = fc.array(fc.constantFrom(...lines), { minLength: 100, maxLength: 160, size: "max" });
		const someSource = fc.tuple(someLines, someTokens(30), fc.nat()).map(([some, odd, where]) => {
			return some.toSpliced(where % some.length, 0, odd).join("");
		});
		const someEdit = fc.tuple(fc.nat(), fc.nat(6), someTokens(4));
		fc.assert(
			fc.property(someSource, fc.array(someEdit, { minLength: 1, maxLength: 3 }), (source, edits) => {
				let text = Text.of(source);
				for (const [where, length, insert] of edits) {
					partAt({ uri: "a", languageId, version: 0, text }, 0);
					const from = where % (text.length + 1);
					text = text.replace(from, Math.min(from + length, text.length), insert);
					const fresh = Text.of(text.toString());
					const partsOf = (of: Text) => {
						return Array.from(
							{ length: of.length + 1 },
							(_, at) => partAt({ uri: "a", languageId, version: 0, text: of }, at)[0],
						);
					};
					expect(partsOf(text).join("")).toBe(partsOf(fresh).join(""));
				}
			}),
		);
	},
);

import { History, type Scene, sceneOf } from "@segue/predict";
import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { redactMessage } from "./message-redaction.js";

function sceneIn(root: string): Scene {
	const document = { uri: `${root}/src/own.ts`, languageId: "typescript", version: 0, text: Text.of("log()") };
	return {
		...sceneOf(document, History.empty, 0),
		workspace: { uri: root, folders: [], repository: undefined },
		ignored: new Set([`${root}/dist/out.ts`]),
	};
}

const SHOP = sceneIn("file:///home/alice/shop");
const TILLS = sceneIn("file:///c%3A/Users/Alice%20B/my%20tills");

test.each<[Scene, string, string]>([
	[SHOP, "Cannot find name 'cnt'.", "Cannot find name 'cnt'."],
	[
		SHOP,
		"Type 'A.B' is no 'Map<string, a.b>' and/or 1/2, e.g. ...",
		"Type 'A.B' is no 'Map<string, a.b>' and/or 1/2, e.g. ...",
	],
	[SHOP, "'</' or '</div>' or '//' or '/' or '/*' expected.", "'</' or '</div>' or '//' or '/' or '/*' expected."],
	[SHOP, "See https://example.com/home/rules.", "See https://example.com/home/rules."],
	[SHOP, "Cannot find './users/list' or '../home/a/b.ts'", "Cannot find './users/list' or '../home/a/b.ts'"],
	[
		SHOP,
		"'/home/alice/shop/node_modules/x/index.js' implicitly has an 'any' type.",
		"'node_modules/x/index.js' implicitly has an 'any' type.",
	],
	[SHOP, "declared in /home/alice/shop/src/a.ts:3:4.", "declared in src/a.ts:3:4."],
	[SHOP, "declared in (/home/alice/shop/src/a.ts(3,4))", "declared in (src/a.ts(3,4))"],
	[SHOP, "see file:///home/alice/shop/src/a%20b.ts#L3", "see src/a b.ts"],
	[SHOP, "not under '/home/alice/my notes/deep/b.ts'", "not under 'deep/b.ts'"],
	[SHOP, "no -I/home/alice/inc/x.h in /home/alice", "no -Iinc/x.h in …"],
	[SHOP, "no C:\\Users\\alice\\b.ts and \\\\server\\alice\\lib\\c.ts", "no b.ts and lib/c.ts"],
	[SHOP, "reads '/home/alice/shop/.env', ../.env.local and keys/id_rsa", "reads '…', … and …"],
	[SHOP, "reads '/home/alice/shop/dist/out.ts', ../dist/out.ts and dist/out.ts", "reads '…', … and …"],
	[TILLS, "no C:\\Users\\alice B\\my tills\\src\\a.ts here", "no src/a.ts here"],
	[TILLS, "no c:/Users/alice B/my tills/src/a.ts here", "no src/a.ts here"],
	[TILLS, "no C:\\Users\\alice B\\lib\\a.ts here", "no lib/a.ts here"],
])("redacts message %#: %s", (scene, message, expected) => {
	expect(redactMessage(message, scene)).toBe(expected);
});

test("cuts a message at five hundred characters, never inside a surrogate pair", () => {
	expect(redactMessage(`${"x".repeat(499)}😀`, SHOP)).toBe("x".repeat(499));
});

test("never reveals the user's name or the name of a hidden file", () => {
	const someFolder = fc.constantFrom(
		"/home/alice/",
		"/home/alice/shop/",
		"/Users/alice/",
		"C:\\Users\\alice\\",
		"c:/users/alice/",
	);
	const someName = fc.constantFrom("deep/hidden.pem", "dist/hidden.ts", ".env.hidden", "src/a.ts", "a.ts", "");
	const someWriting = fc.constantFrom<(path: string) => string>(
		(path) => path,
		(path) => path.replaceAll("\\", "/"),
		(path) => path.replaceAll("/", "\\"),
		(path) => `file://${path.replace(/^(?!\/)/, "/").replaceAll("\\", "/")}`,
	);
	const someFrame = fc.constantFrom(
		["'", "' is none."],
		['"', '"'],
		["in ", ":3:4"],
		["(", "(3,4))"],
		["", ", and more"],
	);
	const ignored = new Set(
		["/home/alice/", "/home/alice/shop/", "/Users/alice/"].map((at) => `file://${at}dist/hidden.ts`),
	);
	for (const drive of ["Users", "users"]) ignored.add(`file:///c:/${drive}/alice/dist/hidden.ts`);
	fc.assert(
		fc.property(fc.array(fc.tuple(someFolder, someName, someWriting, someFrame), { maxLength: 4 }), (mentions) => {
			const parts = mentions.map(([folder, name, write, [head, tail]]) => `${head}${write(folder + name)}${tail}`);
			const message = redactMessage(parts.join(" "), { ...SHOP, ignored });
			expect(message).not.toMatch(/alice|hidden/i);
		}),
	);
});

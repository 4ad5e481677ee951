import { predict } from "@segue/predict";
import { IndexesHere, TestFolder } from "@segue/testing/indexed-folder";
import { Change, languageOf, Text } from "@segue/text";
import { expect, test } from "vitest";
import { NO_CONTEXT } from "../next-edit/request.js";
import { Session } from "../next-edit/session.js";

/**
 * Types a text at the mark `▮` of the file `name`, which is the only one that is open. Returns the file after the suggestion, or why there is
 * none.
 */
async function typed(
	files: Readonly<Record<string, string>>,
	name: string,
	text: string,
	{ isOpen = [] as readonly string[], back = 0, isIndexed = true } = {},
): Promise<string> {
	const marked = files[name] ?? "";
	const from = marked.indexOf("▮");
	const before = marked.replace("▮", "");
	const folder = new TestFolder({ ...files, [name]: before });
	const indexes = new IndexesHere();
	const session = new Session({
		kinds: new Set(["jump"]),
		workspace: { uri: undefined, folders: [{ uri: folder.uri, name: "" }], repository: undefined },
		predict,
		...(isIndexed && { folders: indexes }),
		now: () => 0,
	});
	if (isIndexed) await indexes.indexed();
	const open = (one: string, content: string) => {
		session.didOpen({ uri: folder.uriOf(one), languageId: languageOf(one), version: 1, text: Text.of(content) });
	};
	for (const one of isOpen) open(one, files[one] ?? "");
	open(name, before);
	const change = Change.of([{ from, to: from, insert: text }], before.length);
	const uri = folder.uriOf(name);
	session.didChange({ uri, version: 2, change, isWhole: false });
	const cursor = from + text.length - back;
	const request = { uri, version: 2, cursor, anchor: cursor, trigger: "automatic", context: NO_CONTEXT } as const;
	const answer = await session.suggest(request, { signal: new AbortController().signal });
	await session.close();
	if ("silence" in answer) return answer.silence;
	const [{ suggestion }] = answer.suggestions;
	if (suggestion.kind !== "edit") return suggestion.kind;
	const after = change.apply(Text.of(before));
	return Change.of(suggestion.edits, after.length).apply(after).toString();
}

const DATES = "export function formatDate(): void {}\nexport function parseDate(): void {}\n";

test.for([
	[
		"joins the list that a file has from there",
		{ "src/dates.ts": DATES, "src/a.ts": 'import { formatDate } from "./dates";\n\nformatDate();\n▮' },
		"parseDate();\n",
		'import { formatDate, parseDate } from "./dates";\n\nformatDate();\nparseDate();\n',
	],
	[
		"writes a statement with the file's quotes and endings",
		{ "lib/dates.ts": DATES, "src/a.ts": "import { x } from './x.js'\n\nx()\n▮", "src/x.ts": "export const x = 1\n" },
		"parseDate()\n",
		"import { x } from './x.js'\nimport { parseDate } from '../lib/dates.js'\n\nx()\nparseDate()\n",
	],
	[
		"imports a class of Python from a file beside it",
		{ "store.py": "class Order:\n    pass\n", "main.py": "import sys\n\n\nprint(sys.argv)\n▮" },
		"print(Order(1))\n",
		"import sys\nfrom store import Order\n\n\nprint(sys.argv)\nprint(Order(1))\n",
	],
	[
		"names a module of Python as other files do",
		{
			"pack/store.py": "def load(path):\n    pass\n",
			"tests/test_a.py": "from pack.store import load\n\nload(1)\n",
			"tests/test_b.py": "import sys\n\nprint(sys.argv)\n▮",
		},
		"load(2)\n",
		"import sys\nfrom pack.store import load\n\nprint(sys.argv)\nload(2)\n",
	],
	[
		"imports a function of Rust from its module",
		{ "src/shapes.rs": "pub fn area() {}\n", "src/main.rs": "use std::fmt;\n\nfn main() {\n▮}\n" },
		"    area();\n",
		"use std::fmt;\nuse crate::shapes::area;\n\nfn main() {\n    area();\n}\n",
	],
	[
		"imports a package of Go that other files import",
		{
			"a.go": 'package main\n\nimport (\n\t"example.com/app/store"\n)\n\nvar _ = store.Load()\n',
			"b.go": 'package main\n\nimport (\n\t"fmt"\n)\n\nfunc main() {\n\tfmt.Println()\n▮}\n',
		},
		"\tstore.Load()\n",
		'package main\n\nimport (\n\t"fmt"\n\t"example.com/app/store"\n)\n\nfunc main() {\n\tfmt.Println()\n\tstore.Load()\n}\n',
	],
] as const)("a missing import %s", async ([, files, text, expected]) => {
	const name = Object.entries(files).find(([, content]) => content.includes("▮"))?.[0] ?? "";
	expect(await typed(files, name, text)).toBe(expected);
});

const USER = 'import { x } from "./x";\n\nx();\n▮';

test("finds the export in an open file as well as on disk, and the editor's text counts", async () => {
	const files = { "src/x.ts": "export const x = 1;\n", "src/dates.ts": DATES, "src/a.ts": USER };
	const expected = 'import { x } from "./x";\nimport { parseDate } from "./dates";\n\nx();\nparseDate();\n';
	expect(await typed(files, "src/a.ts", "parseDate();\n", { isOpen: ["src/dates.ts"] })).toBe(expected);
	expect(await typed(files, "src/a.ts", "parseDate();\n")).toBe(expected);
});

test.for([
	["is exported by two files", { "src/b.ts": DATES, "src/c.ts": DATES }, "parseDate();\n"],
	["is exported by nobody", { "src/b.ts": "function parseDate() {}\n" }, "parseDate();\n"],
	[
		"other files have from a package",
		{ "src/b.ts": DATES, "src/c.ts": 'import { parseDate } from "dates";\n' },
		"parseDate();\n",
	],
	["other files use without an import", { "src/b.ts": DATES, "src/c.ts": "parseDate();\n" }, "parseDate();\n"],
	["the sources of another package export", { "other/src/b.ts": DATES }, "parseDate();\n"],
	["is built in", { "src/b.ts": "export function fetch() {}\n" }, "fetch();\n"],
	["is declared in the file", { "src/b.ts": DATES }, "const parseDate = 1; parseDate();\n"],
	["is a parameter", { "src/b.ts": DATES }, "function f(parseDate: Date) { parseDate(); }\n"],
	["is a member or a key", { "src/b.ts": DATES }, "x.parseDate(); x({ parseDate: 1 });\n"],
	["is in a text or a comment", { "src/b.ts": DATES }, 'x("parseDate()"); // parseDate()\n'],
	["is in another language", { "src/b.py": "def parseDate():\n    pass\n" }, "parseDate();\n"],
] as const)("nothing is imported where a name %s", async ([, files, text]) => {
	const answer = await typed({ ...files, "src/x.ts": "export const x = 1;\n", "src/a.ts": USER }, "src/a.ts", text);
	expect(answer).not.toContain("import");
});

test("nothing is imported while the name is typed, without an index, or where a file gets all names of a module", async () => {
	const files = { "src/x.ts": "export const x = 1;\n", "src/dates.ts": DATES, "src/a.ts": USER };
	expect(await typed(files, "src/a.ts", "parseDate")).not.toContain("import");
	expect(await typed(files, "src/a.ts", "parseDate();\n", { back: 6 })).not.toContain("import");
	expect(await typed(files, "src/a.ts", "parseDate();\n", { isIndexed: false })).not.toContain("import");
	const python = { "store.py": "def load_all():\n    pass\n", "main.py": "from x import *\n\n▮" };
	expect(await typed(python, "main.py", "load_all()\n")).not.toContain("import");
});

import { predict } from "@segue/predict";
import { InlineFolderIndexes, TestFolder } from "@segue/testing/process/indexed-folder";
import { Change, languageOf, Text } from "@segue/text";
import { expect, test } from "vitest";
import { NO_CONTEXT } from "../next-edit/request.js";
import { NextEditSession } from "../next-edit/session.js";

/**
 * Types text at the mark `▮` in the file `name`. By default, no other file is open. Returns the text after the
 * suggestion, or the reason why there is none.
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
	const indexes = new InlineFolderIndexes();
	const session = new NextEditSession({
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
		"is added to an existing list",
		{ "src/dates.ts": DATES, "src/a.ts": 'import { formatDate } from "./dates";\n\nformatDate();\n▮' },
		"parseDate();\n",
		'import { formatDate, parseDate } from "./dates";\n\nformatDate();\nparseDate();\n',
	],
	[
		"is a statement with the file's quotes, semicolons and extensions",
		{ "lib/dates.ts": DATES, "src/a.ts": "import { x } from './x.js'\n\nx()\n▮", "src/x.ts": "export const x = 1\n" },
		"parseDate()\n",
		"import { x } from './x.js'\nimport { parseDate } from '../lib/dates.js'\n\nx()\nparseDate()\n",
	],
	[
		"is a Python class from a file in the same folder",
		{ "store.py": "class Order:\n    pass\n", "main.py": "import sys\n\n\nprint(sys.argv)\n▮" },
		"print(Order(1))\n",
		"import sys\nfrom store import Order\n\n\nprint(sys.argv)\nprint(Order(1))\n",
	],
	[
		"is a Python function, relative within the same package",
		{
			"app/__init__.py": "",
			"app/util.py": "def save_users(path, users):\n    pass\n",
			"app/fresh.py": "import sys\n\nprint(sys.argv)\n▮",
			"cli.py": "from app.util import load_users\n\nload_users(1)\n",
		},
		"save_users(1, [])\n",
		"import sys\nfrom .util import save_users\n\nprint(sys.argv)\nsave_users(1, [])\n",
	],
	[
		"uses the Python module name that other files use within the same package",
		{
			"app/__init__.py": "",
			"app/util.py": "def load_users(path):\n    pass\n",
			"app/fresh.py": "import sys\n\nprint(sys.argv)\n▮",
			"cli.py": "from app.util import load_users\n\nload_users(1)\n",
		},
		"load_users(2)\n",
		"import sys\nfrom app.util import load_users\n\nprint(sys.argv)\nload_users(2)\n",
	],
	[
		"uses the Python module name that other files use",
		{
			"pack/store.py": "def load(path):\n    pass\n",
			"tests/test_a.py": "from pack.store import load\n\nload(1)\n",
			"tests/test_b.py": "import sys\n\nprint(sys.argv)\n▮",
		},
		"load(2)\n",
		"import sys\nfrom pack.store import load\n\nprint(sys.argv)\nload(2)\n",
	],
	[
		"is a Rust function from its module",
		{ "src/shapes.rs": "pub fn area() {}\n", "src/main.rs": "use std::fmt;\n\nfn main() {\n▮}\n" },
		"    area();\n",
		"use std::fmt;\nuse crate::shapes::area;\n\nfn main() {\n    area();\n}\n",
	],
	[
		"is a Go package that other files import",
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

test("finds the export in an open file as well as on disk", async () => {
	const files = { "src/x.ts": "export const x = 1;\n", "src/dates.ts": DATES, "src/a.ts": USER };
	const expected = 'import { x } from "./x";\nimport { parseDate } from "./dates";\n\nx();\nparseDate();\n';
	expect(await typed(files, "src/a.ts", "parseDate();\n", { isOpen: ["src/dates.ts"] })).toBe(expected);
	expect(await typed(files, "src/a.ts", "parseDate();\n")).toBe(expected);
});

test.for([
	["is exported by two files", { "src/b.ts": DATES, "src/c.ts": DATES }, "parseDate();\n"],
	["is not exported by any file", { "src/b.ts": "function parseDate() {}\n" }, "parseDate();\n"],
	[
		"is imported from a package by other files",
		{ "src/b.ts": DATES, "src/c.ts": 'import { parseDate } from "dates";\n' },
		"parseDate();\n",
	],
	[
		"is exported by two files, one with a multi-line list",
		{ "src/b.ts": DATES, "src/c.ts": "function parseDate() {}\nexport {\n\tparseDate,\n};\n" },
		"parseDate();\n",
	],
	[
		"is exported by two files, one with an alias",
		{ "src/b.ts": DATES, "src/c.ts": "function parse() {}\nexport { parse as parseDate };\n" },
		"parseDate();\n",
	],
	[
		"is exported by two files, one by default",
		{ "src/b.ts": DATES, "src/c.ts": "const parseDate = 1;\nexport default parseDate;\n" },
		"parseDate();\n",
	],
	[
		"is exported by two files, one by destructuring",
		{ "src/b.ts": DATES, "src/c.ts": "export const { parseDate } = make();\n" },
		"parseDate();\n",
	],
	[
		"is exported by two files, one as CommonJS",
		{ "src/b.ts": DATES, "src/c.js": "function parseDate() {}\nmodule.exports = {\n\tparseDate,\n};\n" },
		"parseDate();\n",
	],
	[
		"is exported by two files, one of them too large to read",
		{ "src/b.ts": DATES, "src/c.ts": `${DATES}${"// x y\n".repeat(160_000)}` },
		"parseDate();\n",
	],
	["is exported only by a test", { "src/b.test.ts": DATES }, "parseDate();\n"],
	[
		"is exported by another package",
		{ "other/lib/b.ts": DATES, "other/package.json": "{}", "package.json": "{}" },
		"parseDate();\n",
	],
	["is used without an import in other files", { "src/b.ts": DATES, "src/c.ts": "parseDate();\n" }, "parseDate();\n"],
	["is exported by the sources of another package", { "other/src/b.ts": DATES }, "parseDate();\n"],
	["is built in", { "src/b.ts": "export function fetch() {}\n" }, "fetch();\n"],
	["is declared in the file", { "src/b.ts": DATES }, "const parseDate = 1; parseDate();\n"],
	["is a parameter", { "src/b.ts": DATES }, "function f(parseDate: Date) { parseDate(); }\n"],
	["is a member or a key", { "src/b.ts": DATES }, "x.parseDate(); x({ parseDate: 1 });\n"],
	["is in a string or a comment", { "src/b.ts": DATES }, 'x("parseDate()"); // parseDate()\n'],
	["is in another language", { "src/b.py": "def parseDate():\n    pass\n" }, "parseDate();\n"],
] as const)("imports nothing if the name %s", async ([, files, text]) => {
	const answer = await typed({ ...files, "src/x.ts": "export const x = 1;\n", "src/a.ts": USER }, "src/a.ts", text);
	expect(answer).not.toContain("import");
});

test.for([
	["is exported by a test", { "pkg/test_store.py": "def load_all():\n    pass\n" }],
	["is a variable in another file", { "pkg/a.py": "def load_all():\n    pass\n", "pkg/b.py": "load_all = make()\n" }],
] as const)("imports nothing in Python if the name %s", async ([, files]) => {
	const answer = await typed(
		{ ...files, "pkg/main.py": "import sys\n\nprint(sys.argv)\n▮" },
		"pkg/main.py",
		"load_all()\n",
	);
	expect(answer).not.toContain("import");
});

test("imports from a test into another test, and from another folder in the same package", async () => {
	const files = { "src/x.ts": "export const x = 1;\n", "src/a.test.ts": USER, "src/b.test.ts": DATES };
	expect(await typed(files, "src/a.test.ts", "parseDate();\n")).toContain('import { parseDate } from "./b.test";');
	const inside = { "package.json": "{}", "lib/b.ts": DATES, "src/x.ts": "export const x = 1;\n", "src/a.ts": USER };
	expect(await typed(inside, "src/a.ts", "parseDate();\n")).toContain('import { parseDate } from "../lib/b";');
});

const GO = 'package main\n\nimport (\n\t"fmt"\n)\n\nfunc main() {\n\tfmt.Println()\n▮}\n';

test.for([
	["", "var store = New()\n"],
	[" in a block", "var (\n\tother = 1\n\tstore = New()\n)\n"],
] as const)("imports no Go package if a file in the same package declares the name%s", async ([, declared]) => {
	const files = {
		"a.go": 'package main\n\nimport (\n\t"example.com/app/store"\n)\n\nvar _ = store.Load()\n',
		"p/g.go": `package p\n\n${declared}`,
		"p/b.go": GO.replace("package main", "package p"),
	};
	expect(await typed(files, "p/b.go", "\tstore.Load()\n")).not.toContain("app/store");
});

test("imports a Go package by module name and folder if no other file imports it", async () => {
	const store = "package store\n\nfunc Load() {}\n";
	const files = { "go.mod": "module example.com/app\n\ngo 1.22\n", "data/store/store.go": store, "cmd/b.go": GO };
	expect(await typed(files, "cmd/b.go", "\tstore.Load()\n")).toContain('\t"example.com/app/data/store"\n');
	const two = { ...files, "other/store/store.go": store };
	expect(await typed(two, "cmd/b.go", "\tstore.Load()\n")).not.toContain("/store");
	const { "go.mod": _, ...without } = files;
	expect(await typed(without, "cmd/b.go", "\tstore.Load()\n")).not.toContain("/store");
	const inner = { ...files, "data/go.mod": "module example.com/data\n" };
	expect(await typed(inner, "cmd/b.go", "\tstore.Load()\n")).not.toContain("/store");
});

test("imports nothing if too many files contain the name", async () => {
	const users = (count: number) => {
		const names = Array.from({ length: count }, (_, i) => `src/user${i}.ts`);
		return Object.fromEntries(names.map((name) => [name, 'import { parseDate } from "./dates";\nparseDate();\n']));
	};
	const files = { "src/x.ts": "export const x = 1;\n", "src/dates.ts": DATES, "src/a.ts": USER };
	expect(await typed({ ...files, ...users(20) }, "src/a.ts", "parseDate();\n")).toContain("{ parseDate }");
	expect(await typed({ ...files, ...users(30) }, "src/a.ts", "parseDate();\n")).not.toContain("import");
});

test("imports nothing while the name is being typed, without an index, or in a file with a wildcard import", async () => {
	const files = { "src/x.ts": "export const x = 1;\n", "src/dates.ts": DATES, "src/a.ts": USER };
	expect(await typed(files, "src/a.ts", "parseDate")).not.toContain("import");
	expect(await typed(files, "src/a.ts", "parseDate();\n", { back: 6 })).not.toContain("import");
	expect(await typed(files, "src/a.ts", "parseDate();\n", { isIndexed: false })).not.toContain("import");
	const python = { "store.py": "def load_all():\n    pass\n", "main.py": "from x import *\n\n▮" };
	expect(await typed(python, "main.py", "load_all()\n")).not.toContain("import");
});

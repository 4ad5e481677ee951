import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { addImport, importAt, importsIn, removeImport } from "./imports.js";
import type { ImportSource } from "./language.js";

function documentOf(languageId: string, source: string) {
	return { uri: "a", languageId, version: 0, text: Text.of(source) };
}

/** The text after adding an import. */
function added(languageId: string, source: string, name: string, from: ImportSource): string | undefined {
	const document = documentOf(languageId, source);
	const edit = addImport(document, name, from);
	return edit && Change.of([edit], source.length).apply(document.text).toString();
}

/** The text after removing the import of the name at the mark. */
function removed(languageId: string, marked: string): string | undefined {
	const at = marked.indexOf("|");
	const document = documentOf(languageId, marked.replace("|", ""));
	const found = importAt(document, at);
	const edit = found && removeImport(document, found.statement, found.name);
	return edit && Change.of([edit], document.text.length).apply(document.text).toString();
}

test.for([
	["typescript", 'import { a, type B, c as d } from "./m"', "./m: a B d"],
	["typescript", 'import {\n\ta,\n\tb,\n} from "./m"\nimport e from "e"', "./m: a b; e: e"],
	["python", "from .m import (\n    a,\n    b,\n)\nimport os", ".m: a b; os: os"],
	["rust", "use a::b::{C, D};\nuse e::F;", "a::b: C D; e: F"],
	["go", 'import (\n\t"fmt"\n\t"path/filepath"\n)', "fmt: fmt; path/filepath: filepath"],
	["java", "import java.util.List;", "java.util: List"],
	["php", "<?php\nuse App\\Model\\User;", "App\\Model: User"],
	["csharp", "using System.Linq;", "System.Linq: System.Linq"],
	["typescript", "// import { a } from 'b'\nconst c = 1", ""],
] as const)("reads the imports in %s: %s", ([languageId, source, expected]) => {
	const imports = importsIn(documentOf(languageId, source));
	const printed = imports.map(({ module, names }) => `${module}: ${names.map(({ name }) => name).join(" ")}`);
	expect(printed.join("; ")).toBe(expected);
});

describe("an import", () => {
	test.for([
		["typescript", "import { a } from './m';\n", "./m", "import { a, x } from './m';\n"],
		["typescript", "import { B, z } from './m';\n", "./m", "import { B, x, z } from './m';\n"],
		["typescript", "import {\n\ta,\n\tz,\n} from './m';\n", "./m", "import {\n\ta,\n\tx,\n\tz,\n} from './m';\n"],
		[
			"typescript",
			"import {\n\ta, // x\n\tb,\n\tz,\n} from './m';\n",
			"./m",
			"import {\n\ta, // x\n\tb,\n\tz,\n\tx,\n} from './m';\n",
		],
		["rust", "use a::{self, Z};\n", "a", "use a::{self, Z, x};\n"],
		["typescript", "import { z, a } from './m';\n", "./m", "import { z, a, x } from './m';\n"],
		["typescript", "import {\n\ta,\n\tb,\n} from './m';\n", "./m", "import {\n\ta,\n\tb,\n\tx,\n} from './m';\n"],
		["typescript", "import { a } from './n';\n", "./m", "import { a } from './n';\nimport { x } from './m';\n"],
		["typescript", "one()\n", "./m", 'import { x } from "./m"\n\none()\n'],
		["python", '"""Doc."""\n\none()\n', "m", '"""Doc."""\n\nfrom m import x\n\none()\n'],
		["rust", "use a::{B, C};\n", "a", "use a::{B, C, x};\n"],
		["java", "package p;\n\nclass A {}\n", "q", "package p;\n\nimport q.x;\n\nclass A {}\n"],
	] as const)("in %s is added to %s", ([languageId, source, module, expected]) => {
		expect(added(languageId, source, "x", { module, form: "named" })).toBe(expected);
	});

	test.for([
		["typescript", 'import { a, |b } from "m"\n', 'import { a } from "m"\n'],
		["typescript", 'import { |a, b } from "m"\n', 'import { b } from "m"\n'],
		["typescript", 'import {\n\ta,\n\t|b,\n\tc,\n} from "m"\n', 'import {\n\ta,\n\tc,\n} from "m"\n'],
		["typescript", 'import { |a } from "m"\none()\n', "one()\n"],
		["python", "import |os\nimport sys\n", "import sys\n"],
		["go", 'import (\n\t"fmt"\n\t"|os"\n)\n', 'import (\n\t"fmt"\n)\n'],
		["java", "import a.|B;\nimport a.C;\n", "import a.C;\n"],
	] as const)("in %s is removed from %s", ([languageId, source, expected]) => {
		expect(removed(languageId, source)).toBe(expected);
	});
});

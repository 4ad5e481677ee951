import { expect, test } from "vitest";
import { importsOf } from "./imports.js";

/** Lists the imports of a source: the line number, the module, and "type" for a type import. */
function found(source: string): string[] {
	return importsOf(source).map(({ line, specifier, typeOnly }) => `${line} ${specifier}${typeOnly ? " type" : ""}`);
}

test.for([
	[`import a from "x"`, "1 x"],
	[`import "x"`, "1 x"],
	[`import * as a from 'x'`, "1 x"],
	[`import a, { b as c, type D } from "x"`, "1 x"],
	[`import { "odd name" as a } from "x"`, "1 x"],
	[`import {\n\ta,\n\tb,\n} from\n\t"x"`, "1 x"],
	[`import data from "./x.json" with { type: "json" }`, "1 ./x.json"],
	[`import type { A } from "x"`, "1 x type"],
	[`import type A from "x"`, "1 x type"],
	[`import type * as a from "x"`, "1 x type"],
	[`import type from "x"`, "1 x"],
	[`import type, { a } from "x"`, "1 x"],
	[`import from from "x"`, "1 x"],
	[`export * from "x"`, "1 x"],
	[`export * as a from "x"`, "1 x"],
	[`export { a, b as c } from "x"`, "1 x"],
	[`export type { A } from "x"`, "1 x type"],
	[`export type * from "x"`, "1 x type"],
	[`const a = await import("x")`, "1 x"],
	["const a = await import(`x`)", "1 x"],
	[`const a = { ...require("x") }`, "1 x"],
	[`let a: import("x").A`, "1 x"],
	[`import a = require("x")`, "1 x"],
	[`require.resolve("x")`, "1 x"],
	[`\`\${await import("x")} and \${\`\${require('y')}\`}\``, "1 x", "1 y"],
	[`#!/usr/bin/env node\nimport "x"`, "2 x"],
	[`export { a }\nimport "x"`, "2 x"],
	[`const a = b / 2; import "x"; c / 3`, "1 x"],
	[`if (a) /["']/.test(b); import("x")`, "1 x"],
	[`const a = /[/"]/, b = f(1) / 2\nimport "x"`, "2 x"],
] as const)("finds the modules in `%s`", ([source, ...expected]) => {
	expect(found(source)).toEqual(expected);
});

test.for([
	`// import "x"`,
	`/* import "x"\nimport "y" */`,
	`const a = 'import "x"'`,
	'const a = `import "x"`',
	`const a = \`\${b} import "x" \${c} require("y")\``,
	`const a = "\\"; import 'x'"`,
	`const a = /import "x"/`,
	`return /require("x")/`,
	`a.import("x"), a?.require("y")`,
	`import(a), require(a), import.meta.url`,
	`import(\`./\${a}.js\`)`,
	`export { a }; const from = "x"`,
	`export const a = from, b = "x"`,
	`export default "x"`,
	`const { from } = a; export { from }`,
])("finds no module in `%s`", (source) => {
	expect(found(source)).toEqual([]);
});

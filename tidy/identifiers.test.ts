import { describe, expect, test } from "vitest";
import { findDuplicateExports, findOldNames, findUnqualifiedWireNames } from "./identifiers.js";

/** Returns a workspace with some packages and these sources. */
function workspace(sources: Readonly<Record<string, string>>): Record<string, string> {
	const titles = ["protocol", "rpc", "server", "text"];
	const manifests = titles.map((title) => [`packages/${title}/package.json`, `{ "name": "@segue/${title}" }`]);
	return { ...Object.fromEntries(manifests), ...sources };
}

describe("a duplicate export", () => {
	test("is found if two packages declare the same name", () => {
		const tree = workspace({
			"packages/rpc/src/a.ts": "export class Connection {}",
			"packages/text/src/b.ts": "\nexport type Connection = string;",
		});
		expect(findDuplicateExports(tree)).toEqual([
			"packages/text/src/b.ts:2 exports Connection, which packages/rpc/src/a.ts also declares: rename one to something more specific, or share one declaration",
		]);
	});

	test.for([
		["export const same = 1"],
		["export let same = 1"],
		["export function same() {}"],
		["export function* same() {}"],
		["export async function same() {}"],
		["export default class same {}"],
		["export abstract class same {}"],
		["export interface same {}"],
		["export type same<T> = T"],
		["export enum same {}"],
		["export declare const same: string"],
	] as const)("is found in `%s`", ([source]) => {
		const tree = workspace({ "packages/rpc/src/a.ts": source, "packages/text/src/b.tsx": "export const same = 1" });
		expect(findDuplicateExports(tree)).toHaveLength(1);
	});

	test.for([
		["in the same package", "packages/rpc/src/b.ts", "export const same = 1"],
		["in the wire package", "packages/protocol/src/b.ts", "export const same = 1"],
		["in a file for one language", "packages/text/src/go.ts", "export const same = 1"],
		["in a test", "packages/text/src/b.test.ts", "export const same = 1"],
		["that is not exported", "packages/text/src/b.ts", "const same = 1"],
		["that is re-exported", "packages/text/src/b.ts", `export { same } from "@segue/rpc"`],
		["that is re-exported as a type", "packages/text/src/b.ts", `export type { same } from "@segue/rpc"`],
		["in a string", "packages/text/src/b.ts", "const a = `\nexport const same = 1`"],
	] as const)("does not include a name %s", ([, file, source]) => {
		expect(
			findDuplicateExports(workspace({ "packages/rpc/src/a.ts": "export const same = 1", [file]: source })),
		).toEqual([]);
	});
});

describe("an unqualified wire name", () => {
	test.for([
		`import { didChange } from "@segue/protocol/acp"`,
		`import type { Position } from "@segue/protocol/acp"`,
		`import { type Position } from "@segue/protocol/acp"`,
		`export { didChange } from "@segue/protocol/acp"`,
		`export * from "@segue/protocol/acp"`,
	])("is found in `%s`", (source) => {
		expect(findUnqualifiedWireNames(workspace({ "packages/server/src/a.ts": `\n${source}` }))).toEqual([
			"packages/server/src/a.ts:2 imports single names from @segue/protocol/acp: import * as acp, and qualify each name",
		]);
	});

	test("is also found in a test", () => {
		const source = `import { didChange } from "@segue/protocol/eca"`;
		expect(findUnqualifiedWireNames(workspace({ "packages/server/src/a.test.ts": source }))).toHaveLength(1);
	});

	test.for([
		`import * as acp from "@segue/protocol/acp"`,
		`import type * as acp from "@segue/protocol/acp"`,
		`export * as acp from "@segue/protocol/acp"`,
		`const acp = await import("@segue/protocol/acp")`,
		`import { Connection } from "@segue/rpc"`,
	])("is not found in `%s`", (source) => {
		expect(findUnqualifiedWireNames(workspace({ "packages/server/src/a.ts": source }))).toEqual([]);
	});
});

describe("an old name", () => {
	test.for([
		["packages/server/src/acp/door.ts", ""],
		["packages/server/src/kept.test.ts", ""],
		["lab/src/desk.ts", ""],
		...["form", "hearing", "meaning", "narrator", "plain", "ring", "telling"].map(
			(name) => [`packages/text/src/${name}.ts`, ""] as const,
		),
		...["Form", "Keeper", "Lease", "Ring", "Understanding", "Witness", "plain"].map(
			(name) => ["packages/text/src/a.ts", `export const ${name} = 1`] as const,
		),
		["packages/text/src/a.ts", "export class Desk {}"],
		["packages/text/src/a.ts", "export function withinPatience() {}"],
	] as const)("is found in %s: %s", ([file, source]) => {
		expect(findOldNames(workspace({ [file]: source }))).toEqual([
			expect.stringMatching(/:1 .* the replaced name .*: use the established noun$/),
		]);
	});

	test.for([
		["packages/protocol/src/eca/place.ts", "export type Question = string"],
		["packages/text/src/doors.ts", "export class StandingDesk {}"],
		["packages/text/src/a.ts", "class Desk {}"],
		["docs/place.md", ""],
	] as const)("is not found in %s: %s", ([file, source]) => {
		expect(findOldNames(workspace({ [file]: source }))).toEqual([]);
	});
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { tabNames } from "./file-tabs.js";

test.for<[paths: string, names: string]>([
	["src/cart.ts src/item.ts", "cart.ts item.ts"],
	["cart/index.ts item/index.ts", "cart/index.ts item/index.ts"],
	["index.ts src/index.ts", "index.ts src/index.ts"],
	["a/x/index.ts b/x/index.ts src/cart.ts", "a/x/index.ts b/x/index.ts cart.ts"],
	["a/x/index.ts a/y/index.ts", "x/index.ts y/index.ts"],
	["reindex.ts src/index.ts", "reindex.ts index.ts"],
])("names tabs with as many folders as they need: %s", ([paths, names]) => {
	expect(tabNames(paths.split(" "))).toEqual(names.split(" "));
});

test("gives every file a unique name that is the end of its path", () => {
	const path = fc
		.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 })
		.map((names) => names.join("/"));
	fc.assert(
		fc.property(fc.uniqueArray(path, { maxLength: 8 }), (paths) => {
			const names = tabNames(paths);
			expect(new Set(names).size).toBe(paths.length);
			for (const [i, name] of names.entries()) expect(`/${paths[i]}`.endsWith(`/${name}`)).toBe(true);
		}),
	);
});

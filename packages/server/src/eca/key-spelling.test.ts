import * as eca from "@segue/protocol/eca";
import fc from "fast-check";
import { expect, test } from "vitest";

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const words = fc.array(word, { minLength: 1, maxLength: 4 });

const SPELLINGS: Readonly<Record<string, (words: readonly string[]) => string>> = {
	camel: ([first = "", ...rest]) => first + rest.map((each) => each[0]?.toUpperCase() + each.slice(1)).join(""),
	kebab: (some) => some.join("-"),
	snake: (some) => some.join("_"),
};

/** A value whose keys are lists of words, joined in different spellings. */
type Tree = string | readonly Tree[] | { readonly pairs: readonly (readonly [readonly string[], Tree])[] };

const tree = fc.letrec<{ tree: Tree }>((tie) => ({
	tree: fc.oneof(
		{ maxDepth: 4 },
		fc.string(),
		fc.array(tie("tree"), { maxLength: 3 }),
		fc.record({ pairs: fc.array(fc.tuple(words, tie("tree")), { maxLength: 3 }) }),
	),
})).tree;

function spelled(value: Tree, join: (words: readonly string[]) => string): unknown {
	if (typeof value === "string") return value;
	if (!("pairs" in value)) return value.map((each) => spelled(each, join));
	return Object.fromEntries(value.pairs.map(([key, inner]) => [join(key), spelled(inner, join)]));
}

function read(schema: (typeof eca)["initialize" | "queryFiles"]["params"], value: unknown): unknown {
	const result = schema["~standard"].validate(value);
	return result instanceof Promise || result.issues !== undefined ? undefined : result.value;
}

test("keys from ECA editors are the same in every spelling", () => {
	fc.assert(
		fc.property(tree, (extra) => {
			const [camel, ...others] = Object.values(SPELLINGS).map((join) => {
				return read(eca.queryFiles.params, { query: "a", extra: spelled(extra, join) });
			});
			expect(camel).toEqual({ query: "a", extra: spelled(extra, SPELLINGS["camel"] as never) });
			for (const other of others) expect(other).toEqual(camel);
		}),
	);
});

// Not a setting, but a special name in JavaScript.
const anyKey = fc.string().filter((key) => key !== "__proto__");

test("keys in an ECA editor's configuration are user data and stay unchanged", () => {
	fc.assert(
		fc.property(fc.dictionary(anyKey, fc.jsonValue()), (initializationOptions) => {
			for (const key of ["initializationOptions", "initialization-options", "initialization_options"]) {
				expect(read(eca.initialize.params, { [key]: initializationOptions })).toEqual({ initializationOptions });
			}
		}),
	);
});

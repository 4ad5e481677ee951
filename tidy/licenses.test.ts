import { expect, test } from "vitest";
import { findMissingTexts } from "./licenses.js";

const TEXTS = [
	"a 1.0.0 (MIT)\n\nPermission is granted.\n",
	"@scope/b 2.0.0 (ISC)\n\nCopyright B\n",
	"c 1.0.0 (MIT)\n\n\n",
].join(`\n${"-".repeat(80)}\n\n`);

test("a bundled package needs a heading and a licence text", () => {
	expect(findMissingTexts("bundle", ["a", "@scope/b", "a"], TEXTS)).toEqual([]);
	expect(findMissingTexts("bundle", ["d", "a", "c", "@scope/a"], TEXTS)).toEqual(
		["@scope/a", "c", "d"].map(
			(name) => `bundle/THIRD-PARTY-LICENSES.txt lacks the licence text of ${name}: see scripts/licenses.mjs`,
		),
	);
	expect(findMissingTexts("bundle", ["a"], "")).toHaveLength(1);
});

import { expect, test } from "vitest";
import { isColoured } from "./colour.js";

test.each([
	[true, {}, true],
	[false, {}, false],
	[true, { TERM: "dumb" }, false],
	[true, { NO_COLOR: "1" }, false],
	[true, { NO_COLOR: "" }, true],
	[false, { FORCE_COLOR: "1" }, true],
	[true, { FORCE_COLOR: "0" }, false],
	[false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
	[true, { FORCE_COLOR: "1", TERM: "dumb" }, true],
])("isTTY %s and %j: colours %s", (isTTY, env, expected) => {
	expect(isColoured({ isTTY }, env)).toBe(expected);
});

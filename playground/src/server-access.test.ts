import { expect, test } from "vitest";
import { tokenIn } from "./server-access.js";

test.each<[string, string, string | undefined]>([
	["a link", "http://127.0.0.1:4747/#token=abcdefgh-IJKL_mnop", "abcdefgh-IJKL_mnop"],
	["a link with white space around it", "  http://127.0.0.1:4747/#token=abcdefgh12345678\n", "abcdefgh12345678"],
	["a fragment", "#inspect&token=abcdefgh12345678", "abcdefgh12345678"],
	["a token", "abcdefgh12345678", "abcdefgh12345678"],
	["a link without a token", "http://127.0.0.1:4747/", undefined],
	["a link with another fragment", "http://127.0.0.1:4747/#inspect", undefined],
	["a token that is too short", "abc", undefined],
	["nothing", "", undefined],
])("finds the token in %s", (_, pasted, token) => {
	expect(tokenIn(pasted)).toBe(token);
});

import { expect, test } from "vitest";
import { fileErrorText } from "./user-error.js";

test.each([
	["EACCES", "EACCES: permission denied, open '/a'", "permission denied"],
	["ENAMETOOLONG", "ENAMETOOLONG: name too long, open '/a, b'", "name too long"],
	["ENOTEMPTY", "ENOTEMPTY: directory not empty, rename '/a' -> '/b'", "directory not empty"],
	["EIO", "EIO: i/o error, write", "i/o error"],
	[undefined, "The volume is offline.", "The volume is offline"],
])("describes the error %s in words that fit into a sentence", (code, message, words) => {
	expect(fileErrorText(Object.assign(new Error(message), { code }))).toBe(words);
});

import { describe, expect, test } from "vitest";
import { findUnclearProse } from "./prose.js";

describe("unclear prose", () => {
	test.for([
		["a.ts", "/** What is kept of it. */\n"],
		["a.ts", "// Nothing is read, since\n// nobody asks.\n"],
		["a.ts", 'const text = "The file is read anew";\n'],
		["a.ts", "log(`Mend the file first`);\n"],
		["a.tsx", 'test("an agent is told of a change", () => {});\n'],
		["a.mjs", "// It waits for ever.\n"],
		["a.md", "# Title\n\n- Whoever hosts it\n"],
		["a.story.md", "# What was rejected is not offered again\n"],
		["a.lua", "-- Declared otherwise than before.\n"],
		["a.ts", 'const text = "To set up an editor, run `npx segue setup`.";\n'],
		["a.el", ";; The values that there are.\n"],
	] as const)("is found in %s: %s", ([file, text]) => {
		expect(findUnclearProse({ [file]: text })).toHaveLength(1);
	});

	test("is reported with its line and advice", () => {
		const text = "const a = 1;\n\n// Whoever asks, waits.\n";
		expect(findUnclearProse({ "src/a.ts": text })).toEqual([
			'src/a.ts:3 "Whoever asks, waits.": start with the subject instead of a clause',
		]);
	});

	test.for([
		["a.ts", "/** Returns the mender's file, or undefined otherwise. */\n"],
		["a.ts", "// What if the file is gone?\n"],
		["a.ts", 'const name = "anew";\n'],
		["a.md", "In the clone, run `npx segue setup`.\n"],
		["a.md", "Text.\n\n```\nWhat was rejected\n```\n"],
		["a.json", '{ "text": "nobody reads it" }'],
		["STYLE.md", "Whoever asks, waits."],
		["stories/fixtures/a.md", "Whoever asks, waits."],
	] as const)("is not found in %s: %s", ([file, text]) => {
		expect(findUnclearProse({ [file]: text })).toEqual([]);
	});
});

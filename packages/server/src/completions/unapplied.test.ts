import { expect, test } from "vitest";
import { Unapplied } from "./unapplied.js";

test("forgets the file that was used longest ago, and the oldest suggestions of a file", () => {
	const unapplied = new Unapplied(() => 0);
	const send = (file: string, suggestion: string) => {
		for (let i = 0; i < 3; i++) unapplied.sent(file, suggestion, `prompt ${i}`);
	};
	send("first", "a");
	for (let i = 0; i < 499; i++) send(`file ${i}`, "a");
	expect(unapplied.isDropped("first", "a")).toBe(true);
	send("one more", "a");
	expect(unapplied.isDropped("first", "a")).toBe(false);
	expect(unapplied.isDropped("file 0", "a")).toBe(true);
	for (let i = 0; i < 31; i++) send("file 0", `suggestion ${i}`);
	expect(unapplied.isDropped("file 0", "a")).toBe(true);
	send("file 0", "the last");
	expect(unapplied.isDropped("file 0", "a")).toBe(false);
});

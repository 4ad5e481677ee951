import { expect, test } from "vitest";
import { StoreError } from "../failures.js";
import { readArchive } from "./archive.js";

const AT = "2030-01-01T00:00:00.000Z";
const THREAD = { id: "a", title: "", workspace: "/w", modifiedAt: AT };

test.for<[what: string, value: unknown, sentence: string]>([
	["nothing", undefined, "This is no exported thread of Segue."],
	["a text", "segue-thread", "This is no exported thread of Segue."],
	["another program's thread", { messages: [{ role: "user" }] }, "This is no exported thread of Segue."],
	[
		"a newer format",
		{ format: "segue-thread", version: 2, thread: {} },
		"This thread was exported by a newer Segue (version 2 of the format; this one knows 1). Update Segue to import it.",
	],
	["no entries", archive({ entries: undefined }), "This exported thread is broken at entries: "],
	["an id with a NUL", archive({ thread: { ...THREAD, id: "a\0" } }), "This exported thread is broken at thread.id: "],
	["no id", archive({ thread: { ...THREAD, id: "" } }), "This exported thread is broken at thread.id: "],
	[
		"half a pair",
		archive({ thread: { ...THREAD, workspace: "\ud83d" } }),
		"This exported thread is broken at thread.workspace: ",
	],
	[
		"a local time",
		archive({ thread: { ...THREAD, modifiedAt: "yesterday" } }),
		"This exported thread is broken at thread.modifiedAt: ",
	],
	[
		"a time of other precision",
		archive({ thread: { ...THREAD, modifiedAt: "2030-01-01T00:00:00Z" } }),
		"This exported thread is broken at thread.modifiedAt: ",
	],
	[
		"an unknown entry",
		archive({ entries: [entry({ type: "song" })] }),
		"This exported thread is broken at entries.0.body.type: ",
	],
	[
		"a text that is none",
		archive({ entries: [entry({ type: "text", text: 1 })] }),
		"This exported thread is broken at entries.0.body.text: ",
	],
])("an import of %s is refused with a sentence", ([, value, sentence]) => {
	expect(() => readArchive(value)).toThrow(StoreError);
	expect(() => readArchive(value)).toThrow(sentence);
});

test("an import passes over what it does not know", () => {
	const value = archive({
		colour: "red",
		entries: [{ ...entry({ type: "text", text: "Hi", tone: "dry" }), mood: "good" }],
	});
	expect(readArchive(value)).toEqual(archive({ entries: [entry({ type: "text", text: "Hi" })] }));
});

function archive(given: object): object {
	return { format: "segue-thread", version: 1, thread: THREAD, entries: [], ...given };
}

function entry(body: object): object {
	return { number: 1, turn: "t", at: AT, body };
}

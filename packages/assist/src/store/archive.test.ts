import { expect, test } from "vitest";
import { StoreError } from "../failures.js";
import { readArchive } from "./archive.js";

const AT = "2030-01-01T00:00:00.000Z";
const THREAD = { id: "a", title: "", workspace: "/w", modifiedAt: AT };

test.for<[what: string, value: unknown, message: string]>([
	["nothing", undefined, "This is not a conversation exported by Segue."],
	["a text", "segue-thread", "This is not a conversation exported by Segue."],
	["another program's thread", { messages: [{ role: "user" }] }, "This is not a conversation exported by Segue."],
	[
		"a newer format",
		{ format: "segue-thread", version: 2, thread: {} },
		"This conversation was exported by a newer version of Segue (format 2; this version supports 1). Update Segue to import it.",
	],
	["no entries", archive({ entries: undefined }), "This exported conversation is invalid at entries: "],
	[
		"an id with a NUL",
		archive({ thread: { ...THREAD, id: "a\0" } }),
		"This exported conversation is invalid at thread.id: ",
	],
	["no id", archive({ thread: { ...THREAD, id: "" } }), "This exported conversation is invalid at thread.id: "],
	[
		"an unpaired surrogate",
		archive({ thread: { ...THREAD, workspace: "\ud83d" } }),
		"This exported conversation is invalid at thread.workspace: ",
	],
	[
		"a local time",
		archive({ thread: { ...THREAD, modifiedAt: "yesterday" } }),
		"This exported conversation is invalid at thread.modifiedAt: ",
	],
	[
		"a time with a different precision",
		archive({ thread: { ...THREAD, modifiedAt: "2030-01-01T00:00:00Z" } }),
		"This exported conversation is invalid at thread.modifiedAt: ",
	],
	[
		"an unknown entry",
		archive({ entries: [entry({ type: "song" })] }),
		"This exported conversation is invalid at entries.0.body.type: ",
	],
	[
		"entry text that is not a string",
		archive({ entries: [entry({ type: "text", text: 1 })] }),
		"This exported conversation is invalid at entries.0.body.text: ",
	],
])("an import of %s is refused with a readable error", ([, value, message]) => {
	expect(() => readArchive(value)).toThrow(StoreError);
	expect(() => readArchive(value)).toThrow(message);
});

test("an import ignores unknown properties", () => {
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

import { Change, type Document, type Edit, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import type { ChangeCause } from "../host.js";
import { ActionHistory } from "./action-history.js";

/** A user who edits documents, and the history of the user's actions. */
class User {
	actions = ActionHistory.none;
	private readonly texts = new Map<string, Text>();

	edit(edits: readonly Edit[], { uri = "a", cause = "typing" as ChangeCause, atMs = 0 } = {}): void {
		const before = this.document(uri);
		const change = Change.of(edits, before.text.length);
		const after = change.apply(before.text);
		this.actions = this.actions.changed(before, change, after, cause, atMs);
		this.texts.set(uri, after);
	}

	type(insert: string, uri = "a"): void {
		const { length } = this.document(uri).text;
		this.edit([{ from: length, to: length, insert }], { uri });
	}

	move(offset: number, atMs = 0, uri = "a"): void {
		this.actions = this.actions.moved(this.document(uri), offset, atMs);
	}

	log(): string[] {
		return this.actions.list.map(({ what, uri, text, offset, atMs }) => {
			return `${what} ${uri} ${text.slice(0, offset)}▮${text.slice(offset)} ${atMs}`;
		});
	}

	private document(uri: string): Document {
		return { uri, languageId: "plaintext", version: 1, text: this.texts.get(uri) ?? Text.empty };
	}
}

describe("a change is recorded", () => {
	const [one, two] = [
		{ from: 0, to: 0, insert: "a" },
		{ from: 4, to: 4, insert: "b" },
	];

	test.each<[string, string, Edit[], ChangeCause, string, string]>([
		["a letter", "log()", [{ from: 4, to: 4, insert: "x" }], "typing", "insertChar", "log(x▮)"],
		["a character outside the BMP", "", [{ from: 0, to: 0, insert: "😀" }], "typing", "insertChar", "😀▮"],
		["a line ending", "ab", [{ from: 1, to: 1, insert: "\r\n" }], "typing", "insertChar", "a\r\n▮b"],
		["a letter at several cursors", "log()", [one, two], "typing", "insertChar", "alog(b▮)"],
		["several letters at once", "log()", [{ from: 4, to: 4, insert: "xy" }], "typing", "insertText", "log(xy▮)"],
		["a deleted letter", "log()", [{ from: 2, to: 3, insert: "" }], "typing", "deleteChar", "lo▮()"],
		["a deleted letter of two code units", "a😀", [{ from: 1, to: 3, insert: "" }], "typing", "deleteChar", "a▮"],
		["a deleted line ending", "a\r\nb", [{ from: 1, to: 3, insert: "" }], "typing", "deleteChar", "a▮b"],
		["a deleted word", "log()", [{ from: 0, to: 3, insert: "" }], "typing", "deleteText", "▮()"],
		["a replaced word", "log()", [{ from: 0, to: 3, insert: "x" }], "typing", "replaceText", "x▮()"],
		[
			"an inserted and a deleted letter",
			"log()",
			[one, { from: 4, to: 5, insert: "" }],
			"other",
			"replaceText",
			"alog(▮",
		],
		["a paste", "log()", [{ from: 4, to: 4, insert: "x" }], "paste", "paste", "log(x▮)"],
		["an undo", "log()", [{ from: 4, to: 5, insert: "" }], "undo", "undo", "log(▮"],
		["a redo", "log(", [{ from: 4, to: 4, insert: ")" }], "redo", "redo", "log()▮"],
		["another program's edit", "log()", [{ from: 4, to: 4, insert: "xy" }], "other", "insertText", "log(xy▮)"],
	])("with the right kind of action: %s", (_, source, edits, cause, what, drawn) => {
		const user = new User();
		user.type(source);
		user.edit(edits, { cause, atMs: 7 });
		expect(user.log().at(-1)).toBe(`${what} a ${drawn} 7`);
	});

	test("unless it is empty", () => {
		const user = new User();
		user.edit([{ from: 0, to: 0, insert: "" }]);
		expect(user.log()).toEqual([]);
	});
});

describe("cursor movements", () => {
	const there = () => {
		const user = new User();
		user.type("abcdef");
		user.type("xyz", "b");
		return user;
	};

	test("in quick succession are merged into one at the last position", () => {
		const user = there();
		user.move(1, 0);
		user.move(2, 500);
		user.move(3, 1000);
		expect(user.log().slice(2)).toEqual(["cursorMovement a abc▮def 1000"]);
	});

	test.each<[string, (user: User) => void, string[]]>([
		["after a pause", (user) => user.move(4, 501), ["abc▮def 0", "abcd▮ef 501"]],
		["in another document", (user) => user.move(1, 1, "b"), ["abc▮def 0", "x▮yz 1"]],
	])("%s are separate", (_, act, expected) => {
		const user = there();
		user.move(3, 0);
		act(user);
		expect(
			user
				.log()
				.slice(2)
				.map((one) => one.replace(/^cursorMovement . /, "")),
		).toEqual(expected);
	});

	test("are ignored if typing has already moved the cursor there", () => {
		const user = there();
		user.edit([{ from: 3, to: 3, insert: "!" }]);
		user.move(4, 10);
		expect(user.log().slice(2)).toEqual(["insertChar a abc!▮def 0"]);
		user.move(3, 20);
		expect(user.log().slice(3)).toEqual(["cursorMovement a abc▮!def 20"]);
	});

	test("interrupted by typing are separate", () => {
		const user = there();
		user.move(3, 0);
		user.edit([{ from: 3, to: 3, insert: "!" }]);
		user.move(1, 0);
		expect(
			user
				.log()
				.slice(2)
				.map((one) => one.split(" ")[0]),
		).toEqual(["cursorMovement", "insertChar", "cursorMovement"]);
	});
});

test("keeps the last 64 actions, newest last", () => {
	const user = new User();
	for (let i = 0; i < 100; i++) user.type(String.fromCharCode(0x4e00 + i));
	expect(user.actions.list).toHaveLength(64);
	expect(user.actions.list.map(({ offset }) => offset)).toEqual(Array.from({ length: 64 }, (_, i) => 37 + i));
});

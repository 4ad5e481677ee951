import { someChange, someEdits, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Change, type Edit, wholeEdits } from "./change.js";
import { splitsCharacter } from "./position.js";
import { rebase, trim } from "./rebase.js";
import { Text } from "./text.js";

/** Reads a text with drawn edits, such as `‹old→new›`. */
function read(picture: string): { plain: string; edits: Edit[] } {
	let plain = "";
	const edits: Edit[] = [];
	for (const [i, piece] of picture.split(/[‹›]/).entries()) {
		const [old = "", insert] = piece.split("→");
		if (i % 2 === 1) edits.push({ from: plain.length, to: plain.length + old.length, insert: insert ?? "" });
		plain += old;
	}
	return { plain, edits };
}

function draw(plain: string, edits: readonly Edit[]): string {
	return edits.reduceRight(
		(text, { from, to, insert }) => `${text.slice(0, from)}‹${text.slice(from, to)}→${insert}›${text.slice(to)}`,
		plain,
	);
}

/**
 * `suggestion` and `user` draw edits in the same text. `left` draws the rest of the suggestion in the text after the
 * user's change, or names the reason why the suggestion ended.
 */
function expectRebased(suggestion: string, user: string, left: string): void {
	const { plain, edits } = read(suggestion);
	const typed = read(user);
	expect(typed.plain).toBe(plain);
	const text = Text.of(plain);
	const change = Change.of(typed.edits, plain.length);
	const result = rebase(edits, change, text);
	const after = change.apply(text).toString();
	expect(result.kind === "rebased" ? draw(after, result.edits) : result.kind).toBe(left);
}

test("shortens an insertion whose beginning is typed", () =>
	expectRebased("log(‹→count›)", "log(‹→co›)", "log(co‹→unt›)"));
test("completes an insertion once all of it is typed", () =>
	expectRebased("log(‹→count›)", "log(‹→count›)", "log(count)"));
test("contradicts an insertion if something else is typed there", () =>
	expectRebased("log(‹→count›)", "log(‹→x›)", "contradicted"));
test("contradicts an insertion if more than the inserted text is typed", () =>
	expectRebased("log(‹→count›)", "log(‹→counts›)", "contradicted"));
test("contradicts an insertion typed with different capitalization", () =>
	expectRebased("log(‹→count›)", "log(‹→Co›)", "contradicted"));

test("does not depend on which of several equal characters is deleted", () => {
	expectRebased("‹foo))→foo)›", "foo‹)→›)", "foo)");
	expectRebased("‹aab→ab›", "‹a→›ab", "ab");
	expectRebased("‹abab→ab›x", "‹ab→›abx", "abx");
	expectRebased("‹aab→ab›", "aa‹b→›", "invalidated");
});
test("accepts edits in any order, and rejects overlapping ones", () => {
	const text = Text.of("abc");
	const none = Change.of([], 3);
	const [first, second] = [
		{ from: 0, to: 1, insert: "x" },
		{ from: 2, to: 3, insert: "y" },
	];
	expect(rebase([second, first], none, text)).toEqual(rebase([first, second], none, text));
	expect(() => rebase([first, { from: 0, to: 2, insert: "" }], none, text)).toThrow(RangeError);
});

test("moves an insertion when text before it changes", () =>
	expectRebased("a = 1; log(‹→a›)", "‹a→abc› = 1; log()", "abc = 1; log(‹→a›)"));
test("does not move an insertion when text after it changes", () =>
	expectRebased("log(‹→a›) // bye", "log() // ‹bye→goodbye›", "log(‹→a›) // goodbye"));
test("moves an insertion up when a line before it is deleted", () =>
	expectRebased("one\ntwo\n‹→three›", "‹one\n→›two\n", "two\n‹→three›"));
test("invalidates an insertion when the text before it is deleted", () =>
	expectRebased("log(‹→a›)", "lo‹g(→›)", "invalidated"));
test("invalidates an insertion when the text after it is deleted", () =>
	expectRebased("log(‹→a›)", "log(‹)→›", "invalidated"));
test("invalidates an insertion when the text around it is replaced", () =>
	expectRebased("log(‹→a›)", "log‹()→[]›", "invalidated"));
test("keeps an insertion when text one character away is deleted", () =>
	expectRebased("log(‹→a›)", "‹log→›()", "(‹→a›)"));

test("keeps a replacement whose old text is deleted from its end", () =>
	expectRebased("let ‹cnt→sum› = 0", "let cn‹t→› = 0", "let ‹cn→sum› = 0"));
test("keeps a replacement whose old text is deleted from its middle", () =>
	expectRebased("let ‹cnt→sum› = 0", "let c‹n→›t = 0", "let ‹ct→sum› = 0"));
test("turns a replacement into an insertion when all its old text is deleted", () =>
	expectRebased("let ‹cnt→sum› = 0", "let ‹cnt→› = 0", "let ‹→sum› = 0"));
test("shortens a replacement whose old text is selected and typed over", () =>
	expectRebased("let ‹cnt→sum› = 0", "let ‹cnt→s› = 0", "let s‹→um› = 0"));
test("shortens a replacement whose beginning is typed in front of the old text", () =>
	expectRebased("let ‹cnt→sum› = 0", "let ‹→su›cnt = 0", "let su‹cnt→m› = 0"));
test("contradicts a replacement when something else is typed over the old text", () =>
	expectRebased("let ‹cnt→sum› = 0", "let ‹cnt→x› = 0", "contradicted"));
test("contradicts a replacement when something is typed after the old text", () =>
	expectRebased("let ‹cnt→sum› = 0", "let cnt‹→s› = 0", "contradicted"));
test("shortens a replacement that continues with the old text when its next part is typed", () =>
	expectRebased("‹cnt→cntMax› = 0", "cnt‹→M› = 0", "cntM‹→ax› = 0"));
test("completes a replacement once the rest of it equals the old text", () =>
	expectRebased("‹let a = 1→let ab = 1›", "let a‹→b› = 1", "let ab = 1"));
test("invalidates a replacement when text that it keeps is deleted", () =>
	expectRebased("‹let a = 1→let ab = 1›", "‹let →›a = 1", "invalidated"));
test("invalidates a replacement when adjacent text is deleted together with the old text", () =>
	expectRebased("let ‹cnt→sum› = 0", "let‹ cnt→› = 0", "invalidated"));
test("contradicts a replacement when part of the old text is overwritten with something else", () =>
	expectRebased("let ‹cnt→sum› = 0", "let c‹nt→ount› = 0", "contradicted"));

test("shortens a deletion by the text already deleted", () => expectRebased("a‹bcd→›e", "a‹b→›cde", "a‹cd→›e"));
test("completes a deletion once all of its text is deleted", () => expectRebased("a‹bcd→›e", "a‹bcd→›e", "ae"));
test("invalidates a deletion when more than its text is deleted", () =>
	expectRebased("a‹bc→›de", "a‹bcd→›e", "invalidated"));
test("contradicts a deletion when something is typed into it", () =>
	expectRebased("a‹bc→›d", "ab‹→x›cd", "contradicted"));

test("rebases all edits of a suggestion when one is typed", () =>
	expectRebased("‹→async ›f() { ‹→await ›g() }", "‹→as›f() { g() }", "as‹→ync ›f() { ‹→await ›g() }"));
test("removes completed edits from a suggestion", () =>
	expectRebased("‹→async ›f() { ‹→await ›g() }", "f() { ‹→await ›g() }", "‹→async ›f() { await g() }"));
test("ends a suggestion as a whole when one edit is contradicted", () =>
	expectRebased("‹→async ›f() { ‹→await ›g() }", "f() { ‹→yield ›g() }", "contradicted"));
test("follows several cursors that type at several edits", () =>
	expectRebased("log(‹→count›); log(‹→count›)", "log(‹→co›); log(‹→cou›)", "log(co‹→unt›); log(cou‹→nt›)"));
test("follows several cursors in one edit", () => expectRebased("‹ab→aXbY›", "a‹→X›b‹→Y›", "aXbY"));
test("ends a suggestion when one of several cursors contradicts it", () =>
	expectRebased("log(‹→count›); log(‹→count›)", "log(‹→co›); log(‹→x›)", "contradicted"));
test("follows a cursor at the edit and another elsewhere", () =>
	expectRebased("a log(‹→count›) b", "‹a→aaa› log(‹→co›) ‹b→›", "aaa log(co‹→unt›) "));

test("completes an inserted line that is typed before the next line instead of after the previous one, or vice versa", () => {
	expectRebased("a‹→\nb›\nc", "a\n‹→b\n›c", "a\nb\nc");
	expectRebased("a\n‹→b\n›c", "a‹→\nb›\nc", "a\nb\nc");
	expectRebased("{‹→\n\tb›\n\tc", "{\n\t‹→b\n\t›c", "{\n\tb\n\tc");
	expectRebased("a‹→\r\nb›\r\nc", "a\r\n‹→b\r\n›c", "a\r\nb\r\nc");
	expectRebased("‹a→a\nb›\nc", "a\n‹→b\n›c", "a\nb\nc");
});
test("shortens an inserted line whose beginning is typed before the next line", () => {
	expectRebased("a‹→\nbcd›\nc", "a\n‹→bc›c", "a\nbc‹→d\n›c");
	expectRebased("a‹→\nb›\nc", "a\n‹→\n›c", "a\n‹→b›\nc");
});
test("keeps an inserted line when something else is typed before the next line", () => {
	expectRebased("a‹→\nb›\nc", "a\n‹→x\n›c", "a‹→\nb›\nx\nc");
	expectRebased("a‹→\nb›\nc", "a\n‹→bx›c", "a‹→\nb›\nbxc");
	expectRebased("a‹→\nb›\nc", "a\n‹c→b\nc›", "a‹→\nb›\nb\nc");
});
test("keeps an insertion inside a line when the same letter is typed one letter further on", () =>
	expectRebased("a‹→a›ab", "aa‹→a›b", "a‹→a›aab"));
test("counts a typed line for only one suggested line", () => {
	expectRebased("a‹→\nb›\n‹→b\n›c", "a\n‹→b\n›c", "a‹→\nb›\nb\nc");
	expectRebased("a‹→\nb›\nc‹→\nb›\nd", "a\n‹→b\n›c\nd", "a\nb\nc‹→\nb›\nd");
});

test("merges adjacent edits, so that text typed between them counts once", () => {
	expectRebased("‹ab→abX›‹→Xy›c", "ab‹→X›c", "abX‹→Xy›c");
	expectRebased("a‹→x›‹→y›b", "a‹→x›b", "ax‹→y›b");
	expectRebased("‹a→x›‹b→y›", "‹ab→x›", "x‹→y›");
});
test("keeps a suggestion when nothing was changed", () => expectRebased("a‹b→c›d", "abd", "a‹b→c›d"));

function expectTrimmed(before: string, after: string): void {
	const { plain, edits } = read(before);
	const [edit] = edits as [Edit];
	expect(draw(plain, [trim(edit, Text.of(plain))])).toBe(after);
}

test("trims the common start of an edit and the old text", () => expectTrimmed("-‹abc→abd›-", "-ab‹c→d›-"));
test("trims the common end of an edit and the old text", () => expectTrimmed("-‹abc→xbc›-", "-‹a→x›bc-"));
test("trims an edit that changes nothing to an empty edit", () => expectTrimmed("-‹abc→abc›-", "-abc‹→›-"));
test("trims the start first if both are possible", () => expectTrimmed("-‹aa→a›-", "-a‹a→›-"));
test("does not split a surrogate pair", () => {
	expectTrimmed("-‹😀→😁›-", "-‹😀→😁›-");
	expectTrimmed("-‹a😀→a\ud83d›-", "-a‹😀→\ud83d›-");
	expectTrimmed("-‹a\ud83d→a😀›-", "-a‹\ud83d→😀›-");
});
test("does not split a line ending", () => {
	expectTrimmed("a‹\r\n→\n›b", "a‹\r\n→\n›b");
	expectTrimmed("a‹\n→\r\n›b", "a‹\n→\r\n›b");
	expectTrimmed("a‹\r\n→\r›b", "a‹\r\n→\r›b");
});

/** Applies sorted edits that do not touch to a plain string. */
function splice(plain: string, edits: readonly Edit[]): string {
	return edits.reduceRight((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), plain);
}

/** A text and a suggestion whose edits neither touch nor split a character. */
const someSuggestion = someText().chain((plain) =>
	fc.record({
		plain: fc.constant(plain),
		edits: someChange(Text.of(plain)).map(({ edits }) => wholeEdits(edits, Text.of(plain))),
	}),
);

/** Returns the beginning of an edit, as a user would make it. Both numbers are taken modulo the available length. */
function begin({ from, to, insert }: Edit, removed: number, typed: number): Edit {
	return { from, to: from + (removed % (to - from + 1)), insert: insert.slice(0, typed % (insert.length + 1)) };
}

test("leads to the same text when the beginning of an edit is typed over any part of the replaced text", () =>
	fc.assert(
		fc.property(someSuggestion, fc.nat(), fc.nat(), fc.nat(), ({ plain, edits }, which, removed, typed) => {
			const edit = edits[which % edits.length];
			fc.pre(edit !== undefined);
			const begun = begin(edit, removed, typed);
			fc.pre(begun.insert !== "");
			const change = Change.of([begun], plain.length);
			const result = rebase(edits, change, Text.of(plain));
			expect(result.kind).toBe("rebased");
			const left = result.kind === "rebased" ? result.edits : [];
			expect(splice(splice(plain, change.edits), left)).toBe(splice(plain, edits));
		}),
	));

test("completes a suggestion when its lines are inserted at any equivalent position", () => {
	const someLines = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n"), maxLength: 12 });
	fc.assert(
		fc.property(someLines, someLines, fc.nat(), fc.nat(), (plain, insert, where, other) => {
			const text = Text.of(plain);
			const [at, typedAt] = [where % (plain.length + 1), other % (plain.length + 1)];
			const typed = insert.slice(typedAt - at) + insert.slice(0, typedAt - at);
			const result = splice(plain, [{ from: at, to: at, insert }]);
			const isSame = result === splice(plain, [{ from: typedAt, to: typedAt, insert: typed }]);
			fc.pre(isSame && insert.includes("\n") && Math.abs(typedAt - at) <= insert.length);
			fc.pre(![at, typedAt].some((one) => splitsCharacter(text, one)) && !splitsCharacter(Text.of(result), at));
			const change = Change.of([{ from: typedAt, to: typedAt, insert: typed }], plain.length);
			expect(rebase([{ from: at, to: at, insert }], change, text)).toMatchObject({ kind: "rebased", edits: [] });
		}),
	);
});

test("completes a suggestion when every edit is typed character by character", () =>
	fc.assert(
		fc.property(someSuggestion, ({ plain, edits }) => {
			let text = Text.of(plain);
			let left: readonly Edit[] = edits;
			const type = (from: number, to: number, insert: string) => {
				const change = Change.of([{ from, to, insert }], text.length);
				const result = rebase(left, change, text);
				expect(result.kind).toBe("rebased");
				left = result.kind === "rebased" ? result.edits : [];
				text = change.apply(text);
			};
			for (const { from, to, insert } of edits.toReversed()) {
				const [first = "", ...rest] = insert.split("");
				type(from, to, first);
				for (const [i, character] of rest.entries()) type(from + 1 + i, from + 1 + i, character);
			}
			expect(text.toString()).toBe(splice(plain, edits));
			expect(left).toEqual([]);
		}),
	));

test("a rebased suggestion leads to the combination of the original suggestion and the changes elsewhere", () => {
	// Only two letters, so that the user often types the suggested text by chance.
	const someLetters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 4 });
	const isApart = (edits: readonly Edit[], { from, to }: Edit) => edits.every((e) => to < e.from || e.to < from);
	const someUser = (edits: readonly Edit[], length: number) => {
		const someBegun = fc.tuple(...edits.map((edit) => fc.tuple(fc.nat(), fc.nat()).map((n) => begin(edit, ...n))));
		const someOther = someEdits(length, someLetters);
		const someHelp = fc.tuple(
			someBegun,
			someOther.map((other) => other.filter((edit) => isApart(edits, edit))),
		);
		return fc.oneof(
			someOther,
			someHelp.map(([begun, other]) => [...begun, ...other]),
		);
	};
	const someCase = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 }).chain((plain) =>
		someEdits(plain.length, someLetters).chain((suggested) => {
			const { edits } = Change.of(suggested, plain.length);
			const someChange = someUser(edits, plain.length).map((typed) => Change.of(typed, plain.length));
			return fc.record({ plain: fc.constant(plain), edits: fc.constant(edits), change: someChange });
		}),
	);
	fc.assert(
		fc.property(someCase, ({ plain, edits, change }) => {
			const result = rebase(edits, change, Text.of(plain));
			if (result.kind !== "rebased") return;
			const elsewhere = change.edits.filter((edit) => isApart(edits, edit));
			const together = Change.of([...edits, ...elsewhere], plain.length);
			expect(splice(splice(plain, change.edits), result.edits)).toBe(splice(plain, together.edits));
		}),
	);
});

test("trims an edit to an equivalent one that splits no character", () =>
	fc.assert(
		fc.property(someText(), someText(), someText(), someText(), (head, old, insert, tail) => {
			const plain = `${head}-${old}-${tail}`;
			const text = Text.of(plain);
			const edit = { from: head.length + 1, to: head.length + 1 + old.length, insert };
			const trimmed = trim(edit, text);
			expect(splice(plain, [trimmed])).toBe(splice(plain, [edit]));
			expect([splitsCharacter(text, trimmed.from), splitsCharacter(text, trimmed.to)]).toEqual([false, false]);
		}),
	));

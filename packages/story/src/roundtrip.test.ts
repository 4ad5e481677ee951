import { Change, type Edit, Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { afterOf, drawPicture, type Picture, type PictureDiagnostic, readPicture } from "./picture.js";
import { drawStory, readStory, type Story, type StoryStep } from "./story.js";

const code = [..."|<>[]-{}+ab: \t\r\n\\é", "$0", "\r\n", "  ", "\n\n", "😀"];
const marks = [..."▮«»‹›→·⇥␍⟨⟩^", "--- user", "\n--- suggests\n", "\n^^^ error: x\n", "\n ^ hint"];
const piece = fc.constantFrom(...code, ...marks);
const text = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(""));
const line = text.map((some) => some.replace(/[\r\n]/g, ""));

interface Draft {
	readonly before: string;
	readonly edits: readonly (readonly [number, number, string])[];
	readonly selection: readonly [number, number] | undefined;
	readonly diagnostics: readonly (readonly [number, number, PictureDiagnostic["severity"], string])[];
}

const draft: fc.Arbitrary<Draft> = fc.record({
	before: text,
	edits: fc.array(fc.tuple(fc.nat(), fc.nat(), text), { maxLength: 4 }),
	selection: fc.option(fc.tuple(fc.nat(), fc.nat()), { nil: undefined }),
	diagnostics: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom("error", "warning", "info", "hint"), line), {
		maxLength: 4,
	}),
});
const picture = draft.map(pictureOf);

function pictureOf(draft: Draft): Picture {
	const { before } = draft;
	const cuts = draft.edits.flatMap(([a, b]) => [pick(before, a), pick(before, b)]).sort((a, b) => a - b);
	const edits = draft.edits.map(
		([, , insert], i): Edit => ({ from: cuts[2 * i] ?? 0, to: cuts[2 * i + 1] ?? 0, insert }),
	);
	const change = Change.of(edits, before.length);
	const after = change.apply(Text.of(before)).toString();
	// Offsets at which the drawing continues on another line, because an edit deletes a line break.
	const breaks = change.invert(Text.of(before)).edits.filter((edit) => edit.insert.includes("\n"));

	const diagnostics = draft.diagnostics.flatMap(([a, b, severity, message]): PictureDiagnostic[] => {
		const [from = 0, to = 0] = [pick(after, a), pick(after, b)].sort((a, b) => a - b);
		const isInLine = from < to && !/[\r\n]/.test(after.slice(from, to));
		const isWhole = !breaks.some((edit) => from < edit.from && edit.from < to);
		const isLineEnd = from === to && /^[\r\n]?$/.test(after.slice(from, from + 1));
		return (isInLine && isWhole) || isLineEnd ? [{ from, to, severity, message }] : [];
	});
	return {
		before,
		edits: change.edits,
		selection: draft.selection && { anchor: pick(after, draft.selection[0]), head: pick(after, draft.selection[1]) },
		diagnostics: diagnostics.sort((a, b) => a.from - b.from),
	};
}

/** Returns an offset that does not split a character. */
function pick(some: string, n: number): number {
	const characters = [...some];
	return characters.slice(0, n % (characters.length + 1)).join("").length;
}

const path = fc.constantFrom(
	"main.ts",
	"src/a.ts",
	"a b.ts",
	"app/(x)/⟨.ts",
	"(a) b",
	"‹a→b›",
	"types",
	"nothing",
	"user",
);
const note = fc.option(line, { nil: undefined });
const file = picture.map((some) => ({ ...some, edits: [], before: afterOf(some) }));
const step: fc.Arbitrary<StoryStep> = fc.oneof(
	fc.record({ verb: fc.constant("file"), path, picture: file }),
	fc.record({ verb: fc.constantFrom("user", "user types", "suggests jump"), path, picture }),
	fc.record({ verb: fc.constant("model says"), path, text }),
	fc.record({ verb: fc.constant("suggests"), path, picture, note }),
	fc.record({ verb: fc.constant("suggests rename"), path, oldName: line, newName: line.map((name) => `${name}x`) }),
	fc.record({
		verb: fc.constant("suggests searchAndReplace"),
		path,
		search: line.map((some) => `${some}x`),
		replace: line,
		isRegex: fc.boolean(),
	}),
	fc.record({ verb: fc.constantFrom("suggests nothing", "user rejects"), reason: note }),
	fc.record({ verb: fc.constant("user accepts") }),
	fc.record({ verb: fc.constant("after"), ms: fc.nat() }),
	fc.record({
		verb: fc.constant("editor"),
		settings: fc.oneof(
			fc.record({
				encoding: fc.constantFrom("utf-8", "utf-16", "utf-32"),
				sync: fc.constantFrom("full", "incremental"),
			}),
			fc.record({ can: fc.subarray(["jump", "rename", "searchAndReplace"] as const, { minLength: 1 }) }),
		),
	}),
);
const story: fc.Arbitrary<Story> = fc.record({
	steps: fc.array(step, { minLength: 1, maxLength: 6 }),
	margin: fc.constantFrom(
		{ top: "", left: "", bottom: "" },
		{ top: "\n", left: "  ", bottom: "\n" },
		{ top: "\n", left: "\t\t", bottom: "\n\t" },
	),
});

test("A drawn picture is read back unchanged", () => {
	fc.assert(
		fc.property(picture, (some) => {
			expect(readPicture(drawPicture(some))).toEqual(some);
		}),
	);
});

test("Any text is rejected or read as a picture that is drawn the same way", () => {
	fc.assert(
		fc.property(text, (drawn) => {
			const read = attempt(() => readPicture(drawn));
			if (!(read instanceof Error)) expect(drawPicture(read)).toBe(drawn);
		}),
	);
});

test("A drawn story is read back unchanged", () => {
	fc.assert(
		fc.property(story, (some) => {
			expect(readStory(drawStory(some))).toEqual(some);
		}),
	);
});

test("Any text is rejected or read as a story that is drawn the same way", () => {
	const heading = fc.constantFrom(
		"--- user",
		"--- user types a",
		"--- suggests",
		"--- suggests nothing",
		"--- after 5ms",
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(heading, text), { maxLength: 6 }), (lines) => {
			const source = lines.join("\n");
			const read = attempt(() => readStory(source));
			if (!(read instanceof Error)) expect(drawStory(read)).toBe(source);
		}),
	);
});

/**
 * Returns the result, or an Error that was thrown deliberately. Does not catch subclasses of Error, because those
 * indicate bugs.
 */
function attempt<T>(read: () => T): T | Error {
	try {
		return read();
	} catch (error) {
		if (error instanceof Error && error.constructor === Error) return error;
		throw error;
	}
}

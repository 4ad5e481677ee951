import { readPicture } from "@segue/story";
import { drawHunks } from "@segue/testing/models/prompt-input";
import { runs } from "@segue/testing/setup/tier";
import { Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReplyLayout, readReply } from "./reply.js";
import { Window } from "./window.js";

const NEAR = 1;
const AROUND = 4;

interface Ended {
	readonly end: "stop" | "open";
	readonly isBare: boolean;
}

/** Reads a reply for the lines around the drawn cursor, and draws its edits. */
function drawnReply(drawn: string, text: string, { end = "stop", isBare = false }: Partial<Ended> = {}): string {
	const { before, selection } = readPicture(drawn);
	const layout = layoutOf(Text.of(before), selection?.head ?? 0, isBare);
	const read = readReply({ text, end: end === "open" ? undefined : end }, layout);
	return "nothing" in read ? read.nothing : drawHunks(layout.window.text, read.hunks);
}

function layoutOf(text: Text, cursor: number, isBare = false): ReplyLayout {
	return {
		window: Window.ofLines(text, cursor, NEAR, NEAR),
		shown: Window.ofLines(text, cursor, AROUND, AROUND),
		opening: "<region>",
		closing: "</region>",
		cursor: "<cursor/>",
		nothing: ["<none/>", "None"],
		isBare,
	};
}

const scene = "import a\nimport b\none(a)\ntwo(a▮)\nsix(a)\nend()\nrest()";
const edited = "import a\nimport b\none(‹a→b›)\ntwo(a)\nsix(a)\nend()\nrest()";
const region = "one(b)\ntwo(a)\nsix(a)";

test.each([
	["between the tags", `<region>\n${region}\n</region>`],
	["between tags on separate lines, with prose around them", `Here it is:\n\n<region>\n${region}\n</region>\nDone.`],
	["after an unclosed tag", `<region>\n${region}\n`],
	["in a fence", `\`\`\`\n${region}\n\`\`\``],
	["in a fence with a language, with prose around it", `Sure!\n\n\`\`\`ts\n${region}\n\`\`\`\nI renamed it.`],
	["in an unclosed fence", `\`\`\`ts\n${region}`],
	["between tags in a fence", `\`\`\`\n<region>\n${region}\n</region>\n\`\`\``],
	["in the first of two fences", `\`\`\`\n${region}\n\`\`\`\nor\n\`\`\`\nnothing\n\`\`\``],
	["alone", `one(b)\ntwo(a)\nsix(a)\n`],
	["alone, with CR LF", `one(b)\r\ntwo(a)\r\nsix(a)\r\n`],
	["after prose", `Here is the updated code:\n\none(a)\ntwo(b)\nsix(a)`, "two"],
	["before prose", `one(a)\ntwo(b)\nsix(a)\n\nI changed a to b because one of them was.`, "two"],
	["after an unclosed tag and before prose", `<region>\n${region}\n\nI changed a to b.`],
	["in an unclosed fence and before prose", `\`\`\`\n${region}\n\nI changed a to b.`],
	["after thoughts", `<think>\none(c)?\n</think>\n\n<region>\n${region}\n</region>`],
	["with the cursor mark", `<region>\none(b)\ntwo(a<cursor/>)\nsix(a)\n</region>`],
	["with the line above", `<region>\nimport b\n${region}\n</region>`],
	["with the line below", `<region>\n${region}\nend()\n</region>`],
	["as the whole file", `\`\`\`ts\nimport a\nimport b\n${region}\nend()\nrest()\n\`\`\``],
])("the new content is found %s", (_, reply, name = "one") => {
	expect(drawnReply(scene, reply)).toBe(scene.replace("▮", "").replace(`${name}(a)`, `${name}(‹a→b›)`));
});

test.each([
	["the same lines", `<region>\none(a)\ntwo(a)\nsix(a)\n</region>`, "no-edit"],
	["the no-change tag", "<none/>", "no-edit"],
	["an explanation and the no-change tag", "There is nothing to do.\n<none/>", "no-edit"],
	["the no-change word in a fence", "```\nNone\n```", "no-edit"],
	["an empty reply", "", "unreadable-answer"],
	["prose", "I would rename a to b.", "unreadable-answer"],
	["prose about one of the lines", "You have this line:\n\ntwo(a)\n\nIt should be another.", "unreadable-answer"],
	["prose before possibly incomplete lines", "Here is the updated code:\none(b)\ntwo(a)", "unreadable-answer"],
	["prose after possibly incomplete lines", "one(a)\ntwo(a)\n\nI dropped it because it is old", "unreadable-answer"],
	["prose on both sides of one line", "I changed b to 3 because:\ntwo(a)\nDone", "unreadable-answer"],
	["prose after a tag", "<region>\nI am sorry, but I cannot do that.", "unreadable-answer"],
	["a line and an unopened fence", "two(a)\none(b)\n```", "unreadable-answer"],
	["unfinished thoughts", "<think>\none(b)\ntwo(a)", "unreadable-answer"],
])("a reply without new content has a reason: %s", (_, reply, nothing) => {
	expect(drawnReply(scene, reply)).toBe(nothing);
});

test("an equal line below the window is a repetition only after the window's last line", () => {
	const reply = "<region>\none(b)\ntwo(a)\n</region>";
	expect(drawnReply("one(a)\ntwo(a▮)\nsix(a)\ntwo(a)\nend()", reply)).toBe(
		"one(‹a→b›)\ntwo(a)‹\nsix(a)→›\ntwo(a)\nend()",
	);
});

test("new lines of code around the window's lines are content", () => {
	const drawn = "import a\nimport b\none(a▮)\nend()";
	const reply = "import b\none(a)\nif (a) {\n\treturn a\n}\nreturn one(b)\nend()";
	expect(drawnReply(drawn, reply)).toBe(
		"import a\nimport b\none(a)\n‹→if (a) {\n\treturn a\n}\nreturn one(b)\n›end()".replace("\t", "⇥"),
	);
	expect(drawnReply("def area(a):▮", "def area(a):\n    return a * a\n\n\ndef six(b):\n    return 6")).toBe(
		"def area(a):‹→\n    return a * a\n\n\ndef six(b):\n    return 6›",
	);
});

test("prose that starts with a typed word is not code", () => {
	expect(drawnReply("one()\nHere▮\n", "Here is the updated code:")).toBe("unreadable-answer");
	expect(drawnReply("one()\nre▮", "return 1 is what I would write.")).toBe("unreadable-answer");
});

test("any reply from a model trained to write only code is code", () => {
	expect(drawnReply("▮", "let a = 1", { isBare: true })).toBe("‹→let a = 1›");
	expect(drawnReply("▮", "let a = 1")).toBe("unreadable-answer");
});

test("a document keeps its own fences", () => {
	const drawn = "# Use▮\n```sh\nnpm i\n```";
	expect(drawnReply(drawn, "```md\n# Usage\n```sh\nnpm i\n```")).toBe("# Us‹→ag›e\n```sh\nnpm i\n```");
});

test("a truncated reply is marked as cut off, unless its new content is complete", () => {
	const layout = layoutOf(Text.of("one(a)\ntwo(a)\nsix(a)"), 0);
	const cuts = (text: string) => {
		const read = readReply({ text, end: "length" }, layout);
		return "hunks" in read ? read.hunks.map(({ isCut }) => isCut) : read.nothing;
	};
	expect(cuts("<region>\none(b")).toEqual([true]);
	expect(cuts("<region>\none(b)\ntwo(a)\n</region>\nBecause")).toEqual([false]);
});

describe("while a model is writing", () => {
	test("an edit is final before the reply ends", () => {
		expect(drawnReply(scene, `<region>\none(b)\ntwo(a)\nsix(a)\n`, { end: "open" })).toBe(edited);
		expect(drawnReply(scene, `Sure!\n\`\`\`ts\none(b)\ntwo(a)\nsix(a)\n`, { end: "open" })).toBe(edited);
	});

	test("ambiguous output has no final hunks", () => {
		const untouched = scene.replace("▮", "");
		expect(drawnReply(scene, "one(b)\ntwo(a)\n", { end: "open" })).toBe(untouched);
		expect(drawnReply(scene, "<thi", { end: "open" })).toBe(untouched);
	});

	test("a possible repetition of the lines above has no final hunks", () => {
		const alike = "one()\ntwo()\nsix()\nlog()\none(▮)\ntwo()";
		const above = "<region>\none()\ntwo()\n";
		expect(drawnReply(alike, above, { end: "open" })).toBe(alike.replace("▮", ""));
		expect(drawnReply(alike, `${above}six()\nlog()\none()\ntwo()\n</region>`)).toBe("no-edit");
	});
});

const someLines = fc.array(fc.constantFrom("aa", "bb", "cc", "dd😀", "}", ""), { maxLength: 12 });
const someDocument = fc.oneof(someLines, fc.array(fc.constantFrom("aa", "bb", "```", "```ts"), { maxLength: 12 }));
const someFrame = fc.constantFrom(
	...[
		["<region>\n", "\n</region>"],
		["```\n", "\n```"],
		["Sure:\n```ts\n", "\n```\nDone."],
		["", ""],
	],
	...[
		["<think>aa\n</think>\n", ""],
		["```\n<region>", "</region>\n```"],
		["<region>aa", ""],
		["```\n", "\n```\naa\n```\nbb"],
	],
);

/** A reply in one of the frames, with some of the document's lines and other lines in between. */
const someScene = someDocument.chain((document) => {
	const part = fc.tuple(fc.nat(document.length), fc.nat(document.length), someLines).map(([from, to, others]) => {
		const kept = document.slice(Math.min(from, to), Math.max(from, to));
		return [...kept.slice(0, kept.length / 2), ...others.slice(0, 2), ...kept.slice(kept.length / 2)];
	});
	return fc.tuple(fc.constant(document), fc.nat(), fc.oneof(part, someLines), someFrame, fc.boolean());
});

test("edits stay in the window, and final hunks stay the same for any reply", () => {
	fc.assert(
		fc.property(someScene, ([document, at, lines, [head = "", tail = ""], isBare]) => {
			const text = Text.of(document.join("\n"));
			const cursor = text.lineStart(at % text.lineCount);
			const window = Window.ofLines(text, cursor, 2, 2);
			const layout = { ...layoutOf(text, cursor, isBare), window };
			const reply = `${head}${lines.join("\n")}${tail}`;
			const whole = readReply({ text: reply, end: "stop" }, layout);
			const all = "hunks" in whole ? whole.hunks : [];
			for (const { from, to } of all.flatMap(({ edits }) => edits)) {
				expect(from).toBeGreaterThanOrEqual(window.from);
				expect(to).toBeLessThanOrEqual(window.to);
			}
			for (let length = 0; length <= reply.length; length++) {
				const partial = readReply({ text: reply.slice(0, length), end: undefined }, layout);
				if ("nothing" in partial) expect(whole).toEqual(partial);
				else expect(all.slice(0, partial.hunks.length)).toEqual(partial.hunks);
			}
		}),
		{ numRuns: runs(3000) },
	);
});

import { readPicture } from "@segue/story";
import { sceneOf } from "@segue/testing";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { proposeBlocks } from "./block.js";
import type { Finding } from "./candidate.js";
import { combine } from "./combine.js";
import { type Example, examplesOf, History, type Scene } from "./index.js";
import { proposeRepeats } from "./repeat.js";
import { proposeTemplates } from "./template.js";

type Propose = (scene: Scene, examples: readonly Example[]) => Finding[];

/** All that is found after the edits that a picture shows: the document as it would be, for each finding once. */
function found(propose: Propose, drawn: string): string[] {
	const { before, edits } = readPicture(drawn);
	const start = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
	const change = Change.of(edits, before.length);
	const history = History.empty.changed(start, change, { atMs: 0, isAccepted: false });
	const document = { ...start, version: 1, text: change.apply(start.text) };
	const scene = sceneOf(document, history, 0);
	const texts = propose(scene, examplesOf(history)).flatMap(({ proposal }) => {
		if (proposal.kind !== "edit") return [];
		return [Change.of(proposal.edits, document.text.length).apply(document.text).toString()];
	});
	return [...new Set(texts)];
}

describe("lines that came or went", () => {
	test.each([
		["an equal line goes, too", "a()\n‹check(one)\n→›b()\ncheck(one)\nc()\n", "a()\nb()\nc()\n"],
		[
			"equal lines go together, also when the first says nothing",
			"‹{\ncheck(one)\n}\n→›b()\n{\ncheck(one)\n}\nc()\n",
			"b()\nc()\n",
		],
		[
			"a line comes below an equal one, indented as that is",
			"open(file)\n‹→  lock(file)\n›if (x) {\n⇥open(file)\n}\n",
			"open(file)\n  lock(file)\nif (x) {\n\topen(file)\n\t  lock(file)\n}\n",
		],
		[
			"lines become others, as equal ones did",
			"‹one(first)\ntwo(first)→both(first)›\nx()\none(first)\ntwo(first)\n",
			"both(first)\nx()\nboth(first)\n",
		],
	])("%s", (_, drawn, expected) => expect(found(proposeBlocks, drawn)).toContain(expected));

	test.each([
		["another line stays", "a()\n‹check(one)\n→›b()\ncheck(two)\nc()\n"],
		["a line that says nothing is not looked for", "a()\n‹}\n→›b()\n}\n"],
		["what stands below already does not come again", "open(file)\n‹→lock(file)\n›x()\nopen(file)\nlock(file)\n"],
		["half of the lines is not all of them", "‹one(first)\ntwo(first)→both(first)›\nx()\none(first)\nsix(first)\n"],
	])("%s", (_, drawn) => expect(found(proposeBlocks, drawn)).toEqual([]));
});

describe("a template", () => {
	test.each([
		["keeps what stands in the holes", "‹old.load(one, 1)→new.read(one, 1)›\nold.load(two, 1)\n", "new.read(two, 1)"],
		[
			"writes the line's own words where the change doubles them",
			"‹log(first.name, 1)→log(first.name, first.id, 1)›\nlog(other.name, 1)\n",
			"log(other.name, other.id, 1)",
		],
	])("%s", (_, drawn, line) => expect(found(proposeTemplates, drawn).join("\n").split("\n")).toContain(line));

	test.each([
		["needs lines that are alike", "‹old.load(one)→new.read(one)›\nif (load) return two\n"],
		["does nothing where the line differs in what went", "‹load(one, 1)→load(one, 2)›\nload(one, 7)\n"],
	])("%s", (_, drawn) => expect(found(proposeTemplates, drawn)).toEqual([]));
});

describe("changes of one line", () => {
	const together: Propose = (scene, examples) => combine(scene, proposeRepeats(scene, examples));

	test("are proposed together where each was made on a line of its own", () => {
		const drawn = "load(‹first→one›, x)\nsave(‹second→two›, x)\nboth(first, second)\n";
		expect(found(together, drawn)).toContain("load(one, x)\nsave(two, x)\nboth(one, two)\n");
	});

	test("are not, where there is only one", () => {
		expect(found(together, "load(‹first→one›, x)\nsave(first, x)\n")).toEqual([]);
	});
});

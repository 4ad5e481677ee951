import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { playStory, readStory, readStoryFile } from "@segue/story";
import { EnginePlayer, PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { Change, type Document, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { explanationOf } from "./explanation.js";
import { History } from "./history.js";
import { Memory, predict, type Scene, type Suggestion } from "./index.js";
import { proposeRepeats } from "./rules/repeat.js";
import { sceneOf } from "./scene.js";
import type { Proposal } from "./suggestion.js";

const story = storiesOn(() => new EnginePlayer());
const repeatStory = storiesOn(() => new PredictorPlayer(proposeRepeats));

function documentOf(uri: string): Document {
	return { uri, languageId: "typescript", version: 0, text: Text.of("one one two\n") };
}

const [here, there, beyond] = ["here.ts", "there.ts", "beyond.ts"].map(documentOf) as [Document, Document, Document];
const scene = sceneOf(here, History.empty, 0);

/** The first word of each document, as a list of remaining sites. */
function placesIn(...documents: Document[]) {
	return documents.map((document) => ({ document, from: 0, to: 3 }));
}

const CHANGE = "Replacing `one` with `six`";

describe("an explanation counts the remaining sites", () => {
	test.each([
		["1 more in this file", [here]],
		["2 more in this file", [here, here]],
		["1 more in `there.ts`", [there]],
		["2 more in `there.ts`", [there, there]],
		["3 more in 2 files", [here, there, there]],
		["2 more in 2 files", [there, beyond]],
		["29 more in this file", Array<Document>(29).fill(here)],
		["at least 30 more in this file", Array<Document>(30).fill(here)],
	])("%s", (count, documents) => {
		expect(explanationOf(scene, CHANGE, placesIn(...documents))([])).toBe(`${CHANGE}: ${count}`);
	});

	test.each([
		["1 call left in this file", [here]],
		["2 calls left in 2 files", [here, there]],
		["at least 30 calls left in `there.ts`", Array<Document>(30).fill(there)],
	])("%s", (count, documents) => {
		expect(explanationOf(scene, CHANGE, placesIn(...documents), "call")([])).toBe(`${CHANGE}: ${count}`);
	});
});

describe("an explanation", () => {
	const [second, third] = [
		{ document: here, from: 4, to: 7 },
		{ document: here, from: 8, to: 11 },
	];
	const left = [...placesIn(here, there), second, third];
	const inHere = { uri: here.uri } as const;
	const edit = (from: number, uri = here.uri) => {
		return { kind: "edit", uri, edits: [{ from, to: from + 3, insert: "six" }] } as const;
	};

	test.each<[string, string, Proposal[]]>([
		["counts all sites at first", "4 more in 2 files", []],
		["does not count the site of an accepted edit", "3 more in 2 files", [edit(4)]],
		["is relative to the file of the last accepted edit", "2 more in `here.ts`", [edit(4), edit(0, there.uri)]],
		[
			"is relative to this file again after the user returns to it",
			"1 more in this file",
			[edit(0, there.uri), edit(4), edit(0)],
		],
		["does not count the target of an accepted jump", "3 more in 2 files", [{ kind: "jump", ...inHere, at: 4 }]],
		[
			"does not count sites that an accepted rename changes",
			"2 more in 2 files",
			[{ kind: "rename", ...inHere, at: 0, oldName: "one", newName: "six" }],
		],
		[
			"does not count sites that an accepted search and replace changes",
			"2 more in 2 files",
			[{ kind: "searchAndReplace", ...inHere, search: "\\bone\\b", replace: "six", isRegex: true }],
		],
	])("%s: %s", (_, count, taken) => expect(explanationOf(scene, CHANGE, left)(taken)).toBe(`${CHANGE}: ${count}`));
});

describe("the suggestions in one answer", () => {
	/** The scene after an edit was accepted. */
	function sceneAfter(scene: Scene, { uri, edits, cursor }: Extract<Suggestion, { kind: "edit" }>): Scene {
		const documents = [scene.document, ...scene.neighbours];
		const document = documents.find((one) => one.uri === uri) as Document;
		const change = Change.of(edits, document.text.length);
		const history = scene.history.changed(document, change, { atMs: 1_000_000, isAccepted: true });
		const text = history.fileOf(uri)?.now ?? change.apply(document.text);
		return {
			...sceneOf({ ...document, version: document.version + 1, text }, history, cursor),
			neighbours: documents.filter((one) => one !== document),
			kinds: scene.kinds,
		};
	}

	/** The reason for a queued suggestion, and the reason that a new answer gives for the same suggestion. */
	const reasons: { queued: string; fresh: string }[] = [];

	/** Accepts the suggestions in an answer one by one, and requests a new answer after each. */
	class QueuePlayer extends EnginePlayer {
		protected override offer(scene: Scene) {
			const prediction = predict(scene, Memory.empty);
			let [first, ...queued] = "suggestions" in prediction ? prediction.suggestions : [];
			let now = scene;
			for (const next of queued) {
				if (first?.kind !== "edit" || next.kind !== "edit") break;
				now = sceneAfter(now, first);
				const fresh = predict(now, Memory.empty);
				[first] = "suggestions" in fresh ? fresh.suggestions : [];
				if (first?.key === next.key) reasons.push({ queued: next.why, fresh: first.why });
			}
			return super.offer(scene);
		}
	}

	const folder = path.join(import.meta.dirname, "..", "..", "..", "stories");
	const files = readdirSync(folder).filter((name) => name.endsWith(".story.md"));

	test("have the same reasons as in a new answer after the earlier suggestions are accepted", async () => {
		for (const name of files) {
			for (const { source } of readStoryFile(readFileSync(path.join(folder, name), "utf8"))) {
				await playStory(readStory(source), new QueuePlayer());
			}
		}
		expect(reasons.map(({ queued }) => queued)).toEqual(reasons.map(({ fresh }) => fresh));
		expect(reasons.length).toBeGreaterThan(15);
	});
});

describe("the reason for a suggestion", () => {
	story(
		"names the user's change and counts the sites left",
		`
		--- file other.ts
		import { fetchUser } from "./main"
		--- user main.ts
		export function ‹fetchUser→loadUser▮›(id: string) {}
		const admin = fetchUser("admin")
		const guests = [fetchUser("one"), fetchUser("two")]
		--- suggests (Renaming \`fetchUser\` to \`loadUser\`: 4 more in 2 files)
		export function loadUser(id: string) {}
		const admin = ‹fetchUser→loadUser▮›("admin")
		const guests = [fetchUser("one"), fetchUser("two")]
		--- user accepts
		--- suggests (Renaming \`fetchUser\` to \`loadUser\`: 3 more in 2 files)
		export function loadUser(id: string) {}
		const admin = loadUser("admin")
		const guests = [‹fetchUser→loadUser›("one"), ‹fetchUser→loadUser▮›("two")]
		--- user accepts
		--- suggests other.ts (Renaming \`fetchUser\` to \`loadUser\`: 1 more in \`other.ts\`)
		import { ‹fetchUser→loadUser▮› } from "./main"
	`,
	);

	repeatStory(
		"names only the repeated part of the user's change",
		`
		--- user
		send(‹1→2›, ‹low→high▮›)
		wait(3)
		queue(4, low)
		--- suggests (Replacing \`low\` with \`high\`: 1 more in this file)
		send(2, high)
		wait(3)
		queue(4, ‹low→high▮›)
	`,
	);

	repeatStory(
		"counts a line with two sites twice",
		`
		--- user
		put(‹old→now▮›, 1)
		call(put(old, 2), put(old, 3))
		--- suggests (Replacing \`old\` with \`now\`: 2 more in this file)
		put(now, 1)
		call(put(‹old→now›, 2), put(‹old→now▮›, 3))
	`,
	);
});

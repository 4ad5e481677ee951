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

/** The first word of each document, as what is left. */
function placesIn(...documents: Document[]) {
	return documents.map((document) => ({ document, from: 0, to: 3 }));
}

/** What is said of a change that was made once. */
function saidOf(left: Parameters<typeof explanationOf>[3], taken: readonly Proposal[] = []): string {
	return explanationOf(scene, "`one` became `six`", 1, left)(taken);
}

describe("what is left is told", () => {
	test.each([
		["1 is left in this file", [here]],
		["2 are left in this file", [here, here]],
		["1 is left in another file", [there]],
		["2 are left in another file", [there, there]],
		["3 are left in 2 files", [here, there, there]],
		["2 are left in 2 files", [there, beyond]],
		["29 are left in this file", Array<Document>(29).fill(here)],
		["30 or more are left in this file", Array<Document>(30).fill(here)],
	])("as: %s", (said, documents) => {
		expect(saidOf(placesIn(...documents))).toBe(`\`one\` became \`six\` at 1 place; ${said}`);
	});
});

describe("what is left once others were taken is told", () => {
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
		["where nothing was", "at 1 place; 4 are left in 2 files", []],
		["without what an edit does", "at 2 places; 3 are left in 2 files", [edit(4)]],
		[
			"without what edits of two files do, from where the last is",
			"at 3 places; 2 are left in another file",
			[edit(4), edit(0, there.uri)],
		],
		["from where the user is then", "at 4 places; 1 is left in this file", [edit(0, there.uri), edit(4), edit(0)]],
		["without what a jump led to", "at 1 place; 3 are left in 2 files", [{ kind: "jump", ...inHere, at: 4 }]],
		[
			"without what has the name that was replaced",
			"at 3 places; 2 are left in 2 files",
			[{ kind: "rename", ...inHere, at: 0, oldName: "one", newName: "six" }],
		],
		[
			"without what was searched for",
			"at 3 places; 2 are left in 2 files",
			[{ kind: "searchAndReplace", ...inHere, search: "\\bone\\b", replace: "six", isRegex: true }],
		],
	])("%s: %s", (_, said, taken) => expect(saidOf(left, taken)).toBe(`\`one\` became \`six\` ${said}`));
});

describe("of the suggestions of one answer", () => {
	/** The scene once an edit was taken. */
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

	/** What is told of the first suggestion of one answer, and what of that which was to come next in the answer before. */
	const told: { waiting: string; fresh: string }[] = [];

	/** Takes one suggestion of an answer after the other, and asks anew each time. */
	class QueuePlayer extends EnginePlayer {
		protected override offer(scene: Scene) {
			const prediction = predict(scene, Memory.empty);
			let [first, ...waiting] = "suggestions" in prediction ? prediction.suggestions : [];
			let now = scene;
			for (const next of waiting) {
				if (first?.kind !== "edit" || next.kind !== "edit") break;
				now = sceneAfter(now, first);
				const anew = predict(now, Memory.empty);
				[first] = "suggestions" in anew ? anew.suggestions : [];
				if (first?.key === next.key) told.push({ waiting: next.why, fresh: first.why });
			}
			return super.offer(scene);
		}
	}

	const folder = path.join(import.meta.dirname, "..", "..", "..", "stories");
	const files = readdirSync(folder).filter((name) => name.endsWith(".story.md"));

	test("each says what the engine would say of it once those before it were taken", async () => {
		for (const name of files) {
			for (const { source } of readStoryFile(readFileSync(path.join(folder, name), "utf8"))) {
				await playStory(readStory(source), new QueuePlayer());
			}
		}
		expect(told.map(({ waiting }) => waiting)).toEqual(told.map(({ fresh }) => fresh));
		expect(told.length).toBeGreaterThan(15);
	});
});

describe("a suggestion says why", () => {
	story(
		"it was made, by how often the user did it and how often it is left to do",
		`
		--- file other.ts
		import { fetchUser } from "./main"
		--- user main.ts
		export function ‹fetchUser→loadUser▮›(id: string) {}
		const admin = fetchUser("admin")
		const guests = [fetchUser("one"), fetchUser("two")]
		--- suggests (\`fetchUser\` became \`loadUser\` at 1 place; 4 are left in 2 files)
		export function loadUser(id: string) {}
		const admin = ‹fetchUser→loadUser▮›("admin")
		const guests = [fetchUser("one"), fetchUser("two")]
		--- user accepts
		--- suggests (\`fetchUser\` became \`loadUser\` at 2 places; 3 are left in 2 files)
		export function loadUser(id: string) {}
		const admin = loadUser("admin")
		const guests = [‹fetchUser→loadUser›("one"), ‹fetchUser→loadUser▮›("two")]
		--- user accepts
		--- suggests other.ts (\`fetchUser\` became \`loadUser\` at 4 places; 1 is left in another file)
		import { ‹fetchUser→loadUser▮› } from "./main"
	`,
	);

	repeatStory(
		"by that part of the user's change alone which it repeats",
		`
		--- user
		send(‹1→2›, ‹low→high▮›)
		wait(3)
		queue(4, low)
		--- suggests (\`low\` became \`high\` at 1 place; 1 is left in this file)
		send(2, high)
		wait(3)
		queue(4, ‹low→high▮›)
	`,
	);

	repeatStory(
		"and counts a line with two of them as two",
		`
		--- user
		put(‹old→now▮›, 1)
		call(put(old, 2), put(old, 3))
		--- suggests (\`old\` became \`now\` at 1 place; 2 are left in this file)
		put(now, 1)
		call(put(‹old→now›, 2), put(‹old→now▮›, 3))
	`,
	);
});

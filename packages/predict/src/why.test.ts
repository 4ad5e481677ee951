import { EnginePlayer, PredictorPlayer, sceneOf, storiesOn } from "@segue/testing";
import { type Document, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { History } from "./history.js";
import { proposeRepeats } from "./repeat.js";
import { leftIn, whyOf } from "./why.js";

const story = storiesOn(() => new EnginePlayer());
const repeatStory = storiesOn(() => new PredictorPlayer(proposeRepeats));

function documentOf(uri: string): Document {
	return { uri, languageId: "typescript", version: 0, text: Text.of("") };
}

const [here, there, beyond] = ["here.ts", "there.ts", "beyond.ts"].map(documentOf) as [Document, Document, Document];
const scene = sceneOf(here, History.empty, 0);

function placesIn(...documents: Document[]) {
	return documents.map((document) => ({ document }));
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
		expect(leftIn(scene, placesIn(...documents))).toBe(said);
	});

	test("with what was done how often", () => {
		expect(whyOf(scene, "`a` became `b`", 1, placesIn(here))).toBe("`a` became `b` at 1 place; 1 is left in this file");
		expect(whyOf(scene, "`a` became `b`", 2, placesIn(here))).toBe(
			"`a` became `b` at 2 places; 1 is left in this file",
		);
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

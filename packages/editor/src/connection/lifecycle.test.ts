import { ScriptedAgent } from "@segue/testing/agents/scripted-agent";
import { FakeClock } from "@segue/testing/clock";
import { EditorPlayer } from "@segue/testing/players/editor-player";
import { storiesOn } from "@segue/testing/players/stories";
import { diffTokens, rangeAt } from "@segue/text";
import { afterEach, describe, expect } from "vitest";

// The lifecycle of a suggestion as the user sees it, frame by frame. For each document, the agent always suggests the
// text from the story's model step.

let players: EditorPlayer[] = [];

const newPlayer = (isCursorLate: boolean) => () => {
	const models = new Map<string, string>();
	const agent = new ScriptedAgent();
	const player = new EditorPlayer({
		connect: agent.connect,
		clock: new FakeClock(),
		model: (uri, text) => models.set(uri, text),
	});
	let count = 0;
	agent.suggest = () => ({
		suggestions: [...models].flatMap(([uri, text]) => {
			const document = player.host.document(uri);
			const edits = diffTokens(document.text.toString(), text).map(({ from, to, insert }) => {
				return { range: rangeAt(document.text, from, to, "utf-16"), newText: insert };
			});
			return edits.length === 0 ? [] : [{ id: `s${++count}`, kind: "edit" as const, uri, edits }];
		}),
		_meta: { segue: { reason: "nothing-left" } },
	});
	player.host.isCursorLate = isCursorLate;
	players.push(player);
	return player;
};

afterEach(async () => {
	for (const player of players) {
		expect(player.flickers).toEqual([]);
		await player.end();
	}
	players = [];
});

describe.each([
	["the cursor before the change", false],
	["the change before the cursor", true],
] as const)("in an editor that reports %s, a suggestion", (_title, isCursorLate) => {
	const story = storiesOn(newPlayer(isCursorLate));

	story(
		"stays while the user types it, and ends when the user has typed all of it",
		`
		--- user
		function area(w▮) {}
		--- model says
		function area(w, height) {}
		--- suggests
		function area(w‹→, height▮›) {}
		--- user types
		function area(w‹→, he▮›) {}
		--- suggests
		function area(w, he‹→ight▮›) {}
		--- user types
		function area(w, he‹→ight▮›) {}
		--- suggests nothing (nothing-left)
		`,
	);

	story(
		"moves with the lines above it",
		`
		--- user
		log(cnt▮)
		--- model says
		log(count)
		--- suggests
		log(‹cnt→count▮›)
		--- model says
		// first
		log(count)
		--- user
		‹→// first
		›log(cnt▮)
		--- suggests
		// first
		log(‹cnt→count▮›)
		--- user accepts
		--- suggests nothing (nothing-left)
		`,
	);

	story(
		"disappears when the user types something else in its place",
		`
		--- user
		const x = ▮
		--- model says
		const x = first()
		--- suggests
		const x = ‹→first()▮›
		--- model says
		const x = second
		--- user types
		const x = ‹→second▮›
		--- suggests nothing (nothing-left)
		`,
	);

	story(
		"is replaced only by one that extends it, unless the user has edited something else",
		`
		--- user
		one▮
		two
		--- model says
		one()
		two
		--- suggests
		one‹→()▮›
		two
		--- model says
		one
		two()
		--- suggests
		one‹→()▮›
		two
		--- model says
		one
		two.three()
		--- user
		one▮
		two‹→.three›
		--- suggests
		one
		two.three‹→()▮›
		`,
	);

	story(
		"for another file follows the one for this file, and Tab opens that file before accepting it",
		`
		--- file b.ts
		use(old)
		--- user a.ts
		const old▮ = 1
		--- model says
		const fresh = 1
		--- model says b.ts
		use(fresh)
		--- suggests a.ts
		const ‹old→fresh▮› = 1
		--- user accepts
		--- suggests b.ts
		use(‹old→fresh▮›)
		--- user accepts
		--- suggests nothing (nothing-left)
		`,
	);

	story(
		"uses the line endings of its document",
		`
		--- user
		if (a) {▮}␍
		c()
		--- model says
		if (a) {
		⇥b()
		}␍
		c()
		--- suggests
		if (a) {‹→␍
		⇥b()␍
		▮›}␍
		c()
		--- user accepts
		--- user
		if (a) {␍
		⇥b()␍
		▮}␍
		c()
		`,
	);
});

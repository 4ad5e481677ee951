import { EnginePlayer, PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { Change, type Document, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { featureOf } from "../candidate.js";
import { examplesOf } from "../example.js";
import { History } from "../history.js";
import { sceneOf } from "../scene.js";
import { proposeRepeats } from "./repeat.js";

// After a single example, most suggestions are shown only with high eagerness.
const story = storiesOn(() => new EnginePlayer({ eagerness: "high" }));
const calmStory = storiesOn(() => new EnginePlayer());
const foundStory = storiesOn(() => new PredictorPlayer(proposeRepeats));
const searchStory = storiesOn(() => new EnginePlayer({ kinds: new Set(["searchAndReplace"]) }));

describe("a repeat", () => {
	story(
		"continues from equal lines to similar ones after an accepted suggestion",
		`
		--- user
		open(path, mode, ‹1→2▮›)
		open(path, mode, 1)
		shut(file, mode, 1)
		--- suggests (Replacing \`1\` with \`2\` on equal lines: 1 more in this file)
		open(path, mode, 2)
		open(path, mode, ‹1→2▮›)
		shut(file, mode, 1)
		--- user accepts
		--- suggests (Replacing \`1\` with \`2\`: 1 more in this file)
		open(path, mode, 2)
		open(path, mode, 2)
		shut(file, mode, ‹1→2▮›)
	`,
	);

	story(
		"continues on similar lines after two changes by hand",
		`
		--- user
		open(path, mode, ‹1→2▮›)
		open(path, mode, 1)
		shut(file, mode, 1)
		--- user
		open(path, mode, 2)
		open(path, mode, ‹1→2▮›)
		shut(file, mode, 1)
		--- suggests
		open(path, mode, 2)
		open(path, mode, 2)
		shut(file, mode, ‹1→2▮›)
	`,
	);

	calmStory(
		"also changes an equal line between other lines",
		`
		--- user main.go
		err := run(‹→ctx, ▮›job, 1)
		if again {
		⇥err := run(job, 1)
		}
		--- suggests (Inserting \`ctx,\` on equal lines: 1 more in this file)
		err := run(ctx, job, 1)
		if again {
		⇥err := run(‹→ctx, ▮›job, 1)
		}
	`,
	);

	story(
		"repeats a change of a few tokens on a similar line",
		`
		--- user
		app.get(‹→auth, ▮›"/a", a)
		app.get("/b", b)␍
		app.get("/😀", c)␍
		--- suggests (Inserting \`auth,\`: 2 more in this file)
		app.get(auth, "/a", a)
		app.get(‹→auth, ▮›"/b", b)␍
		app.get("/😀", c)␍
		--- user
		app.get(auth, "/a", a)
		app.get(‹→auth, ▮›"/b", b)␍
		app.get("/😀", c)␍
		--- suggests (Inserting \`auth,\`: 1 more in this file)
		app.get(auth, "/a", a)
		app.get(auth, "/b", b)␍
		app.get(‹→auth, ▮›"/😀", c)␍
	`,
	);

	story(
		"repeats all changes to a line at once",
		`
		--- user main.py
		a = ‹old.load(one)→new.read(one)▮›
		b = old.load(two)
		c = old.load(six)
		--- user
		a = new.read(one)
		b = ‹old.load(two)→new.read(two)▮›
		c = old.load(six)
		--- suggests (Replacing \`old.load\` with \`new.read\`: 1 more in this file)
		a = new.read(one)
		b = new.read(two)
		c = ‹old→new›.‹load→read▮›(six)
	`,
	);

	story(
		"continues in the next file",
		`
		--- file src/b.rs
		let limit = config.limit.unwrap_or(10);
		--- user src/a.rs
		let limit = config.limit.‹unwrap_or(10)→unwrap_or(20)▮›;
		let limit = config.limit.unwrap_or(10);
		--- suggests
		let limit = config.limit.unwrap_or(20);
		let limit = config.limit.unwrap_or(‹10→20▮›);
		--- user accepts
		--- suggests src/b.rs
		let limit = config.limit.unwrap_or(‹10→20▮›);
	`,
	);

	story(
		"stays in strings if it started in one",
		`
		--- user
		get("/api/‹v1→v2▮›/users")
		get("/api/v1/posts")
		// get("/api/v1/posts")
		get("/api/v1/pages")
		--- user
		get("/api/v2/users")
		get("/api/‹v1→v2▮›/posts")
		// get("/api/v1/posts")
		get("/api/v1/pages")
		--- suggests
		get("/api/v2/users")
		get("/api/v2/posts")
		// get("/api/v1/posts")
		get("/api/‹v1→v2▮›/pages")
	`,
	);

	story(
		"does not insert text that is already there",
		`
		--- user
		const a = ‹→await ▮›load(1)
		const b = load(2)
		const c = await load(3)
		--- user
		const a = await load(1)
		const b = ‹→await ▮›load(2)
		const c = await load(3)
		--- suggests nothing (below-threshold)
	`,
	);

	story(
		"repeats a single change on a similar line",
		`
		--- user
		log(‹info, one→warn, one▮›)
		log(info, two)
		--- suggests (Renaming \`info\` to \`warn\`: 1 more in this file)
		log(warn, one)
		log(‹info→warn▮›, two)
	`,
	);

	story(
		"keeps the whitespace of the line where the user did not change it",
		`
		--- user
		return ‹isLiteral(child)→child.isText▮›;
		if (isLiteral(child)) {
		--- suggests (Replacing \`isLiteral(child)\` with \`child.isText\`: 1 more in this file)
		return child.isText;
		if (‹isLiteral(→›child‹)→.isText▮›) {
	`,
	);

	story(
		"is not a name that the user has deleted once, probably to type another",
		`
		--- user
		function ‹priceOf→▮›(item) {}
		show(priceOf(item).toFixed(2))
		--- suggests nothing (doubtful)
	`,
	);

	story(
		"matches equal short lines next to each other",
		`
		--- user
		return ‹null→undefined▮›
		return null
		--- suggests (Replacing \`null\` with \`undefined\` on equal lines: 1 more in this file)
		return undefined
		return ‹null→undefined▮›
	`,
	);

	story(
		"repeats punctuation that was inserted twice",
		`
		--- user
		one(1)‹→;▮›
		two(2)
		six(6)
		--- user
		one(1);
		two(2)‹→;▮›
		six(6)
		--- suggests (Inserting \`;\`: 1 more in this file)
		one(1);
		two(2);
		six(6)‹→;▮›
	`,
	);

	story(
		"suggests nothing if equal lines were changed differently",
		`
		--- user
		const a = load(file, ‹1→2▮›)
		const a = load(file, 1)
		const a = load(file, 1)
		--- user
		const a = load(file, 2)
		const a = load(file, ‹1→3▮›)
		const a = load(file, 1)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"continues below, and does not return to a site that the user passed",
		`
		--- user
		send(‹old→now▮›, to.a)
		send(old, to.b)
		send(old, to.c)
		send(old, to.d)
		--- user
		send(now, to.a)
		send(old, to.b)
		send(‹old→now▮›, to.c)
		send(old, to.d)
		--- suggests (Renaming \`old\` to \`now\`: 2 more in this file)
		send(now, to.a)
		send(old, to.b)
		send(now, to.c)
		send(‹old→now▮›, to.d)
	`,
	);

	story(
		"is not suggested where the user undid it",
		`
		--- user
		const a = load(file, ‹1→2▮›)
		const a = load(file, 1)
		--- user
		const a = load(file, 2)
		const a = load(file, ‹1→2▮›)
		--- user
		const a = load(file, 2)
		const a = load(file, ‹2→1▮›)
		--- suggests nothing (nothing-found)
	`,
	);

	searchStory(
		"becomes a search and replace if many sites are left",
		`
		--- user
		const a = load(file, ‹1→2▮›)
		const a = load(file, 1)
		const a = load(file, 1)
		const a = load(file, 1)
		--- suggests searchAndReplace ‹const a = load(file, 1)→const a = load(file, 2)›
	`,
	);
});

describe("a repeat has no sites", () => {
	foundStory(
		"in files in another language",
		`
		--- file b.py
		run(first, 1)
		--- user a.ts
		run(first, ‹1→2▮›)
		--- suggests nothing
	`,
	);

	foundStory(
		"if a line was rewritten in many places",
		`
		--- user
		‹one→two›(‹a→b›, ‹c→d›, ‹e→f›, ‹g→h›, ‹i→j▮›)
		one(a, c, e, g, i)
		--- suggests nothing
	`,
	);

	foundStory(
		"on lines that the user has changed",
		`
		--- user
		run(first, ‹1→2▮›)
		run(first, 1‹→, all›)
		--- suggests nothing
	`,
	);
});

test("a rule has at most 200 sites across all documents", () => {
	const lines = Array.from({ length: 90 }, (_, i) => `put(old, ${i})\n`).join("");
	const documentOf = (uri: string, text: string): Document => {
		return { uri, languageId: "typescript", version: 0, text: Text.of(text) };
	};
	const [before, ...neighbours] = ["a.ts", "b.ts", "c.ts", "d.ts"].map((uri) => documentOf(uri, lines)) as [
		Document,
		...Document[],
	];
	const change = Change.of([{ from: 4, to: 7, insert: "now" }], before.text.length);
	const history = History.empty.changed(before, change, { atMs: 0, isAccepted: false });
	const document = { ...before, version: 1, text: change.apply(before.text) };
	const scene = { ...sceneOf(document, history, 7), neighbours };
	const counts = proposeRepeats(scene, examplesOf(history)).map((finding) => featureOf(finding, "left") ?? 0);
	expect(Math.max(...counts)).toBe(200);
});

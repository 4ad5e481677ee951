import type { Outcome, Player, View } from "@segue/story";
import { someText, storiesOn } from "@segue/testing";
import { Change, type Document, splitsCharacter, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History, Memory, predict, type Reason, type Scene, type Suggestion } from "./index.js";

const LANGUAGES: Readonly<Record<string, string>> = {
	go: "go",
	py: "python",
	rs: "rust",
	ts: "typescript",
	tsx: "typescriptreact",
};

/** Plays stories on the engine itself. The documents are the scene's, the last one the user was in first. */
class ScenePlayer implements Player {
	private documents: Document[] = [];
	private history = History.empty;
	private memory = Memory.empty;
	private cursor = 0;
	private nowMs = 0;
	private offered: Suggestion | undefined;

	constructor(private readonly settings: Partial<Scene> = {}) {}

	async configure(): Promise<void> {
		throw new Error("the engine knows no encodings");
	}

	async open(path: string, text: Text, view: View): Promise<void> {
		const languageId = LANGUAGES[path.replace(/^.*\./, "")] ?? "plaintext";
		const document = { uri: path, languageId, version: 0, text };
		this.history = this.history.opened(document);
		this.show(document, view.selection.head);
	}

	async change(path: string, change: Change, view: View): Promise<void> {
		this.apply(path, change, view.selection.head, false);
	}

	async model(): Promise<void> {
		throw new Error("there is no model here");
	}

	async suggest(): Promise<Outcome> {
		const prediction = predict(this.scene(), this.memory);
		if ("silence" in prediction) return { kind: "nothing", reason: prediction.silence };
		const best = prediction.suggestions[0] as Suggestion;
		this.offered = best;
		switch (best.kind) {
			case "edit":
				return { kind: "edit", path: best.uri, edits: best.edits, cursor: best.cursor, note: best.why };
			case "jump":
				return { kind: "jump", path: best.uri, offset: best.at };
			default:
				return { ...best, path: best.uri };
		}
	}

	async accept(): Promise<void> {
		const suggestion = this.offered as Suggestion;
		this.memory = this.memory.accepted(suggestion);
		if (suggestion.kind !== "edit") return;
		const change = Change.of(suggestion.edits, this.find(suggestion.uri).text.length);
		this.apply(suggestion.uri, change, suggestion.cursor, true);
	}

	async reject(reason: string | undefined): Promise<void> {
		this.memory = this.memory.rejected(this.offered as Suggestion, reason as Reason | undefined);
	}

	async wait(ms: number): Promise<void> {
		this.nowMs += ms;
	}

	private scene(): Scene {
		const [document, ...neighbours] = this.documents as [Document, ...Document[]];
		const { cursor, history } = this;
		return { ...sceneOf(document, history, cursor), neighbours, ...this.settings };
	}

	private apply(path: string, change: Change, cursor: number, isAccepted: boolean): void {
		const document = this.find(path);
		this.history = this.history.changed(document, change, { atMs: this.nowMs, isAccepted });
		this.show({ ...document, version: document.version + 1, text: change.apply(document.text) }, cursor);
		this.nowMs += 2000;
	}

	private show(document: Document, cursor: number): void {
		this.documents = [document, ...this.documents.filter(({ uri }) => uri !== document.uri)];
		this.cursor = cursor;
	}

	private find(path: string): Document {
		return this.documents.find(({ uri }) => uri === path) ?? expect.fail(path);
	}
}

function sceneOf(document: Document, history: History, cursor: number): Scene {
	return {
		document,
		cursor,
		selection: { anchor: cursor, head: cursor },
		history,
		neighbours: [],
		diagnostics: [],
		views: [],
		excerpts: [],
		actions: [],
		workspace: { uri: undefined, folders: [], repository: undefined },
		trigger: "automatic",
		kinds: new Set(),
		eagerness: "medium",
	};
}

const story = storiesOn(() => new ScenePlayer());
const ableStory = storiesOn(() => new ScenePlayer({ kinds: new Set(["rename", "searchAndReplace"]) }));
const searchStory = storiesOn(() => new ScenePlayer({ kinds: new Set(["searchAndReplace"]) }));
const shyStory = storiesOn(() => new ScenePlayer({ eagerness: "low" }));
const askedStory = storiesOn(() => new ScenePlayer({ eagerness: "low", trigger: "manual" }));

describe("a rename", () => {
	story(
		"goes on with the uses of a declaration, one line at a time, and then stops",
		`
		--- user
		const ‹cnt→count▮› = "😀"
		log(cnt, cnt)
		return cnt
		--- suggests (\`cnt\` became \`count\`; 3 places left)
		const count = "😀"
		log(‹cnt→count›, ‹cnt→count▮›)
		return cnt
		--- user accepts
		--- suggests (\`cnt\` became \`count\`; 1 place left)
		const count = "😀"
		log(count, count)
		return ‹cnt→count▮›
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"goes on at the nearest place after the cursor, and then from the top",
		`
		--- user main.go
		log(total)␍
		‹total→sum▮› := 1␍
		log(total)␍

		--- suggests
		log(total)␍
		sum := 1␍
		log(‹total→sum▮›)␍

		--- user accepts
		--- suggests
		log(‹total→sum▮›)␍
		sum := 1␍
		log(sum)␍

	`,
	);

	story(
		"takes two uses for a rename when the declaration is somewhere else",
		`
		--- user main.py
		show(‹user_nmae→user_name▮›)
		save(user_nmae)
		drop(user_nmae)
		--- suggests nothing
		--- user
		show(user_name)
		save(‹user_nmae→user_name▮›)
		drop(user_nmae)
		--- suggests
		show(user_name)
		save(user_name)
		drop(‹user_nmae→user_name▮›)
	`,
	);

	story(
		"follows an exported name into another file",
		`
		--- file src/use.ts
		import { parseAll } from "./parse"
		parseAll()
		--- user src/parse.ts
		export function ‹parseAll→parseEvery▮›() {}
		--- suggests src/use.ts
		import { ‹parseAll→parseEvery▮› } from "./parse"
		parseAll()
	`,
	);

	story(
		"reaches no further than the block that it is declared in",
		`
		--- user main.rs
		fn area() -> u32 {
		    let ‹wide→width▮› = 2;
		    width * 2
		}
		fn wide_area() -> u32 {
		    wide()
		}
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"stays in its function where another has a parameter of the same name",
		`
		--- user main.py
		def area(‹size→length▮›):
		    return size * size

		def volume(size):
		    return size ** 3
		--- suggests
		def area(length):
		    return ‹size→length› * ‹size→length▮›

		def volume(size):
		    return size ** 3
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"looks for variables in code only, in templates too",
		`
		--- user
		let ‹total→sum▮› = 0 // total
		// the total
		log("total", 'total')
		log(\`total \${total}\`)
		--- suggests
		let sum = 0 // total
		// the total
		log("total", 'total')
		log(\`total \${‹total→sum▮›}\`)
	`,
	);

	story(
		"leaves members and keys of the same name alone",
		`
		--- user
		const ‹total→sum▮› = 0
		log(page.total, { total: 1 })
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"says nothing when the new name is taken",
		`
		--- user
		const sum = 1
		const ‹total→sum▮› = 0
		log(total)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"says nothing when one name became two",
		`
		--- user
		show(‹item→first▮›)
		show(item)
		show(item)
		--- user
		show(first)
		show(‹item→second▮›)
		show(item)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does not take a keyword for a name",
		`
		--- user
		‹let→const▮› one = 1
		let two = 2
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does not touch a longer word",
		`
		--- user
		const ‹cat→animal▮› = 1
		log(catalog, 𝒳cat, concat)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not repeated where the user took it back",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		print(total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
		print(total)
		--- user accepts
		--- user
		const sum = 0
		log(‹sum→total▮›)
		print(total)
		--- suggests nothing (reverts-user)
	`,
	);

	ableStory(
		"is left to an editor that can rename",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests rename ‹total→sum›
	`,
	);

	searchStory(
		"becomes a search when many places are left",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		log(total, total)
		--- suggests searchAndReplace ‹\\btotal\\b→sum› (regex)
	`,
	);

	searchStory(
		"does not become a search that takes a part of a word for a word",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total, $total)
		log(total, totalé)
		--- suggests
		const sum = 0
		log(‹total→sum▮›, $total)
		log(total, totalé)
	`,
	);

	searchStory(
		"writes a dollar sign as a search must",
		`
		--- user
		const ‹total→$sum▮› = 0
		log(total)
		log(total, total)
		--- suggests searchAndReplace ‹\\btotal\\b→$$sum› (regex)
	`,
	);

	story(
		"waits while the old name is taken back letter by letter",
		`
		--- user
		const ‹total→tot▮› = 0
		log(total)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is no matter of prose",
		`
		--- user notes.md
		let ‹total→sum▮› go
		and total stays
		--- suggests nothing (nothing-found)
	`,
	);

	searchStory(
		"does not become a search that would find more than is meant",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total, "total")
		log(total, total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›, "total")
		log(total, total)
	`,
	);
});

describe("a repeat", () => {
	story(
		"takes what was accepted for no example of its own, and so does not go from equal lines to similar ones",
		`
		--- user
		open(path, mode, ‹1→2▮›)
		open(path, mode, 1)
		shut(file, mode, 1)
		--- suggests (\`1\` became \`2\` on an equal line; 1 place left)
		open(path, mode, 2)
		open(path, mode, ‹1→2▮›)
		shut(file, mode, 1)
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"goes on to similar lines where the user changed two by hand",
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

	story(
		"does to an equal line what was done to one, however that is indented",
		`
		--- user main.go
		err := run(‹→ctx, ▮›job, 1)
		if again {
		⇥err := run(job, 1)
		}
		--- suggests (\`ctx,\` was inserted on an equal line; 1 place left)
		err := run(ctx, job, 1)
		if again {
		⇥err := run(‹→ctx, ▮›job, 1)
		}
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does to a few tokens what was done to them twice",
		`
		--- user
		app.get(‹→auth, ▮›"/a", a)
		app.get("/b", b)␍
		app.get("/😀", c)␍
		--- suggests nothing (nothing-found)
		--- user
		app.get(auth, "/a", a)
		app.get(‹→auth, ▮›"/b", b)␍
		app.get("/😀", c)␍
		--- suggests (\`auth,\` was inserted; 1 place left)
		app.get(auth, "/a", a)
		app.get(auth, "/b", b)␍
		app.get(‹→auth, ▮›"/😀", c)␍
	`,
	);

	story(
		"takes all that was changed on a line as one",
		`
		--- user main.py
		a = ‹old.load(one)→new.read(one)▮›
		b = old.load(two)
		c = old.load(six)
		--- user
		a = new.read(one)
		b = ‹old.load(two)→new.read(two)▮›
		c = old.load(six)
		--- suggests (\`old.load\` became \`new.read\`; 1 place left)
		a = new.read(one)
		b = new.read(two)
		c = ‹old.load→new.read▮›(six)
	`,
	);

	story(
		"goes on in the next file",
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
		"stays in strings when it began there",
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
		"does not insert what is there already",
		`
		--- user
		const a = ‹→await ▮›load(1)
		const b = load(2)
		const c = await load(3)
		--- user
		const a = await load(1)
		const b = ‹→await ▮›load(2)
		const c = await load(3)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"needs more than one example where the line is another",
		`
		--- user
		log(‹info, one→warn, one▮›)
		log(info, two)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does not take a short line for the same",
		`
		--- user
		return ‹null→undefined▮›
		return null
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does not spread punctuation",
		`
		--- user
		one(1)‹→;▮›
		two(2)
		six(6)
		--- user
		one(1);
		two(2)‹→;▮›
		six(6)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"says nothing when equal lines became different ones",
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
		"trusts the user who went past a place",
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
		--- suggests nothing (below-threshold)
	`,
	);

	story(
		"is not offered where the user changed it back",
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
		"becomes a search when many places are left",
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

describe("the gate", () => {
	story(
		"says that there is nothing to go by",
		`
		--- user
		const cnt▮ = 0
		--- suggests nothing (no-history)
	`,
	);

	story(
		"says so again when all was undone",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- user
		const ‹sum→total▮› = 0
		log(total)
		--- suggests nothing (no-history)
	`,
	);

	story(
		"keeps quiet about secrets",
		`
		--- user .env.local
		const ‹total→sum▮› = 0
		log(total)
		--- suggests nothing (secret-file)
	`,
	);

	story(
		"tells nothing of a secret in another file",
		`
		--- user .env
		KEY = ‹old→SECRET123▮›
		OTHER = ‹old→SECRET123›
		--- user notes.ts
		KEY = old
		a‹→b▮›
		--- suggests nothing (nothing-found)
	`,
	);

	shyStory(
		"asks for more certainty of an engine that is to be quiet",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests nothing (below-threshold)
	`,
	);

	askedStory(
		"asks for none when the user asks",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
	`,
	);
});

describe("the memory", () => {
	story(
		"does not offer again what was rejected",
		`
		--- user
		const ‹total→sum▮› = 0
		one(total)
		two(total)
		six(total)
		ten(total)
		--- suggests
		const sum = 0
		one(‹total→sum▮›)
		two(total)
		six(total)
		ten(total)
		--- user rejects (rejected)
		--- suggests
		const sum = 0
		one(total)
		two(‹total→sum▮›)
		six(total)
		ten(total)
		--- user rejects (rejected)
		--- suggests
		const sum = 0
		one(total)
		two(total)
		six(‹total→sum▮›)
		ten(total)
		--- user rejects (rejected)
		--- user
		const sum = 0
		one(total)
		two(total)
		six(total)
		ten(total▮)
		--- suggests nothing (rejected-before)
	`,
	);

	story(
		"holds nothing against what was replaced or cancelled",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
		--- user rejects (cancelled)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
		--- user rejects
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
	`,
	);
});

test("says nothing when the history led to another text", () => {
	const before = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of("const total = 0\nlog(total)") };
	const change = Change.of([{ from: 6, to: 11, insert: "sum" }], before.text.length);
	const history = History.empty.changed(before, change, { atMs: 0, isAccepted: false });
	const scene = sceneOf({ ...before, text: Text.of("log(total)") }, history, 0);
	expect(predict(scene, Memory.empty)).toEqual({ silence: "other-history" });
});

test("looks at a minified file no longer than at another", () => {
	const line = `${"f(total);".repeat(900)}const total=0;`;
	const before = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(`const total = 0\n${line}`) };
	const change = Change.of([{ from: 6, to: 11, insert: "sum" }], before.text.length);
	const history = History.empty.changed(before, change, { atMs: 0, isAccepted: false });
	const scene = sceneOf({ ...before, text: change.apply(before.text) }, history, 9);
	expect(predict(scene, Memory.empty)).toEqual({ silence: "nothing-found" });
});

describe("whatever the user does, the engine", () => {
	// Lines that are alike, so that rules are found, with every line end and characters of two units.
	const someLine = fc.constantFrom(
		"const total = one(total)",
		"\tconst total = one(total)",
		"let sum = total + 😀total",
		"one(total, 'total')",
		"two(sum, total) // total",
		"",
	);
	const someSource = fc
		.array(fc.tuple(someLine, fc.constantFrom("\n", "\r\n", "\r")), { minLength: 1, maxLength: 12 })
		.map((lines) => lines.flat().join(""));
	const someWord = fc.oneof(fc.constantFrom("total", "sum", "count", "one", "x😀", "(ctx, "), someText());
	const someDeed = fc.record({
		at: fc.double({ min: 0, max: 1, noNaN: true }),
		word: someWord,
		isAccepted: fc.boolean(),
	});

	/** Replaces the word nearest to a place, or inserts there. */
	function changeAt(text: Text, at: number, word: string): Change {
		const offset = Math.floor(at * text.length);
		const words = [...text.toString().matchAll(/\w+/g)];
		const near = words.find(({ index, 0: found }) => index + found.length >= offset);
		const [from, to] = near ? [near.index, near.index + near[0].length] : [text.length, text.length];
		return Change.of([{ from, to, insert: word }], text.length);
	}

	const someScene = fc
		.tuple(someSource, someSource, fc.array(someDeed, { minLength: 1, maxLength: 6 }))
		.map(([source, other, deeds]): Scene => {
			let document: Document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(source) };
			const neighbour = { ...document, uri: "b.ts", text: Text.of(other) };
			let history = History.empty;
			let cursor = 0;
			for (const [i, { at, word, isAccepted }] of deeds.entries()) {
				const change = changeAt(document.text, at, word);
				history = history.changed(document, change, { atMs: i * 700, isAccepted });
				document = { ...document, version: i + 1, text: change.apply(document.text) };
				cursor = change.map(change.edits[0]?.to ?? 0, "after");
			}
			return { ...sceneOf(document, history, cursor), neighbours: [neighbour], trigger: "manual" };
		});

	function suggestionsIn(scene: Scene): readonly Suggestion[] {
		const prediction = predict(scene, Memory.empty);
		return "silence" in prediction ? [] : prediction.suggestions;
	}

	test("writes inside the text, whole characters, and leaves the cursor in it", () => {
		let shown = 0;
		fc.assert(
			fc.property(someScene, (scene) => {
				for (const suggestion of suggestionsIn(scene)) {
					if (suggestion.kind !== "edit") continue;
					shown++;
					const { text } = [scene.document, ...scene.neighbours].find(({ uri }) => uri === suggestion.uri) as Document;
					const change = Change.of(suggestion.edits, text.length);
					for (const { from, to } of change.edits) {
						expect(splitsCharacter(text, from) || splitsCharacter(text, to)).toBe(false);
					}
					const after = change.apply(text);
					expect(after.equals(text)).toBe(false);
					expect(splitsCharacter(after, suggestion.cursor)).toBe(false);
				}
			}),
		);
		expect(shown).toBeGreaterThan(100);
	});

	test("never leads back to the text before one of the user's edits", () => {
		fc.assert(
			fc.property(someScene, (scene) => {
				for (const suggestion of suggestionsIn(scene)) {
					if (suggestion.kind !== "edit" || suggestion.uri !== scene.document.uri) continue;
					const after = Change.of(suggestion.edits, scene.document.text.length).apply(scene.document.text);
					expect(scene.history.events.map(({ before }) => before.toString())).not.toContain(after.toString());
				}
			}),
		);
	});

	test("offers at most three different things, the surest first, and the same ones again", () => {
		fc.assert(
			fc.property(someScene, (scene) => {
				const prediction = predict(scene, Memory.empty);
				const suggestions = "silence" in prediction ? [] : prediction.suggestions;
				expect(suggestions.length).toBeLessThanOrEqual(3);
				expect(suggestions.map(({ confidence }) => confidence)).toEqual(
					suggestions.map(({ confidence }) => confidence).toSorted((a, b) => b - a),
				);
				const copy = (document: Document) => ({ ...document, text: Text.of(document.text.toString()) });
				const again = { ...scene, document: copy(scene.document), neighbours: scene.neighbours.map(copy) };
				expect(predict(again, Memory.empty)).toEqual(prediction);
			}),
		);
	});
});

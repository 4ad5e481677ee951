import { Change, diffTokens, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { type Player, playStory, type StorySuggestion, type StoryView } from "./play.js";
import { drawStory, readStory, type StorySettings } from "./story.js";

/**
 * A small engine that suggests the difference between a document and the model's version, or, if there is none, a jump
 * to the first diagnostic. Logs its calls.
 */
class DiffPlayer implements Player {
	readonly log: string[] = [];
	private readonly texts = new Map<string, Text>();
	private readonly replies = new Map<string, string>();
	private here = "";
	private view: StoryView | undefined;
	private offered: StorySuggestion | undefined;

	async configure(settings: StorySettings): Promise<void> {
		this.log.push(`configure ${Object.values(settings).join(" ")}`);
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		this.log.push(`open ${path} at ${view.selection.head}`);
		this.texts.set(path, text);
		this.here = path;
		this.view = view;
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		const edits = change.edits.map((edit) => `${edit.from}–${edit.to} ${JSON.stringify(edit.insert)}`);
		this.log.push(`change ${path} ${edits.join(", ")} at ${view.selection.head}`);
		this.texts.set(path, change.apply(this.textOf(path)));
		this.here = path;
		this.view = view;
	}

	async model(path: string, text: string): Promise<void> {
		this.replies.set(path, text);
	}

	async suggest(): Promise<StorySuggestion> {
		this.offered = this.predict();
		return this.offered;
	}

	async accept(): Promise<void> {
		if (this.offered?.kind === "edit") {
			const text = this.textOf(this.offered.path);
			this.texts.set(this.offered.path, Change.of(this.offered.edits, text.length).apply(text));
		}
		this.log.push(`accept ${this.offered?.kind}`);
	}

	async reject(reason: string | undefined): Promise<void> {
		this.log.push(`reject ${reason}`);
	}

	async wait(ms: number): Promise<void> {
		this.log.push(`wait ${ms}`);
	}

	private predict(): StorySuggestion {
		for (const [path, reply] of this.replies) {
			const edits = diffTokens(this.textOf(path).toString(), reply);
			const last = edits.at(-1);
			if (last === undefined) continue;
			const cursor = Change.of(edits, this.textOf(path).length).map(last.to, "after");
			return { kind: "edit", path, edits, cursor, note: "diffed" };
		}
		const diagnostic = this.view?.diagnostics[0];
		if (diagnostic !== undefined) return { kind: "jump", path: this.here, offset: diagnostic.from };
		return { kind: "nothing", reason: this.replies.size === 0 ? "no model" : "no difference" };
	}

	private textOf(path: string): Text {
		return this.texts.get(path) ?? Text.empty;
	}
}

/** Always makes the same suggestion. */
class ScriptedPlayer extends DiffPlayer {
	constructor(private readonly outcome: StorySuggestion) {
		super();
	}

	override async suggest(): Promise<StorySuggestion> {
		return this.outcome;
	}
}

/** Plays a story and checks the actual story, which is expected to be the same by default. */
async function check(source: string, actual = source, player: DiffPlayer = new DiffPlayer()): Promise<DiffPlayer> {
	expect(drawStory(await playStory(readStory(source), player))).toBe(actual);
	return player;
}

async function checkRejected(source: string, ...parts: readonly string[]): Promise<void> {
	for (const part of parts) await expect(playStory(readStory(source), new DiffPlayer())).rejects.toThrow(part);
}

describe("Playing a story", () => {
	test("sends the user's actions to the player and requests suggestions", async () => {
		const player = await check(`
			--- editor utf-8, full sync
			--- user
			const ‹cnt→count▮› = 0
			log(cnt)
			--- model says
			const count = 0
			log(count)
			--- after 75ms
			--- suggests
			const count = 0
			log(‹cnt→count▮›)
			--- user accepts
			--- suggests nothing (no difference)
			--- user
			const count = 0
			«▮log»(count)
		`);
		expect(player.log).toEqual([
			"configure utf-8 full",
			"open main.ts at 0",
			'change main.ts 6–9 "count" at 11',
			"wait 75",
			"accept edit",
			"change main.ts  at 16",
		]);
	});

	test("supports several files", async () => {
		const player = await check(`
			--- file src/area.ts
			export const area = (w) => w * w
			--- file src/main.ts
			log(area(▮2))
			--- user types src/area.ts
			export const area = (w‹→, h▮›) => w * w
			--- model says src/main.ts
			log(area(2, 2))
			--- suggests
			log(area(2‹→, 2▮›))
			--- user rejects (ignored)
			--- model says src/area.ts
			export const area = (w, h) => w * h
			--- model says src/main.ts
			log(area(2))
			--- suggests src/area.ts
			export const area = (w, h) => w * ‹w→h▮›
			--- user accepts
			--- user types
			export const area = (w, h) => w * h‹→;▮›
		`);
		expect(player.log).toEqual([
			"open src/area.ts at 0",
			"open src/main.ts at 9",
			'change src/area.ts 22–22 ", h" at 25',
			"reject ignored",
			"accept edit",
			'change src/area.ts 35–35 ";" at 36',
		]);
	});

	test("sends diagnostics and accepts a jump", async () => {
		const player = await check(`
			--- user
			let a▮
			log(b)
			    ^ error: unknown name
			--- suggests jump main.ts
			let a
			log(▮b)
			--- user accepts
			--- user types
			let a
			log(‹b→a›)
		`);
		expect(player.log).toEqual(["open main.ts at 5", "accept jump", 'change main.ts 10–11 "a" at 11']);
	});

	test("keeps the cursor if none is drawn", async () => {
		const player = await check(`
			--- user
			a▮b
			--- user
			ab
			--- user
			‹a→xyz›b
			--- user
			xyzb
		`);
		expect(player.log.map((line) => line.slice(-4))).toEqual(["at 1", "at 1", "at 3", "at 3"]);
	});

	test("draws renames and searches", async () => {
		const rename = { kind: "rename", path: "main.ts", oldName: "cnt", newName: "count" } as const;
		const renamed = "--- user\ncnt▮\n--- suggests rename ‹cnt→count›\n--- user accepts\n--- user\n‹cnt→count▮›";
		await check(renamed, renamed, new ScriptedPlayer(rename));
		const search = { kind: "searchAndReplace", path: "src", search: "a+", replace: "a", isRegex: true } as const;
		const searched = "--- user\naa▮\n--- suggests searchAndReplace src ‹a+→a› (regex)";
		await check(searched, searched, new ScriptedPlayer(search));
	});

	test("returns the actual suggestion", async () => {
		await check("--- user\na▮\n--- suggests\na‹→b›", "--- user\na▮\n--- suggests nothing (no model)");
		const start = "--- user\na▮\n--- model says\nab\n";
		await check(`${start}--- suggests\na‹→c▮›`, `${start}--- suggests\n‹a→ab▮›`);
		await check(`${start}--- suggests\nnot the document`, `${start}--- suggests\n‹a→ab▮›`);
		await check(`${start}--- suggests nothing (stale)`, `${start}--- suggests (diffed)\n‹a→ab▮›`);
	});

	test("omits reasons and notes that the story does not mention", async () => {
		await check("--- user\na\n--- suggests nothing");
		await check("--- user\na\n--- suggests nothing (stale)", "--- user\na\n--- suggests nothing (no model)");
		const start = "--- user\na\n--- model says\nb\n";
		await check(`${start}--- suggests\n‹a→b▮›`);
		await check(`${start}--- suggests (rebased)\n‹a→b▮›`, `${start}--- suggests (diffed)\n‹a→b▮›`);
	});

	test("adds a path when a suggestion is for a different file than expected", async () => {
		const files = "--- file a.ts\na\n--- file b.ts\nb\n--- model says a.ts\nx\n";
		await check(`${files}--- suggests b.ts\n‹b→x▮›\n--- user\nb▮`, `${files}--- suggests\n‹a→x▮›\n--- user b.ts\nb▮`);
	});

	test("keeps the rest of a story that does not fit the actual suggestion", async () => {
		const start = "--- user\na▮\n--- model says\nab\n";
		const rest = "--- user accepts\n--- user\nac‹→d▮›\n--- suggests nothing";
		await check(`${start}--- suggests\na‹→c▮›\n${rest}`, `${start}--- suggests\n‹a→ab▮›\n${rest}`);
		await check(`--- user\na\n--- suggests\na‹→c▮›\n${rest}`, `--- user\na\n--- suggests nothing (no model)\n${rest}`);
	});
});

describe("An inconsistent story", () => {
	test("is rejected with both versions of a document", async () => {
		const inconsistent = "--- user\nlet ‹a→b▮›\n--- user\nlet a‹→ = 0▮›";
		const both = "Document:\nlet b\nPane:\nlet a";
		await checkRejected(inconsistent, "The user's pane of main.ts does not match the document at this point.", both);
		await checkRejected("--- file a.ts\na\n--- user\nb", "Document:\na\nPane:\nb");
		await checkRejected(
			"--- user\na\n--- file main.ts\na",
			'The document main.ts already exists before "--- file main.ts"',
		);
	});

	test("is rejected if it uses a missing or outdated suggestion", async () => {
		await checkRejected("--- user accepts", 'There is no suggestion before "--- user accepts"');
		await checkRejected("--- user\na\n--- suggests nothing\n--- user rejects", "There is no suggestion before");
		await checkRejected(
			"--- user\na\n--- model says\nb\n--- suggests\n‹a→b▮›\n--- user accepts\n--- user accepts",
			"There is no suggestion",
		);
		const typed = "--- user\na\n--- model says\nb\n--- suggests\n‹a→b▮›\n--- user\na‹→c▮›\n--- user accepts";
		await checkRejected(typed, "main.ts has changed since the suggestion.");
	});

	test("is rejected if a suggestion is for a file that is not in it", async () => {
		const player = new ScriptedPlayer({ kind: "jump", path: "b.ts", offset: 0 });
		const played = playStory(readStory("--- user\na\n--- suggests nothing"), player);
		await expect(played).rejects.toThrow("The suggestion is for b.ts, which is not in the story.");
	});
});

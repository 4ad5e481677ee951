import { inProcessOutliner } from "@segue/testing/players/outlines";
import { EnginePlayer, PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeRename } from "./rename.js";

const outliner = await inProcessOutliner();
const story = storiesOn(() => new EnginePlayer());
const parsedStory = storiesOn(() => new EnginePlayer({}, outliner.outlines()));
const manualStory = storiesOn(() => new EnginePlayer({ trigger: "manual" }));
const manualParsedStory = storiesOn(() => new EnginePlayer({ trigger: "manual" }, outliner.outlines()));
const foundStory = storiesOn(() => new PredictorPlayer(proposeRename));
const ableStory = storiesOn(() => new EnginePlayer({ kinds: new Set(["rename", "searchAndReplace"]) }));
const searchStory = storiesOn(() => new EnginePlayer({ kinds: new Set(["searchAndReplace"]) }));

describe("a rename", () => {
	story(
		"suggests the uses of a renamed declaration, one line at a time",
		`
		--- user
		const ‹cnt→count▮› = "😀"
		log(cnt, cnt)
		return cnt
		--- suggests (Renaming \`cnt\` to \`count\`: 3 more in this file)
		const count = "😀"
		log(‹cnt→count›, ‹cnt→count▮›)
		return cnt
		--- user accepts
		--- suggests (Renaming \`cnt\` to \`count\`: 1 more in this file)
		const count = "😀"
		log(count, count)
		return ‹cnt→count▮›
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"starts at the nearest site after the cursor, then continues from the top",
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
		"can start at a use if the declaration is elsewhere",
		`
		--- user main.py
		show(‹user_nmae→user_name▮›)
		save(user_nmae)
		drop(user_nmae)
		--- suggests (Renaming \`user_nmae\` to \`user_name\`: 2 more in this file)
		show(user_name)
		save(‹user_nmae→user_name▮›)
		drop(user_nmae)
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

	for (const [how, play] of [
		["without a parser", story],
		["with a parser", parsedStory],
	] as const) {
		play(
			`skips a file that does not import the name, ${how}`,
			`
			--- file web/page.ts
			const tab = open("http://x")
			--- file web/list.ts
			import { open } from "node:fs"
			open("list")
			--- file src/main.ts
			import {
			⇥close,
			⇥open,
			} from "./run"
			--- user src/run.ts
			export function ‹open→start▮›(path: string) {}
			open("a")
			--- suggests (Renaming \`open\` to \`start\`: 2 more in 2 files)
			export function start(path: string) {}
			‹open→start▮›("a")
			--- user accepts
			--- suggests src/main.ts (Renaming \`open\` to \`start\`: 1 more in \`main.ts\`)
			import {
			⇥close,
			⇥‹open→start▮›,
			} from "./run"
			--- user accepts
			--- suggests nothing (doubtful)
		`,
		);
	}

	for (const [how, play] of [
		["without a parser", manualStory],
		["with a parser", manualParsedStory],
	] as const) {
		play(
			`does not repeat a rename to a taken name, even on a manual request after another rename by hand, ${how}`,
			`
			--- user
			function sum(items: number[]) {
			⇥const total = items.length
			⇥let ‹cnt→total▮› = 0
			⇥cnt += 1
			⇥log(cnt)
			⇥return cnt + total
			}
			--- suggests nothing (name-taken)
			--- user
			function sum(items: number[]) {
			⇥const total = items.length
			⇥let total = 0
			⇥‹cnt→total▮› += 1
			⇥log(cnt)
			⇥return cnt + total
			}
			--- suggests nothing (name-taken)
		`,
		);

		play(
			`does not repeat a rename where the new name is already declared, if only uses were renamed, ${how}`,
			`
			--- user
			function sum(items: number[]) {
			⇥const total = items.length
			⇥let cnt = 0
			⇥‹cnt→total▮› += 1
			⇥log(cnt)
			⇥return cnt + total
			}
			--- suggests nothing (name-taken)
		`,
		);

		play(
			`does not repeat a rename to an imported name, ${how}`,
			`
			--- user
			import { load } from "./x"
			export function ‹read→load▮›() {}
			read()
			read()
			--- suggests nothing (name-taken)
		`,
		);
	}

	story(
		"stays within the block that contains the declaration",
		`
		--- user main.rs
		fn area() -> u32 {
		    let ‹wide→width▮› = 2;
		    width * 2
		}
		fn wide_area() -> u32 {
		    wide()
		}
		--- suggests nothing (doubtful)
	`,
	);

	story(
		"stays within its function if another function has a parameter with the same name",
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
		--- suggests nothing (doubtful)
	`,
	);

	story(
		"finds variables only in code, including templates",
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
		"skips members and keys with the same name",
		`
		--- user
		const ‹total→sum▮› = 0
		log(page.total, { total: 1 })
		--- suggests nothing (doubtful)
	`,
	);

	story(
		"suggests nothing if the new name is taken",
		`
		--- user
		const sum = 1
		const ‹total→sum▮› = 0
		log(total)
		--- suggests nothing (name-taken)
	`,
	);

	story(
		"suggests nothing if the name was replaced by two others",
		`
		--- user
		show(‹item→first▮›)
		show(item)
		show(item)
		--- user
		show(first)
		show(‹item→second▮›)
		show(item)
		--- suggests nothing (below-threshold)
	`,
	);

	story(
		"ignores keywords",
		`
		--- user
		‹let→const▮› one = 1
		let two = 2
		--- suggests nothing (below-threshold)
	`,
	);

	story(
		"does not change longer words",
		`
		--- user
		const ‹cat→animal▮› = 1
		log(catalog, 𝒳cat, concat)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not repeated after the user undid it",
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
		"is delegated to an editor that can rename",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests rename ‹total→sum›
	`,
	);

	searchStory(
		"becomes a search and replace if many sites are left",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		log(total, total)
		--- suggests searchAndReplace ‹\\btotal\\b→sum› (regex)
	`,
	);

	searchStory(
		"does not become a search that would match parts of words",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total, $total)
		log(total, totalé)
		log(total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›, $total)
		log(total, totalé)
		log(total)
	`,
	);

	searchStory(
		"escapes a dollar sign in the replacement",
		`
		--- user
		const ‹total→$sum▮› = 0
		log(total)
		log(total, total)
		--- suggests searchAndReplace ‹\\btotal\\b→$$sum› (regex)
	`,
	);

	story(
		"waits while the user deletes the old name letter by letter",
		`
		--- user
		const ‹total→tot▮› = 0
		log(total)
		--- suggests nothing (doubtful)
	`,
	);

	story(
		"is not suggested in prose",
		`
		--- user notes.md
		let ‹total→sum▮› go
		and total stays
		--- suggests nothing (doubtful)
	`,
	);

	searchStory(
		"does not become a search that would match other text",
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

describe("a rename has no sites", () => {
	foundStory(
		"if the name was replaced by two others",
		`
		--- user
		show(‹item→first▮›)
		show(item)
		show(item)
		--- suggests
		show(first)
		show(‹item→first▮›)
		show(item)
		--- user
		show(first)
		show(‹item→second▮›)
		show(item)
		--- suggests nothing
	`,
	);

	foundStory(
		"for a single letter",
		`
		--- user
		const ‹n→count▮› = 1
		show(n)
		--- suggests nothing
	`,
	);

	foundStory(
		"for a single-letter new name",
		`
		--- user
		const ‹count→n▮› = 1
		show(count)
		--- suggests nothing
	`,
	);

	foundStory(
		"in another file for a local variable",
		`
		--- file b.ts
		show(total)
		--- user a.ts
		function f() {
		  const ‹total→sum▮› = 1
		}
		--- suggests nothing
	`,
	);

	foundStory(
		"in a file in another language",
		`
		--- file b.py
		from a import parse_all
		--- user a.ts
		export function ‹parse_all→parse_each▮›() {}
		--- suggests nothing
	`,
	);
});

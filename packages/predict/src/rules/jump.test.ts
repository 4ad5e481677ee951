import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeJumps } from "./jump.js";

const story = storiesOn(() => new PredictorPlayer(proposeJumps));
const manualStory = storiesOn(() => new PredictorPlayer(proposeJumps, { trigger: "manual" }));

describe("the target of a jump", () => {
	story(
		"is an error about the changed name",
		`
		--- editor can jump
		--- user
		interface Page { ‹title→heading▮›: string }
		show(1, "a")
		        ^^^ error: Argument of type 'string'
		show(page.title)
		          ^^^^^ error: Property 'title' does not exist on type 'Page'
		--- suggests jump main.ts
		interface Page { heading: string }
		show(1, "a")
		show(page.▮title)
	`,
	);

	story(
		"is the nearest such error",
		`
		--- editor can jump
		--- user
		show(page.title)
		          ^^^^^ error: Property 'title' does not exist on type 'Page'


		interface Page { ‹title→heading▮›: string }
		hide(page.title)
		          ^^^^^ error: Property 'title' does not exist on type 'Page'
		--- suggests jump main.ts
		show(page.title)


		interface Page { heading: string }
		hide(page.▮title)
	`,
	);

	manualStory(
		"is the nearest error of any kind on a manual request",
		`
		--- editor can jump
		--- user
		const a‹→b▮› = 1
		show("a")
		     ^^^ error: Argument of type 'string'
		--- suggests jump main.ts
		const ab = 1
		show(▮"a")
	`,
	);

	story(
		"is the next use of a changed declaration",
		`
		--- editor can jump
		--- user main.rs
		fn first(all: &[u8]) -> ‹u8→Option<u8>▮› {
		}
		fn main() {
		    show(first(all));
		}
		--- suggests jump main.rs
		fn first(all: &[u8]) -> Option<u8> {
		}
		fn main() {
		    show(▮first(all));
		}
	`,
	);

	story(
		"can be in another file",
		`
		--- editor can jump
		--- file use.py
		from read import read_all
		show(read_all())
		--- user read.py
		def read_all()‹→ -> list▮›:
		    pass
		--- suggests jump use.py
		from read import read_all
		show(▮read_all())
	`,
	);

	story(
		"is not an import, even if it spans several lines",
		`
		--- editor can jump
		--- file use.ts
		import {
		⇥readAll,
		} from "./read"
		show(readAll())
		--- user read.ts
		export function readAll()‹→: string[]▮› {}
		--- suggests jump use.ts
		import {
		⇥readAll,
		} from "./read"
		show(▮readAll())
	`,
	);

	story(
		"is undefined for an editor that cannot jump",
		`
		--- user
		interface Page { ‹title→heading▮›: string }
		show(page.title)
		          ^^^^^ error: Property 'title' does not exist on type 'Page'
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not an error about something else",
		`
		--- editor can jump
		--- user
		const a‹→b▮› = 1
		show("a")
		     ^^^ error: Argument of type 'string'
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not a warning",
		`
		--- editor can jump
		--- user
		interface Page { ‹title→heading▮›: string }
		show(page.title)
		          ^^^^^ warning: 'title' is deprecated
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is never on the cursor's line",
		`
		--- editor can jump
		--- user
		show(page.‹title→heading▮›)
		                 ^^^^^^^ error: Property 'heading' does not exist on type 'Page'
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not a use of a renamed declaration",
		`
		--- editor can jump
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not a member with the same name",
		`
		--- editor can jump
		--- user
		const total = ‹0→1▮›
		log(page.total, "total")
		--- suggests nothing (nothing-found)
	`,
	);

	for (const [what, line, file] of [
		[
			"a string with a single word in another file",
			'const kind = "‹disabled→hidden now▮›"',
			'set.ts\n\t\tset("disabled", true)',
		],
		["a string in a file in another language", 'const kind = "‹not found→went away▮›"', 'set.py\n\t\tset("not found")'],
		["a string that the user is extending", 'const kind = "not found‹→ yet▮›"', 'set.ts\n\t\tset("not found")'],
		[
			"a string that the user has just started to replace",
			'const kind = "‹was not found→is g▮›"',
			'set.ts\n\t\tset("was not found")',
		],
	] as const) {
		story(
			`is not ${what}`,
			`
		--- editor can jump
		--- file ${file}
		--- user main.ts
		${line}
		--- suggests nothing (nothing-found)
	`,
		);
	}

	story(
		"is not on a line that the user has changed",
		`
		--- editor can jump
		--- user
		const total = 0
		log(‹→2, ▮›total)
		--- user
		const total = ‹0→1▮›
		log(2, total)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not a call to a function whose parameters changed",
		`
		--- editor can jump
		--- user
		function load(path: string‹→, mode: Mode▮›) {}
		load("a")
		--- suggests nothing (nothing-found)
	`,
	);
});

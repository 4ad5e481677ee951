import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposePasted } from "./paste.js";

const story = storiesOn(() => new PredictorPlayer(proposePasted));
const manualStory = storiesOn(() => new PredictorPlayer(proposePasted, { trigger: "manual" }));

describe("a pasted copy", () => {
	story(
		"gets the new name on the rest of the line",
		`
		--- user
		const home = load("home")
		‹→const home = load("home")▮
		›show()
		--- user
		const home = load("home")
		const ‹home→work▮› = load("home")
		show()
		--- suggests (Replacing \`home\` with \`work\` in pasted code: 1 more in this file)
		const home = load("home")
		const work = load("‹home→work▮›")
		show()
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"gets it on the following lines, one by one, and nowhere else",
		`
		--- user main.py
		def read_user(path):
		    user = open(path)
		    return parse(user)

		‹→def read_user(path):
		    user = open(path)
		    return parse(user)
		›
		--- user
		def read_user(path):
		    user = open(path)
		    return parse(user)

		def read_user(path):
		    ‹user→group▮› = open(path)
		    return parse(user)

		--- suggests
		def read_user(path):
		    user = open(path)
		    return parse(user)

		def read_user(path):
		    group = open(path)
		    return parse(‹user→group▮›)

		--- user accepts
		--- suggests
		def read_user(path):
		    user = open(path)
		    return parse(user)

		def ‹read_user→read_group▮›(path):
		    group = open(path)
		    return parse(group)

	`,
	);

	story(
		"gets it in the same case as each word",
		`
		--- user main.go
		func setName(name string) {
		⇥data.Name = name
		}
		‹→func setName(name string) {
		⇥data.Name = name
		}
		›
		--- user
		func setName(name string) {
		⇥data.Name = name
		}
		func ‹setName→setTitle▮›(name string) {
		⇥data.Name = name
		}

		--- suggests nothing (nothing-found)
		--- user
		func setName(name string) {
		⇥data.Name = name
		}
		func setTitle(‹name→title▮› string) {
		⇥data.Name = name
		}

		--- suggests
		func setName(name string) {
		⇥data.Name = name
		}
		func setTitle(title string) {
		⇥data.‹Name→Title› = ‹name→title▮›
		}

	`,
	);

	story(
		"can come from another file",
		`
		--- file a.ts
		export const color = pick("color")
		--- user b.ts
		‹→export const color = pick("color")
		›
		--- user
		export const ‹color→shade▮› = pick("color")

		--- suggests
		export const shade = pick("‹color→shade▮›")

	`,
	);

	story(
		"gets two names if two were replaced",
		`
		--- user
		left.add(item, from)
		left.log(item, from)
		‹→left.add(item, from)
		left.log(item, from)
		›
		--- user
		left.add(item, from)
		left.log(item, from)
		‹left→right›.add(‹item→other▮›, from)
		left.log(item, from)

		--- suggests
		left.add(item, from)
		left.log(item, from)
		right.add(other, from)
		‹left→right›.log(‹item→other▮›, from)

	`,
	);

	manualStory(
		"gets a new single-letter name on a manual request",
		`
		--- user
		const home = load(home)
		‹→const home = load(home)
		›
		--- user
		const home = load(home)
		const ‹home→h▮› = load(home)

		--- suggests
		const home = load(home)
		const h = load(‹home→h▮›)

	`,
	);

	story(
		"must also exist elsewhere",
		`
		--- user
		‹→const home = load("home")
		const here = load("home")
		›
		--- user
		const ‹home→work▮› = load("home")
		const here = load("home")

		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not changed before the user replaces something in it",
		`
		--- user
		const home = load("home")
		‹→const home = load("home")▮
		›
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not changed if a name was replaced by two others",
		`
		--- user
		show(item, item)
		hide(item)
		‹→show(item, item)
		hide(item)
		›
		--- user
		show(item, item)
		hide(item)
		show(‹item→first›, ‹item→second▮›)
		hide(item)

		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not changed while the user deletes the old name",
		`
		--- user
		const home = load(home)
		‹→const home = load(home)
		›
		--- user
		const home = load(home)
		const ‹home→ho▮› = load(home)

		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not changed if a number was incremented",
		`
		--- user
		test(1, run(1))
		‹→test(1, run(1))
		›
		--- user
		test(1, run(1))
		test(‹1→2▮›, run(1))

		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not changed if a number was replaced",
		`
		--- user
		size(10, load(10))
		‹→size(10, load(10))
		›
		--- user
		size(10, load(10))
		size(‹10→250▮›, load(10))

		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not changed after lines have been added to it",
		`
		--- user
		const home = load(home)
		show(home)
		‹→const home = load(home)
		show(home)
		›
		--- user
		const home = load(home)
		show(home)
		const ‹home→work▮› = load(home)
		show(home)

		--- user
		const home = load(home)
		show(home)
		const work = load(‹home→work›)
		‹→wait()▮
		›show(home)

		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"keeps a name that the user left unchanged on an edited line",
		`
		--- user
		move(file, file)
		drop(file)
		‹→move(file, file)
		drop(file)
		›
		--- user
		move(file, file)
		drop(file)
		move(file, ‹file→copy▮›)
		drop(file)

		--- suggests nothing (nothing-found)
	`,
	);
});

import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeTemplates } from "./template.js";

const story = storiesOn(() => new PredictorPlayer(proposeTemplates));

describe("a change is repeated on a similar line", () => {
	story(
		"that keeps its own text in the holes",
		`
		--- user
		‹old.load(one, 1)→new.read(one, 1)▮›
		old.load(two, 1)
		--- suggests (Changing lines like \`old.load(one, 1)\` to \`new.read(one, 1)\`: 1 more in this file)
		new.read(one, 1)
		‹old→new›.‹load→read▮›(two, 1)
		--- user accepts
		--- suggests nothing
	`,
	);

	story(
		"using its own words where the change repeats them",
		`
		--- user
		log(first.name, ‹→first.id, ▮›1)
		log(other.name, 1)
		--- suggests
		log(first.name, first.id, 1)
		log(other.name, ‹→other.id, ▮›1)
	`,
	);

	story(
		"using its own words where the change moves them",
		`
		--- user
		‹page.title = title→page.set("title", title)▮›
		page.width = width
		--- suggests
		page.set("title", title)
		page.‹→set("›width‹ =→",› width‹→)▮›
	`,
	);

	story(
		"in another file in the same language",
		`
		--- file b.ts
		old.load(two, 1)
		--- user a.ts
		‹old.load(one, 1)→new.read(one, 1)▮›
		--- suggests b.ts
		‹old→new›.‹load→read▮›(two, 1)
	`,
	);

	story(
		"starting with the newest of several changes",
		`
		--- user
		‹old.load(one, 1)→new.read(one, 1)▮›
		old.load(two, 1)
		old.find(one, 1)
		old.find(two, 1)
		--- user
		new.read(one, 1)
		old.load(two, 1)
		‹old.find(one, 1)→new.look(one, 1)▮›
		old.find(two, 1)
		--- suggests
		new.read(one, 1)
		old.load(two, 1)
		new.look(one, 1)
		‹old→new›.‹find→look▮›(two, 1)
	`,
	);
});

describe("a change is not repeated", () => {
	story(
		"on a line with little similarity",
		`
		--- user
		‹old.load(one)→new.read(one)▮›
		if (load) return two
		--- suggests nothing
	`,
	);

	story(
		"on a line that differs in the deleted text",
		`
		--- user
		load(one, ‹1→2▮›)
		load(one, 7)
		--- suggests nothing
	`,
	);

	story(
		"on a line that the user has changed",
		`
		--- user
		‹old.load(one, 1)→new.read(one, 1)▮›
		old.load(‹six→two›, 1)
		--- suggests nothing
	`,
	);

	story(
		"in files in another language",
		`
		--- file b.py
		old.load(two, 1)
		--- user a.ts
		‹old.load(one, 1)→new.read(one, 1)▮›
		--- suggests nothing
	`,
	);

	story(
		"on a line without the changed part",
		`
		--- user
		drawEverything(first, one, ‹→fast, ▮›second, 1)
		drawEverything(first, 1)
		--- suggests nothing
	`,
	);

	story(
		"on a line with many differences",
		`
		--- user
		drawEverything(‹a→x▮›, first, one, second, two, third, 1, fourth, 5, sixth)
		drawEverything(a, other, one, thing, two, part, 1, piece, 5, last)
		--- suggests nothing
	`,
	);

	story(
		"if it inserts a line",
		`
		--- user
		old.load(one, 1)
		‹→old.load(two, 1)▮
		›old.load(six, 1)
		--- suggests nothing
	`,
	);
});

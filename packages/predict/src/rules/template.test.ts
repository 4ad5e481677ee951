import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeTemplates } from "./template.js";

const story = storiesOn(() => new PredictorPlayer(proposeTemplates));

describe("what was done to a line is done to one like it", () => {
	story(
		"that keeps what stands in the holes",
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
		"with the line's own words where the change doubled them",
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
		"with the line's own words where the change moved them",
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
		"in another file of the language",
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
		"from the newest of several changes on",
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

describe("what was done to a line is not done", () => {
	story(
		"to one that has little in common with it",
		`
		--- user
		‹old.load(one)→new.read(one)▮›
		if (load) return two
		--- suggests nothing
	`,
	);

	story(
		"to one that differs in what went",
		`
		--- user
		load(one, ‹1→2▮›)
		load(one, 7)
		--- suggests nothing
	`,
	);

	story(
		"to one that the user has changed",
		`
		--- user
		‹old.load(one, 1)→new.read(one, 1)▮›
		old.load(‹six→two›, 1)
		--- suggests nothing
	`,
	);

	story(
		"in a file of another language",
		`
		--- file b.py
		old.load(two, 1)
		--- user a.ts
		‹old.load(one, 1)→new.read(one, 1)▮›
		--- suggests nothing
	`,
	);

	story(
		"to one that lacks the place where it was done",
		`
		--- user
		drawEverything(first, one, ‹→fast, ▮›second, 1)
		drawEverything(first, 1)
		--- suggests nothing
	`,
	);

	story(
		"to one that differs in more places than a few",
		`
		--- user
		drawEverything(‹a→x▮›, first, one, second, two, third, 1, fourth, 5, sixth)
		drawEverything(a, other, one, thing, two, part, 1, piece, 5, last)
		--- suggests nothing
	`,
	);

	story(
		"when it is a new line",
		`
		--- user
		old.load(one, 1)
		‹→old.load(two, 1)▮
		›old.load(six, 1)
		--- suggests nothing
	`,
	);
});

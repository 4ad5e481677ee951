import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeBlocks } from "./block.js";

const story = storiesOn(() => new PredictorPlayer(proposeBlocks));

describe("deleted lines", () => {
	story(
		"are deleted where they occur again",
		`
		--- user
		a()
		‹check(one)
		→▮›b()
		check(one)
		c()
		--- suggests (Removing \`check(one)\`: 1 more in this file)
		a()
		b()
		‹check(one)
		→▮›c()
		--- user accepts
		--- suggests nothing
	`,
	);

	story(
		"are deleted together, even if the first line is not distinctive",
		`
		--- user
		‹{
		check(one)
		}
		→▮›b()
		{
		check(one)
		}
		c()
		--- suggests
		b()
		‹{
		check(one)
		}
		→▮›c()
	`,
	);

	story(
		"are deleted at the end of a file, along with the line break before them",
		`
		--- user
		‹check(one)
		→▮›b()
		check(one)
		--- suggests
		b()‹
		check(one)→▮›
	`,
	);

	story(
		"are deleted in another file in the same language, whatever their indent",
		`
		--- file b.ts
		if (x) {
		⇥check(one)
		}
		--- user a.ts
		a()
		‹check(one)
		→▮›b()
		--- suggests b.ts
		if (x) {
		‹⇥check(one)
		→▮›}
	`,
	);

	story(
		"are kept where the code differs",
		`
		--- user
		a()
		‹check(one)
		→▮›b()
		check(two)
		c()
		--- suggests nothing
	`,
	);

	story(
		"are kept at the start of a longer line",
		`
		--- user
		a()
		‹check(one)
		→▮›b()
		check(one) || stop()
		c()
		--- suggests nothing
	`,
	);

	story(
		"are kept if they are not distinctive",
		`
		--- user
		a()
		‹}
		→▮›b()
		}
		--- suggests nothing
	`,
	);

	story(
		"are kept where some of them are missing",
		`
		--- user
		‹lock(file)
		check(file)
		→▮›b()
		lock(file)
		wait(file)
		--- suggests nothing
	`,
	);

	story(
		"are kept in files in other languages",
		`
		--- file b.py
		check(one)
		b()
		--- user a.ts
		a()
		‹check(one)
		→▮›b()
		--- suggests nothing
	`,
	);

	story(
		"are kept where the user has inserted them",
		`
		--- user
		a()
		‹check(one)
		→▮›b()
		‹→check(one)
		›c()
		--- suggests nothing
	`,
	);
});

describe("inserted lines", () => {
	story(
		"are inserted below an equal line, with its indent",
		`
		--- user
		open(file)
		‹→  lock(file)▮
		›if (x) {
		⇥open(file)
		}
		--- suggests (Inserting lines next to \`open(file)\`: 1 more in this file)
		open(file)
		  lock(file)
		if (x) {
		⇥open(file)‹→
		⇥  lock(file)▮›
		}
	`,
	);

	story(
		"are inserted above an equal line, if the line above differs",
		`
		--- user
		first()
		‹→lock(file)▮
		›close(file)
		second()
		close(file)
		--- suggests
		first()
		lock(file)
		close(file)
		second()
		‹→lock(file)
		▮›close(file)
	`,
	);

	story(
		"get the line breaks used in the other file",
		`
		--- file b.ts
		open(file)␍
		read()␍

		--- user a.ts
		open(file)
		‹→lock(file)▮
		›write()
		--- suggests b.ts
		open(file)‹→␍
		lock(file)▮›␍
		read()␍

	`,
	);

	story(
		"are not inserted where they already exist",
		`
		--- user
		open(file)
		‹→lock(file)▮
		›x()
		open(file)
		lock(file)
		--- suggests nothing
	`,
	);

	story(
		"are not inserted next to a line that is not distinctive",
		`
		--- user
		{
		‹→lock(file)▮
		›}
		{
		}
		--- suggests nothing
	`,
	);

	story(
		"are not inserted next to another change by the user",
		`
		--- user
		open(file)
		‹→lock(file)▮
		›x()
		open(file)
		‹→wait(file)
		›y()
		--- suggests nothing
	`,
	);

	story(
		"are not inserted where the indent does not match",
		`
		--- user
		  open(file)
		‹→lock(file)▮
		›x()
		open(file)
		y()
		--- suggests nothing
	`,
	);
});

describe("rewritten lines", () => {
	story(
		"are rewritten where they occur again",
		`
		--- user
		‹one(first)
		two(first)→both(first)▮›
		x()
		  one(first)
		  two(first)
		--- suggests (Rewriting \`one(first)\`: 1 more in this file)
		both(first)
		x()
		‹  one(first)
		  two(first)→  both(first)▮›
	`,
	);

	story(
		"are kept where some of them are missing",
		`
		--- user
		‹one(first)
		two(first)→both(first)▮›
		x()
		one(first)
		six(first)
		--- suggests nothing
	`,
	);

	story(
		"are kept where one of them is only part of a line",
		`
		--- user
		‹one(first)
		two(first)→both(first)▮›
		x()
		one(first)
		y(two(first))
		--- suggests nothing
	`,
	);
});

import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeBlocks } from "./block.js";

const story = storiesOn(() => new PredictorPlayer(proposeBlocks));

describe("lines that went", () => {
	story(
		"go where they stand again, too",
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
		"go together, also when the first of them says nothing",
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
		"go from the end of a file, with the line end before them",
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
		"go from another file of the language, however they are indented there",
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
		"stay where another line stands",
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
		"stay where a longer line begins with them",
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
		"stay where they say nothing",
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
		"stay where not all of them stand",
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
		"stay in a file of another language",
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
		"stay where the user wrote them",
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

describe("lines that came", () => {
	story(
		"come below an equal line, indented as that is",
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
		"come above an equal line, where what stood above was another",
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
		"end as the lines of the file do that they come to",
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
		"do not come where they stand already",
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
		"do not come beside a line that says nothing",
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
		"do not come beside what the user changed there",
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
		"do not come where they cannot be indented",
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

describe("lines that became others", () => {
	story(
		"become them where they stand again",
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
		"stay where only half of them stands",
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
		"stay where one of them is only part of a line",
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

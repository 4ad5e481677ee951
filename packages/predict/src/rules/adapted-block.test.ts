import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeAdaptedBlocks } from "./adapted-block.js";

const story = storiesOn(() => new PredictorPlayer(proposeAdaptedBlocks));

describe("a rewrite of several lines", () => {
	story(
		"is repeated with other names and another indent",
		`
		--- user main.go
		‹→if err := ›log.AddFields(fields)‹→; err != nil {
		⇥log.fail(err)
		}▮›
		{
		⇥clone.AddFields(fields)
		}
		--- suggests (Rewriting \`log.AddFields(fields)\` and similar lines: 1 more in this file)
		if err := log.AddFields(fields); err != nil {
		⇥log.fail(err)
		}
		{
		‹⇥clone.AddFields(fields)→⇥if err := clone.AddFields(fields); err != nil {
		⇥⇥clone.fail(err)
		⇥}▮›
		}
	`,
	);

	story(
		"replaces several lines by one",
		`
		--- user
		‹const a = load(first)
		check(a)→const a = loadChecked(first)▮›
		const b = load(second)
		check(b)
		--- suggests (Rewriting \`const a = load(first)\` and similar lines: 1 more in this file)
		const a = loadChecked(first)
		‹const b = load(second)
		check(b)→const b = loadChecked(second)▮›
	`,
	);

	story(
		"is left to other rules where the lines are equal",
		`
		--- user
		‹→if (isOn) {
		⇥›load(first)‹→
		}▮›
		load(first)
		--- suggests nothing
	`,
	);

	story(
		"is not repeated where more than names differ",
		`
		--- user
		‹→if (isOn) {
		⇥›load(first)‹→
		}▮›
		load(second, third)
		await load(second)
		--- suggests nothing
	`,
	);

	story(
		"is not repeated where a name would have two replacements",
		`
		--- user
		‹const a = load(first)
		check(a)→const a = loadChecked(first)▮›
		const b = load(second)
		check(c)
		const b = load(second)
		check(a)
		--- suggests nothing
	`,
	);

	story(
		"is not repeated on lines that the user changed",
		`
		--- user
		load(‹other→second▮›)
		load(first)
		--- user
		load(second)
		‹→if (isOn) {
		⇥›load(first)‹→
		}▮›
		--- suggests nothing
	`,
	);
});

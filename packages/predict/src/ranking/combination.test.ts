import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeRename } from "../rules/rename.js";
import { proposeRepeats } from "../rules/repeat.js";
import { proposeTemplates } from "../rules/template.js";
import { combine } from "./combination.js";

const story = storiesOn(() => {
	return new PredictorPlayer((scene, examples) => {
		const propose = [proposeRename, proposeRepeats, proposeTemplates];
		return combine(
			scene,
			propose.flatMap((one) => one(scene, examples)),
		);
	});
});

describe("changes to one line are combined", () => {
	story(
		"if the user made each of them on a different line",
		`
		--- user
		load(‹first→one›, x)
		save(‹second→two▮›, x)
		both(first, second)
		--- suggests
		load(one, x)
		save(two, x)
		both(‹first→one›, ‹second→two▮›)
	`,
	);

	story(
		"if one of them renames a declaration",
		`
		--- user
		const ‹total→sum› = 0
		load(path, ‹old→fresh▮›)
		show(total, old)
		--- suggests
		const sum = 0
		load(path, fresh)
		show(‹total→sum›, ‹old→fresh▮›)
	`,
	);

	story(
		"in another file",
		`
		--- file b.ts
		both(first, second)
		--- user a.ts
		load(‹first→one›, x)
		save(‹second→two▮›, x)
		--- suggests b.ts
		both(‹first→one›, ‹second→two▮›)
	`,
	);
});

describe("changes to one line are not combined", () => {
	story(
		"if there is only one change",
		`
		--- user
		load(‹first→one▮›, x)
		save(first, x)
		--- suggests nothing
	`,
	);

	story(
		"if they change the same part of it",
		`
		--- user
		load(‹first→one›, x)
		save(‹first→two▮›, x)
		both(first, x)
		--- suggests nothing
	`,
	);

	story(
		"if they are on two lines",
		`
		--- user
		load(‹first→one›, x)
		save(‹second→two▮›, x)
		open(first)
		shut(second)
		--- suggests nothing
	`,
	);
});

import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeRepeats } from "../rules/repeat.js";
import { indent } from "./indentation.js";

// The rule for repeats proposes each edit; `indent` adds the same edit with the indent.
const story = storiesOn(
	() =>
		new PredictorPlayer((scene, examples) => {
			const found = indent(scene, examples, proposeRepeats(scene, examples));
			return found.filter(({ features }) => features.some(({ indents }) => indents === 1));
		}),
);

describe("an edit on the next line", () => {
	story(
		"also gets the indent that the user gave to the line above",
		`
		--- user
		if (isOn)
		‹load→  read▮›(a)
		load(b)
		--- suggests (Replacing \`load\` with \`read\`: 1 more in this file)
		if (isOn)
		  read(a)
		‹load→  read▮›(b)
	`,
	);

	story(
		"keeps its own deeper indent below the new one",
		`
		--- user
		if (isOn)
		‹load→  read▮›(a)
		  load(b)
		--- suggests (Replacing \`load\` with \`read\`: 1 more in this file)
		if (isOn)
		  read(a)
		‹  load→    read▮›(b)
	`,
	);

	story(
		"is not indented if the user only changed the text of the line above",
		`
		--- user
		if (isOn)
		‹load→read▮›(a)
		load(b)
		--- suggests nothing
	`,
	);

	story(
		"is not indented if it is not next to the line that the user indented",
		`
		--- user
		if (isOn)
		‹load→  read▮›(a)

		load(b)
		--- suggests nothing
	`,
	);
});

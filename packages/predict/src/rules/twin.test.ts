import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { insertionsOf } from "./insertion.js";
import { twinFindings } from "./twin.js";

const story = storiesOn(() => {
	return new PredictorPlayer((scene, examples) => twinFindings(scene, insertionsOf(examples)));
});

describe("a name added next to another", () => {
	story(
		"is added to another list, in the case style of each word",
		`
		--- user
		const kinds = [
		  circle,
		  square,
		‹→  line,▮
		›]
		paint(CIRCLE, circleSize)
		paint(SQUARE, squareSize)
		const names = {
		  circle: nameOf("circle"),
		  square: nameOf("square"),
		}
		--- suggests (Adding \`line\` next to \`square\`: 1 more in this file)
		const kinds = [
		  circle,
		  square,
		  line,
		]
		paint(CIRCLE, circleSize)
		paint(SQUARE, squareSize)
		const names = {
		  circle: nameOf("circle"),
		  square: nameOf("square"),‹→
		  line: nameOf("line"),▮›
		}
		--- user accepts
		--- suggests nothing
	`,
	);

	story(
		"is added above the old name if the user added it above",
		`
		--- user
		const kinds = [
		‹→  arc,▮
		›  circle,
		  square,
		]
		const names = {
		  circle: nameOf("circle"),
		  square: nameOf("square"),
		}
		--- suggests
		const kinds = [
		  arc,
		  circle,
		  square,
		]
		const names = {
		‹→  arc: nameOf("arc"),
		▮›  circle: nameOf("circle"),
		  square: nameOf("square"),
		}
	`,
	);

	story(
		"is added in another file in the same language",
		`
		--- file names.ts
		circle: nameOf("circle"),
		square: nameOf("square"),
		--- user kinds.ts
		circle,
		square,
		‹→line,▮
		›
		--- suggests names.ts
		circle: nameOf("circle"),
		square: nameOf("square"),‹→
		line: nameOf("line"),▮›
	`,
	);

	story(
		"is added along with all other differences between the lines",
		`
		--- user
		{
		  case "circle": return 1
		  case "square": return 4
		‹→  case "line": return 2▮
		›}
		{
		  set(circle, 1)
		  set(square, 4)
		}
		--- suggests
		{
		  case "circle": return 1
		  case "square": return 4
		  case "line": return 2
		}
		{
		  set(circle, 1)
		  set(square, 4)‹→
		  set(line, 2)▮›
		}
	`,
	);
});

describe("a name added next to another is not added", () => {
	story(
		"next to a single name",
		`
		--- user
		{
		  circle,
		  square,
		‹→  line,▮
		›}
		{
		  paint(wall, square)
		}
		--- suggests nothing
	`,
	);

	story(
		"if it already occurs nearby",
		`
		--- user
		{
		  circle,
		  square,
		‹→  line,▮
		›}
		{
		  line: 1,
		  circle: 2,
		  square: 3,
		}
		--- suggests nothing
	`,
	);

	story(
		"in a comment",
		`
		--- user
		{
		  circle,
		  square,
		‹→  line,▮
		›}
		{
		  // paint(circle)
		  // paint(square)
		}
		--- suggests nothing
	`,
	);

	story(
		"to imports",
		`
		--- file other.py
		import circle
		import square
		--- user main.py
		show(circle)
		show(square)
		‹→show(line)▮
		›
		--- suggests nothing
	`,
	);

	story(
		"if it is a single letter",
		`
		--- user
		{
		  [a],
		  [b],
		‹→  [c],▮
		›}
		{
		  paint(a)
		  paint(b)
		}
		--- suggests nothing
	`,
	);

	story(
		"if more than a few lists have the old name",
		`
		--- user
		{
		  circle,
		  square,
		‹→  line,▮
		›}
		{
		  one(circle)
		  one(square)
		}
		{
		  two(circle)
		  two(square)
		}
		{
		  six(circle)
		  six(square)
		}
		{
		  ten(circle)
		  ten(square)
		}
		--- suggests nothing
	`,
	);
});

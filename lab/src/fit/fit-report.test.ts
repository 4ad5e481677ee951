import { expect, test } from "vitest";
import { frontierOf, reliabilityOf, type ScoredMoment, summaryOf } from "./fit-report.js";

/** Creates a point in a commit. Each option is a suggestion's probability and label, for example `0.9 right`. */
function moment(about: string, ...options: readonly string[]): ScoredMoment {
	const [repository = "", language = "", end] = about.split(" ");
	const chosen = options.map((option) => {
		const [, isRight] = option.split(" ");
		return {
			predictor: "rename",
			isRight: isRight === "right",
		} as unknown as ScoredMoment["choice"]["options"][number];
	});
	const choice = { repository, language, isFinal: end === "end", options: chosen };
	return { choice, chances: options.map((option) => Number(option.split(" ")[0])) };
}

const SCORED = [
	moment("one go", "0.9 right", "0.3 wrong"),
	moment("one go", "0.6 wrong", "0.55 right"),
	moment("one go", "0.4 right"),
	moment("two rust"),
	moment("two rust", "0.8 right"),
	moment("one go end", "0.7 wrong"),
	moment("two rust end", "0.2 wrong"),
];

test("a summary covers all moments, and each repository, language and predictor", () => {
	expect(`\n${summaryOf(SCORED, [0.5, 0.85])}\n`).toBe(`
                  moments  coverage  precision  recall  final false positives  oracle
from 0.5          5        .600      .667       .400    .500                   .800
from 0.85         5        .200      1.000      .200    .000                   .800
one, from 0.5     3        .667      .500       .333    1.000                  1.000
two, from 0.5     2        .500      1.000      .500    .000                   .500
go, from 0.5      3        .667      .500       .333    1.000                  1.000
rust, from 0.5    2        .500      1.000      .500    .000                   .500
none, from 0.5    1        .000                 .000                           .000
rename, from 0.5  4        .750      .667       .500    .500                   1.000
`);
});

test("a frontier lists the precision at each recall", () => {
	const sure = ["0.9 right", "0.8 wrong", "0.7 right", "0.6 right"].map((option) => moment("one go", option));
	const others = Array.from({ length: 16 }, () => moment("one go"));
	expect(`\n${frontierOf([...others, ...sure, moment("one go end", "0.95 wrong")])}\n`).toBe(`
recall  precision  threshold
.050    1.000      .900
.100    .667       .700
.120    .750       .600
.140    .750       .600
.150    .750       .600
`);
});

test("a frontier omits recalls that are not reached", () => {
	expect(frontierOf([moment("one go", "0.9 wrong"), moment("one go")])).toBe("recall  precision  threshold");
});

test("a reliability table lists the share of right candidates by probability", () => {
	expect(`\n${reliabilityOf(SCORED)}\n`).toBe(`
candidates  chance  right
0           .000    .000
0           .000    .000
1           .200    .000
1           .300    .000
1           .400    1.000
1           .550    1.000
1           .600    .000
1           .700    .000
1           .800    1.000
1           .900    1.000
`);
});

test("reports without any moments are empty", () => {
	expect(summaryOf([], [0.5])).toBe(
		"          moments  coverage  precision  recall  final false positives  oracle\nfrom 0.5  0",
	);
	expect(reliabilityOf([]).split("\n")).toHaveLength(11);
});

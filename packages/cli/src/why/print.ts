import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import { drawProposal } from "@segue/agent/request-log/request-record";
import type { Contribution } from "@segue/predict";
import { kindName } from "../suggestion-kinds.js";
import type { Paint } from "../terminal/colour.js";
import { cutAtWord, hang, pad, percentage, wrap } from "../terminal/width.js";
import { storyPathOf } from "./explaining-player.js";
import type { ExplainedCandidate, PlayedFile, PlayedPane, PlayedStory, StoryExplanation } from "./explanation.js";

// Number of candidates whose features are printed. The others are too unlikely; --json prints them all.
const EXPLAINED_MAX = 3;
// Number of contributions that are printed. The others are printed as one sum, so that the odds add up.
const CONTRIBUTIONS_MAX = 6;

/** How the output looks. */
interface StoryStyle {
	readonly paint: Paint;
	readonly width: number;
	/** Also prints rules, features and the ids of reasons. */
	readonly all: boolean;
}

/** Formats the stories in a file. */
export function printFile({ file, stories }: PlayedFile, style: StoryStyle): string {
	const { paint } = style;
	const parts = stories.map((story) => printStory(story, style));
	return `${paint.bold(file)}\n${parts.join("")}`;
}

/** Explains the marks and figures, if there are any. */
export function printLegend(files: readonly PlayedFile[], { paint: { dim }, width, all }: StoryStyle): string {
	const panes = files.flatMap(({ stories }) => stories.flatMap(({ panes }) => panes));
	if (panes.every(({ explanation }) => explanation.considered.length === 0)) return "";
	return `\n${wrap(`${LEGEND} ${all ? LEGEND_OF_FIGURES : LEGEND_OF_ALL}`, width)
		.map((line) => `${dim(line)}\n`)
		.join("")}`;
}

const LEGEND =
	"A pane is a step of the story. ▸ is shown, ▹ is shown next, and % is the estimated chance that the user wants the edit.";
const LEGEND_OF_FIGURES = "The signed figures are log odds: they say how much each feature adds to the chance.";
const LEGEND_OF_ALL = "To see what each chance is based on, pass --all.";

function printStory({ title, panes, problem }: PlayedStory, style: StoryStyle): string {
	const { paint, width } = style;
	const lines = ["", ...wrap(title, width).map(paint.underline)];
	for (const pane of panes) lines.push("", ...printPane(pane, style));
	if (problem !== undefined) {
		const shown = problem.split("\n").flatMap((line) => cutLines(hang("  ", line, width), width));
		lines.push("", ...shown.map(paint.red));
	}
	return `${lines.join("\n")}\n`;
}

function printPane({ number, drawn, went, explanation }: PlayedPane, style: StoryStyle): string[] {
	const { paint, width, all } = style;
	const { considered } = explanation;
	const heading = `Pane ${number}`;
	const [first = "", ...more] = hang(`  ${heading}  `, summaryOf(explanation, all), width);
	const lines = [first.replace(heading, paint.bold(heading)), ...more];
	if (drawn !== went) {
		const picture = (text: string) =>
			cutLines(
				text.split("\n").map((line) => `    ${line}`),
				width,
			);
		lines.push(paint.red("  Expected:"), ...picture(drawn).map(paint.red), "  Actual:", ...picture(went));
	}
	for (const [i, one] of considered.entries()) lines.push("", ...printCandidate(one, i, style));
	return lines;
}

function summaryOf({ prediction, considered }: StoryExplanation, all: boolean): string {
	const count = `${considered.length || "no"} ${considered.length === 1 ? "candidate" : "candidates"}`;
	if ("suggestions" in prediction) return `suggestion, ${count}`;
	return `no suggestion, ${count}: ${reasonWords(prediction.silence, all)}`;
}

function reasonWords(reason: keyof typeof NO_SUGGESTION_REASONS, all: boolean): string {
	return `${NO_SUGGESTION_REASONS[reason]}${all ? ` (${reason})` : ""}`;
}

const CHANCE = "100 %".length;
// The column after a candidate's mark and chance.
const MARGIN = 11;
const LABEL = 18;
// A sign, three digits and a point.
const SIGNED = 5;

function printCandidate(one: ExplainedCandidate, rank: number, style: StoryStyle): string[] {
	const { paint, width, all } = style;
	const { candidate, document, confidence, objection, suggestion, contributions, moved } = one;
	// The suggestion that is shown, or one that the client shows once the first is accepted.
	const mark = suggestion === undefined ? " " : rank === 0 ? "▸" : "▹";
	const chance = (suggestion === undefined ? paint.dim : paint.green)(
		`${mark} ${percentage(confidence).padStart(CHANCE)}`,
	);
	const [first = "", ...more] = drawProposal(candidate.proposal, document, storyPathOf(candidate.proposal.uri));
	const lines = [
		`  ${chance}  ${kindName(candidate.predictor).padEnd(LABEL)}${cutAtWord(first, width - MARGIN - LABEL)}`,
		...more.map((line) => `${" ".repeat(MARGIN + LABEL)}${cutAtWord(line, width - MARGIN - LABEL)}`),
	];
	const add = (label: string, words: string) => lines.push(...labelled(label, words, paint, width));
	if (objection !== undefined) add("not shown", reasonWords(objection, all));
	else if (suggestion === undefined) add("not shown", "more likely suggestions are shown instead");
	if (rank >= EXPLAINED_MAX) return lines;
	add("why", suggestion?.why ?? candidate.why([]));
	if (!all) return lines;
	const [rule = "", ...others] = candidate.rules;
	add("rule", `${oneLine(rule)}${others.length > 0 ? ` (and ${others.length} more)` : ""}`);
	lines.push(...printContributions(contributions, moved, paint, width));
	return lines;
}

function labelled(label: string, words: string, paint: Paint, width: number): string[] {
	const [first = "", ...more] = cutLines(hang(" ".repeat(MARGIN) + label.padEnd(LABEL), words, width), width);
	return [first.replace(label, paint.dim(label)), ...more];
}

/** Prints the largest contributions to a chance with their log odds, and the sum of the others. */
function printContributions(
	contributions: readonly Contribution[],
	moved: number,
	paint: Paint,
	width: number,
): string[] {
	const largest = contributions.slice(0, CONTRIBUTIONS_MAX);
	const rest = contributions.slice(CONTRIBUTIONS_MAX);
	const rows = largest.map((one) => ({ odds: one.odds, name: nameOf(one), says: one.says }));
	if (rest.length > 0) rows.push({ odds: sumOf(rest), name: `${rest.length} more`, says: "the sum of the others" });
	if (moved !== 0) {
		rows.push({ odds: moved, name: "outcomes", says: "accepted and dismissed suggestions from the same rules" });
	}
	const nameCells = Math.min(Math.max(...rows.map(({ name }) => name.length)), Math.floor(width / 3));
	return rows.flatMap(({ odds, name, says }) => {
		const start = `${signed(odds).padStart(MARGIN + SIGNED)}  `;
		const label = `${start}${pad(cutAtWord(name, nameCells), nameCells)}  `;
		const [first = "", ...more] = cutLines(hang(label, says, width), width);
		return [first.slice(0, label.length) + paint.dim(first.slice(label.length)), ...more.map(paint.dim)];
	});
}

function nameOf({ names, values }: Contribution): string {
	return names.length === 0 ? "always" : names.map((name, i) => `${name} ${figure(values[i] ?? 0)}`).join(", ");
}

function sumOf(contributions: readonly Contribution[]): number {
	return contributions.reduce((sum, { odds }) => sum + odds, 0);
}

/** Returns the stories in a file as JSON, with all candidates and all contributions. */
export function storyFileJson({ file, stories }: PlayedFile): unknown {
	return {
		file,
		stories: stories.map(({ title, panes, problem }) => ({
			title,
			problem,
			panes: panes.map(({ number, drawn, went, explanation: { prediction, considered } }) => ({
				pane: number,
				drawn,
				went,
				isAsDrawn: drawn === went,
				...prediction,
				candidates: considered.map(({ candidate, document: _, suggestion, ...one }) => ({
					...candidate,
					features: Object.fromEntries(candidate.features),
					...one,
					isSuggested: suggestion !== undefined,
				})),
			})),
		})),
	};
}

function cutLines(lines: readonly string[], width: number): string[] {
	return lines.map((line) => cutAtWord(line, width));
}

/** A rule can contain several lines, or characters that move the cursor. */
function oneLine(text: string): string {
	return text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "");
}

function signed(value: number): string {
	return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

function figure(value: number): string {
	return String(Number(value.toFixed(2)));
}

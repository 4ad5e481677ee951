import type { DisplayedSuggestion, Notice } from "@segue/editor";
import type { Project } from "../projects/project.js";
import { typescript } from "../projects/typescript.js";
import { ASK_KEY, UNDO_KEY } from "../widgets/modifier-key.js";
import type { Workbench } from "../workbench/workbench.js";

/** The state of the page that a step is checked against. */
export interface LessonState {
	readonly shown: DisplayedSuggestion | undefined;
	/** The latest reason why there is no suggestion, and the latest change. Undefined if older than the step. */
	readonly note: Notice | undefined;
	readonly lastChange: Workbench["lastChange"]["value"];
	/** The active file's path in the project. */
	readonly path: string;
	/** Returns the text of a file in the project. */
	textOf(path: string): string;
}

export interface LessonStep {
	/** The task, in a sentence or two. Words between backticks are code; words in double brackets are keys. */
	readonly text: string;
	readonly isDone: (state: LessonState) => boolean;
	/** If this is false, for example after an undo, the guide goes back to the previous step. */
	readonly isReached?: (state: LessonState) => boolean;
	/** Whether the user needs a suggestion to continue. If there is none, the guide says how to get one. */
	readonly needsSuggestion: (state: LessonState) => boolean;
}

export interface Lesson {
	readonly title: string;
	readonly project: Project;
	readonly steps: readonly LessonStep[];
	/** Shown after "Done." at the end of the lesson. */
	readonly summary: string;
	/** Returns the text to show after the last step while edits are left; undefined once all are made. */
	readonly restOf?: (state: LessonState) => string | undefined;
}

const always = () => true;
const never = () => false;

const hasAccepted = ({ lastChange }: LessonState) => lastChange?.isSuggestion === true;

/** Whether the declaration that a pattern matches has a new name, and not just part of its old one. */
function isRenamed(text: string, declaration: RegExp, oldName: string): boolean {
	const name = declaration.exec(text)?.[1] ?? "";
	return name !== "" && !oldName.startsWith(name);
}

const CART = "src/cart.ts";
const isCountRenamed = ({ textOf }: LessonState) => isRenamed(textOf(CART), /let (\w*) = 0;\n\tlet total/, "cnt");
const usesOfCnt = ({ textOf }: LessonState) => textOf(CART).match(/\bcnt\b/g)?.length ?? 0;

const rename: Lesson = {
	title: "Rename",
	project: typescript,
	steps: [
		{
			text: "The cursor is after `cnt`. Rename it: delete `cnt` and type `count`.",
			isDone: (state) => state.shown !== undefined && isCountRenamed(state),
			needsSuggestion: isCountRenamed,
		},
		{
			text: "Segue suggests the next edit. Press [[Tab]] to accept it.",
			isDone: (state) => hasAccepted(state) || usesOfCnt(state) < 3,
			isReached: isCountRenamed,
			needsSuggestion: always,
		},
		{
			text: "Press [[Tab]] again until every `cnt` is renamed.",
			isDone: (state) => usesOfCnt(state) === 0,
			isReached: isCountRenamed,
			needsSuggestion: always,
		},
	],
	summary: "You make one edit by hand and the rest with Tab.",
};

const ITEM = "src/item.ts";
const isPriceRenamed = ({ textOf }: LessonState) =>
	isRenamed(textOf(ITEM), /function (\w*)\(item: Item\): number/, "priceOf");

const acrossFiles: Lesson = {
	title: "Across files",
	project: { ...typescript, start: { path: ITEM, after: "export function priceOf" } },
	steps: [
		{
			text: "The function `priceOf` is used in three files. Rename it here to `costOf`.",
			isDone: (state) => state.shown !== undefined && isPriceRenamed(state),
			needsSuggestion: isPriceRenamed,
		},
		{
			text: "Accept the edit below with [[Tab]]. A badge then points to the next file: press [[Tab]] to go there.",
			isDone: ({ path }) => path !== ITEM,
			isReached: isPriceRenamed,
			needsSuggestion: always,
		},
		{
			text: "Press [[Tab]] to accept the edit in this file.",
			isDone: ({ lastChange, path, textOf }) => {
				if (lastChange === undefined || !lastChange.uri.endsWith(path)) return false;
				return lastChange.isSuggestion || !/\bpriceOf\b/.test(textOf(path));
			},
			isReached: (state) => state.path !== ITEM && isPriceRenamed(state),
			needsSuggestion: always,
		},
	],
	summary: "The first Tab goes to another file, and the second accepts the edit there.",
	restOf: ({ textOf }) => {
		const isLeft = typescript.files.some(({ path }) => /\bpriceOf\b/.test(textOf(path)));
		return isLeft ? "That's the idea. Keep pressing [[Tab]] to finish the rename." : undefined;
	},
};

/** The number of settings that are read with `get`. */
function changedSettings({ textOf }: LessonState): number {
	return textOf("settings.ts").match(/\bargs\.get\(\s*["'`]\w+["'`]\s*\)/g)?.length ?? 0;
}

const repeatedChange: Lesson = {
	title: "Repeated change",
	project: {
		name: "guide-repeat",
		title: "Guide: repeated change",
		root: "file:///samples/guide-repeat",
		hint: "",
		start: { path: "settings.ts", after: "\thost: args.host" },
		files: [
			{
				path: "settings.ts",
				text: `import { args } from "./args";

export const settings = {
	host: args.host,
	port: args.port,
	path: args.path,
	user: args.user,
};
`,
			},
		],
	},
	steps: [
		{
			text: 'On the line with the cursor, change `args.host` to `args.get("host")`.',
			isDone: (state) => changedSettings(state) >= 1,
			needsSuggestion: never,
		},
		{
			text: 'Do the same on the next line: change `args.port` to `args.get("port")`.',
			isDone: (state) => changedSettings(state) >= 2,
			isReached: (state) => changedSettings(state) >= 1,
			needsSuggestion: never,
		},
		{
			text: "Segue has seen the pattern. Press [[Tab]] to apply it to the next line.",
			isDone: (state) => changedSettings(state) >= 3,
			isReached: (state) => changedSettings(state) >= 2,
			needsSuggestion: always,
		},
	],
	summary: "After you make the same change twice, Segue suggests it on similar lines.",
};

const isNameRenamed = ({ textOf }: LessonState) => isRenamed(textOf("greet.ts"), /const (\w*) = user/, "nm");

const yourChoice: Lesson = {
	title: "Dismiss, ask again and undo",
	project: {
		name: "guide-choice",
		title: "Guide: dismiss and undo",
		root: "file:///samples/guide-choice",
		hint: "",
		start: { path: "greet.ts", after: "\tconst nm" },
		files: [
			{
				path: "greet.ts",
				text: `export function greet(user: { name: string }): string[] {
	const nm = user.name.trim();
	const lines = ["Hello, " + nm + "!"];
	if (nm.length > 20) lines.push("That is a long name!");
	lines.push("Goodbye, " + nm + ".");
	return lines;
}
`,
			},
		],
	},
	steps: [
		{
			text: "Rename `nm` to `name` and wait for the suggestion.",
			isDone: (state) => state.shown !== undefined && isNameRenamed(state),
			needsSuggestion: isNameRenamed,
		},
		{
			text: "Press [[Esc]] to dismiss it. Segue does not suggest this edit again.",
			isDone: ({ shown, note }) => shown === undefined && note?.kind === "no-suggestion" && note.text === "rejected",
			isReached: isNameRenamed,
			needsSuggestion: always,
		},
		{
			text: `[[Esc]] also pauses suggestions for a moment. Press [[${ASK_KEY}]] to request the next use of \`nm\` now.`,
			isDone: ({ shown }) => shown !== undefined,
			isReached: isNameRenamed,
			needsSuggestion: always,
		},
		{
			text: "Press [[Tab]] to accept this one.",
			isDone: hasAccepted,
			isReached: isNameRenamed,
			needsSuggestion: always,
		},
		{
			text: `Changed your mind? Press [[${UNDO_KEY}]] to undo it.`,
			isDone: ({ lastChange }) => lastChange?.cause === "undo",
			needsSuggestion: never,
		},
	],
	summary: "You decide. To use Segue in your own editor, run this in a terminal:",
};

/** In the order in which they are taught. */
export const LESSONS: readonly [Lesson, ...Lesson[]] = [rename, acrossFiles, repeatedChange, yourChoice];

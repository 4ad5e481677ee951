import type { DisplayedSuggestion, Notice } from "@segue/editor";
import type { Project } from "../projects/project.js";
import { typescript } from "../projects/typescript.js";
import { ALT, MOD } from "../widgets/modifier-key.js";
import type { Workbench } from "../workbench/workbench.js";

/** The state of the page that a step is checked against. */
export interface LessonState {
	readonly shown: DisplayedSuggestion | undefined;
	/** The latest reason why there is no suggestion. */
	readonly note: Notice | undefined;
	readonly lastChange: Workbench["lastChange"]["value"];
	/** The active file's path in the project. */
	readonly path: string;
	/** Returns the text of a file in the project. */
	textOf(path: string): string;
}

interface LessonStep {
	/** The task, in a sentence or two. Words between backticks are code; words in double brackets are keys. */
	readonly text: string;
	readonly isDone: (state: LessonState) => boolean;
}

export interface Lesson {
	readonly title: string;
	readonly project: Project;
	readonly steps: readonly LessonStep[];
	/** Shown at the end of the lesson. */
	readonly summary: string;
}

const hasAccepted = ({ lastChange }: LessonState) => lastChange?.isSuggestion === true;

const rename: Lesson = {
	title: "Rename",
	project: typescript,
	steps: [
		{
			text: "The cursor is after `cnt`. Rename it: delete `cnt` and type `count`.",
			isDone: ({ shown, textOf }) => shown !== undefined && !textOf("src/cart.ts").includes("let cnt"),
		},
		{ text: "Segue suggests the next edit. Press [[Tab]] to accept it.", isDone: hasAccepted },
		{
			text: "Press [[Tab]] again until every `cnt` is renamed. If you dismissed a suggestion, rename that one by hand.",
			isDone: ({ textOf }) => !/\bcnt\b/.test(textOf("src/cart.ts")),
		},
	],
	summary: "You make one edit by hand and the rest with Tab.",
};

const acrossFiles: Lesson = {
	title: "Across files",
	project: { ...typescript, start: { path: "src/item.ts", after: "export function priceOf" } },
	steps: [
		{
			text: "The function `priceOf` is used in three files. Rename it here to `costOf`.",
			isDone: ({ shown, textOf }) => shown !== undefined && !textOf("src/item.ts").includes("function priceOf"),
		},
		{
			text: "Accept the edit below with [[Tab]]. A badge then points to the next file: press [[Tab]] to go there.",
			isDone: ({ path }) => path !== "src/item.ts",
		},
		{
			text: "Press [[Tab]] to accept the edit in this file.",
			isDone: ({ lastChange, path }) => {
				return lastChange?.isSuggestion === true && path !== "src/item.ts" && lastChange.uri.endsWith(path);
			},
		},
	],
	summary:
		"The first Tab goes to another file, and the second accepts the edit there. Keep pressing Tab to finish the rename.",
};

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
			isDone: ({ textOf }) => textOf("settings.ts").includes('args.get("host")'),
		},
		{
			text: 'Do the same on the next line: change `args.port` to `args.get("port")`.',
			isDone: ({ textOf }) => textOf("settings.ts").includes('args.get("port")'),
		},
		{
			text: `Segue has seen the pattern. Press [[Tab]] to apply it to the next line. No suggestion? Press [[${ALT} \\]].`,
			isDone: hasAccepted,
		},
	],
	summary: "After you make the same change twice, Segue suggests it on similar lines.",
};

const yourChoice: Lesson = {
	title: "Dismiss, ask again and undo",
	project: {
		name: "guide-choice",
		title: "Guide: dismiss, ask again and undo",
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
			isDone: ({ shown, textOf }) => shown !== undefined && !textOf("greet.ts").includes("const nm"),
		},
		{
			text: "Press [[Esc]] to dismiss it. Segue does not suggest this edit again.",
			isDone: ({ shown, note }) => shown === undefined && note?.kind === "no-suggestion" && note.text === "rejected",
		},
		{
			text: `[[Esc]] also pauses suggestions for a moment. Press [[${ALT} \\]] to request the next use of \`nm\` now.`,
			isDone: ({ shown }) => shown !== undefined,
		},
		{ text: "Press [[Tab]] to accept this one.", isDone: hasAccepted },
		{
			text: `Changed your mind? Press [[${MOD} Z]] to undo it.`,
			isDone: ({ lastChange }) => lastChange?.cause === "undo",
		},
	],
	summary:
		"You decide: Tab accepts, Esc dismisses, and undo works as always. To use Segue in your own editor, run `npx segue setup editor` in a terminal.",
};

/** In the order in which they are taught. */
export const LESSONS: readonly [Lesson, ...Lesson[]] = [rename, acrossFiles, repeatedChange, yourChoice];

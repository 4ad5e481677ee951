import type { Encoding, SyncKind } from "@segue/text";
import { checkDrawn, drawPicture, drawText, HEADING, type Picture, readPicture } from "./picture.js";

// A story is a list of panes. Each has a heading with an actor and an action, and most have a picture:
//
//     --- user
//     const ‹cnt→count▮› = 0
//     log(cnt)
//     --- suggests
//     const count = 0
//     log(‹cnt→count▮›)
//     --- user accepts
//
// A heading names its file if it differs from the last one named. The first file is main.ts by default.

/** A sequence of steps that involve one or more files. */
export interface Story {
	readonly steps: readonly StoryStep[];
	readonly margin: Margin;
}

/** The text around a story in its source. A template literal usually has a line break at both ends and an indent. */
export interface Margin {
	readonly top: string;
	/** The indent of every non-empty line. */
	readonly left: string;
	readonly bottom: string;
}

/** `verb` is the start of the heading. */
export type StoryStep =
	/** A file that is in the workspace at the start. */
	| { readonly verb: "file"; readonly path: string; readonly picture: Picture }
	/** The user's actions, drawn over the current document. The first such step opens it. */
	| { readonly verb: "user" | "user types"; readonly path: string; readonly picture: Picture }
	/** The scripted model's version of a file. */
	| { readonly verb: "model says"; readonly path: string; readonly text: string }
	/** A suggested edit, with an optional note on its origin. */
	| { readonly verb: "suggests"; readonly path: string; readonly picture: Picture; readonly note: string | undefined }
	/** A suggested jump. The picture shows the file with the cursor at the jump's target. */
	| { readonly verb: "suggests jump"; readonly path: string; readonly picture: Picture }
	| { readonly verb: "suggests rename"; readonly path: string; readonly oldName: string; readonly newName: string }
	| {
			readonly verb: "suggests searchAndReplace";
			readonly path: string;
			readonly search: string;
			readonly replace: string;
			readonly isRegex: boolean;
	  }
	| { readonly verb: "suggests nothing"; readonly reason: string | undefined }
	/** The user accepts or rejects the last suggestion. */
	| { readonly verb: "user accepts" }
	| { readonly verb: "user rejects"; readonly reason: string | undefined }
	/** Time passes. */
	| { readonly verb: "after"; readonly ms: number }
	/** Editor settings, for stories that depend on them. */
	| { readonly verb: "editor"; readonly settings: StorySettings };

/**
 * The editor's position encoding and document sync, or the kinds of suggestions that it can show in addition to edits
 * (none by default).
 */
export type StorySettings =
	| { readonly encoding: Encoding; readonly sync: SyncKind }
	| { readonly can: readonly ("jump" | "rename" | "searchAndReplace")[] };

const FIRST_PATH = "main.ts";

// The arguments of each verb. A verb comes before any verb that is a prefix of it, so that the first match is the right
// one.
const FORMS: Readonly<Record<StoryStep["verb"], string>> = {
	file: "PATH",
	"user types": "[PATH]",
	"user accepts": "",
	"user rejects": "[(reason)]",
	user: "[PATH]",
	"model says": "[PATH]",
	"suggests jump": "PATH",
	"suggests rename": "[PATH] ‹old→new›",
	"suggests searchAndReplace": "[PATH] ‹old→new› [(regex)]",
	"suggests nothing": "[(reason)]",
	suggests: "[PATH] [(note)]",
	after: "75ms",
	editor: "utf-8|utf-16|utf-32, full|incremental sync, or can jump|rename|searchAndReplace, ...",
};

/** Draws a story with its original margin. */
export function drawStory(story: Story): string {
	const { top, left, bottom } = story.margin;
	let current = FIRST_PATH;
	const panes = story.steps.map((step) => {
		const pane = drawStep(step, current);
		if ("path" in step) current = step.path;
		return pane;
	});
	const lines = panes.join("\n").split("\n");
	return top + lines.map((line) => (line === "" ? "" : left + line)).join("\n") + bottom;
}

function drawStep(step: StoryStep, current: string): string {
	switch (step.verb) {
		case "file":
		case "suggests jump":
			return `--- ${step.verb} ${drawPath(step.path)}\n${drawPicture(step.picture)}`;
		case "user":
		case "user types":
			return `${drawHeading(step, current)}\n${drawPicture(step.picture)}`;
		case "model says":
			return `${drawHeading(step, current)}\n${drawText(step.text)}`;
		case "suggests":
			return `${drawHeading(step, current)}${drawNote(step.note)}\n${drawPicture(step.picture)}`;
		case "suggests rename":
			return `${drawHeading(step, current)} ${drawSwap(step.oldName, step.newName)}`;
		case "suggests searchAndReplace": {
			const note = drawNote(step.isRegex ? "regex" : undefined);
			return `${drawHeading(step, current)} ${drawSwap(step.search, step.replace)}${note}`;
		}
		case "suggests nothing":
		case "user rejects":
			return `--- ${step.verb}${drawNote(step.reason)}`;
		case "user accepts":
			return `--- ${step.verb}`;
		case "after":
			return `--- ${step.verb} ${step.ms}ms`;
		case "editor":
			return `--- ${step.verb} ${drawSettings(step.settings)}`;
	}
}

function drawSettings(settings: StorySettings): string {
	return "can" in settings ? `can ${settings.can.join(", ")}` : `${settings.encoding}, ${settings.sync} sync`;
}

function drawHeading(step: StoryStep & { readonly path: string }, current: string): string {
	return `--- ${step.verb}${step.path === current ? "" : ` ${drawPath(step.path)}`}`;
}

/**
 * Puts brackets around characters that would be read as the end of the path, as another part of the heading, or as part
 * of the verb.
 */
function drawPath(path: string): string {
	const isVerb = `user ${path}` in FORMS || `suggests ${path}` in FORMS;
	return checkLine(path.replace(isVerb ? /^./ : /[\s⟨]|^[‹(]/g, "⟨$&⟩"));
}

function drawSwap(old: string, now: string): string {
	const edits = [{ from: 0, to: old.length, insert: now }];
	return checkLine(drawPicture({ before: old, edits, selection: undefined, diagnostics: [] }));
}

function drawNote(note: string | undefined): string {
	return note === undefined ? "" : checkLine(` (${note})`);
}

function checkLine(part: string): string {
	if (part.includes("\n")) throw new RangeError(`A heading is one line and cannot contain ${JSON.stringify(part)}`);
	return part;
}

/**
 * Reads a story from its source, which may be indented in a template literal. Throws an Error that quotes the invalid
 * part or shows the correct drawing.
 */
export function readStory(source: string): Story {
	const { margin, lines } = readMargin(source);
	const steps: StoryStep[] = [];
	let current = FIRST_PATH;
	for (const pane of panesOf(lines)) {
		const step = readStep(pane, current);
		if ("path" in step) current = step.path;
		steps.push(step);
	}
	const story = { steps, margin };
	checkDrawn(source, drawStory(story));
	return story;
}

/**
 * If the source starts with a line break, its last line also belongs to the margin. The first heading determines the
 * indent.
 */
function readMargin(source: string): { margin: Margin; lines: string[] } {
	const [, top = "", body = source, bottom = ""] = /^(\n)(.*)(\n[ \t]*)$/s.exec(source) ?? [];
	const left = /^[ \t]*/.exec(body)?.[0] ?? "";
	const lines = body.split("\n").map((line) => {
		if (line !== "" && !line.startsWith(left)) throw new Error(`A line is indented less than the story: ${line}`);
		return line.slice(left.length);
	});
	return { margin: { top, left, bottom }, lines };
}

interface Pane {
	readonly heading: string;
	/** The lines below the heading. Undefined if there are none; a single empty line represents an empty file. */
	readonly picture: string | undefined;
}

function panesOf(lines: readonly string[]): Pane[] {
	const starts = [...lines.keys()].filter((i) => HEADING.test(lines[i] ?? ""));
	if (starts[0] !== 0) throw new Error(`A story starts with a heading such as "--- user": ${lines[0]}`);
	return starts.map((start, i) => {
		const [heading = "", ...below] = lines.slice(start, starts[i + 1]);
		return { heading, picture: below.length === 0 ? undefined : below.join("\n") };
	});
}

const AFTER = /^--- after (\d+)ms$/;
const EDITOR = /^--- editor (utf-8|utf-16|utf-32), (full|incremental) sync$/;
const CAN = /^--- editor can ((?:jump|rename|searchAndReplace)(?:, (?:jump|rename|searchAndReplace))*)$/;
const PARTS = String.raw`(?: (?<path>(?![‹(])(?:⟨.⟩|\S)+))?(?: (?<swap>‹(?:⟨.⟩|[^⟨›])*›))?(?: \((?<note>.*)\))?`;
const VERB = new RegExp(`^--- (?<verb>${Object.keys(FORMS).join("|")})${PARTS}$`, "su");

function readStep({ heading, picture: drawn }: Pane, current: string): StoryStep {
	const after = AFTER.exec(heading);
	if (after !== null) return { verb: "after", ms: Number(after[1]) };
	const editor = EDITOR.exec(heading);
	if (editor !== null) {
		return { verb: "editor", settings: { encoding: editor[1] as Encoding, sync: editor[2] as SyncKind } };
	}
	const kinds = CAN.exec(heading)?.[1];
	if (kinds !== undefined) {
		return { verb: "editor", settings: { can: kinds.split(", ") as Extract<StorySettings, { can: unknown }>["can"] } };
	}
	const parts = VERB.exec(heading)?.groups ?? {};
	const verb = parts["verb"] as StoryStep["verb"] | undefined;
	const path = parts["path"]?.replace(/⟨(.)⟩/gsu, "$1") ?? current;
	const note = parts["note"];
	const readPane = () => {
		if (drawn === undefined) throw new Error(`A picture is missing under "${heading}"`);
		return readPicture(drawn);
	};
	switch (verb) {
		case "file": {
			const picture = readPane();
			if (picture.edits.length > 0) throw new Error(`The picture of a file cannot contain edits: "${heading}"`);
			return { verb, path, picture };
		}
		case "user":
		case "user types":
		case "suggests jump":
			return { verb, path, picture: readPane() };
		case "model says":
			return { verb, path, text: readPane().before };
		case "suggests":
			return { verb, path, picture: readPane(), note };
		case "suggests rename": {
			const [oldName, newName] = readSwap(heading, parts["swap"]);
			return { verb, path, oldName, newName };
		}
		case "suggests searchAndReplace": {
			const [search, replace] = readSwap(heading, parts["swap"]);
			return { verb, path, search, replace, isRegex: note === "regex" };
		}
		case "suggests nothing":
		case "user rejects":
			return { verb, reason: note };
		case "user accepts":
			return { verb };
		default:
			throw wrongHeading(heading);
	}
}

function readSwap(heading: string, swap: string | undefined): [old: string, now: string] {
	if (swap === undefined) throw wrongHeading(heading);
	const { before, edits } = readPicture(swap);
	return [before, edits[0]?.insert ?? ""];
}

function wrongHeading(heading: string): Error {
	const forms = Object.entries(FORMS).map(([verb, form]) => `--- ${verb} ${form}`.trimEnd());
	return new Error(`Unknown heading "${heading}". Available headings:\n${forms.join("\n")}`);
}

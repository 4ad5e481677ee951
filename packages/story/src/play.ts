import { Change, type Edit, Text } from "@segue/text";
import { drawText, type Picture, type PictureDiagnostic, type Selection } from "./picture.js";
import { drawStory, type Story, type StorySettings, type StoryStep } from "./story.js";

/**
 * The system that a story tests: an engine, or an editor and an agent with a protocol between them. It keeps its own
 * copies of the documents. The user's current document is the one last opened or changed, or the target of an accepted
 * suggestion.
 */
export interface Player {
	configure(settings: StorySettings): Promise<void>;
	open(path: string, text: Text, view: StoryView): Promise<void>;
	/** A change without edits only moves the cursor or updates diagnostics. */
	change(path: string, change: Change, view: StoryView): Promise<void>;
	/** Sets the model's version of a file. */
	model(path: string, text: string): Promise<void>;
	/** Requests a suggestion at the user's position. */
	suggest(): Promise<StorySuggestion>;
	/** Accepts the last result of `suggest` and applies it to the player's documents. */
	accept(): Promise<void>;
	reject(reason: string | undefined): Promise<void>;
	wait(ms: number): Promise<void>;
}

/** The state of a document in the editor. */
export interface StoryView {
	readonly selection: Selection;
	readonly diagnostics: readonly PictureDiagnostic[];
}

/** A suggestion, or the reason why there is none. The cursor is an offset in the text after the edits. */
export type StorySuggestion =
	| {
			readonly kind: "edit";
			readonly path: string;
			readonly edits: readonly Edit[];
			readonly cursor?: number | undefined;
			readonly note?: string | undefined;
	  }
	| { readonly kind: "jump"; readonly path: string; readonly offset: number }
	| { readonly kind: "rename"; readonly path: string; readonly oldName: string; readonly newName: string }
	| {
			readonly kind: "searchAndReplace";
			readonly path: string;
			readonly search: string;
			readonly replace: string;
			readonly isRegex: boolean;
	  }
	| { readonly kind: "nothing"; readonly reason: string };

/**
 * Plays a story and returns the actual story, with the actual suggestions instead of the expected ones. A test passes
 * if both stories are drawn the same. Reasons and notes that the story does not mention are omitted from the result.
 *
 * Throws an Error if a user's pane does not match the document at that point. After an unexpected suggestion, such a
 * mismatch is normal, so the rest of the story is returned unchanged.
 *
 * If a pane shows no cursor, the cursor is after the last edit or, without edits, stays where it was. Accepting a
 * rename or a searchAndReplace does not change the documents. The user's next pane draws the result.
 */
export async function playStory(story: Story, player: Player): Promise<Story> {
	const documents: Documents = new Map();
	const steps: StoryStep[] = [];
	let offered: StoryStep = NOTHING;
	let isAsExpected = true;
	for (const step of story.steps) {
		const misfit = misfitOf(step, documents, offered);
		if (misfit !== undefined) {
			if (isAsExpected) throw new Error(misfit);
			break;
		}
		let actual = step;
		switch (step.verb) {
			case "file":
			case "user":
			case "user types":
				await show(step.path, step.picture, documents, player);
				break;
			case "model says":
				await player.model(step.path, step.text);
				break;
			case "user accepts":
				if ("picture" in offered) apply(offered.path, offered.picture, documents);
				offered = NOTHING;
				await player.accept();
				break;
			case "user rejects":
				offered = NOTHING;
				await player.reject(step.reason);
				break;
			case "after":
				await player.wait(step.ms);
				break;
			case "editor":
				await player.configure(step.settings);
				break;
			default:
				actual = stepOf(await player.suggest(), step, documents);
				offered = actual;
				isAsExpected &&= drawAlone(actual) === drawAlone(step);
		}
		steps.push(actual);
	}
	return { ...story, steps: [...steps, ...story.steps.slice(steps.length)] };
}

/** The current documents by path. */
type Documents = Map<string, { readonly text: Text; readonly selection: Selection }>;

const NOTHING: StoryStep = { verb: "suggests nothing", reason: undefined };
const START: Selection = { anchor: 0, head: 0 };

/**
 * Returns the reason why a step cannot follow the previous ones, if any. Suggestions can always follow, because the
 * result draws them over the current text.
 */
function misfitOf(step: StoryStep, documents: Documents, offered: StoryStep): string | undefined {
	switch (step.verb) {
		case "file":
			return documents.has(step.path)
				? `The document ${step.path} already exists before "--- file ${step.path}".`
				: undefined;
		case "user":
		case "user types": {
			const drawn = step.picture.before;
			const present = documents.get(step.path)?.text.toString() ?? drawn;
			if (present === drawn) return undefined;
			const panes = `Document:\n${drawText(present)}\nPane:\n${drawText(drawn)}`;
			return `The user's pane of ${step.path} does not match the document at this point.\n${panes}`;
		}
		case "user accepts":
		case "user rejects":
			if (offered.verb === "suggests nothing") return `There is no suggestion before "--- ${step.verb}".`;
			if (step.verb === "user rejects" || !("picture" in offered)) return undefined;
			if (offered.picture.before === textAt(offered.path, documents)) return undefined;
			return `${offered.path} has changed since the suggestion. Draw the suggestion again before "--- user accepts".`;
		default:
			return undefined;
	}
}

/** Sends a user's picture to the player. */
async function show(path: string, picture: Picture, documents: Documents, player: Player): Promise<void> {
	const isKnown = documents.has(path);
	const { change, selection } = apply(path, picture, documents);
	const view = { selection, diagnostics: picture.diagnostics };
	const text = Text.of(picture.before);
	if (isKnown) await player.change(path, change, view);
	else if (change.edits.length === 0) await player.open(path, text, view);
	else {
		await player.open(path, text, { selection: START, diagnostics: [] });
		await player.change(path, change, view);
	}
}

function apply(path: string, picture: Picture, documents: Documents): { change: Change; selection: Selection } {
	const { text, selection: earlier } = documents.get(path) ?? { text: Text.of(picture.before), selection: START };
	const change = Change.of(picture.edits, text.length);
	const selection = picture.selection ?? selectionAfter(change) ?? earlier;
	documents.set(path, { text: change.apply(text), selection });
	return { change, selection };
}

/** Returns the cursor after typing. */
function selectionAfter(change: Change): Selection | undefined {
	const last = change.edits.at(-1);
	return last === undefined ? undefined : cursorAt(change.map(last.to, "after"));
}

function cursorAt(offset: number): Selection {
	return { anchor: offset, head: offset };
}

/** Converts an actual suggestion to a step that replaces the expected one. */
function stepOf(outcome: StorySuggestion, drawn: StoryStep, documents: Documents): StoryStep {
	switch (outcome.kind) {
		case "edit": {
			const { path, edits, cursor } = outcome;
			const before = textAt(path, documents);
			const selection = cursor === undefined ? undefined : cursorAt(cursor);
			const isNoted = drawn.verb !== "suggests" || drawn.note !== undefined;
			const note = isNoted ? outcome.note : undefined;
			const picture = { before, edits: Change.of(edits, before.length).edits, selection, diagnostics: [] };
			return { verb: "suggests", path, picture, note };
		}
		case "jump": {
			const { path, offset } = outcome;
			const picture = { before: textAt(path, documents), edits: [], selection: cursorAt(offset), diagnostics: [] };
			return { verb: "suggests jump", path, picture };
		}
		case "rename": {
			const { path, oldName, newName } = outcome;
			return { verb: "suggests rename", path, oldName, newName };
		}
		case "searchAndReplace": {
			const { path, search, replace, isRegex } = outcome;
			return { verb: "suggests searchAndReplace", path, search, replace, isRegex };
		}
		case "nothing": {
			const isReasoned = drawn.verb !== "suggests nothing" || drawn.reason !== undefined;
			return { verb: "suggests nothing", reason: isReasoned ? outcome.reason : undefined };
		}
	}
}

function textAt(path: string, documents: Documents): string {
	const document = documents.get(path);
	if (document === undefined) throw new Error(`The suggestion is for ${path}, which is not in the story.`);
	return document.text.toString();
}

function drawAlone(step: StoryStep): string {
	return drawStory({ steps: [step], margin: { top: "", left: "", bottom: "" } });
}

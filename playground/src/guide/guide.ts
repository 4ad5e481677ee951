import { effect, signal } from "@preact/signals";
import type { Playground } from "../playground.js";
import type { Project } from "../projects/project.js";
import { SAMPLES, type Sample } from "../projects/samples.js";
import { isQuiet, reasonText } from "../suggestions/no-suggestion-reason.js";
import { ASK_KEY } from "../widgets/modifier-key.js";
import { LESSONS, type Lesson, type LessonState, type LessonStep } from "./lessons.js";

const STORAGE_KEY = "segue-guide";
const FINISHED = "finished";

/** The first-run guide: the open lesson and the user's progress in it. */
export class Guide {
	/** The index of the open lesson; undefined once the guide has been finished or skipped. */
	readonly number = signal<number | undefined>(isFinished() ? undefined : 0);
	/** Number of completed steps in the open lesson. */
	readonly done = signal(0);
	/** Replaces the step's task while the user needs a suggestion that is not there. */
	readonly help = signal<string | undefined>(undefined);
	/** The text at the end of the open lesson; empty before. */
	readonly summary = signal("");
	/** Whether the current task is an edit by hand. */
	readonly needsNoSuggestion = signal(false);
	/** Whether edits of the open lesson are left after its last step. */
	readonly hasRest = signal(false);
	/** The page's state when the step began. It says nothing about the step. */
	private before: Pick<LessonState, "note" | "lastChange"> = { note: undefined, lastChange: undefined };

	constructor(
		readonly playground: Playground,
		private readonly open: (project: Project | Sample) => Promise<void>,
	) {
		effect(() => this.check());
	}

	/** The open lesson, while its files are shown. */
	get lesson(): Lesson | undefined {
		const lesson = this.number.value === undefined ? undefined : LESSONS[this.number.value];
		const project = this.playground.bench.project.value;
		// A user's own folder can have the same name as the lesson's project.
		return project?.folder === undefined && project?.name === lesson?.project.name ? lesson : undefined;
	}

	get isLast(): boolean {
		return this.number.value === LESSONS.length - 1;
	}

	/** Opens a lesson with fresh files and a new session. Opens the first one by default. */
	async start(number = 0): Promise<void> {
		const lesson = LESSONS[number];
		if (lesson === undefined) return this.finish();
		await this.open(lesson.project);
		// Otherwise the agent would not repeat a suggestion that the user dismissed earlier.
		void this.playground.editor?.restartSession();
		this.number.value = number;
		this.goTo(0);
	}

	/** Opens the lesson where the user left off, or the first one if the guide was finished or skipped. */
	async resume(): Promise<void> {
		await this.start(this.number.value);
	}

	/** Opens the next lesson. After the last one, finishes the guide and opens a sample that was not part of it. */
	async next(): Promise<void> {
		const number = (this.number.value ?? -1) + 1;
		if (number < LESSONS.length) return this.start(number);
		this.finish();
		await this.open(SAMPLES[1]);
	}

	/** Ends the guide. It will not start automatically again. */
	finish(): void {
		this.number.value = undefined;
		try {
			localStorage.setItem(STORAGE_KEY, FINISHED);
		} catch {
			// Without storage the guide starts again on the next visit.
		}
	}

	/**
	 * Completes the current step if its condition is met, or goes back if the step before is no longer complete. Runs
	 * after every change to the page's state, and again after each step.
	 */
	private check(): void {
		const { lesson } = this;
		const step = lesson?.steps[this.done.value];
		const state = this.state();
		const rest = step === undefined ? lesson?.restOf?.(state) : undefined;
		this.hasRest.value = rest !== undefined;
		this.summary.value = step === undefined && lesson !== undefined ? (rest ?? `Done. ${lesson.summary}`) : "";
		this.needsNoSuggestion.value = step !== undefined && !step.needsSuggestion(state);
		this.help.value = step && helpFor(step, state);
		if (step?.isReached?.(state) === false) this.goTo(this.done.value - 1);
		else if (step?.isDone(state)) this.goTo(this.done.value + 1);
	}

	private goTo(step: number): void {
		const { note, bench } = this.playground;
		this.before = { note: note.peek(), lastChange: bench.lastChange.peek() };
		this.done.value = step;
	}

	private state(): LessonState {
		const { bench, shown, note } = this.playground;
		const active = bench.tabs.value.find(({ uri }) => uri === bench.active.value);
		return {
			shown: shown.value,
			note: note.value === this.before.note ? undefined : note.value,
			lastChange: bench.lastChange.value === this.before.lastChange ? undefined : bench.lastChange.value,
			path: active?.path ?? "",
			textOf: (path) => bench.textOf(bench.tabs.value.find((tab) => tab.path === path)?.uri ?? "") ?? "",
		};
	}
}

/** Returns instructions for a user who needs a suggestion but has none. Undefined while one may still arrive. */
function helpFor({ needsSuggestion }: LessonStep, state: LessonState): string | undefined {
	const { shown, note, lastChange } = state;
	if (shown !== undefined || note?.kind !== "no-suggestion" || !needsSuggestion(state)) return undefined;
	if (lastChange?.cause === "undo") return "You undid a change. Make it again, or restart the lesson.";
	if (note.text === "rejected") return `You dismissed the suggestion. Press [[${ASK_KEY}]] to request the next one.`;
	if (isQuiet(note.text) || note.text === "disabled") return reasonText(note.text, lastChange);
	return `There is no suggestion now. Press [[${ASK_KEY}]] to request one, or restart the lesson.`;
}

/** Whether the user has finished or skipped the guide. Until then, it starts automatically. */
function isFinished(): boolean {
	try {
		return localStorage.getItem(STORAGE_KEY) === FINISHED;
	} catch {
		return false;
	}
}

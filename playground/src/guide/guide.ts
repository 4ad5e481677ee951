import { effect, signal } from "@preact/signals";
import type { Playground } from "../playground.js";
import type { Project } from "../projects/project.js";
import { SAMPLES, type Sample } from "../projects/samples.js";
import { LESSONS, type Lesson, type LessonState } from "./lessons.js";

const STORAGE_KEY = "segue-guide";
const FINISHED = "finished";

/** The first-run guide: the open lesson and the user's progress in it. */
export class Guide {
	/** The index of the open lesson; undefined once the guide has been finished or skipped. */
	readonly number = signal<number | undefined>(isFinished() ? undefined : 0);
	/** Number of completed steps in the open lesson. */
	readonly done = signal(0);

	constructor(
		private readonly playground: Playground,
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

	/** Opens a lesson with fresh files. Opens the first one by default. */
	async start(number = 0): Promise<void> {
		const lesson = LESSONS[number];
		if (lesson === undefined) return this.finish();
		await this.open(lesson.project);
		this.number.value = number;
		this.done.value = 0;
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
	 * Completes the current step if its condition is met. Runs after every change to the page's state, and again after
	 * each completed step.
	 */
	private check(): void {
		const { lesson, playground } = this;
		const { bench, shown, note } = playground;
		const active = bench.tabs.value.find(({ uri }) => uri === bench.active.value);
		const state: LessonState = {
			shown: shown.value,
			note: note.value,
			lastChange: bench.lastChange.value,
			path: active?.path ?? "",
			textOf: (path) => bench.textOf(bench.tabs.value.find((tab) => tab.path === path)?.uri ?? "") ?? "",
		};
		if (lesson?.steps[this.done.value]?.isDone(state)) this.done.value++;
	}
}

/** Whether the user has finished or skipped the guide. Until then, it starts automatically. */
function isFinished(): boolean {
	try {
		return localStorage.getItem(STORAGE_KEY) === FINISHED;
	} catch {
		return false;
	}
}

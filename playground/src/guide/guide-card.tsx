import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazyComponent } from "../lazy-load.js";
import type { Playground } from "../playground.js";
import { type Project, uriOf } from "../projects/project.js";
import { Icon } from "../widgets/icon.js";
import { InlineMarkdown } from "../widgets/inline-markdown.js";
import { ALT } from "../widgets/modifier-key.js";
import type { Guide } from "./guide.js";
import { LESSONS } from "./lessons.js";

const EditorChoice = lazyComponent(async () => (await import("./editor-choice.js")).EditorChoice);

/** The current step in the guide, shown above the editor. It advances as the user edits. */
export function GuideCard({ guide }: { guide: Guide }) {
	const { lesson } = guide;
	const number = guide.number.value;
	if (lesson === undefined || number === undefined) return null;
	const done = guide.done.value;
	const help = guide.help.value;
	const step = lesson.steps[done];
	const isDone = step === undefined;
	const isFinished = isDone && !guide.hasRest.value;
	const isEdited = guide.playground.bench.tabs.value.some(({ isDirty }) => isDirty);
	useEffect(() => {
		if (!isDone) return;
		const next = (event: KeyboardEvent) => {
			if (event.key !== "Enter" || !event.altKey) return;
			event.preventDefault();
			event.stopPropagation();
			void guide.next();
		};
		// Before the editor, which would insert a line break.
		addEventListener("keydown", next, true);
		return () => removeEventListener("keydown", next, true);
	}, [isDone, number]);
	return (
		<section class={isFinished ? "guide finished" : "guide"} aria-label="Guide">
			<div class="card">
				<div class="progress">
					<Icon name={isFinished ? "check" : "guide"} />
				</div>
				<h2>
					<span class="title">{`Lesson ${number + 1} of ${LESSONS.length}: ${lesson.title}`}</span>
					{!isDone && <span class="step">{`Step ${done + 1} of ${lesson.steps.length}`}</span>}
				</h2>
				<p class="task" role="status">
					<InlineMarkdown
						text={step === undefined ? guide.summary.value : (help ?? step.text)}
						press={(key) => guide.playground.press(key)}
					/>
				</p>
				<div class="buttons">
					{(done > 0 || isEdited) && !isDone && (
						<button
							type="button"
							class={help === undefined ? "quiet restart" : "quiet"}
							onClick={() => void guide.start(number)}
						>
							Restart
						</button>
					)}
					{isDone && (
						<button type="button" class="primary" onClick={() => void guide.next()}>
							{guide.isLast ? "Finish" : "Next lesson"} <kbd>{ALT} Enter</kbd>
						</button>
					)}
					{!(isDone && guide.isLast) && (
						<button
							type="button"
							class="quiet"
							onClick={() => {
								guide.finish();
								guide.playground.bench.view.focus();
							}}
						>
							Skip guide
						</button>
					)}
				</div>
			</div>
			{isDone && guide.isLast && <EditorChoice installation={guide.playground.installation.value} />}
		</section>
	);
}

/**
 * The first task in a project, shown in place of a lesson. It disappears once the user has done it, opens another file
 * or closes it.
 */
export function Hint({ playground, project }: { playground: Playground; project: Project }) {
	const { bench, note } = playground;
	const closed = useSignal<Project | undefined>(undefined);
	const isTask = project.start.path !== "";
	const isElsewhere = isTask && bench.active.value !== uriOf(project, project.start.path);
	const isDone = isTask && note.value?.text === "nothing-found" && bench.lastChange.value?.isSuggestion === true;
	useEffect(() => {
		if (isElsewhere || isDone) closed.value = project;
	}, [isElsewhere, isDone, project]);
	if (project.hint === "" || isElsewhere || isDone || closed.value === project) return null;
	return (
		<div class="hint">
			<p>
				<InlineMarkdown text={project.hint} />
			</p>
			<button
				type="button"
				class="quiet"
				aria-label="Close this hint"
				title="Close this hint"
				onClick={() => {
					closed.value = project;
					bench.view.focus();
				}}
			>
				<Icon name="close" />
			</button>
		</div>
	);
}

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Installation } from "../playground.js";
import { CommandLine } from "../widgets/command.js";
import { Icon } from "../widgets/icon.js";
import { InlineMarkdown } from "../widgets/inline-markdown.js";
import { ALT } from "../widgets/modifier-key.js";
import type { Guide } from "./guide.js";
import { LESSONS } from "./lessons.js";

/** The current step in the guide, shown above the editor. It advances as the user edits. */
export function GuideCard({ guide }: { guide: Guide }) {
	const { lesson } = guide;
	const number = guide.number.value;
	if (lesson === undefined || number === undefined) return null;
	const done = guide.done.value;
	const help = guide.help.value;
	const step = lesson.steps[done];
	const isDone = step === undefined;
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
		<section class={isDone ? "guide done" : "guide"} aria-label="Guide">
			<div class="card">
				<div class="progress">
					{isDone ? <Icon name="check" /> : <span aria-hidden="true">{`${done + 1}/${lesson.steps.length}`}</span>}
				</div>
				<div class="lesson">
					<h2>
						{`Lesson ${number + 1} of ${LESSONS.length}: ${lesson.title}`}
						<span class="dots" aria-hidden="true">
							{LESSONS.map(({ title }, i) => (
								<i
									key={title}
									class={i < number || (i === number && isDone) ? "past" : i === number ? "present" : ""}
								/>
							))}
						</span>
					</h2>
					<div class="task">
						<p role="status">
							<InlineMarkdown
								text={step === undefined ? `Done. ${guide.summary.value}` : (help ?? step.text)}
								press={(key) => guide.playground.press(key)}
							/>
						</p>
						{isDone && guide.isLast && <EditorChoice installation={guide.playground.installation.value} />}
					</div>
				</div>
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
						<button type="button" class="quiet" onClick={() => guide.finish()}>
							Skip guide
						</button>
					)}
				</div>
			</div>
		</section>
	);
}

/** The editors that `segue setup editor` supports, by their names on the command line. */
const EDITORS = {
	vscode: "VS Code",
	neovim: "Neovim",
	emacs: "Emacs",
	helix: "Helix",
	zed: "Zed",
	kate: "Kate",
	sublime: "Sublime Text",
	jetbrains: "JetBrains IDEs (chat only)",
};

/** Lets the user choose an editor, and shows the command that sets it up. */
function EditorChoice({ installation: { command, installVscode } }: { installation: Installation }) {
	const editor = useSignal("vscode");
	const isExtension = editor.value === "vscode" && installVscode !== undefined;
	return (
		<span class="editor-choice">
			<select
				aria-label="Your editor"
				value={editor.value}
				onChange={({ currentTarget }) => (editor.value = currentTarget.value)}
			>
				{Object.entries(EDITORS).map(([name, title]) => (
					<option key={name} value={name}>
						{title}
					</option>
				))}
			</select>
			<CommandLine line={isExtension ? installVscode : `${command} setup editor ${editor.value}`} />
		</span>
	);
}

/** The first task in a project, shown in place of a lesson. */
export function Hint({ text }: { text: string }) {
	if (text === "") return null;
	return (
		<p class="hint">
			<InlineMarkdown text={text} />
		</p>
	);
}

import { useSignal } from "@preact/signals";
// A list of titles needs nothing of what plays them.
import { readStoryFile, type TitledStory } from "@segue/story/story-file";
import { useEffect } from "preact/hooks";
import { loadLazily } from "../lazy-load.js";
import type { Playground } from "../playground.js";

type StoryFile = () => Promise<{ readonly default: string }>;

/** Each file is loaded when its heading is unfolded first. */
const GALLERY: readonly (readonly [heading: string, file: StoryFile])[] = [
	["Rename", () => import("../../../stories/rename.story.md")],
	["The same change again", () => import("../../../stories/repeat.story.md")],
	["A change with a pattern", () => import("../../../stories/template.story.md")],
	["A line that its siblings have", () => import("../../../stories/sibling.story.md")],
	["Paste and adapt", () => import("../../../stories/paste.story.md")],
	["Calls of a changed function", () => import("../../../stories/calls.story.md")],
	["An error with a plain fix", () => import("../../../stories/diagnostic.story.md")],
	["Where to go next", () => import("../../../stories/jump.story.md")],
	["When to be silent", () => import("../../../stories/silence.story.md")],
	["Other languages", () => import("../../../stories/languages.story.md")],
];

/** Stories that play by themselves, to be chosen from. */
export function StoriesPanel({ playground: { storyRunner } }: { playground: Playground }) {
	const playing = storyRunner.playing.value;
	return (
		<div class="stories">
			<p class="remark" role="status">
				{playing === undefined
					? storyRunner.ending.value || "Each plays by itself in the editor. Press a key there to take over."
					: `Playing: ${playing}`}
			</p>
			{playing !== undefined && (
				<button type="button" onClick={() => storyRunner.takeOver()}>
					Stop
				</button>
			)}
			{GALLERY.map(([heading, file], i) => (
				<Chapter
					key={heading}
					heading={heading}
					file={file}
					isFirst={i === 0}
					playing={playing}
					play={(story) => void storyRunner.play(story)}
				/>
			))}
		</div>
	);
}

function Chapter({
	heading,
	file,
	isFirst,
	playing,
	play,
}: {
	heading: string;
	file: StoryFile;
	isFirst: boolean;
	playing: string | undefined;
	play: (story: TitledStory) => void;
}) {
	const isOpen = useSignal(isFirst);
	const stories = useSignal<readonly TitledStory[]>([]);
	const trouble = useSignal("");
	useEffect(() => {
		if (!isOpen.value || stories.value.length > 0) return;
		loadLazily(file).then(
			({ default: markdown }) => {
				stories.value = readStoryFile(markdown);
				trouble.value = "";
			},
			(error: Error) => (trouble.value = error.message),
		);
	}, [isOpen.value]);
	return (
		<details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
			<summary>{heading}</summary>
			{trouble.value !== "" && <p class="trouble">{trouble.value}</p>}
			<ul>
				{stories.value.map((story) => (
					<li key={story.title}>
						<button type="button" aria-pressed={playing === story.title} onClick={() => play(story)}>
							▶ {story.title}
						</button>
					</li>
				))}
			</ul>
		</details>
	);
}

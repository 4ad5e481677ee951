import { useSignal } from "@preact/signals";
// Imports only the titles, without the rest of the package, which plays stories.
import { readStoryFile, type TitledStory } from "@segue/story/story-file";
import { useEffect } from "preact/hooks";
import { loadLazily } from "../lazy-load.js";
import type { Playground } from "../playground.js";
import { Icon } from "../widgets/icon.js";
import type { StoryRunner } from "./story-runner.js";

interface StoryGroup {
	readonly title: string;
	readonly summary: string;
	/** Loaded when a story in the group is first played or listed. */
	readonly file: () => Promise<{ readonly default: string }>;
}

/** The first story of each file is the featured one. */
const GROUPS: readonly StoryGroup[] = [
	{
		title: "Rename",
		summary: "Change a name once, and Tab changes the rest.",
		file: () => import("../../../stories/rename.story.md"),
	},
	{
		title: "Repeat a change",
		summary: "Make the same edit twice, and Tab makes it wherever the same text is left.",
		file: () => import("../../../stories/repeat.story.md"),
	},
	{
		title: "Follow a pattern",
		summary: "Change two lines in the same way, and Tab changes the others, each with its own names.",
		file: () => import("../../../stories/template.story.md"),
	},
	{
		title: "Complete a list",
		summary: "A new item is added everywhere the others are listed.",
		file: () => import("../../../stories/sibling.story.md"),
	},
	{
		title: "Adapt a copy",
		summary: "Pasted code is updated to use the new names.",
		file: () => import("../../../stories/paste.story.md"),
	},
	{
		title: "Update calls",
		summary: "Calls are updated to match a function's new parameters.",
		file: () => import("../../../stories/calls.story.md"),
	},
	{
		title: "Fix errors",
		summary: "Missing imports and async keywords are added.",
		file: () => import("../../../stories/diagnostic.story.md"),
	},
	{
		title: "Jump",
		summary: "Your edit causes an error further down, and Tab takes you there.",
		file: () => import("../../../stories/jump.story.md"),
	},
	{
		title: "Stay silent",
		summary: "A comment on one line is not suggested for the next.",
		file: () => import("../../../stories/silence.story.md"),
	},
	{
		title: "Languages",
		summary: "A rename in C. More: C++, C#, Go, Java, JavaScript, PHP and Ruby.",
		file: () => import("../../../stories/languages.story.md"),
	},
];

/** Short demonstrations, grouped by topic, that play automatically in the editor. */
export function StoriesPanel({ playground: { storyRunner } }: { playground: Playground }) {
	const playing = storyRunner.playing.value;
	return (
		<div class="stories">
			<div class="now-playing">
				<p class="remark" role="status">
					{playing === undefined
						? storyRunner.ending.value || "Each story plays in the editor. Press any key there to take over."
						: `Playing: ${playing}`}
				</p>
				{playing !== undefined && (
					<button type="button" onClick={() => storyRunner.takeOver()}>
						<Icon name="stop" />
						Stop
					</button>
				)}
			</div>
			<ul class="groups">
				{GROUPS.map((group) => (
					<Group key={group.title} group={group} runner={storyRunner} />
				))}
			</ul>
		</div>
	);
}

function Group({ group, runner }: { group: StoryGroup; runner: StoryRunner }) {
	const { title, summary } = group;
	const isOpen = useSignal(false);
	const playing = runner.playing.value;
	return (
		<li class="group">
			<button
				type="button"
				class="feature"
				aria-pressed={playing === title}
				onClick={() => void runner.play(title, async () => featuredIn(await storiesOf(group)))}
			>
				<Icon name="play" />
				<span>
					<strong>
						<span class="unseen">Play </span>
						{title}
					</strong>
					<span class="remark">{summary}</span>
				</span>
			</button>
			<button
				type="button"
				class="more"
				aria-label={`More stories: ${title}`}
				aria-expanded={isOpen.value}
				onClick={() => (isOpen.value = !isOpen.value)}
			>
				More
				<Icon name="chevron" />
			</button>
			{isOpen.value && <GroupStories group={group} runner={runner} />}
		</li>
	);
}

function GroupStories({ group, runner }: { group: StoryGroup; runner: StoryRunner }) {
	const stories = useSignal<readonly TitledStory[]>([]);
	const trouble = useSignal("");
	const playing = runner.playing.value;
	useEffect(() => {
		loadLazily(() => storiesOf(group)).then(
			(loaded) => (stories.value = loaded),
			(error: Error) => (trouble.value = error.message),
		);
	}, []);
	return (
		<div class="others">
			{trouble.value !== "" && <p class="trouble">{trouble.value}</p>}
			<ul>
				{stories.value.map((story) => (
					<li key={story.title}>
						<button
							type="button"
							class="quiet"
							aria-pressed={playing === story.title}
							onClick={() => void runner.play(story.title, async () => story)}
						>
							<Icon name="play" />
							<span>{story.title}</span>
						</button>
					</li>
				))}
			</ul>
		</div>
	);
}

async function storiesOf({ file }: StoryGroup): Promise<readonly TitledStory[]> {
	return readStoryFile((await file()).default);
}

function featuredIn([first]: readonly TitledStory[]): TitledStory {
	if (first === undefined) throw new Error("the file has no story");
	return first;
}

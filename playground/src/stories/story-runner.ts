import { signal } from "@preact/signals";
import type { TitledStory } from "@segue/story/story-file";
import { errorText } from "@segue/text";
import { loadLazily } from "../lazy-load.js";
import type { StoryPage } from "./story-player.js";

/** Plays one story at a time, whichever panel is open. A key or a click in the editor hands control to the user. */
export class StoryRunner {
	/** The title of the story that is loading or playing. */
	readonly playing = signal<string | undefined>(undefined);
	/** A sentence about how the last story ended. */
	readonly ending = signal("");
	private control = new AbortController();
	private played = 0;

	constructor(private readonly page: StoryPage) {
		page.bench.project.subscribe(() => {
			if (this.playing.value === undefined) this.ending.value = "";
		});
		const { dom } = page.bench.view;
		dom.addEventListener("keydown", () => this.takeOver(), true);
		dom.addEventListener("mousedown", () => this.takeOver(), true);
	}

	/** Stops the story and keeps its edits. */
	takeOver(): void {
		this.control.abort(new Error("the user took over"));
	}

	/** Plays a story under this title. Loading counts as playing, so the user can take over in the meantime. */
	async play(title: string, load: () => Promise<TitledStory>): Promise<void> {
		this.control.abort(new Error("another story was started"));
		const control = new AbortController();
		this.control = control;
		this.playing.value = title;
		const ending = await this.run(title, load, control.signal);
		// Another story may have replaced this one.
		if (this.control !== control) return;
		this.playing.value = undefined;
		this.ending.value = ending;
	}

	private async run(title: string, load: () => Promise<TitledStory>, signal: AbortSignal): Promise<string> {
		const before = this.page.bench.project.value;
		const { story, player, trouble } = await loadLazily(() => Promise.all([load(), import("./story-player.js")])).then(
			([story, player]) => ({ story, player, trouble: "" }),
			(error: Error) => ({ story: undefined, player: undefined, trouble: error.message }),
		);
		if (signal.aborted) return STOPPED;
		if (story === undefined || player === undefined) return `The story could not be loaded. ${trouble}`;
		const root = `file:///stories/${++this.played}`;
		try {
			const isAsWritten = await player.playInPage({ ...story, title }, this.page, before, root, signal);
			return isAsWritten
				? "End of the story. Keep editing if you like."
				: "End of the story. The suggestions here were different from those in the story.";
		} catch (error) {
			if (signal.aborted) return STOPPED;
			return `The story stopped at an unexpected result: ${errorText(error)}`;
		}
	}
}

const STOPPED = "Story stopped. Keep editing if you like.";

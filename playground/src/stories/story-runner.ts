import { signal } from "@preact/signals";
import type { TitledStory } from "@segue/story";
import { errorText } from "@segue/text";
import { loadLazily } from "../lazy-load.js";
import type { Playground } from "../playground.js";

/** Plays one story at a time, whatever panel is looked at. The person takes over with a key or a click in the editor. */
export class StoryRunner {
	/** The title of the one that plays. */
	readonly playing = signal<string | undefined>(undefined);
	/** How the last one ended, in a sentence. */
	readonly ending = signal("");
	private control = new AbortController();

	constructor(private readonly playground: Playground) {
		const { dom } = playground.bench.view;
		dom.addEventListener("keydown", () => this.takeOver(), true);
		dom.addEventListener("mousedown", () => this.takeOver(), true);
	}

	/** From now on the person does what is to be done. What the story did stays. */
	takeOver(): void {
		this.control.abort(new Error("taken over"));
	}

	async play(story: TitledStory): Promise<void> {
		this.control.abort(new Error("another story"));
		const control = new AbortController();
		this.control = control;
		this.playing.value = story.title;
		const ending = await this.tell(story, control.signal);
		// Of a story that another one has taken the place of, nothing is said.
		if (this.control !== control) return;
		this.playing.value = undefined;
		this.ending.value = ending;
	}

	private async tell(story: TitledStory, signal: AbortSignal): Promise<string> {
		const before = this.playground.bench.project.value;
		try {
			const { playInPage } = await loadLazily(() => import("./story-player.js"));
			await playInPage(story, this.playground, before, signal);
			return "That was the story. It is yours to go on with.";
		} catch (error) {
			if (signal.aborted) return "You have taken over.";
			return `It went another way than it is drawn: ${errorText(error)}`;
		}
	}
}

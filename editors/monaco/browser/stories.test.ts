import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterOf, type Picture, readStory, readStoryFile, type StoryStep } from "@segue/story";
import { inMonaco } from "@segue/testing/plugins/monaco-fixture";
import { type MonacoTester, POLL } from "@segue/testing/plugins/monaco-tester";
import { expect, test } from "vitest";

// Plays the featured story of each group, which is the first in its file.

const folder = path.join(import.meta.dirname, "..", "..", "..", "stories");

const STORIES = readdirSync(folder)
	.filter((file) => file.endsWith(".story.md"))
	.map((file) => {
		const [story] = readStoryFile(readFileSync(path.join(folder, file), "utf8"));
		if (story === undefined) throw new Error(`${file} has no story`);
		return [file.replace(".story.md", ""), story] as const;
	});

inMonaco("Monaco with the plugin", (demo) => {
	test.for(STORIES)("plays the story of %s with the agent in a worker", async ([_name, { source }]) => {
		const tester = await demo.open();
		await new StoryRun(tester).play(readStory(source).steps);
	});
});

/** Plays a story with real keys, and compares the text, the suggestion on the screen and the cursor. */
class StoryRun {
	private readonly texts = new Map<string, string>();
	private path = "main.ts";
	private offered: StoryStep | undefined;
	private selection: readonly [number, number] = [0, 0];

	constructor(private readonly tester: MonacoTester) {}

	async play(steps: readonly StoryStep[]): Promise<void> {
		await this.tester.connected();
		let heard = await this.tester.noticesFromNow();
		for (const step of steps) {
			// A reason that follows an action may arrive before the action's other effects have been checked.
			if (step.verb.startsWith("user")) heard = await this.tester.noticesFromNow();
			switch (step.verb) {
				case "file":
				case "user":
				case "user types":
					await this.show(step.path, step.picture);
					break;
				case "suggests": {
					const { path, picture } = step;
					await this.tester.expectShown(path, picture.edits, picture.before);
					this.offered = step;
					break;
				}
				case "suggests jump":
					await this.jump(step.picture);
					break;
				case "suggests nothing":
					await heard(/\w/);
					await this.tester.expectNothing();
					break;
				case "user accepts":
					await this.accept();
					break;
				case "user rejects":
					await this.tester.press("Escape");
					await this.tester.expectNothing();
					break;
				case "editor":
					break; // jumps are always allowed
				default:
					throw new Error(`the trial cannot play "${step.verb}"`);
			}
		}
	}

	private async show(path: string, picture: Picture): Promise<void> {
		const { tester } = this;
		this.path = path;
		await tester.pause();
		await tester.open(path, picture.before);
		expect(await tester.text()).toBe(this.texts.get(path) ?? picture.before);
		let shift = 0;
		for (const { from, to, insert } of picture.edits) {
			await tester.replace(from + shift, to + shift, insert);
			shift += insert.length - (to - from);
		}
		this.texts.set(path, afterOf(picture));
		await this.expectText();
		const { selection } = picture;
		if (selection !== undefined) await tester.select(selection.anchor, selection.head);
		this.selection = await tester.selection();
		await tester.page.evaluate((diagnostics) => {
			const { editor, monaco } = window.demo;
			const model = editor.getModel();
			if (model === null) return;
			const { MarkerSeverity: severity } = monaco;
			const severities = {
				...{ error: severity.Error, warning: severity.Warning },
				...{ info: severity.Info, hint: severity.Hint },
			};
			const markers = diagnostics.map(({ from, to, severity, message }) => {
				const range = monaco.Range.fromPositions(model.getPositionAt(from), model.getPositionAt(to));
				return { ...range, severity: severities[severity], message };
			});
			monaco.editor.setModelMarkers(model, "story", markers);
			// A language server checks the text again after a change.
			const listener = model.onDidChangeContent(() => {
				monaco.editor.setModelMarkers(model, "story", []);
				listener.dispose();
			});
		}, picture.diagnostics);
	}

	private async jump({ selection }: Picture): Promise<void> {
		const { tester } = this;
		await expect.poll(async () => (await tester.suggestion()).at, POLL).toBe(selection?.head);
		expect((await tester.suggestion()).drawnAs).toBe("target");
		await tester.press("Tab");
		await expect.poll(() => tester.selection(), POLL).toEqual([selection?.anchor, selection?.head]);
		await this.expectText();
	}

	private async accept(): Promise<void> {
		const { offered, tester } = this;
		if (offered?.verb !== "suggests") throw new Error("no suggestion to accept");
		await tester.press("Tab");
		this.texts.set(offered.path, afterOf(offered.picture));
		await this.expectText();
		const { selection = { anchor: this.selection[0], head: this.selection[1] } } = offered.picture;
		await expect.poll(() => tester.selection(), POLL).toEqual([selection.anchor, selection.head]);
	}

	private async expectText(): Promise<void> {
		await expect.poll(() => this.tester.text(), POLL).toBe(this.texts.get(this.path));
	}
}

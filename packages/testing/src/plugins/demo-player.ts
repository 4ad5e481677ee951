import type { DisplayedSuggestion } from "@segue/editor";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import { Change, languageOf, Text } from "@segue/text";
import type { DemoPage } from "./demo-page.js";

// Longer than any pause within a single edit, and longer than any debounce before a request.
const PAUSE_MS = 2500;

const ROOT = "file:///project/";

/**
 * Plays stories in the demo page as a user would: types, waits and presses Tab. Compares the text, the drawing and the
 * cursor of the editor with the story after each step.
 */
export class DemoPlayer implements Player {
	private readonly views = new Map<string, number>();
	private readonly texts = new Map<string, Text>();
	private offered: DisplayedSuggestion | undefined;

	constructor(private readonly demo: DemoPage) {}

	async configure(settings: StorySettings): Promise<void> {
		if (!("can" in settings) || settings.can.some((kind) => kind !== "jump")) {
			throw new Error("the plugin supports only edits and jumps");
		}
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		const uri = ROOT + path;
		this.views.set(path, await this.demo.open({ uri, languageId: languageOf(path), text: text.toString() }));
		this.texts.set(path, text);
		await this.settle(path, view);
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		let shift = 0;
		for (const { from, to, insert } of change.edits) {
			await this.demo.replace(this.viewOf(path), from + shift, to + shift, insert);
			shift += insert.length - (to - from);
		}
		this.texts.set(path, change.apply(this.textOf(path)));
		await this.settle(path, view);
	}

	async model(): Promise<void> {
		throw new Error("stories in the demo page use no model");
	}

	async suggest(): Promise<StorySuggestion> {
		await this.demo.passTime(PAUSE_MS);
		this.offered = await this.demo.call((demo) => demo.shown);
		const { offered } = this;
		if (offered === undefined) {
			await this.checkDrawing("");
			const reason = await this.demo.call((demo) => demo.notices.at(-1)?.notice.text ?? "");
			return { kind: "nothing", reason };
		}
		const path = offered.uri.slice(ROOT.length);
		switch (offered.kind) {
			case "edit":
				await this.checkDrawing(path);
				return { kind: "edit", path, edits: offered.edits, cursor: offered.cursor, note: offered.why };
			case "jump":
				await this.checkDrawing(path);
				return { kind: "jump", path, offset: offered.at };
			default:
				throw new Error(`the plugin does not support ${offered.kind}`);
		}
	}

	/** Presses Tab until the suggestion is accepted. The first press may only move the cursor. */
	async accept(): Promise<void> {
		const { offered } = this;
		const idOf = () => this.demo.call((demo) => demo.shown?.id);
		for (let presses = 0; offered !== undefined && (await idOf()) === offered.id; presses++) {
			if (presses > 3) throw new Error("Tab does not accept the suggestion");
			await this.demo.press("Tab");
			await this.demo.passTime(100);
		}
		if (offered?.kind !== "edit") return;
		const path = offered.uri.slice(ROOT.length);
		const before = this.textOf(path);
		this.texts.set(path, Change.of(offered.edits, before.length).apply(before));
		await this.compare(path, offered.cursor, offered.cursor);
	}

	async reject(): Promise<void> {
		await this.demo.press("Escape");
		await this.demo.passTime(PAUSE_MS);
	}

	async wait(ms: number): Promise<void> {
		await this.demo.passTime(ms);
	}

	private async settle(path: string, { selection, diagnostics }: StoryView): Promise<void> {
		const { anchor, head } = selection;
		await this.demo.select(this.viewOf(path), anchor, head);
		const found = diagnostics.map(({ severity, ...each }) => {
			return { ...each, severity: severity === "info" ? ("information" as const) : severity };
		});
		await this.demo.call((demo, { uri, found }) => demo.diagnose(uri, found), { uri: ROOT + path, found });
		await this.demo.passTime(PAUSE_MS);
		await this.compare(path, anchor, head);
	}

	/** Throws if the text or the cursor of a file is not that of the story. */
	private async compare(path: string, anchor: number, head: number): Promise<void> {
		const seen = await this.demo.look(this.viewOf(path));
		const text = this.textOf(path).toString();
		if (seen.text !== text) throw new Error(`${path} is\n${seen.text}\nbut should be\n${text}`);
		if (seen.anchor !== anchor || seen.head !== head) {
			throw new Error(`the selection in ${path} is ${seen.anchor}–${seen.head}, but should be ${anchor}–${head}`);
		}
	}

	/** Throws if the editor draws something other than the offered suggestion. Compares text without white space. */
	private async checkDrawing(path: string): Promise<void> {
		const views = await Promise.all([...this.views.values()].map((view) => this.demo.look(view)));
		const drawn = views.map(({ ghost, added, removed, chip, target }) => ({
			inserted: bare([...ghost, ...added]),
			removed: bare(removed),
			points: chip !== "" || target > 0,
		}));
		const seen = {
			inserted: bare(drawn.map((each) => each.inserted)),
			removed: bare(drawn.map((each) => each.removed)),
			points: drawn.some(({ points }) => points),
		};
		const { offered } = this;
		const isPointer = offered !== undefined && (offered.as === "chip" || offered.kind === "jump");
		const edits = offered?.kind === "edit" && !isPointer ? offered.edits : [];
		const expected = {
			inserted: bare(edits.map(({ insert }) => insert)),
			removed: bare(edits.map(({ from, to }) => this.textOf(path).slice(from, to))),
			points: isPointer,
		};
		if (JSON.stringify(seen) === JSON.stringify(expected)) return;
		throw new Error(`the editor draws ${JSON.stringify(seen)}, but should draw ${JSON.stringify(expected)}`);
	}

	private viewOf(path: string): number {
		const view = this.views.get(path);
		if (view === undefined) throw new Error(`${path} is not open`);
		return view;
	}

	private textOf(path: string): Text {
		return this.texts.get(path) ?? Text.of("");
	}
}

function bare(texts: readonly string[]): string {
	return texts.join("").replace(/\s/g, "");
}

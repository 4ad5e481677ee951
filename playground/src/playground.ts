import { signal } from "@preact/signals";
import { type DisplayedSuggestion, Editor, type FileEdits, type Notice } from "@segue/editor";
import * as acp from "@segue/protocol/acp";
import type { TitledStory } from "@segue/story";
import { errorText } from "@segue/text";
import { AgentLink } from "./agent-link.js";
import { CHAT_CAPABILITIES, PageChat } from "./chat/page-chat.js";
import type { DiskFolder } from "./files/disk-folder.js";
import { PageFiles } from "./files/page-files.js";
import { MessageTrace } from "./inspector/message-trace.js";
import { loadLazily } from "./lazy-load.js";
import { OPTIONAL_KINDS, type PageSettings, settings } from "./settings/settings.js";
import { MOD } from "./widgets/modifier-key.js";
import { editing } from "./workbench/editing.js";
import { hostOf } from "./workbench/host.js";
import { Workbench } from "./workbench/workbench.js";

/** A question to the user: which of these edits are meant. */
export interface EditPreview {
	readonly title: string;
	readonly files: readonly FileEdits[];
	readonly answer: (chosen: readonly FileEdits[]) => void;
}

/** The page's parts, wired: the workbench, the library, and the way to the agent. */
export class Playground {
	readonly bench: Workbench;
	readonly files: PageFiles;
	readonly link: AgentLink;
	/** What is offered. */
	readonly shown = signal<DisplayedSuggestion | undefined>(undefined);
	/** The last word on why nothing is offered, or on what is wrong. */
	readonly note = signal<Notice | undefined>(undefined);
	readonly preview = signal<EditPreview | undefined>(undefined);
	readonly trace = new MessageTrace();
	readonly chat: PageChat;
	readonly storyRunner: StoryRunner;
	/** Of next edits. */
	sessionId: string | undefined;
	/** The options of the next-edit session, as the agent listed them last. */
	readonly options = signal<readonly acp.ConfigOption[]>([]);
	private segue: Editor | undefined;
	/** Instead of what the settings say, while a story is told. */
	private kinds: PageSettings["kinds"] | undefined;

	constructor(
		parent: HTMLElement,
		/** What lets this page in. */
		readonly token: string,
	) {
		this.link = new AgentLink(token, () => settings.value);
		this.bench = new Workbench(parent, (path) => {
			return editing(
				path,
				() => this.segue,
				() => this.files.save(),
				(text) => (this.files.trouble.value = { uri: undefined, text, ways: [] }),
			);
		});
		this.files = new PageFiles(this.bench, (uri) => this.segue?.didSave(uri));
		this.chat = new PageChat(
			() => this.link.connection.value,
			() => pathOf(this.bench.project.value?.root ?? ""),
			{
				read: (path) => this.bench.textOf(this.uriOf(path)),
				write: (path, text) => this.bench.write(this.uriOf(path), text),
			},
		);
		this.bench.project.subscribe(() => this.chat.leaveFolder());
		this.storyRunner = new StoryRunner(this);
		this.connect();
		this.link.status.subscribe((status) => {
			if (status !== "refused") return;
			void this.segue?.close();
			this.note.value = { kind: "failed", text: "The server does not let this page in." };
		});
		let before = settings.value;
		settings.subscribe((now) => {
			// Who chooses kinds while a story is told has them.
			if (before.kinds !== now.kinds) this.kinds = undefined;
			if (needsConnection(before) !== needsConnection(now)) void this.reconnect();
			else if (before.eagerness !== now.eagerness) void this.refreshOptions();
			before = now;
		});
	}

	get editor(): Editor | undefined {
		return this.segue;
	}

	openFolder(folder: DiskFolder): void {
		const { root, name, paths, isCut } = folder;
		const cut = isCut ? ` It has more files than can be listed: these are ${paths.length} of them.` : "";
		const hint = `Choose a file above. ${MOD} S saves it.${cut}`;
		this.bench.begin({ name, title: name, root, hint, start: { path: "", after: "" }, files: [], folder });
	}

	/** Has only some kinds of suggestions besides edits, or, again, those of the settings. */
	async limitTo(kinds: PageSettings["kinds"] | undefined): Promise<void> {
		const isSame = JSON.stringify(kinds ?? settings.value.kinds) === JSON.stringify(this.kinds ?? settings.value.kinds);
		this.kinds = kinds;
		if (!isSame) await this.reconnect();
	}

	private connect(): void {
		const { encoding } = settings.value;
		const kinds = this.kinds ?? settings.value.kinds;
		const host = hostOf(this.bench, {
			shown: (shown) => {
				this.shown.value = shown;
				if (shown !== undefined) this.note.value = undefined;
			},
			note: (note) => {
				this.note.value = note;
			},
			read: (uri) => this.files.read(uri),
			open: (uri, offset) => this.files.openAt(uri, offset),
			preview: (title, files) => {
				this.preview.value?.answer([]);
				return new Promise((resolve) => {
					const answer = (chosen: readonly FileEdits[]) => {
						this.preview.value = undefined;
						resolve(chosen);
					};
					this.preview.value = { title, files, answer };
				});
			},
		});
		this.segue = new Editor({
			host,
			connect: this.link.connect,
			clientInfo: { name: "segue-playground", version: "0.1.0" },
			encodings: [encoding],
			kinds: OPTIONAL_KINDS.filter((kind) => kinds[kind]),
			chat: {
				capabilities: CHAT_CAPABILITIES,
				handlers: this.chat.handlers(),
			},
			connected: (connection) => this.trace.listen(connection),
			initialized: (connection) => {
				this.link.connection.value = connection;
			},
			started: (sessionId) => {
				this.sessionId = sessionId;
				void this.refreshOptions();
			},
		});
		this.bench.setListener(this.segue);
	}

	/** Of an open file, by its path on the machine that the agent runs on. */
	private uriOf(path: string): string {
		return this.bench.tabs.value.find(({ uri }) => pathOf(uri) === path)?.uri ?? "";
	}

	/** Ends the connection and begins another, with the settings as they are. */
	async reconnect(): Promise<void> {
		const { segue } = this;
		this.bench.setListener(undefined);
		this.segue = undefined;
		await segue?.close();
		// Whoever asked for the same meanwhile had nothing to wait for. A second connection would draw in the editor, too.
		if (this.segue === undefined) this.connect();
	}

	/** Sets an option of the next-edit session. It lasts until the connection ends. */
	async set(configId: string, value: string): Promise<void> {
		const { sessionId } = this;
		if (sessionId === undefined) return;
		try {
			const answer = await this.link.connection.value?.request(acp.setConfigOption, { sessionId, configId, value });
			this.options.value = answer?.configOptions ?? [];
		} catch {
			// An agent without this option keeps its settings.
		}
	}

	/** Asks for the options again: a snooze, for example, ends by itself. */
	async refreshOptions(): Promise<void> {
		await this.set("nes_eagerness", settings.value.eagerness);
	}
}

/** Plays one story at a time, whatever panel is looked at. The person takes over with a key or a click in the editor. */
class StoryRunner {
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
		const ending = await this.run(story, control.signal);
		// Of a story that another one has taken the place of, nothing is said.
		if (this.control !== control) return;
		this.playing.value = undefined;
		this.ending.value = ending;
	}

	private async run(story: TitledStory, signal: AbortSignal): Promise<string> {
		const before = this.playground.bench.project.value;
		try {
			const { playInPage } = await loadLazily(() => import("./stories/story-player.js"));
			await playInPage(story, this.playground, before, signal);
			return "That was the story. It is yours to go on with.";
		} catch (error) {
			if (signal.aborted) return "You have taken over.";
			return `It went another way than it is drawn: ${errorText(error)}`;
		}
	}
}

function needsConnection({ encoding, agent, sync, changes, kinds }: PageSettings): string {
	return JSON.stringify([encoding, agent, sync, changes, kinds]);
}

function pathOf(root: string): string {
	return decodeURIComponent(root.replace(/^file:\/\//, ""));
}

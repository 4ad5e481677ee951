import { signal } from "@preact/signals";
import { Editor, type FileEdits, type Note, type Shown } from "@segue/editor";
import { acp, type ConfigOption } from "@segue/protocol/acp";
import { CHAT_CAPABILITIES, Conversation } from "./conversation.js";
import { editing } from "./editing.js";
import type { Folder } from "./folder.js";
import { hostOf } from "./host.js";
import { MOD } from "./keys.js";
import { Link } from "./link.js";
import { type Settings, settings } from "./settings.js";
import { Storyteller } from "./storyteller.js";
import { MessageTrace } from "./trace.js";
import { type Tab, Workbench } from "./workbench.js";

/** A question to the user: which of these edits are meant. */
export interface Preview {
	readonly title: string;
	readonly files: readonly FileEdits[];
	readonly answer: (chosen: readonly FileEdits[]) => void;
}

/** The page's parts, wired: the workbench, the library, and the way to the agent. */
export class Playground {
	readonly bench: Workbench;
	readonly link: Link;
	/** What is offered. */
	readonly shown = signal<Shown | undefined>(undefined);
	/** The last word on why nothing is offered, or on what is wrong. */
	readonly note = signal<Note | undefined>(undefined);
	/** What went wrong with a file, until it is read or written after all, or the person has seen it. */
	readonly trouble = signal("");
	readonly preview = signal<Preview | undefined>(undefined);
	readonly trace = new MessageTrace();
	readonly conversation: Conversation;
	readonly storyteller: Storyteller;
	/** Of next edits. */
	sessionId: string | undefined;
	/** What can write next edits, as the agent lists it. */
	readonly models = signal<ConfigOption | undefined>(undefined);
	private segue: Editor | undefined;
	/** Instead of what the settings say, while a story is told. */
	private kinds: Settings["kinds"] | undefined;

	constructor(
		parent: HTMLElement,
		/** What lets this page in. */
		readonly token: string,
	) {
		const query = () => {
			const { sync, changes } = settings.value;
			return new URLSearchParams({ sync, changes });
		};
		this.link = new Link(token, query);
		this.bench = new Workbench(parent, (path) => {
			return editing(
				path,
				() => this.segue,
				() => void this.save(),
			);
		});
		this.conversation = new Conversation(
			() => this.link.connection.value,
			() => pathOf(this.bench.project.value?.root ?? ""),
			{
				read: (path) => this.bench.textOf(this.uriOf(path)),
				write: (path, text) => this.bench.write(this.uriOf(path), text),
			},
		);
		this.bench.project.subscribe(() => this.conversation.leaveFolder());
		this.storyteller = new Storyteller(this);
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
			else if (before.eagerness !== now.eagerness) void this.set("nes_eagerness", now.eagerness);
			before = now;
		});
	}

	get editor(): Editor | undefined {
		return this.segue;
	}

	async openFolder(folder: Folder): Promise<void> {
		await this.limitTo(undefined);
		const { root, name, paths, isCut } = folder;
		const cut = isCut ? ` It has more files than can be listed: these are ${paths.length} of them.` : "";
		const hint = `Choose a file above. ${MOD} S saves it.${cut}`;
		this.bench.begin({ name, title: name, root, hint, start: { path: "", after: "" }, files: [], folder });
	}

	/** Opens a file of the opened folder in a tab. */
	async openFile(path: string): Promise<void> {
		await this.tellingTrouble(async () => {
			const text = await this.bench.project.value?.folder?.read(path);
			if (text !== undefined) this.bench.show(this.bench.add(path, text), 0);
			this.bench.view.focus();
		});
	}

	/** Closes a tab, after a question where something would be lost. */
	closeFile({ uri, path, isDirty }: Tab): void {
		if (!isDirty || confirm(`Close ${path} without saving it?`)) this.bench.close(uri);
		this.bench.view.focus();
	}

	/** Whether something would be lost with the page. Samples are there to be changed. */
	get isUnsaved(): boolean {
		const { project, tabs } = this.bench;
		return project.value?.folder !== undefined && tabs.value.some(({ isDirty }) => isDirty);
	}

	/** Writes the file in front to where it is kept. The samples are kept nowhere. */
	private async save(): Promise<void> {
		const { active, project, tabs } = this.bench;
		const uri = active.value;
		const path = tabs.value.find((tab) => tab.uri === uri)?.path;
		const content = uri === undefined ? undefined : this.bench.contentOf(uri);
		if (uri === undefined || path === undefined || content === undefined) return;
		await this.tellingTrouble(async () => {
			await project.value?.folder?.write(path, content);
			this.bench.didSave(uri);
			this.segue?.didSave(uri);
		});
	}

	private async tellingTrouble(work: () => Promise<void>): Promise<void> {
		try {
			await work();
			this.trouble.value = "";
		} catch (error) {
			this.trouble.value = error instanceof Error ? error.message : String(error);
		}
	}

	/** Has only some kinds of suggestions besides edits, or, again, those of the settings. */
	async limitTo(kinds: Settings["kinds"] | undefined): Promise<void> {
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
		const { rename, preview, ...others } = host;
		this.segue = new Editor({
			host: {
				...others,
				...(kinds.rename && rename !== undefined && { rename }),
				...(kinds.searchAndReplace && preview !== undefined && { preview }),
			},
			connect: this.link.connect,
			clientInfo: { name: "segue-playground", version: "0.1.0" },
			encodings: [encoding],
			chat: {
				capabilities: CHAT_CAPABILITIES,
				handlers: this.conversation.handlers(),
			},
			connected: (connection) => {
				this.link.connection.value = connection;
				this.trace.listen(connection);
			},
			started: (sessionId) => {
				this.sessionId = sessionId;
				void this.set("nes_eagerness", settings.value.eagerness);
			},
		});
		this.bench.tell(this.segue);
	}

	/** Of an open file, by its path on the machine that the agent runs on. */
	private uriOf(path: string): string {
		return this.bench.tabs.value.find(({ uri }) => pathOf(uri) === path)?.uri ?? "";
	}

	/** Ends the connection and begins another, with the settings as they are. */
	async reconnect(): Promise<void> {
		const { segue } = this;
		this.bench.tell(undefined);
		this.segue = undefined;
		await segue?.close();
		this.connect();
	}

	/** Has another model write next edits, until the connection ends. */
	async chooseModel(value: string): Promise<void> {
		await this.set(MODEL_OPTION, value);
	}

	private async set(configId: string, value: string): Promise<void> {
		const { sessionId } = this;
		if (sessionId === undefined) return;
		try {
			const answer = await this.link.connection.value?.request(acp.setConfigOption, { sessionId, configId, value });
			this.models.value = answer?.configOptions.find(({ id }) => id === MODEL_OPTION);
		} catch {
			// An agent that has no such setting goes on as it was.
		}
	}
}

const MODEL_OPTION = "nes_model";

function needsConnection({ encoding, sync, changes, kinds }: Settings): string {
	return JSON.stringify([encoding, sync, changes, kinds]);
}

function pathOf(root: string): string {
	return decodeURIComponent(root.replace(/^file:\/\//, ""));
}

import { undo } from "@codemirror/commands";
import { computed, signal } from "@preact/signals";
import { type DisplayedSuggestion, Editor, type FileEdits, type Notice } from "@segue/editor";
import * as acp from "@segue/protocol/acp";
import { AgentLink } from "./agent-link.js";
import { CHAT_CAPABILITIES, PageChat } from "./chat/page-chat.js";
import { type DiskFolder, pathOf } from "./files/disk-folder.js";
import { PageFiles } from "./files/page-files.js";
import { MessageTrace } from "./inspector/message-trace.js";
import type { Project } from "./projects/project.js";
import type { ServerAccess } from "./server-access.js";
import { changeSettings, OPTIONAL_KINDS, type PageSettings, settings } from "./settings/settings.js";
import { StoryRunner } from "./stories/story-runner.js";
import { ASK_KEY, MOD, UNDO_KEY } from "./widgets/modifier-key.js";
import { editing } from "./workbench/editing.js";
import { hostOf } from "./workbench/host.js";
import { languageIdOf } from "./workbench/language.js";
import { Workbench } from "./workbench/workbench.js";

/** A request for the user to choose which edits to apply. */
export interface EditPreview {
	readonly title: string;
	readonly files: readonly FileEdits[];
	readonly answer: (chosen: readonly FileEdits[]) => void;
}

/** How the user runs Segue on the server's machine. */
export interface Installation {
	/** A command line that runs `segue` from any folder. */
	readonly command: string;
	/** A command line that installs the command `segue`, if this `segue` is a clone. */
	readonly install?: string;
	/** A command line that installs the extension for VS Code, if this `segue` is a clone. */
	readonly installVscode?: string;
	/** The user's configuration file. Undefined until the server has responded. */
	readonly configurationFile?: string;
}

/** Connects the parts of the page: the workbench, the editor library, the agent, the files and the chat. */
export class Playground {
	readonly bench: Workbench;
	readonly files: PageFiles;
	readonly link: AgentLink;
	readonly shown = signal<DisplayedSuggestion | undefined>(undefined);
	/** The latest reason why there is no suggestion, or the latest problem. */
	readonly note = signal<Notice | undefined>(undefined);
	readonly pressedKey = signal<string | undefined>(undefined);
	readonly preview = signal<EditPreview | undefined>(undefined);
	readonly trace = new MessageTrace();
	readonly chat: PageChat;
	readonly storyRunner: StoryRunner;
	/** The next-edit session. */
	sessionId: string | undefined;
	/** Options for the next-edit session, as last reported by the agent. */
	readonly options = signal<readonly acp.ConfigOption[]>([]);
	readonly installation = signal<Installation>({ command: "segue" });
	private segue: Editor | undefined;
	/** The kinds of suggestions to use instead of those in the settings while a story plays. */
	private kinds: PageSettings["kinds"] | undefined;
	/** Whether the settings allow suggestions in the active file. */
	private readonly isEnabled = computed(() => {
		const { enabled, languagesOff } = settings.value;
		const path = this.bench.active.value;
		return enabled && (path === undefined || !languagesOff.includes(languageIdOf(path)));
	});

	constructor(
		parent: HTMLElement,
		readonly server: ServerAccess,
	) {
		this.link = new AgentLink(server, () => settings.value);
		this.bench = new Workbench(parent, (path, uri) => {
			return editing(path, uri, {
				editor: () => this.segue,
				accept: () => this.press("Tab"),
				save: () => this.files.save(),
				report: (text) => (this.files.trouble.value = { uri: undefined, text, ways: [] }),
			});
		});
		this.files = new PageFiles(this.bench, server, (uri) => this.segue?.didSave(uri));
		this.chat = new PageChat(
			() => this.link.connection.value,
			() => pathOf(this.bench.project.value?.root ?? ""),
			{
				read: (path) => this.bench.textOf(this.uriOf(path)),
				write: (path, text) => this.bench.write(this.uriOf(path), text),
				refresh: () => void this.files.refresh(),
			},
		);
		this.bench.project.subscribe(() => {
			this.note.value = undefined;
			this.chat.leaveFolder();
		});
		this.storyRunner = new StoryRunner(this);
		this.connect();
		this.followStatus();
		this.followSettings();
		// Other programs may have changed files while the user was working elsewhere.
		addEventListener("focus", () => {
			if (this.bench.project.value?.folder !== undefined) void this.files.refresh();
		});
	}

	get editor(): Editor | undefined {
		return this.segue;
	}

	/** Does what a key does in the editor, after a click or a tap on its name. */
	press(key: string): void {
		this.storyRunner.takeOver();
		if (key === "Tab") void this.segue?.tab();
		else if (key === "Esc") this.segue?.reject();
		else if (key === ASK_KEY) void this.segue?.suggest();
		else if (key === UNDO_KEY) undo(this.bench.view);
		this.bench.view.focus();
	}

	openFolder(folder: DiskFolder): void {
		this.bench.begin(projectOf(folder));
	}

	/** Adds a folder to the list of projects without showing it. */
	listFolder(folder: DiskFolder): void {
		this.bench.list(projectOf(folder));
	}

	/** Allows only these kinds of suggestions in addition to edits. Undefined restores the kinds in the settings. */
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
				void this.sendSettings();
			},
		});
		this.bench.setListener(this.segue);
	}

	/** Without a response from the server, the page shows commands for an installed `segue`. */
	private async loadInstallation(): Promise<void> {
		try {
			this.installation.value = (await (await this.server.request("/installation")).json()) as Installation;
		} catch {
			// The next connection tries again.
		}
	}

	private followStatus(): void {
		this.link.status.subscribe((status) => {
			if (status === "open" && this.installation.value.configurationFile === undefined) void this.loadInstallation();
			// An agent in the page works without the server.
			if (status !== "refused" || settings.value.agent === "page") return;
			void this.segue?.close();
			const text = this.server.token.value === "" ? "This address needs a token." : "This link has expired.";
			this.note.value = { kind: "failed", text };
		});
		let token = this.server.token.value;
		this.server.token.subscribe((now) => {
			if (now === token) return;
			token = now;
			void this.reconnect();
		});
	}

	private followSettings(): void {
		let before = settings.value;
		settings.subscribe((now) => {
			// Kinds that the user chooses while a story plays take effect immediately.
			if (before.kinds !== now.kinds) this.kinds = undefined;
			if (needsConnection(before) !== needsConnection(now)) void this.reconnect();
			else if (before.eagerness !== now.eagerness) void this.refreshOptions();
			before = now;
		});
		let wasEnabled = this.isEnabled.value;
		this.isEnabled.subscribe((isEnabled) => {
			if (isEnabled !== wasEnabled) void this.set("nes_enabled", isEnabled ? "on" : "off");
			wasEnabled = isEnabled;
		});
	}

	/** Returns the uri of an open file, given its path on the agent's machine. */
	private uriOf(path: string): string {
		const written = /^[a-z]:/i.test(path) ? path.replaceAll("\\", "/") : path;
		return this.bench.tabs.value.find(({ uri }) => pathOf(uri) === written)?.uri ?? "";
	}

	/** Closes the connection and opens another with the current settings and token. */
	async reconnect(): Promise<void> {
		const { segue } = this;
		this.bench.setListener(undefined);
		this.segue = undefined;
		await segue?.close();
		// A concurrent call may already have connected. Two connections would both draw in the editor.
		if (this.segue === undefined) this.connect();
	}

	/** Sets an option of the next-edit session. The chosen model is also stored for later sessions. */
	async set(configId: string, value: string): Promise<void> {
		const { sessionId } = this;
		if (sessionId === undefined) return;
		try {
			const answer = await this.link.connection.value?.request(acp.setConfigOption, { sessionId, configId, value });
			this.options.value = answer?.configOptions ?? [];
			if (configId === "nes_model") changeSettings({ model: value });
		} catch {
			// The agent does not have this option, or no longer has this value.
		}
	}

	/** Gets the options again, because they can change without a notification, for example when a snooze ends. */
	async refreshOptions(): Promise<void> {
		await this.set("nes_eagerness", settings.value.eagerness);
	}

	/**
	 * Sends the user's settings to a new session, except default values, so that a configuration file can override the
	 * defaults.
	 */
	private async sendSettings(): Promise<void> {
		await this.refreshOptions();
		if (!this.isEnabled.value) await this.set("nes_enabled", "off");
		if (settings.value.model !== "") await this.set("nes_model", settings.value.model);
	}
}

function needsConnection({ encoding, agent, sync, changes, kinds }: PageSettings): string {
	return JSON.stringify([encoding, agent, sync, changes, kinds]);
}

function projectOf(folder: DiskFolder): Project {
	const { root, name, paths, isCut } = folder;
	const cut = isCut.value ? ` Only ${paths.value.length} of its files are listed.` : "";
	const hint = `Choose a file to open it. ${MOD} S saves it.${cut}`;
	return { name, title: name, root, hint, start: { path: "", after: "" }, files: [], folder };
}

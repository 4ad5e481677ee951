import { isDeepStrictEqual } from "node:util";
import type { EditorBridgeHandle } from "@segue/agent/chat/chat";
import type { ThreadOptions } from "@segue/assist";
import type { EcaEngine } from "../backend.js";
import type { EcaClient } from "./eca-client.js";

/** The location of a chat: the engine for its workspace, the workspace folder, and the editor's other folders. */
export interface ChatLocation {
	readonly engine: EcaEngine;
	readonly folders: readonly [string, ...string[]];
}

/** The resources that a chat uses at its location. They move with the chat when the editor changes its folders. */
export class ChatWorkspace {
	private location: ChatLocation | undefined;
	/** Gives an external agent access to the editor's state. */
	private editorBridge: EditorBridgeHandle | undefined;
	/** Serializes moves. Never rejects. */
	private moving: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly threadId: string,
		private readonly client: EcaClient,
	) {}

	/** Moves the chat to a location and returns the thread options for it. */
	optionsAt(location: ChatLocation): Promise<Omit<ThreadOptions, "signal">> {
		const options = this.moving.then(async () => {
			await this.moveTo(location);
			const [workspace, ...folders] = location.folders;
			return { workspace, folders, mcpServers: this.editorBridge === undefined ? [] : [this.editorBridge.server] };
		});
		this.moving = options.catch(() => {});
		return options;
	}

	/** Releases the chat's resources. If a folder is given, does so only if that folder is the chat's workspace. */
	async leave(folder?: string): Promise<void> {
		await this.moving;
		if (folder === undefined || folder === this.location?.folders[0]) await this.release();
	}

	private async moveTo(location: ChatLocation): Promise<void> {
		const { engine, folders } = location;
		const isSameEngine = engine === this.location?.engine;
		// The folders of an external agent's session cannot change.
		const isSame = isSameEngine && (engine.agent === undefined || isDeepStrictEqual(folders, this.location?.folders));
		if (!isSame) await this.release();
		this.location = location;
		this.editorBridge ??= await engine.openEditorBridge?.(folders, this.client);
	}

	private async release(): Promise<void> {
		const { location, editorBridge } = this;
		this.location = undefined;
		this.editorBridge = undefined;
		editorBridge?.close();
		await location?.engine.assist.release(this.threadId);
	}
}

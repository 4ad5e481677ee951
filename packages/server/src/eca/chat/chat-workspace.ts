import { isDeepStrictEqual } from "node:util";
import type { EditorBridgeHandle } from "@segue/agent/chat/chat";
import type { ThreadOptions } from "@segue/assist";
import type { EcaEngine } from "../backend.js";
import type { EcaClient } from "./eca-client.js";

/** Where a chat works: with the engine of a folder, in that folder and what else the editor has open. */
export interface ChatLocation {
	readonly engine: EcaEngine;
	readonly folders: readonly [string, ...string[]];
}

/** What is there for a chat at the place where it works. It moves when the editor has other folders open. */
export class ChatWorkspace {
	private location: ChatLocation | undefined;
	/** Where another agent asks what the editor knows. */
	private editorBridge: EditorBridgeHandle | undefined;
	/** One move after the other. Never rejects. */
	private moving: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly threadId: string,
		private readonly client: EcaClient,
	) {}

	/** How a thread is worked on at a place, which the chat has moved to by then. */
	optionsAt(place: ChatLocation): Promise<Omit<ThreadOptions, "signal">> {
		const options = this.moving.then(async () => {
			await this.moveTo(place);
			const [workspace, ...folders] = place.folders;
			return { workspace, folders, mcpServers: this.editorBridge === undefined ? [] : [this.editorBridge.server] };
		});
		this.moving = options.catch(() => {});
		return options;
	}

	/** Lets go of what is there: where a folder is named, only if that is where the chat works. */
	async leave(folder?: string): Promise<void> {
		await this.moving;
		if (folder === undefined || folder === this.location?.folders[0]) await this.release();
	}

	private async moveTo(place: ChatLocation): Promise<void> {
		const { engine, folders } = place;
		const isStill = engine === this.location?.engine;
		// What another agent was told of its folders holds for its whole session.
		const isSame = isStill && (engine.agent === undefined || isDeepStrictEqual(folders, this.location?.folders));
		if (!isSame) await this.release();
		this.location = place;
		this.editorBridge ??= await engine.openEditorBridge?.(folders, this.client);
	}

	private async release(): Promise<void> {
		const { location: place, editorBridge } = this;
		this.location = undefined;
		this.editorBridge = undefined;
		editorBridge?.close();
		await place?.engine.assist.release(this.threadId);
	}
}

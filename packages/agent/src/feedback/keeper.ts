import { randomUUID } from "node:crypto";
import { type OpenedEmbeddedStore, openEmbeddedStore } from "@segue/assist";
import { readConfiguration } from "../config/configuration.js";
import { type Environment, placesOf } from "../config/places.js";
import { folderOf } from "../config/workspace-folder.js";
import type { RequestAccount } from "./account.js";
import type { Keeper } from "./process-witness.js";

export interface KeeperOptions {
	/** Whose configuration holds for sessions of no folder. */
	readonly folder: string;
	readonly env: Environment;
	/** Told what the person should know of the file that it keeps in. */
	readonly tell: (text: string) => void;
}

/** Keeps in the embedded store of this machine, wherever threads are kept; nothing of projects where it is not wanted. */
export class StoreKeeper implements Keeper {
	/** Other processes count their requests, too. */
	private readonly process = randomUUID();
	/** Undefined until there is something to keep: who wants nothing kept has no file. */
	private opened: OpenedEmbeddedStore | undefined;

	constructor(private readonly options: KeeperOptions) {}

	async keep(accounts: readonly RequestAccount[]): Promise<void> {
		const seen = this.wanted(accounts).flatMap((account) => {
			return account.seen().map(({ rank, ...one }) => ({ id: `${this.process} ${account.number} ${rank}`, ...one }));
		});
		if (seen.length === 0) return;
		this.opened ??= await this.open();
		await this.opened.feedback.keep(seen, new Date());
	}

	async close(): Promise<void> {
		await this.opened?.store.close();
	}

	/** The configuration is read each time: who says no meanwhile is heard. */
	private wanted(accounts: readonly RequestAccount[]): readonly RequestAccount[] {
		const { folder, env } = this.options;
		const folderFor = ({ workspace }: RequestAccount) => folderOf(workspace) ?? folder;
		const folders = [...new Set(accounts.map(folderFor))];
		const isWanted = (folder: string) => readConfiguration({ folder, env, flags: {} }).feedback.value;
		const wanted = new Set(folders.filter(isWanted));
		return accounts.filter((account) => wanted.has(folderFor(account)));
	}

	private async open(): Promise<OpenedEmbeddedStore> {
		const opened = await openEmbeddedStore(placesOf(this.options.env).database, new Date());
		if (opened.notice !== undefined) this.options.tell(opened.notice);
		return opened;
	}
}

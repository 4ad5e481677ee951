import { randomUUID } from "node:crypto";
import { type OpenedEmbeddedStore, openEmbeddedStore } from "@segue/assist";
import { readConfiguration } from "../configuration/configuration.js";
import { type Environment, placesOf } from "../configuration/places.js";
import type { RequestAccount } from "./account.js";
import type { Keeper } from "./process-witness.js";

/** Keeps in the embedded store of this machine, wherever threads are kept; nothing where the user does not want it. */
export async function openKeeper(folder: string, env: Environment, tell: (text: string) => void): Promise<Keeper> {
	const { database } = placesOf(env);
	const { feedback } = readConfiguration({ folder, env, flags: {} });
	if (!feedback.value) return NOBODY;
	const opened = await openEmbeddedStore(database, new Date());
	if (opened.notice !== undefined) tell(opened.notice);
	return new StoreKeeper(opened);
}

const NOBODY: Keeper = { keep: async () => {}, close: async () => {} };

class StoreKeeper implements Keeper {
	/** Other processes count their requests, too. */
	private readonly process = randomUUID();

	constructor(private readonly opened: OpenedEmbeddedStore) {}

	async keep(accounts: readonly RequestAccount[]): Promise<void> {
		const seen = accounts.flatMap((account) => {
			return account.seen().map(({ rank, ...one }) => ({ id: `${this.process} ${account.number} ${rank}`, ...one }));
		});
		await this.opened.feedback.keep(seen, new Date());
	}

	async close(): Promise<void> {
		await this.opened.store.close();
	}
}

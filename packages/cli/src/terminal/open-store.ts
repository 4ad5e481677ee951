import { existsSync } from "node:fs";
import { openStore } from "@segue/agent/chat/engine";
import { readConfiguration } from "@segue/agent/config/configuration";
import { UserError } from "@segue/agent/config/user-error";
import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { type Allowance, type Store, StoreError } from "@segue/assist";

/** The thread store of a folder, for commands without a model. */
interface OpenThreadStore {
	readonly store: Store;
	/** Messages for the user. */
	readonly notices: readonly string[];
}

/**
 * Opens a folder's thread store. Configuration problems become notices, because threads can be used without a
 * model.
 */
export async function openThreadStore(folder: string, env: EnvironmentVariables): Promise<OpenThreadStore> {
	// Throws for an invalid SEGUE_HOME instead of using another home.
	userFilesOf(env);
	const configuration = readConfiguration({ folder, env, flags: {} });
	const { problems, warnings } = configuration;
	const { value } = configuration.store;
	const isDefault = problems.length > 0 && "file" in value;
	const { store, notice } = await openStore(configuration);
	return {
		store,
		notices: [
			...problems,
			...(isDefault ? [`Until this is fixed, conversations are read from ${value.file}.`] : []),
			...warnings,
			...(notice === undefined ? [] : [notice]),
		],
	};
}

export interface Allowances {
	readonly allowances: readonly Allowance[];
	/** Why the list may be incomplete. */
	readonly problems: readonly string[];
}

/** Reads the permissions that the user granted with "always", for all folders. Does not create the store. */
export async function readAllowances(folder: string, env: EnvironmentVariables): Promise<Allowances> {
	try {
		userFilesOf(env);
		const configuration = readConfiguration({ folder, env, flags: {} });
		const { value } = configuration.store;
		if ("file" in value && !existsSync(value.file)) return { allowances: [], problems: [] };
		const { store, notice } = await openStore(configuration);
		const allowances = await store.everyAllowance().finally(() => store.close());
		return { allowances, problems: notice === undefined ? [] : [notice] };
	} catch (error) {
		if (error instanceof StoreError) return { allowances: [], problems: [error.message] };
		// An invalid SEGUE_HOME has already been reported as a configuration problem.
		if (error instanceof UserError) return { allowances: [], problems: [] };
		throw error;
	}
}

import { existsSync } from "node:fs";
import { openStore } from "@segue/agent/chat/engine";
import { readConfiguration } from "@segue/agent/config/configuration";
import { UserError } from "@segue/agent/config/user-error";
import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { type Allowance, type Store, StoreError } from "@segue/assist";

/** What is kept for a folder, for whoever needs no model. */
interface OpenThreadStore {
	readonly store: Store;
	/** What the person should know. */
	readonly notices: readonly string[];
}

/** What is wrong with the configuration is a notice here, because threads and answers are there all the same. */
export async function openThreadStore(folder: string, env: EnvironmentVariables): Promise<OpenThreadStore> {
	// Where it cannot be told which home is meant, it must not be another one.
	userFilesOf(env);
	const configuration = readConfiguration({ folder, env, flags: {} });
	const { problems, warnings } = configuration;
	const { value } = configuration.store;
	const isElsewhere = problems.length > 0 && "file" in value;
	const { store, notice } = await openStore(configuration);
	return {
		store,
		notices: [
			...problems,
			...(isElsewhere ? [`Until that is mended, ${value.file} is taken for what holds your threads.`] : []),
			...warnings,
			...(notice === undefined ? [] : [notice]),
		],
	};
}

export interface Allowances {
	readonly allowances: readonly Allowance[];
	/** Why there may be others. */
	readonly problems: readonly string[];
}

/** What was answered with "always", in any folder. Nothing is made where there is nothing yet. */
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
		// The configuration has told that there is no such home.
		if (error instanceof UserError) return { allowances: [], problems: [] };
		throw error;
	}
}

import { ask } from "./folder.js";

/** What the server has kept of suggestions, counted. */
export interface Kept {
	readonly all: Omit<KeptRow, "name">;
	readonly bySource: readonly KeptRow[];
	readonly byModel: readonly KeptRow[];
	readonly byLanguage: readonly KeptRow[];
	/** The oldest first. */
	readonly byDay: readonly KeptRow[];
}

export interface KeptRow {
	readonly name: string;
	readonly shown: number;
	readonly accepted: number;
	readonly partly: number;
	readonly rejected: number;
	readonly ignored: number;
	/** Null where the user decided on none. */
	readonly rate: number | null;
}

/** Rejects with a sentence for the person. */
export async function readKept(token: string): Promise<Kept> {
	const response = await ask(token, "/stats", {});
	return (await response.json()) as Kept;
}

import type { AgentMemory } from "@segue/assist";
import * as z from "zod";
import { readPrivateText, writePrivately } from "../config/file.js";

/** Command lines of agents that somebody uses. The one that was stored first is dropped for another. */
const ENTRIES_MAX = 32;

const entries = z.array(z.tuple([z.string(), z.string()]));

/** A file with what other agents said of themselves. It is a cache: one that cannot be read counts as empty. */
export class AgentFile implements AgentMemory {
	constructor(
		private readonly file: string,
		private readonly report: (line: string) => void,
	) {}

	recall(key: string): string | undefined {
		return this.read().find(([each]) => each === key)?.[1];
	}

	/** Another process may write at the same time: then its entry or this one is stored again at the next start. */
	store(key: string, text: string): void {
		const kept = this.read().filter(([each]) => each !== key);
		try {
			writePrivately(this.file, JSON.stringify([...kept, [key, text]].slice(-ENTRIES_MAX)));
		} catch (error) {
			this.report((error as Error).message);
		}
	}

	private read(): z.output<typeof entries> {
		try {
			return entries.parse(JSON.parse(readPrivateText(this.file) ?? "[]"));
		} catch {
			return [];
		}
	}
}

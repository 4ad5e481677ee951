import path from "node:path";
import * as threads from "@segue/protocol/threads";
import { type Connection, PeerError } from "@segue/rpc";

/** A peer that reads the files of a thread, as either end of the thread draft may. */
export class ThreadReader {
	constructor(
		private readonly peer: Connection<"client"> | Connection<"agent">,
		private readonly threadId: string,
		/** The folder that the other end reads. */
		readonly root: string,
	) {}

	text(file: string, range: { lineOffset?: number | null; lineLimit?: number | null } = {}) {
		return this.peer.request(threads.readTextFile, { threadId: this.threadId, path: file, ...range });
	}

	bytes(file: string, range: { byteOffset?: number | null; byteLimit?: number | null } = {}) {
		return this.peer.request(threads.readBinaryFile, { threadId: this.threadId, path: file, ...range });
	}

	stat(file: string) {
		return this.peer.request(threads.stat, { threadId: this.threadId, path: file });
	}

	async glob(pattern: string): Promise<readonly string[]> {
		return (await this.peer.request(threads.globSearch, { threadId: this.threadId, pattern })).matches;
	}

	/** Which of its parameters a request was refused for, and why. */
	async why(asked: Promise<unknown>): Promise<string> {
		try {
			return `no error: ${JSON.stringify(await asked)}`;
		} catch (error) {
			if (!(error instanceof PeerError)) throw error;
			return `${error.code} ${error.message}`.replace("-32602 Invalid params: params.", "");
		}
	}

	/** Where a file really lies. */
	file(name: string): string {
		return path.join(this.root, name);
	}
}

import path from "node:path";
import * as threads from "@segue/protocol/threads";
import { type Connection, PeerError } from "@segue/rpc";

/** A peer that reads files in a thread. Either side of the thread protocol can do this. */
export class ThreadReader {
	constructor(
		private readonly peer: Connection<"client"> | Connection<"agent">,
		private readonly threadId: string,
		/** The folder served by the other peer. */
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

	/** Returns the error from a request: the invalid parameter and the reason. */
	async why(request: Promise<unknown>): Promise<string> {
		try {
			return `no error: ${JSON.stringify(await request)}`;
		} catch (error) {
			if (!(error instanceof PeerError)) throw error;
			return `${error.code} ${error.message}`.replace("-32602 Invalid params: params.", "");
		}
	}

	/** Returns the absolute path of a file. */
	file(name: string): string {
		return path.join(this.root, name);
	}
}

import type { RandomFile } from "../random-code.js";
import type { LineProcess } from "./line-process.js";
import { NextEditClient, resultOf, write } from "./next-edit-client.js";
import { keystrokes } from "./project.js";

/** An editor that types in its first document. */
export class AcpTyping {
	/** Connects to `segue acp`, or to another agent process. */
	static async start(documents: readonly RandomFile[], agent?: LineProcess): Promise<AcpTyping> {
		const editor = await NextEditClient.start(agent);
		const sessionId = await editor.open(documents);
		return new AcpTyping(editor, sessionId, documents[0]?.uri ?? "");
	}

	/** The messages sent for the latest keystroke. */
	bytes = "";
	/** Number of responses that contained a suggestion. */
	suggested = 0;
	private version = 1;
	private readonly keystrokes = keystrokes();

	private constructor(
		private readonly editor: NextEditClient,
		private readonly sessionId: string,
		private readonly uri: string,
	) {}

	next(): void {
		const { sessionId, uri } = this;
		const version = ++this.version;
		const { change, cursor } = this.keystrokes.next().value;
		this.bytes =
			write({ method: "document/didChange", params: { sessionId, uri, version, contentChanges: [change] } }) +
			this.editor.request("nes/suggest", { sessionId, uri, version, position: cursor, triggerKind: "automatic" });
	}

	async agentTime(): Promise<number> {
		const { lines, timeMs } = await this.editor.agent.exchange(this.bytes, 1);
		const { suggestions } = resultOf(lines[0]) as { suggestions: unknown[] };
		if (suggestions.length > 0) this.suggested++;
		return timeMs;
	}

	stop(): Promise<void> {
		return this.editor.agent.stop();
	}
}

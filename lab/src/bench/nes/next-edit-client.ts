import { fileURLToPath } from "node:url";
import type { RandomFile } from "../random-code.js";
import { LineProcess } from "./line-process.js";

/** The `segue` command that users run. */
export const SEGUE = fileURLToPath(new URL("../../../../packages/cli/bin/segue.js", import.meta.url));

/** The first message that an editor sends. */
export const INITIALIZE = write({
	id: 0,
	method: "initialize",
	params: {
		protocolVersion: 1,
		clientCapabilities: { positionEncodings: ["utf-16"] },
		clientInfo: { name: "bench", version: "0.1.0" },
	},
});

/** Starts `segue acp` and sends it messages as an editor would. */
export class NextEditClient {
	static async start(agent = new LineProcess([SEGUE, "acp"])): Promise<NextEditClient> {
		const { lines } = await agent.exchange(INITIALIZE, 1);
		resultOf(lines[0]);
		return new NextEditClient(agent);
	}

	private id = 0;

	private constructor(readonly agent: LineProcess) {}

	/** Starts a session and opens documents in it. */
	async open(documents: readonly RandomFile[]): Promise<string> {
		// The response, and the notification with the configuration options.
		const { lines } = await this.agent.exchange(this.request("nes/start", {}), 2);
		const { sessionId } = resultOf(lines[0]) as { sessionId: string };
		const opening = documents.map(({ uri, text }) => {
			return write({
				method: "document/didOpen",
				params: { sessionId, uri, languageId: "typescript", version: 1, text },
			});
		});
		this.agent.send(opening.join(""));
		return sessionId;
	}

	async close(sessionId: string): Promise<void> {
		const { lines } = await this.agent.exchange(this.request("nes/close", { sessionId }), 1);
		resultOf(lines[0]);
	}

	request(method: string, params: object): string {
		return write({ id: ++this.id, method, params });
	}
}

export function write(message: object): string {
	return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** Returns the result in a response line. Throws an error if the request failed, which aborts the benchmark. */
export function resultOf(line: string | undefined): unknown {
	const { result } = JSON.parse(line ?? "{}") as { result?: unknown };
	if (result === undefined) throw new Error(`the agent answered ${line}`);
	return result;
}

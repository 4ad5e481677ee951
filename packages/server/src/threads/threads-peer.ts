import type { Chat } from "@segue/agent/chat/chat";
import { type Connection, ErrorCode, PeerError, type Request } from "@segue/rpc";

// An editor answers from its memory in no time. One that is stuck must not hold up a turn.
const ANSWER_MS = 5000;

/** What came of asking the other end: it does not know the method, it could not, or it says nothing. */
type RequestOutcome<Result> =
	| { readonly outcome: "done"; readonly result: Result }
	| { readonly outcome: "unknown" | "failed" | "silent" };

/** The other end of a connection, as far as it has shown what it does. The draft has no way to ask for that beforehand. */
export class ThreadsPeer {
	/** Whether it has left a request without an answer, and has answered none since. */
	isSilent = false;
	private readonly unknown = new Set<string>();

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly clock: Chat["clock"],
	) {}

	/** Never rejects. What the peer said it does not know is not asked again, and one that is silent is not waited for. */
	async ask<Params, Result>(
		message: Request<Params, Result, "either">,
		params: Params,
	): Promise<RequestOutcome<Result>> {
		if (this.unknown.has(message.method)) return { outcome: "unknown" };
		const answer = this.answerTo(message, params);
		if (this.isSilent) return { outcome: "silent" };
		return new Promise((resolve) => {
			const callOff = this.clock.after(ANSWER_MS, () => {
				this.isSilent = true;
				resolve({ outcome: "silent" });
			});
			void answer.then((outcome) => {
				callOff();
				resolve(outcome);
			});
		});
	}

	private async answerTo<Params, Result>(
		message: Request<Params, Result, "either">,
		params: Params,
	): Promise<RequestOutcome<Result>> {
		try {
			const result = await this.connection.request(message, params);
			this.isSilent = false;
			return { outcome: "done", result };
		} catch (error) {
			if (!(error instanceof PeerError)) return { outcome: "failed" };
			this.isSilent = false;
			if (error.code !== ErrorCode.methodNotFound) return { outcome: "failed" };
			this.unknown.add(message.method);
			return { outcome: "unknown" };
		}
	}
}

import { ErrorCode, PeerError, RpcError } from "@segue/rpc";

/** Shown to users in place of an unexpected error, which is logged. */
export const INTERNAL_ERROR = "Internal error. See Segue's log.";

/** Rejects with the error to send to the peer when a chat engine or an external agent has failed. */
export async function rejectForPeer(error: unknown): Promise<never> {
	throw await errorForPeer(error);
}

async function errorForPeer(error: unknown): Promise<unknown> {
	// An external agent's error is meant for the client.
	if (error instanceof PeerError) return new RpcError(error.code, error.message, error.data);
	// Imported lazily because each module delays the start of every server.
	const [{ EnginePoolFull }, { UserError }, { AgentFailure, StoreError }] = await Promise.all([
		import("@segue/agent/chat/chat"),
		import("@segue/agent/config/user-error"),
		import("@segue/assist/failures"),
	]);
	if (error instanceof AgentFailure && error.wantsSignIn) {
		const acp = await import("@segue/protocol/acp");
		return new RpcError(acp.ErrorCode.authRequired, error.message);
	}
	if (error instanceof AgentFailure || error instanceof UserError || error instanceof StoreError) {
		return new RpcError(ErrorCode.internal, error.message);
	}
	return error instanceof EnginePoolFull ? new RpcError(ErrorCode.busy, error.message) : error;
}

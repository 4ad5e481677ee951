import { ErrorCode, PeerError, RpcError } from "@segue/rpc";

/** Shown to users for an error that is a bug. It is reported to the log. */
export const INTERNAL_ERROR = "Internal error. See Segue's log.";

/** Converts an error of a chat engine, or of an agent behind it, to what the peer is told, and rejects with that. */
export async function rejectForPeer(error: unknown): Promise<never> {
	throw await errorForPeer(error);
}

async function errorForPeer(error: unknown): Promise<unknown> {
	// What another agent answers is meant for the peer.
	if (error instanceof PeerError) return new RpcError(error.code, error.message, error.data);
	// Loaded only now, because each file delays the start of every server.
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

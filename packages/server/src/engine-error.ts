import { Busy } from "@segue/agent/chat/chat";
import { Refusal } from "@segue/agent/config/refusal";
import { AgentFailure, StoreError } from "@segue/assist/failures";
import { ErrorCode, PeerError, RpcError } from "@segue/rpc";

/** Rejects with what a peer is told of an error of a chat engine, or of another agent behind it. */
export async function rejectForPeer(error: unknown): Promise<never> {
	throw await errorForPeer(error);
}

/** Other errors are returned as they are. */
export async function errorForPeer(error: unknown): Promise<unknown> {
	if (error instanceof AgentFailure && error.wantsSignIn) {
		// Servers of other protocols do not load ACP before they need it.
		const { AcpErrorCode } = await import("@segue/protocol/acp");
		return new RpcError(AcpErrorCode.authRequired, error.message);
	}
	if (error instanceof AgentFailure || error instanceof Refusal || error instanceof StoreError) {
		return new RpcError(ErrorCode.internal, error.message);
	}
	if (error instanceof Busy) return new RpcError(ErrorCode.busy, error.message);
	// What another agent answers is meant for the peer.
	if (error instanceof PeerError) return new RpcError(error.code, error.message, error.data);
	return error;
}

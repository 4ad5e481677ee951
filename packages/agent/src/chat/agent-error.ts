import type { AgentFailure } from "@segue/assist";
import { AcpErrorCode } from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";

/** What an editor is told of another agent's failure. */
export function errorFor({ message, wantsSignIn }: AgentFailure): RpcError {
	return new RpcError(wantsSignIn ? AcpErrorCode.authRequired : ErrorCode.internal, message);
}

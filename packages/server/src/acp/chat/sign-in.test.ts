import type { Chat } from "@segue/agent/chat/chat";
import * as acp from "@segue/protocol/acp";
import { RpcError } from "@segue/rpc";
import { expect, test } from "vitest";
import { ChatSignIn } from "./sign-in.js";

const METHOD = { id: "key", name: "A key" };
const REFUSED = new RpcError(acp.ErrorCode.authRequired, "Sign in first", { reason: "expired" });

/** An agent that does not start, and was described by the same command before. */
function described(): Chat {
	const agent = {
		protocol: "acp",
		introduce: () => Promise.reject(new Error("it does not start")),
		lastDescription: () => ({ capabilities: {}, authMethods: [METHOD] }),
	};
	return { agent: { folder: "/", open: async () => agent } } as never;
}

test("a refused session names the methods that the agent had before, and keeps the agent's own data", async () => {
	const signIn = new ChatSignIn(described());
	await signIn.introduce({}, () => {});
	expect(signIn.withMethods(REFUSED)).toMatchObject({
		code: acp.ErrorCode.authRequired,
		data: { reason: "expired", authMethods: [METHOD] },
	});
});

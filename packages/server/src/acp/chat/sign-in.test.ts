import type { Chat } from "@segue/agent/chat/chat";
import * as acp from "@segue/protocol/acp";
import { RpcError } from "@segue/rpc";
import { expect, test } from "vitest";
import { ChatSignIn } from "./sign-in.js";

const METHOD = { id: "key", name: "A key" };
const REFUSED = new RpcError(acp.ErrorCode.authRequired, "Sign in first", { reason: "expired" });

/** Returns a chat whose agent fails to start but has a cached description. */
function chatWithCachedAgent(): Chat {
	const agent = {
		protocol: "acp",
		introduce: () => Promise.reject(new Error("it does not start")),
		lastDescription: () => ({ capabilities: {}, authMethods: [METHOD] }),
	};
	return { agent: { folder: "/", open: async () => agent } } as never;
}

test("adds the cached sign-in methods to an authentication error and keeps the agent's data", async () => {
	const signIn = new ChatSignIn(chatWithCachedAgent());
	await signIn.introduce({}, () => {});
	expect(signIn.withMethods(REFUSED)).toMatchObject({
		code: acp.ErrorCode.authRequired,
		data: { reason: "expired", authMethods: [METHOD] },
	});
});

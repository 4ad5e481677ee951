import type { EndReason, OtherAgentSession } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { RpcError } from "@segue/rpc";
import { describe, expect, test } from "vitest";
import { DelegatedAgent } from "./delegated-agent.js";

/** An agent whose session cannot be opened while `failure` is set. */
class Circumstances {
	failure: Error | undefined;
	modes = ["calm", "wild"];
	opened = 0;
	announced = 0;
	readonly agent = new DelegatedAgent(
		async () => {
			this.opened++;
			if (this.failure !== undefined) throw this.failure;
			return {
				isOpen: true,
				choice: () => ({ current: "", values: this.modes }),
			} as Partial<OtherAgentSession> as OtherAgentSession;
		},
		async () => {
			this.announced++;
		},
	);
}

const SIGN_IN = new RpcError(acp.ErrorCode.authRequired, "Sign in first.");

describe("an external agent in a chat", () => {
	test.for<[why: string, reason: EndReason, failure: Error | undefined, isWanted: boolean]>([
		["failed because the user is not signed in", "failed", SIGN_IN, true],
		["failed for another reason", "failed", new RpcError(-32603, "Out of paper"), false],
		["failed, although the session can be opened now", "failed", undefined, false],
		["did not fail", "done", SIGN_IN, false],
	])("reports whether the user has to sign in after a turn that %s", async ([_, reason, failure, isWanted]) => {
		const circumstances = new Circumstances();
		circumstances.failure = failure;
		await circumstances.agent.ended(reason);
		circumstances.failure = SIGN_IN;
		expect(await circumstances.agent.problem()).toEqual(
			isWanted ? { kind: "login", why: "Sign in first." } : undefined,
		);
	});

	test("is checked before a prompt only if it has required a sign-in, until the user has signed in", async () => {
		const circumstances = new Circumstances();
		expect([await circumstances.agent.problem(), circumstances.opened]).toEqual([undefined, 0]);
		circumstances.failure = SIGN_IN;
		await circumstances.agent.ended("failed");
		circumstances.failure = undefined;
		expect([await circumstances.agent.problem(), circumstances.opened]).toEqual([undefined, 2]);
	});

	test("announces its choices when they change", async () => {
		const circumstances = new Circumstances();
		const told: number[] = [];
		const end = async () => {
			await circumstances.agent.ended("done");
			told.push(circumstances.announced);
		};
		await end();
		await circumstances.agent.session();
		await end();
		await end();
		circumstances.modes = ["calm"];
		await circumstances.agent.session();
		await end();
		expect(told).toEqual([0, 1, 1, 2]);
	});

	test("rethrows internal errors", async () => {
		const circumstances = new Circumstances();
		circumstances.failure = new TypeError("a mistake");
		await expect(circumstances.agent.ended("failed")).rejects.toThrow("a mistake");
	});
});

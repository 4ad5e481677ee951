import { connectByHand, connectPeers, recordTap, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ErrorCode } from "./error.js";
import { on, request } from "./method.js";

const wait = request({ method: "wait", from: "client", params: z.object({}), result: z.string() });
const ask = request({ method: "ask", from: "agent", params: z.object({}), result: z.string() });

describe("a request", () => {
	test("rejects if its params are not JSON", async () => {
		const { client } = connectPeers([]);
		const params: Record<string, unknown> = {};
		params["self"] = params;
		await expect(client.request(wait, params)).rejects.toBeInstanceOf(TypeError);
	});

	test("rejects if the result is invalid, and reports the field", async () => {
		const { client } = connectPeers([on(wait, () => 5 as unknown as string)]);
		await expect(client.request(wait, {})).rejects.toThrow(
			"invalid response to wait: result: expected string, got number",
		);
	});

	test("rejects if the response has neither a result nor a complete error", async () => {
		const { agent, hand } = connectByHand([]);
		const answers = [
			{ id: 0 }, // neither result nor error, and no envelope: the old Rust peer for the thread draft sends this for null
			{ jsonrpc: "2.0", id: 1, error: {} },
			{ jsonrpc: "2.0", id: 2, error: "no" },
		];
		const requests = answers.map(() => agent.request(ask, {}).catch((error: Error) => error.message));
		await hand.write(...answers);
		expect(await Promise.all(requests)).toEqual([
			"invalid response to ask: result: expected string, got null",
			"the other side returned an error without a message",
			"the other side returned an error without a message",
		]);
	});

	test("that is already cancelled sends nothing", async () => {
		const { client, agent } = connectPeers([]);
		const seen: Parameters<typeof recordTap>[0] = [];
		agent.tap(recordTap(seen));
		await expect(client.request(wait, {}, AbortSignal.abort())).rejects.toMatchObject({ code: ErrorCode.cancelled });
		await settled();
		expect(seen).toEqual([]);
	});

	test("removes its listener from the caller's signal", async () => {
		const { client } = connectPeers([on(wait, () => "")]);
		const { signal } = new AbortController();
		let listeners = 0;
		const add0 = signal.addEventListener.bind(signal);
		const remove0 = signal.removeEventListener.bind(signal);
		signal.addEventListener = (...args: Parameters<typeof add0>) => {
			listeners++;
			add0(...args);
		};
		signal.removeEventListener = (...args: Parameters<typeof remove0>) => {
			listeners--;
			remove0(...args);
		};
		await client.request(wait, {}, signal);
		expect(listeners).toBe(0);
	});

	test("is refused when too many are pending", async () => {
		const { client } = connectPeers([on(wait, () => new Promise<string>(() => {}))], [], { limits: { pendingMax: 2 } });
		const requests = [1, 2, 3].map(() => client.request(wait, {}).catch((error: unknown) => error));
		expect(await requests[2]).toMatchObject({ kind: "too-many-requests" });
	});
});

import * as threads from "@segue/protocol/threads";
import { Connection, memoryPair, on, RpcError } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { ChunkStream } from "./chunk-stream.js";
import { ThreadsPeer } from "./threads-peer.js";

test("a peer that knows no chunks and says so late gets everything in the order that it was said in", async () => {
	const messages: string[] = [];
	const refusals: (() => void)[] = [];
	const [ours, theirs] = memoryPair();
	const options = { dialect: threads.dialect, report: () => {} };
	const refuseLater = () =>
		new Promise<null>((_, reject) => {
			refusals.push(() => reject(new RpcError(-32601, "no such method")));
		});
	new Connection<"client">(theirs, {
		...options,
		handlers: [
			on(threads.streamMessageChunk, refuseLater),
			on(threads.sendMessage, ({ message }) => {
				messages.push(message.chunks.map(({ chunk }) => chunk).join(""));
				return null;
			}),
		],
	});
	const peer = new ThreadsPeer(new Connection<"agent">(ours, { ...options, handlers: [] }), new FakeClock());
	const stream = new ChunkStream(peer, "t");
	for (const word of ["one ", "two ", "three ", "four ", "five ", "six"]) stream.write(word);
	await settled();
	const ended = stream.end();
	while (refusals.length > 0) {
		refusals.shift()?.();
		await settled();
	}
	await ended;
	expect(messages).toEqual(["one two three four five six"]);
});

import * as threads from "@segue/protocol/threads";
import { Connection, memoryPair, on, RpcError } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { ChunkStream } from "./chunk-stream.js";
import { ThreadsPeer } from "./threads-peer.js";

test("a peer whose rejections of chunks arrive late gets the whole text in order", async () => {
	const messages: string[] = [];
	const rejections: (() => void)[] = [];
	const [ours, theirs] = memoryPair();
	const options = { dialect: threads.dialect, report: () => {} };
	const rejectLater = () =>
		new Promise<null>((_, reject) => {
			rejections.push(() => reject(new RpcError(-32601, "no such method")));
		});
	new Connection<"client">(theirs, {
		...options,
		handlers: [
			on(threads.streamMessageChunk, rejectLater),
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
	while (rejections.length > 0) {
		rejections.shift()?.();
		await settled();
	}
	await ended;
	expect(messages).toEqual(["one two three four five six"]);
});

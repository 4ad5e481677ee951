// An agent built only on the ACP SDK. The prompt specifies the number of chunks to send and the pause after each. Each
// chunk contains the time at which it was sent.

import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";

const app = agent({ name: "clock" })
	.onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
	.onRequest("session/new", () => ({ sessionId: "clock" }))
	.onRequest("session/set_mode", () => ({}))
	.onRequest("session/prompt", async ({ params: { sessionId, prompt } }) => {
		const [chunks, pauseMs] = prompt.at(-1).text.split(" ").map(Number);
		for (let left = chunks; left > 0; left--) {
			const content = { type: "text", text: `${process.hrtime.bigint()} ` };
			await client.notify("session/update", { sessionId, update: { sessionUpdate: "agent_message_chunk", content } });
			await new Promise((resolve) => setTimeout(resolve, pauseMs));
		}
		return { stopReason: "end_turn" };
	});
const { client } = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

// An agent made with the ACP SDK alone that does what a bare one must: it passes on what a model says, chunk by chunk.

const [url = ""] = process.argv.slice(2);

acp
	.agent()
	.onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
	.onRequest("session/new", () => ({ sessionId: "session" }))
	.onRequest("session/prompt", async ({ params: { sessionId }, client }) => {
		const body = JSON.stringify({ model: "model", stream: true, messages: [{ role: "user", content: "Go on" }] });
		const response = await fetch(`${url}/chat/completions`, { method: "POST", body });
		let rest = "";
		if (response.body === null) throw new Error("the model said nothing");
		for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
			const events = (rest + text).split("\n\n");
			rest = events.pop() ?? "";
			for (const event of events) {
				if (!event.startsWith("data: {")) continue;
				const said: string | undefined = JSON.parse(event.slice(6)).choices[0].delta.content;
				if (said === undefined) continue;
				const update = {
					sessionUpdate: "agent_message_chunk" as const,
					content: { type: "text" as const, text: said },
				};
				await client.notify("session/update", { sessionId, update });
			}
		}
		return { stopReason: "end_turn" as const };
	})
	.connect(
		acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
	);

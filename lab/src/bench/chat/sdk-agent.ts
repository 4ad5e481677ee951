import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

// A minimal agent built on the ACP SDK that forwards a model's answer chunk by chunk.

const [url = ""] = process.argv.slice(2);

acp
	.agent()
	.onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
	.onRequest("session/new", () => ({ sessionId: "session" }))
	.onRequest("session/prompt", async ({ params: { sessionId }, client }) => {
		const body = JSON.stringify({ model: "model", stream: true, messages: [{ role: "user", content: "Go on" }] });
		const response = await fetch(`${url}/chat/completions`, { method: "POST", body });
		let rest = "";
		if (response.body === null) throw new Error("the response has no body");
		for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
			const events = (rest + text).split("\n\n");
			rest = events.pop() ?? "";
			for (const event of events) {
				if (!event.startsWith("data: {")) continue;
				const chunk: string | undefined = JSON.parse(event.slice(6)).choices[0].delta.content;
				if (chunk === undefined) continue;
				const update = {
					sessionUpdate: "agent_message_chunk" as const,
					content: { type: "text" as const, text: chunk },
				};
				await client.notify("session/update", { sessionId, update });
			}
		}
		return { stopReason: "end_turn" as const };
	})
	.connect(
		acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
	);

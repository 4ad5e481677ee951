import { Readable, Writable } from "node:stream";
import { agent as acpAgent, client, ndJsonStream, type Stream } from "@agentclientprotocol/sdk/experimental/nes";
import { compete } from "./contender.js";
import { DID_CHANGE, type DidChange, SUGGEST, type Suggest, type SuggestResult } from "./messages.js";

compete({
	serve(agent, input, output) {
		acpAgent()
			// The SDK's types allow a missing range, but the messages in this benchmark always have one.
			.onNotification(DID_CHANGE, ({ params }) => agent.didChange(params as DidChange))
			.onRequest(SUGGEST, ({ params }) => agent.suggest(params))
			.connect(streamOf(input, output));
	},

	connect(input, output) {
		const { agent } = client().connect(streamOf(input, output));
		return {
			didChange: (params) => void agent.notify(DID_CHANGE, params),
			suggest: (params) => agent.request<SuggestResult, Suggest>(SUGGEST, params),
		};
	},
});

function streamOf(input: Readable, output: Writable): Stream {
	return ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>);
}

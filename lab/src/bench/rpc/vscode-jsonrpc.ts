import type { Readable, Writable } from "node:stream";
import {
	createMessageConnection,
	type MessageConnection,
	NotificationType,
	RequestType,
	StreamMessageReader,
	StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { compete } from "./contender.js";
import { DID_CHANGE, type DidChange, SUGGEST, type Suggest, type SuggestResult } from "./messages.js";

const didChange = new NotificationType<DidChange>(DID_CHANGE);
const suggest = new RequestType<Suggest, SuggestResult, void>(SUGGEST);

compete({
	serve(agent, input, output) {
		const connection = connectionOver(input, output);
		connection.onNotification(didChange, (params) => agent.didChange(params));
		connection.onRequest(suggest, (params) => agent.suggest(params));
		connection.listen();
	},

	connect(input, output) {
		const connection = connectionOver(input, output);
		connection.listen();
		return {
			didChange: (params) => void connection.sendNotification(didChange, params),
			suggest: (params) => connection.sendRequest(suggest, params),
		};
	},
});

function connectionOver(input: Readable, output: Writable): MessageConnection {
	return createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
}

/** Speaks just enough of ACP to offer the same edit whenever it is asked, without a look at anything. */
export function instantAgent(wire: Wire): void {
	wire.on("message", (data) => {
		const { id, method, params } = JSON.parse(data.toString());
		if (id === undefined) return;
		wire.send(JSON.stringify({ jsonrpc: "2.0", id, result: answerTo(method, params) }));
	});
}

function answerTo(method: string, params: { readonly uri: string }): unknown {
	switch (method) {
		case "initialize":
			return { protocolVersion: 1, agentCapabilities: CAPABILITIES, authMethods: [] };
		case "nes/start":
			return { sessionId: "only" };
		case "nes/suggest":
			return { suggestions: [{ id: `edit_${++suggested}`, kind: "edit", uri: params.uri, edits: [EDIT] }] };
		default:
			return {};
	}
}

let suggested = 0;

const CAPABILITIES = {
	positionEncoding: "utf-16",
	nes: {
		events: { document: { didOpen: {}, didChange: { syncKind: "incremental" }, didClose: {}, didFocus: {} } },
	},
};

/** What Segue offers, too, when `cnt` has become `cnts` in the first line of the sample that has it. */
const EDIT = {
	range: { start: { line: 7, character: 5 }, end: { line: 7, character: 5 } },
	newText: "s",
};

/** What is used of a WebSocket. */
interface Wire {
	on(event: "message", listener: (data: { toString(): string }) => void): unknown;
	send(text: string): void;
}

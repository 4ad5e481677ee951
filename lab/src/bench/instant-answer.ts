/** Returns the answer of a minimal ACP agent that always suggests the same edit. */
export function instantAnswer(method: string, params: { readonly uri: string }, edit: object): unknown {
	switch (method) {
		case "initialize":
			return { protocolVersion: 1, agentCapabilities: CAPABILITIES, authMethods: [] };
		case "nes/start":
			return { sessionId: "only" };
		case "nes/suggest":
			return { suggestions: [{ id: `edit_${++suggested}`, kind: "edit", uri: params.uri, edits: [edit] }] };
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

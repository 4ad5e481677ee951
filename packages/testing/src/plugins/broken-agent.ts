/** The address of a worker whose agent answers each request with an error. */
export const BROKEN_AGENT = `data:text/javascript,${encodeURIComponent(`
onmessage = ({ data: { id, port } }) => {
	port.onmessage = ({ data }) => {
		if (typeof data !== "string") return;
		const error = { code: -32603, message: "no memory left" };
		port.postMessage(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(data).id, error }));
	};
	postMessage(id);
};
`)}`;

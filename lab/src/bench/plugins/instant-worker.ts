import { instantAnswer } from "../instant-answer.js";

// A worker with an agent that answers immediately. It speaks like the agent's own worker.

/** The edit that Segue itself suggests after an `s` was added to the name in the first line. */
const EDIT = {
	range: { start: { line: 1, character: 9 }, end: { line: 1, character: 9 } },
	newText: "s",
};

addEventListener("message", ({ data: { id, port } }: MessageEvent<{ id: number; port: MessagePort }>) => {
	port.addEventListener("message", ({ data }) => {
		if (typeof data !== "string") return;
		port.postMessage(data.length);
		const { id, method, params } = JSON.parse(data);
		if (id === undefined) return;
		port.postMessage(JSON.stringify({ jsonrpc: "2.0", id, result: instantAnswer(method, params, EDIT) }));
	});
	port.start();
	postMessage(id);
});

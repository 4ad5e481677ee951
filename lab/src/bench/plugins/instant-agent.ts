import { instantAnswer } from "../instant-answer.js";

// An agent that answers immediately. In a web worker it speaks like the agent's own worker, and as a program over
// standard input and output.

/** The edit that Segue itself suggests after an `s` was added to the name in the first line. */
const EDIT = {
	range: { start: { line: 1, character: 9 }, end: { line: 1, character: 9 } },
	newText: "s",
};

function answerTo(message: string): string | undefined {
	const { id, method, params } = JSON.parse(message);
	if (id === undefined) return undefined;
	return JSON.stringify({ jsonrpc: "2.0", id, result: instantAnswer(method, params, EDIT) });
}

if (typeof process === "undefined") {
	addEventListener("message", ({ data: { id, port } }: MessageEvent<{ id: number; port: MessagePort }>) => {
		port.addEventListener("message", ({ data }) => {
			if (typeof data !== "string") return;
			port.postMessage(data.length);
			const answer = answerTo(data);
			if (answer !== undefined) port.postMessage(answer);
		});
		port.start();
		postMessage(id);
	});
} else {
	let rest = "";
	process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const answer = answerTo(line);
			if (answer !== undefined) process.stdout.write(`${answer}\n`);
		}
	});
}

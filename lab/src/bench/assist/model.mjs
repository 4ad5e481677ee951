// A local model server that streams one word per chunk, faster than any real model. It runs in a separate process, so
// its work is not measured.
import { createServer } from "node:http";

const chunks = Number(process.argv[2]);

/** Writes a chunk in the format of the OpenAI-compatible API. */
const write = (response, choice) =>
	response.write(
		`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", model: "m", choices: [choice] })}\n\n`,
	);

const server = createServer((request, response) => {
	request.resume();
	request.on("end", async () => {
		response.socket.setNoDelay(true);
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (let i = 0; i < chunks; i++) {
			write(response, { index: 0, delta: { content: `word${i} ` }, finish_reason: null });
			// Send each chunk before writing the next, as a real model does.
			await new Promise((resolve) => setImmediate(resolve));
		}
		write(response, { index: 0, delta: {}, finish_reason: "stop" });
		response.end("data: [DONE]\n\n");
	});
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());

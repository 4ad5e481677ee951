// A model on the loopback interface that says many words, each a chunk of its own, as one does that is faster than any real
// one. It runs in a process of its own, so that its work is not counted.
import { createServer } from "node:http";

const chunks = Number(process.argv[2]);

/** A chunk of the wire that most servers speak. */
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
			// One chunk is sent before the next is written, as when a model thinks of it.
			await new Promise((resolve) => setImmediate(resolve));
		}
		write(response, { index: 0, delta: {}, finish_reason: "stop" });
		response.end("data: [DONE]\n\n");
	});
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());

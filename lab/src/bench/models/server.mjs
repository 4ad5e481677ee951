// A local model server that sends the lines it is given at a fixed pace. It runs in a separate process, so its work is
// not measured.
import { createServer } from "node:http";

/** The current answer: { lines, thinkMs, lineMs }. */
let script;
/** The last request, so that the benchmark can send it again. */
let last;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const eventOf = (choice) =>
	`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [choice] })}\n\n`;

const server = createServer(async (request, response) => {
	response.socket.setNoDelay(true);
	let body = "";
	for await (const chunk of request) body += chunk;
	if (request.method === "PUT") {
		script = JSON.parse(body);
		response.end();
	} else if (request.method === "GET") response.end(JSON.stringify(last));
	else {
		last = { url: request.url, headers: { "content-type": request.headers["content-type"] }, body };
		await answer(response);
	}
});

async function answer(response) {
	const { lines, thinkMs, lineMs } = script;
	if (thinkMs > 0) await pause(thinkMs);
	response.writeHead(200, { "content-type": "text/event-stream" });
	const events = lines.map((line) => eventOf({ index: 0, delta: { content: `${line}\n` }, finish_reason: null }));
	const end = `${eventOf({ index: 0, delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;
	if (lineMs === 0) {
		response.end(events.join("") + end);
		return;
	}
	for (const event of events) {
		await pause(lineMs);
		response.write(event);
	}
	response.end(end);
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());

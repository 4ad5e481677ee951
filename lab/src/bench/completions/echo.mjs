// The baseline for the completion endpoints: a server that parses a JSON body and sends it back.

import { createServer } from "node:http";

const server = createServer((request, response) => {
	const chunks = [];
	request.on("data", (chunk) => chunks.push(chunk));
	request.on("end", () => {
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString())));
	});
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`listening at http://127.0.0.1:${server.address().port}\n`));
process.stdin.on("end", () => process.exit()).resume();

// A local model server for the chat trials. It returns a greeting, or calls a tool that writes a file when asked to
// create one.
import { once } from "node:events";
import { createServer } from "node:http";

export const GREETING = "Hello from the model.";
export const DONE = "The file is there.";
export const MADE = { path: "made.txt", content: "made by the model\n" };

/** Starts the model server on a free port, as a provider with OpenAI's API. */
export async function startModel() {
	const server = createServer(async (request, response) => {
		let body = "";
		for await (const chunk of request) body += chunk;
		if (!request.url.endsWith("/chat/completions")) return response.end(JSON.stringify({ data: [{ id: "trial" }] }));
		response.writeHead(200, { "content-type": "text/event-stream" });
		const { delta, finish_reason } = answerTo(JSON.parse(body).messages);
		for (const choice of [{ delta }, { delta: {}, finish_reason }]) {
			const choices = [{ index: 0, finish_reason: null, ...choice }];
			response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices })}\n\n`);
		}
		response.end("data: [DONE]\n\n");
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		env: {
			...{ SEGUE_MODEL: "openai-compatible/trial", SEGUE_API_KEY: "x" },
			SEGUE_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`,
		},
		stop: () => server.close(),
	};
}

function answerTo(messages) {
	const say = (content) => ({ delta: { role: "assistant", content }, finish_reason: "stop" });
	if (messages.at(-1).role === "tool") return say(DONE);
	const asked = JSON.stringify(messages.findLast(({ role }) => role === "user"));
	if (!/create a file/i.test(asked)) return say(GREETING);
	const call = { name: "write_file", arguments: JSON.stringify(MADE) };
	return {
		delta: { role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] },
		finish_reason: "tool_calls",
	};
}

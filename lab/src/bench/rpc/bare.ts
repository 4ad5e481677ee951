import type { Readable, Writable } from "node:stream";
import { compete } from "./contender.js";
import { DID_CHANGE, type DidChange, SUGGEST, type Suggest, type SuggestResult } from "./messages.js";

// The baseline: one message per line, with no validation, errors or limits.

type Message =
	| { method: typeof DID_CHANGE; params: DidChange }
	| { method: typeof SUGGEST; params: Suggest; id: number }
	| { method: undefined; id: number; result: SuggestResult };

compete({
	serve(agent, input, output) {
		read(input, (message) => {
			switch (message.method) {
				case DID_CHANGE:
					agent.didChange(message.params);
					break;
				case SUGGEST: {
					const { id } = message;
					const result = agent.suggest(message.params);
					if (result instanceof Promise)
						void result.then((later) => write(output, { jsonrpc: "2.0", id, result: later }));
					else write(output, { jsonrpc: "2.0", id, result });
				}
			}
		});
	},

	connect(input, output) {
		const pending = new Map<number, (result: SuggestResult) => void>();
		let nextId = 0;
		read(input, (message) => {
			if (message.method !== undefined) return;
			pending.get(message.id)?.(message.result);
			pending.delete(message.id);
		});
		return {
			didChange: (params) => write(output, { jsonrpc: "2.0", method: DID_CHANGE, params }),
			suggest: (params) =>
				new Promise((resolve) => {
					const id = nextId++;
					pending.set(id, resolve);
					write(output, { jsonrpc: "2.0", id, method: SUGGEST, params });
				}),
		};
	},
});

function read(input: Readable, handle: (message: Message) => void): void {
	let rest = "";
	input.setEncoding("utf8");
	input.on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) handle(JSON.parse(line) as Message);
	});
}

function write(output: Writable, message: unknown): void {
	output.write(`${JSON.stringify(message)}\n`);
}

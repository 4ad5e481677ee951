import { Connection, type Dialect, lines, notification, on, request } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import * as z from "zod";
import { compete } from "./contender.js";
import { DID_CHANGE, SUGGEST } from "./messages.js";

const dialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancel_request", idField: "requestId" },
	methodNotFound: (method) => `Method not found: ${method}`,
};

const meta = z.record(z.string(), z.unknown()).nullish();
const natural = z
	.int()
	.gte(0)
	.max(2 ** 32 - 1);
const position = z.object({ line: natural, character: natural, _meta: meta });
const range = z.object({ start: position, end: position, _meta: meta });

const didChange = notification({
	method: DID_CHANGE,
	from: "client",
	params: z.object({
		sessionId: z.string(),
		uri: z.string(),
		version: z.number(),
		contentChanges: z.array(z.object({ range, text: z.string(), _meta: meta })),
		_meta: meta,
	}),
});

const suggest = request({
	method: SUGGEST,
	from: "client",
	params: z.object({
		sessionId: z.string(),
		uri: z.string(),
		version: z.number(),
		position,
		selection: range.nullish(),
		triggerKind: z.enum(["automatic", "diagnostic", "manual"]),
		_meta: meta,
	}),
	result: z.object({
		suggestions: z.array(
			z.object({
				id: z.string(),
				kind: z.literal("edit"),
				uri: z.string(),
				edits: z.array(z.object({ range, newText: z.string(), _meta: meta })),
				cursorPosition: position,
				_meta: meta,
			}),
		),
		_meta: meta,
	}),
});

compete({
	serve(agent, input, output) {
		new Connection<"agent">(overStreams(input, output, lines), {
			dialect,
			handlers: [on(didChange, (params) => agent.didChange(params)), on(suggest, (params) => agent.suggest(params))],
			report: (problem) => console.error(problem),
		});
	},

	connect(input, output) {
		const connection = new Connection<"client">(overStreams(input, output, lines), {
			dialect,
			handlers: [],
			report: (problem) => console.error(problem),
		});
		return {
			didChange: (params) => connection.notify(didChange, params),
			suggest: (params) => connection.request(suggest, params),
		};
	},
});

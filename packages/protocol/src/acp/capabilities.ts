import * as z from "zod";
import { lenient, meta, record, skipping, word } from "../tolerance.js";
import { positionEncoding, uint32 } from "./position.js";

/** `{}` says yes; null or nothing says no. */
const marker = lenient(record({ _meta: meta }));

const bounded = lenient(record({ maxCount: lenient(uint32), _meta: meta }));

/** What an agent wants to hear of, and what it wants attached to each request for a suggestion. All is optional. */
const nesCapabilities = record({
	/** Notifications that the agent wants to receive. */
	events: lenient(
		record({
			document: lenient(
				record({
					didOpen: marker,
					/** `full`: the client sends the whole text each time; `incremental`: only the changed ranges. */
					didChange: lenient(record({ syncKind: z.enum(["full", "incremental"]), _meta: meta })),
					didClose: marker,
					didSave: marker,
					didFocus: marker,
					_meta: meta,
				}),
			),
			_meta: meta,
		}),
	),
	/** What the client attaches to `nes/suggest`, and at most how much of it. */
	context: lenient(
		record({
			recentFiles: bounded,
			relatedSnippets: marker,
			editHistory: bounded,
			userActions: bounded,
			openFiles: marker,
			diagnostics: marker,
			_meta: meta,
		}),
	),
	_meta: meta,
});
export type NesCapabilities = z.output<typeof nesCapabilities>;

/** The kinds of suggestion that a client can show beside `edit`, which every client can. */
const clientNesCapabilities = record({ jump: marker, rename: marker, searchAndReplace: marker, _meta: meta });

/** The editor state methods that a client serves. */
const workspaceCapabilities = record({
	openDocuments: marker,
	recentDocuments: marker,
	activeDocument: marker,
	_meta: meta,
});
export type WorkspaceCapabilities = z.output<typeof workspaceCapabilities>;

export const clientCapabilities = record({
	nes: lenient(clientNesCapabilities),
	/** In order of preference; absent means `utf-16`. Encodings that are not known are passed over. */
	positionEncodings: lenient(skipping(positionEncoding)),
	workspace: lenient(workspaceCapabilities),
	/** `terminal`: the client can run the agent in a terminal, for the user to sign in there. */
	auth: lenient(record({ terminal: lenient(z.boolean()), _meta: meta })),
	/** Whether the client serves its files, with what is not saved, and terminals. */
	fs: lenient(record({ readTextFile: lenient(z.boolean()), writeTextFile: lenient(z.boolean()), _meta: meta })),
	terminal: lenient(z.boolean()),
	session: lenient(
		record({
			/** Updates that only some clients can show. */
			notices: marker,
			compaction: marker,
			/** Settings that are on or off. Clients without it choose between two words. */
			configOptions: lenient(record({ boolean: marker, _meta: meta })),
			_meta: meta,
		}),
	),
	_meta: meta,
});
export type ClientCapabilities = z.output<typeof clientCapabilities>;

export const agentCapabilities = record({
	nes: lenient(nesCapabilities),
	/** One of the client's list; absent means `utf-16`. */
	positionEncoding: lenient(word("utf-8", "utf-16", "utf-32")),
	loadSession: lenient(z.boolean()),
	/** What a prompt may hold beside text and links. */
	promptCapabilities: lenient(
		record({
			image: lenient(z.boolean()),
			audio: lenient(z.boolean()),
			embeddedContext: lenient(z.boolean()),
			_meta: meta,
		}),
	),
	/** How MCP servers may be reached beside stdio. */
	mcpCapabilities: lenient(record({ http: lenient(z.boolean()), sse: lenient(z.boolean()), _meta: meta })),
	sessionCapabilities: lenient(
		record({
			list: marker,
			delete: marker,
			additionalDirectories: marker,
			resume: marker,
			close: marker,
			_meta: meta,
		}),
	),
	/** Whether one who signed in can sign out again. */
	auth: lenient(record({ logout: marker, _meta: meta })),
	_meta: meta,
});
export type AgentCapabilities = z.output<typeof agentCapabilities>;

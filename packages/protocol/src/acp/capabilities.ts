import * as z from "zod/mini";
import { lenient, meta, record, skipping, word } from "../tolerance.js";
import { positionEncoding, uint32 } from "./position.js";

/** `{}` means supported; null or a missing member means unsupported. */
const marker = lenient(record({ _meta: meta }));

const bounded = lenient(record({ maxCount: lenient(uint32), _meta: meta }));

/**
 * The events that an agent subscribes to, and the context that it wants with each suggestion request. All members are
 * optional.
 */
const nesCapabilities = record({
	/** Notifications the agent wants to receive. */
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
	/** Context the client attaches to `nes/suggest`, with optional limits. */
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

/** Kinds of suggestion a client can show in addition to `edit`, which every client supports. */
const clientNesCapabilities = record({ jump: marker, rename: marker, searchAndReplace: marker, _meta: meta });

/** The editor state methods a client supports. */
const workspaceCapabilities = record({
	openDocuments: marker,
	recentDocuments: marker,
	activeDocument: marker,
	_meta: meta,
});
export type WorkspaceCapabilities = z.output<typeof workspaceCapabilities>;

export const clientCapabilities = record({
	nes: lenient(clientNesCapabilities),
	/** In order of preference; the default is `utf-16`. Unknown encodings are dropped. */
	positionEncodings: lenient(skipping(positionEncoding)),
	workspace: lenient(workspaceCapabilities),
	/** `terminal`: the client can run the agent in a terminal so that the user can sign in. */
	auth: lenient(record({ terminal: lenient(z.boolean()), _meta: meta })),
	/** File access through the client, including unsaved changes. */
	fs: lenient(record({ readTextFile: lenient(z.boolean()), writeTextFile: lenient(z.boolean()), _meta: meta })),
	terminal: lenient(z.boolean()),
	session: lenient(
		record({
			/** Session updates that only some clients can show. */
			notices: marker,
			compaction: marker,
			/** Boolean settings. Clients without this capability get a select with two values instead. */
			configOptions: lenient(record({ boolean: marker, _meta: meta })),
			_meta: meta,
		}),
	),
	_meta: meta,
});
export type ClientCapabilities = z.output<typeof clientCapabilities>;

export const agentCapabilities = record({
	nes: lenient(nesCapabilities),
	/** One of the client's encodings; the default is `utf-16`. */
	positionEncoding: lenient(word("utf-8", "utf-16", "utf-32")),
	loadSession: lenient(z.boolean()),
	/** Prompt content the agent accepts in addition to text and links. */
	promptCapabilities: lenient(
		record({
			image: lenient(z.boolean()),
			audio: lenient(z.boolean()),
			embeddedContext: lenient(z.boolean()),
			_meta: meta,
		}),
	),
	/** MCP transports the agent supports in addition to stdio. */
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
	/** Whether the agent supports signing out. */
	auth: lenient(record({ logout: marker, _meta: meta })),
	_meta: meta,
});
export type AgentCapabilities = z.output<typeof agentCapabilities>;

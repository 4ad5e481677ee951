import * as z from "zod/mini";
import { lenient, meta, record, word } from "../tolerance.js";

// Content of a chat message. Members not listed here, for example annotations, are kept.

const textContent = record({ type: z.literal("text"), text: z.string(), _meta: meta });
const imageContent = record({
	type: z.literal("image"),
	data: z.string(),
	mimeType: z.string(),
	uri: lenient(z.string()),
	_meta: meta,
});
const audioContent = record({ type: z.literal("audio"), data: z.string(), mimeType: z.string(), _meta: meta });

/** A reference to a file or another resource. Every agent accepts it. */
const resourceLink = record({
	type: z.literal("resource_link"),
	uri: z.string(),
	name: z.string(),
	title: lenient(z.string()),
	description: lenient(z.string()),
	mimeType: lenient(z.string()),
	size: lenient(z.number()),
	_meta: meta,
});

/** A resource with its content: text, or base64 data. */
const resource = record({
	type: z.literal("resource"),
	resource: z.union([
		record({ uri: z.string(), text: z.string(), mimeType: lenient(z.string()), _meta: meta }),
		record({ uri: z.string(), blob: z.string(), mimeType: lenient(z.string()), _meta: meta }),
	]),
	_meta: meta,
});

export const contentBlock = z.discriminatedUnion("type", [
	textContent,
	imageContent,
	audioContent,
	resourceLink,
	resource,
]);
export type ContentBlock = z.output<typeof contentBlock>;

/** An environment variable or an HTTP header. */
const nameAndValue = record({ name: z.string(), value: z.string(), _meta: meta });
const httpMcpServer = record({
	type: word("http", "sse"),
	name: z.string(),
	url: z.string(),
	headers: z._default(z.array(nameAndValue), []),
	_meta: meta,
});
const stdioMcpServer = record({
	name: z.string(),
	command: z.string(),
	args: z._default(z.array(z.string()), []),
	env: z._default(z.array(nameAndValue), []),
	_meta: meta,
});
export const mcpServer = z.union([httpMcpServer, stdioMcpServer]);
export type McpServer = z.output<typeof mcpServer>;

import * as z from "zod";
import { StoreError } from "../failures.js";
import type { Body, Entry, Flag, Thread } from "../threads/thread.js";

/** A thread as JSON, for another machine or program. */
export interface Archive {
	readonly format: typeof FORMAT;
	readonly version: typeof VERSION;
	readonly thread: Thread;
	readonly entries: readonly Entry[];
	/** Absent in archives from older versions. */
	readonly flags?: readonly Flag[] | undefined;
}

/** More flags than a user can keep track of in one thread. */
export const FLAGS_MAX = 100;

const FORMAT = "segue-thread";
const VERSION = 1;

export function archiveOf(thread: Thread, entries: readonly Entry[], flags: readonly Flag[]): Archive {
	return { format: FORMAT, version: VERSION, thread, entries, ...(flags.length > 0 && { flags }) };
}

/** Validates an archive. Throws a `StoreError` with a message for the user. */
export function readArchive(value: unknown): Archive {
	const header = headerSchema.safeParse(value);
	if (!header.success) throw new StoreError("This is not a conversation exported by Segue.");
	if (header.data.version > VERSION) {
		throw new StoreError(
			`This conversation was exported by a newer version of Segue (format ${header.data.version}; this version supports ${VERSION}). Update Segue to import it.`,
		);
	}
	const archive = archiveSchema.safeParse(value);
	if (archive.success) return archive.data;
	const [issue] = archive.error.issues;
	const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
	throw new StoreError(`This exported conversation is invalid${place}: ${issue?.message ?? "it cannot be read"}.`);
}

const headerSchema = z.object({ format: z.literal(FORMAT), version: z.int().positive() });

/** Ids and paths are stored unescaped, so they cannot contain a NUL or an unpaired surrogate. */
const name = z
	.string()
	.min(1)
	.max(4096)
	.regex(/^[^\p{Cc}\p{Cs}]*$/u, "it contains characters that are not allowed in a name");
const time = z.iso.datetime({ precision: 3 });
const text = z.string();
/** JSON omits undefined properties, but the types require them. */
const maybeText = text.optional().transform((value) => value);
const count = z.number().nonnegative();
const maybeCount = count.optional().transform((value) => value);
const line = z.int().positive();

const promptPart = z.discriminatedUnion("type", [
	z.object({ type: z.literal("text"), text }),
	z.object({ type: z.literal("image"), mediaType: text, base64: text }),
	z.object({
		type: z.literal("file"),
		path: text,
		lines: z
			.object({ first: line, last: line })
			.optional()
			.transform((value) => value),
		content: maybeText,
		isEmbedded: z.boolean().optional(),
	}),
	z.object({ type: z.literal("excerpt"), label: text, content: text }),
]);

const call = z.object({
	id: text,
	tool: text,
	kind: z.enum(["read", "edit", "delete", "move", "search", "execute", "fetch", "think", "switch_mode", "other"]),
	title: text,
	status: z.enum(["pending", "running", "done", "failed"]),
	input: text,
	output: text,
	diffs: z.array(
		z.object({ path: text, before: maybeText, isBeforeUnknown: z.boolean().optional(), after: maybeText }),
	),
	locations: z.array(z.object({ path: text, line: line.optional().transform((value) => value) })),
	rawOutput: text.optional(),
});

const approval = z.object({
	callId: text,
	permission: z.object({
		kind: z.enum(["read-ignored", "edit", "delete", "command", "network", "mcp"]),
		subject: text,
	}),
	by: z.enum(["person", "rule", "nobody"]),
	answer: z.enum(["once", "session", "always", "no"]),
});

const body: z.ZodType<Body> = z.discriminatedUnion("type", [
	z.object({ type: z.literal("prompt"), parts: z.array(promptPart), model: maybeText }),
	z.object({ type: z.literal("text"), text }),
	z.object({ type: z.literal("thought"), text, signature: maybeText }),
	z.object({ type: z.literal("image"), mediaType: text, base64: text }),
	z.object({ type: z.literal("link"), name: text, uri: text }),
	z.object({ type: z.literal("call"), call }),
	z.object({ type: z.literal("file"), path: text, content: text }),
	z.object({
		type: z.literal("plan"),
		steps: z.array(
			z.object({
				text,
				status: z.enum(["pending", "running", "done"]),
				priority: z.enum(["high", "medium", "low"]).optional(),
			}),
		),
	}),
	z.object({ type: z.literal("approval"), approval }),
	z.object({
		type: z.literal("usage"),
		usage: z.object({ inputTokens: count, outputTokens: count, cachedTokens: maybeCount, costUsd: maybeCount }),
		windowTokens: count.optional(),
	}),
	z.object({ type: z.literal("summary"), text }),
	z.object({ type: z.literal("agent"), agent: text, session: text }),
	z.object({ type: z.literal("notice"), level: z.enum(["info", "warning", "error"]), text }),
	z.object({
		type: z.literal("end"),
		reason: z.enum(["done", "cancelled", "length", "steps", "refused", "failed"]),
	}),
]);

const archiveSchema: z.ZodType<Archive> = z.object({
	format: z.literal(FORMAT),
	version: z.literal(VERSION),
	// Empty for a thread that was recovered from a damaged store.
	thread: z.object({ id: name, title: text, workspace: name.or(z.literal("")), modifiedAt: time }),
	entries: z.array(z.object({ number: z.int(), turn: name, at: time, body })),
	flags: z
		.array(z.object({ id: name, after: z.int(), text }))
		.max(FLAGS_MAX)
		.optional(),
});

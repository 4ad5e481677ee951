import * as z from "zod";

const line = z.discriminatedUnion("dir", [
	z.object({ dir: z.enum(["c->s", "s->c"]), msg: z.looseObject({}) }),
	z.object({ dir: z.literal("meta"), msg: z.unknown() }),
]);

const started = z.object({ argv: z.array(z.string()) });

/** One message in a recorded conversation. */
export interface CapturedLine {
	/** The line number in the file, from 1. */
	readonly line: number;
	readonly from: "editor" | "server";
	readonly message: CapturedMessage;
}

export interface CapturedMessage {
	readonly id?: string | number;
	readonly method?: string;
	readonly params?: unknown;
	readonly result?: unknown;
	readonly error?: unknown;
}

/** The messages from one run of the server. */
export interface Run {
	/** The server's arguments. */
	readonly args: readonly string[];
	readonly messages: readonly CapturedLine[];
}

/**
 * Reads a capture, which has one JSON object per line: `{"dir":"c->s","msg":{…}}` for messages to the server, `s->c`
 * for messages to the editor, and `meta` for everything else. A `meta` line with `{"argv":[…]}` marks a start of the
 * server. Throws an error for any other line.
 */
export function readCapture(text: string): Run[] {
	const runs: { args: readonly string[]; messages: CapturedLine[] }[] = [];
	for (const [index, written] of text.split("\n").entries()) {
		if (written.trim() === "") continue;
		const { dir, msg } = readLine(written, index + 1);
		const start = started.safeParse(msg);
		if (dir === "meta" && start.success) runs.push({ args: start.data.argv, messages: [] });
		if (dir === "meta") continue;
		if (runs.length === 0) runs.push({ args: [], messages: [] });
		runs.at(-1)?.messages.push({
			line: index + 1,
			from: dir === "c->s" ? "editor" : "server",
			message: msg as CapturedMessage,
		});
	}
	return runs;
}

function readLine(written: string, number: number): z.output<typeof line> {
	try {
		return line.parse(JSON.parse(written));
	} catch {
		throw new Error(`Line ${number} is not a capture line. Example: {"dir":"c->s","msg":{…}}`);
	}
}

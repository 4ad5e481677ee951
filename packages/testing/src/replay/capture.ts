import * as z from "zod";

const line = z.discriminatedUnion("dir", [
	z.object({ dir: z.enum(["c->s", "s->c"]), msg: z.looseObject({}) }),
	z.object({ dir: z.literal("meta"), msg: z.unknown() }),
]);

const started = z.object({ argv: z.array(z.string()) });

/** One message of a recorded conversation. */
export interface CapturedLine {
	/** Where it stands in the file, from one. */
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

/** What was said between one start of the server and its end. */
export interface Run {
	/** What the server was started with. */
	readonly args: readonly string[];
	readonly messages: readonly CapturedLine[];
}

/**
 * Reads a capture: a JSON object in each line, `{"dir":"c->s","msg":{…}}` for what the editor sent, `s->c` for what it got, and
 * `meta` for the rest, of which `{"argv":[…]}` tells that the server was started. Throws for what is no such line.
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
		throw new Error(`Line ${number} is no line of a capture, such as {"dir":"c->s","msg":{…}}.`);
	}
}

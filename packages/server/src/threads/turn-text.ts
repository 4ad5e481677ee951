import { type Approval, type Body, type PlanStep, ruleAllowing, type ToolCall, type Update } from "@segue/assist";

/**
 * Writes a turn as plain text. The draft only has text messages, so thoughts, tool calls, plans and denied permissions
 * become short lines in the reply, as in a terminal.
 */
export class TurnText {
	/** The kind of the last item. Consecutive calls are one per line; other items are separated by an empty line. */
	private last: "nothing" | "call" | "block" = "nothing";
	/** The number of newlines at the end of the text so far. */
	private newlines = 0;
	/** The number of the last entry, if more text can be appended to it. */
	private open: number | undefined;
	private readonly ended = new Set<string>();
	/** Calls that have already been reported as not allowed. */
	private readonly declined = new Set<string>();

	/** Returns the text that an update adds. */
	add(update: Update): string {
		switch (update.type) {
			case "entry":
				return this.entry(update.entry.body, update.entry.number);
			case "more":
				if (this.open !== update.number) return this.begin(update.of, update.text, update.number);
				return this.written(update.of === "text" ? update.text : quoted(update.text));
			case "call":
				return this.call(update.call);
			case "thread":
				return "";
		}
	}

	/** Returns the text for an error that is not stored in the thread. */
	failure(text: string): string {
		return this.block(`✗ ${text}\n`);
	}

	private entry(body: Body, number: number): string {
		switch (body.type) {
			case "text":
			case "thought":
				return this.begin(body.type, body.text, number);
			case "image":
				return this.block(`[image: ${body.mediaType}]\n`);
			case "link":
				return this.block(`[${body.name}](${body.uri})\n`);
			case "call":
				return this.call(body.call);
			case "plan":
				return this.block(`${body.steps.map(stepLine).join("\n")}\n`);
			case "approval":
				return this.approval(body.approval);
			case "notice":
				return this.block(`${MARKS[body.level]}${body.text.trimEnd()}\n`);
			// The editor already shows the prompt, files are separate entries, and the response marks the end of the
			// turn.
			case "prompt":
			case "file":
			case "usage":
			case "summary":
			case "agent":
			case "end":
				return "";
		}
	}

	private begin(type: "text" | "thought", text: string, number: number): string {
		if (text === "") return "";
		const begun = this.block(type === "text" ? text : `> ${quoted(text)}`);
		this.open = number;
		return begun;
	}

	/** Returns the text for a call that has ended, only once per call. */
	private call({ id, status, title, output }: ToolCall): string {
		if (status === "pending" || status === "running" || this.ended.has(id)) return "";
		this.ended.add(id);
		const why = status === "failed" && !this.declined.has(id) ? output.trim().split("\n", 1)[0] : "";
		return this.line(`${status === "failed" ? "✗" : "✓"} ${title}${why ? `: ${why}` : ""}`);
	}

	/** Explains how to allow a denied action, because the draft cannot request permission. */
	private approval({ callId, by, answer, permission }: Approval): string {
		if (answer !== "no") return "";
		this.declined.add(callId);
		const what = `${permission.kind} ${permission.subject}`;
		if (by !== "nobody") return this.line(`! Denied by a rule: ${what}`);
		const rule = JSON.stringify(ruleAllowing(permission));
		const how = `add ${rule} to "approvals" in the config.json shown by segue config, then reopen the thread`;
		return this.line(`! Not allowed, because this editor cannot ask for permission: ${what}. To allow it, ${how}.`);
	}

	private line(text: string): string {
		const separator = this.separate(this.last === "call" ? 1 : 2);
		this.last = "call";
		return separator + this.written(`${text}\n`);
	}

	private block(text: string): string {
		const separator = this.separate(2);
		this.last = "block";
		return separator + this.written(text);
	}

	private separate(newlines: number): string {
		this.open = undefined;
		return this.last === "nothing" ? "" : "\n".repeat(Math.max(0, newlines - this.newlines));
	}

	private written(text: string): string {
		const end = /\n*$/.exec(text)?.[0].length ?? 0;
		this.newlines = end === text.length ? this.newlines + end : end;
		return text;
	}
}

const MARKS = { info: "", warning: "! ", error: "✗ " } as const;

function quoted(thought: string): string {
	return thought.replaceAll("\n", "\n> ");
}

function stepLine({ text, status }: PlanStep): string {
	return `${{ pending: "☐", running: "▸", done: "☑" }[status]} ${text}`;
}

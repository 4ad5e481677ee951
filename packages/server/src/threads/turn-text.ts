import { type Approval, type Body, type PlanStep, ruleAllowing, type ToolCall, type Update } from "@segue/assist";

/**
 * What happens in a turn, as text: the draft has messages for nothing else, so thoughts, calls, plans and what was not allowed
 * are short lines beside the answer, as in a terminal.
 */
export class TurnText {
	/** What stands last: calls follow each other line by line, all else is parted by an empty line. */
	private last: "nothing" | "call" | "block" = "nothing";
	/** Newlines at the end of what was said so far. */
	private newlines = 0;
	/** The number of the entry that is being written, if nothing else came in between. */
	private open: number | undefined;
	private readonly ended = new Set<string>();
	/** Calls of which it was told that they were not allowed. */
	private readonly declined = new Set<string>();

	/** What an update adds. */
	add(update: Update): string {
		switch (update.type) {
			case "entry":
				return this.entry(update.entry.body, update.entry.number);
			case "more":
				if (this.open !== update.number) return this.begin(update.of, update.text, update.number);
				return this.said(update.of === "text" ? update.text : quoted(update.text));
			case "call":
				return this.call(update.call);
			case "thread":
				return "";
		}
	}

	/** Something that is no part of the thread. */
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
			// Who wrote a prompt has it on screen, a file is an entry of its own, and the end is the answer.
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

	/** Told once, when it is over. */
	private call({ id, status, title, output }: ToolCall): string {
		if (status === "pending" || status === "running" || this.ended.has(id)) return "";
		this.ended.add(id);
		const why = status === "failed" && !this.declined.has(id) ? output.trim().split("\n", 1)[0] : "";
		return this.line(`${status === "failed" ? "✗" : "✓"} ${title}${why ? `: ${why}` : ""}`);
	}

	/** There is no way to ask a person, so they are told what they can do. */
	private approval({ callId, by, answer, permission }: Approval): string {
		if (answer !== "no") return "";
		this.declined.add(callId);
		const what = `${permission.kind} ${permission.subject}`;
		if (by !== "nobody") return this.line(`! Not allowed by a rule: ${what}`);
		const rule = JSON.stringify(ruleAllowing(permission));
		const how = `add ${rule} to "approvals" in the config.json that segue config shows, and open the thread again`;
		return this.line(`! Not allowed, because nobody can be asked here: ${what}. To allow it, ${how}.`);
	}

	private line(text: string): string {
		const parted = this.part(this.last === "call" ? 1 : 2);
		this.last = "call";
		return parted + this.said(`${text}\n`);
	}

	private block(text: string): string {
		const parted = this.part(2);
		this.last = "block";
		return parted + this.said(text);
	}

	private part(newlines: number): string {
		this.open = undefined;
		return this.last === "nothing" ? "" : "\n".repeat(Math.max(0, newlines - this.newlines));
	}

	private said(text: string): string {
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

import { isCommandPrompt } from "../threads/slash-command.js";
import type { Entry } from "../threads/thread.js";
import { cutTo, truncateTail } from "../tools/truncate.js";

/** Of all: about 8,000 tokens, its end, since what was said last matters most. */
const SUMMARY_CHARS_MAX = 32_000;
/** Of one thing that was said. */
const SAID_CHARS_MAX = 4_000;

/** The session that an agent had for a thread before, by the id that it gave it. */
export function sessionBefore(entries: readonly Entry[], agent: string): string | undefined {
	return sessionsOf(entries, agent).at(-1);
}

/** All that it ever had for it. */
export function sessionsOf(entries: readonly Entry[], agent: string): readonly string[] {
	return entries.flatMap(({ body }) => (body.type === "agent" && body.agent === agent ? [body.session] : []));
}

/** What the last session that an agent had for a thread has cost. */
export function costSoFar(entries: readonly Entry[], agent: string): number {
	const from = entries.findLastIndex(({ body }) => body.type === "agent" && body.agent === agent);
	const its = new Set(
		entries.flatMap(({ turn, body }) => (body.type === "prompt" && body.model === agent ? [turn] : [])),
	);
	return entries.slice(from + 1).reduce((sum, { turn, body }) => {
		return body.type === "usage" && its.has(turn) ? sum + (body.usage.costUsd ?? 0) : sum;
	}, 0);
}

/**
 * What was said and done in a thread that an agent does not know of, in short, to lead its next prompt; undefined where there
 * is nothing. One that remembers its session knows all up to the last turn that was put to it.
 */
export function summaryFor(entries: readonly Entry[], agent: string, remembers: boolean): string | undefined {
	const isIts = ({ body }: Entry) => body.type === "prompt" && body.model === agent;
	const lastTurn = remembers ? entries.findLast(isIts)?.turn : undefined;
	const from = lastTurn === undefined ? 0 : entries.findLastIndex(({ turn }) => turn === lastTurn) + 1;
	const commands = new Set(entries.filter(({ body }) => isCommandPrompt(body)).map(({ turn }) => turn));
	const lines = entries.slice(from).flatMap((entry) => (commands.has(entry.turn) ? [] : linesOf(entry)));
	if (lines.length === 0) return undefined;
	const recent = truncateTail(lines.join("\n\n"), SUMMARY_CHARS_MAX);
	return `What was said and done in this conversation before you were asked, in short:\n\n${recent}\n\nThe user goes on:`;
}

function linesOf({ body }: Entry): string[] {
	switch (body.type) {
		case "prompt": {
			const said = body.parts.map((part) => {
				if (part.type === "text") return part.text;
				return part.type === "file" ? `(${part.path})` : `(${part.type})`;
			});
			return [`User: ${cutTo(said.join(" "), SAID_CHARS_MAX)}`];
		}
		case "text":
			return body.text.trim() === "" ? [] : [`Assistant: ${cutTo(body.text.trim(), SAID_CHARS_MAX)}`];
		case "link":
			return [`Assistant: [${body.name}](${body.uri})`];
		case "summary":
			return [body.text];
		case "call":
			return [`(${body.call.title}: ${body.call.status})`];
		default:
			return [];
	}
}
